/** Sends a template to one person: choose a sendable template, fill in its values, and preview it. */
import { useQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import { type Path, useForm, useWatch } from "react-hook-form";
import { type Entry, request } from "../../data/api.ts";
import { isSimulated, useWorkspace } from "../../data/session.ts";
import { inputClass, TextField } from "../../ui/field.tsx";
import { Form } from "../../ui/form.tsx";
import { Empty, Failed, Loading } from "../../ui/states.tsx";
import { phoneOf } from "../contacts/contact-view.ts";
import type { Conversation } from "../inbox/inbox-view.ts";
import { isShownInConversation, useRefresh } from "../inbox/sending.ts";
import { strings } from "../inbox/strings.ts";
import { strings as messageStrings } from "./strings.ts";

type Template = Entry<"GET /w/{workspace}/templates">;

interface Values {
  header: string[];
  body: string[];
}

export function SendTemplate({ conversation }: { conversation: Conversation }) {
  const { id } = useWorkspace();
  const [chosen, setChosen] = useState("");
  const field = useId();
  const list = useQuery({
    queryKey: ["templates", id, "sendable"],
    queryFn: ({ signal }) =>
      request("GET /w/{workspace}/templates", { workspace: id, query: { status: "APPROVED" } }, { signal }),
  });
  if (list.isPending) return <Loading />;
  if (list.data === undefined) return <Failed error={list.error} retry={() => void list.refetch()} />;
  // A template that needs a file and has no sample cannot be sent from here.
  const templates = list.data.data.filter(({ sendable, media }) => sendable && (media === null || media.default));
  if (templates.length === 0) return <Empty title={strings.noTemplates} />;
  const template = templates.find((one) => keyOf(one) === chosen);
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-col gap-1">
        <label htmlFor={field} className="font-semibold">
          {strings.template}
        </label>
        <select id={field} className={inputClass} value={chosen} onChange={({ target }) => setChosen(target.value)}>
          <option value="">{strings.chooseTemplate}</option>
          {templates.map((one) => (
            <option key={keyOf(one)} value={keyOf(one)}>
              {one.name} ({one.language})
            </option>
          ))}
        </select>
      </div>
      {template !== undefined && (
        <TemplateForm key={chosen} template={template} conversation={conversation} onSent={() => setChosen("")} />
      )}
    </div>
  );
}

function TemplateForm({
  template,
  conversation: { contact, contact_id: id, from },
  onSent,
}: {
  template: Template;
  conversation: Conversation;
  onSent: () => void;
}) {
  const workspace = useWorkspace();
  const { id: workspaceId, billing } = workspace;
  const refresh = useRefresh(workspaceId, id);
  const { header, body } = template.variables;
  const order = template.parameter_order;
  const empty = (count: number): string[] => Array.from({ length: count }, () => "");
  const form = useForm<Values>({ defaultValues: { header: empty(header), body: empty(body) } });
  const values = useWatch({ control: form.control });
  const places = [
    ...empty(header).map((_, index) => ({
      name: `header.${index}` as Path<Values>,
      label: strings.headerValue(index + 1, order?.header[index]),
    })),
    ...empty(body).map((_, index) => ({
      name: `body.${index}` as Path<Values>,
      label: strings.bodyValue(index + 1, order?.body[index]),
    })),
  ];
  const names = Object.fromEntries(places.map(({ name }) => [`variables.${name}`, name]));
  const submit = async (filled: Values, key: string) => {
    const { name, language } = template;
    const variables = { header: filled.header ?? [], body: filled.body ?? [] };
    const message = { to: phoneOf(contact), template: name, language, variables, ...(from === null ? {} : { from }) };
    try {
      await request("POST /w/{workspace}/messages", { workspace: workspaceId, body: message }, { key });
    } catch (error) {
      if (!isShownInConversation(error)) throw error;
    } finally {
      await refresh();
    }
    onSent();
  };
  return (
    <Form form={form} onSend={submit} submit={strings.sendTemplate} names={names}>
      {places.map(({ name, label }) => (
        <TextField key={name} form={form} name={name} label={label} />
      ))}
      <div>
        <p className="mb-1 text-label text-quiet">{strings.preview}</p>
        <p className="whitespace-pre-wrap rounded-panel border border-line bg-sunken p-3">
          {fill(template.text, values.body ?? [])}
        </p>
      </div>
      {billing !== null ? (
        <p className="text-quiet">{strings.costs(billing.rate, billing.currency)}</p>
      ) : (
        !isSimulated(workspace, from ?? undefined) && <p className="text-quiet">{messageStrings.metaBills}</p>
      )}
    </Form>
  );
}

function keyOf({ name, language }: Template): string {
  return `${name} ${language}`;
}

/** Values that are still empty show their placeholder. */
function fill(text: string, values: readonly (string | undefined)[]): string {
  return text.replace(/\{\{(\d+)\}\}/g, (whole, position: string) => values[Number(position) - 1] || whole);
}
