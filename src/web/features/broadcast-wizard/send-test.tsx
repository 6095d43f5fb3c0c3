/** Sends one message of the broadcast to a number of the user's choice, with the values of the first example. */

import { useState } from "react";
import { useForm } from "react-hook-form";
import { request } from "../../data/api.ts";
import { useWorkspace } from "../../data/session.ts";
import { TextField } from "../../ui/field.tsx";
import { Form } from "../../ui/form.tsx";
import { Failed, Notice } from "../../ui/states.tsx";
import { PhonePreview } from "../templates/phone-preview.tsx";
import type { Template } from "../templates/template-view.ts";
import type { Saved } from "./draft.ts";
import { useValuesPreview } from "./fields-step.tsx";
import { strings } from "./strings.ts";
import { testParts } from "./values.ts";

export function SendTest({ draftId, template, saved }: { draftId: number; template: Template; saved: Saved }) {
  const { id } = useWorkspace();
  const values = useValuesPreview(id, draftId, saved);
  const example = values.data?.examples.find(({ text }) => text !== null);
  const form = useForm({ defaultValues: { to: "" } });
  const [sentTo, setSentTo] = useState<string | null>(null);
  return (
    <section aria-label={strings.test}>
      <h2 className="mb-3 text-section font-semibold">{strings.test}</h2>
      {values.isError && <Failed error={values.error} retry={() => void values.refetch()} />}
      {values.data !== undefined && example === undefined && <p>{strings.examplesNobody}</p>}
      {example !== undefined && (
        <div className="flex flex-col gap-4">
          <PhonePreview template={template} whole={example.text ?? undefined} filled={example} />
          <p className="text-quiet">{strings.testText}</p>
          <Form
            form={form}
            submit={strings.testSend}
            tone="plain"
            onSend={async ({ to }, key) => {
              setSentTo(null);
              const { template: name = "", language, from, media, ...parts } = saved.content;
              const options = { ...(from === undefined ? {} : { from }), ...(media === undefined ? {} : { media }) };
              const { header, body: texts, buttons } = example;
              const variables = { header, body: texts, ...(buttons.length === 0 ? {} : { buttons }) };
              const body = {
                to,
                template: name,
                ...(language === undefined ? {} : { language }),
                variables,
                ...options,
                ...testParts(template, parts, example),
              };
              const message = await request("POST /w/{workspace}/messages", { workspace: id, body }, { key });
              setSentTo(message.to);
            }}
          >
            <TextField form={form} name="to" type="tel" inputMode="tel" label={strings.testTo} autoComplete="tel" />
          </Form>
          {sentTo !== null && <Notice tone="green">{`${sentTo}: ${strings.testSent}`}</Notice>}
        </div>
      )}
    </section>
  );
}
