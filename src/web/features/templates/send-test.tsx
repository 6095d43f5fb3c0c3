/** Sends an approved template once, to a number of the user's choice. */
import { Link } from "@tanstack/react-router";
import { useId, useState } from "react";
import { request } from "../../data/api.ts";
import { isSimulated, useWorkspace } from "../../data/session.ts";
import { Button, textLink } from "../../ui/button.tsx";
import { FieldFrame, inputClass } from "../../ui/field.tsx";
import { Section } from "../../ui/page.tsx";
import { Notice } from "../../ui/states.tsx";
import { isSentFromHere, TemplateForm } from "../messages/choose-template.tsx";
import { strings } from "./strings.ts";
import type { Template } from "./template-view.ts";

export function SendTest({ template }: { template: Template }) {
  const workspace = useWorkspace();
  const id = useId();
  const [isOpen, setIsOpen] = useState(false);
  const [sent, setSent] = useState<{ id: number; to: string } | null>(null);
  // Those that may have the account of the template; the server knows which have.
  const phones = workspace.numbers
    .map(({ phone }) => phone)
    .filter((phone) => isSimulated(workspace, phone) === template.is_simulated);
  const [from, setFrom] = useState(phones[0] ?? "");
  if (!isSentFromHere(template) || phones.length === 0) return null;
  if (!isOpen) {
    return (
      <div className="mb-8">
        <Button onClick={() => setIsOpen(true)}>{strings.test}</Button>
      </div>
    );
  }
  return (
    <Section title={strings.test} lead={strings.testText}>
      {phones.length > 1 && (
        <div className="mb-3">
          <FieldFrame id={id} label={strings.testFrom} error={undefined}>
            <select id={id} className={inputClass} value={from} onChange={({ target }) => setFrom(target.value)}>
              {phones.map((phone) => (
                <option key={phone}>{phone}</option>
              ))}
            </select>
          </FieldFrame>
        </div>
      )}
      <TemplateForm
        // A new form, with a new key, for the next test.
        key={sent?.id}
        template={template}
        from={from}
        to={{ label: strings.testTo, hint: strings.testToHint }}
        send={async (body, key) => {
          setSent(null);
          const message = await request("POST /w/{workspace}/messages", { workspace: workspace.id, body }, { key });
          setSent(message);
        }}
        onSent={() => undefined}
      />
      {sent !== null && (
        <div className="mt-3">
          <Notice tone="green">
            {strings.testSent(sent.to)}{" "}
            <Link
              to="/w/$workspace/messages"
              params={{ workspace: String(workspace.id) }}
              search={{ open: String(sent.id) }}
              className={textLink}
            >
              {strings.testMessage}
            </Link>
          </Notice>
        </div>
      )}
    </Section>
  );
}
