/** Sends a template to one person: choose one that can be sent, fill in its values, see what is sent. */
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect, useId, useState } from "react";
import { type Path, type UseFormReturn, useForm, useWatch } from "react-hook-form";
import { type Entry, request } from "../../data/api.ts";
import { isSimulated, useWorkspace } from "../../data/session.ts";
import { AreaField, inputClass, TextField } from "../../ui/field.tsx";
import { Form } from "../../ui/form.tsx";
import { Failed, Loading } from "../../ui/states.tsx";
import { strings } from "../inbox/strings.ts";
import { askedParts, membersOf } from "../templates/asked-parts.ts";
import { PhonePreview } from "../templates/phone-preview.tsx";
import { findBlocker } from "../templates/template-view.ts";
import { strings as messageStrings } from "./strings.ts";

type Template = Entry<"GET /w/{workspace}/templates">;

interface TemplateToSend {
  to: string;
  template: string;
  language: string;
  variables: { header: string[]; body: string[]; buttons?: (string | null)[] };
  from?: string;
}

const WAITING_MS = 5_000;

/** A template as far as its values are typed. */
export interface WrittenTemplate {
  /** As `keyOf` names it. */
  chosen: string;
  header: string[];
  body: string[];
  parts: string[];
}

interface Props {
  /** The sending number; null: the workspace's only one. */
  from: string | null;
  /** The person, or the field in which their number is entered. */
  to: string | { label: string; hint: string };
  /** Shown if no template can be sent. */
  none: ReactNode;
  /** `key`: the form's idempotency key. */
  send: (message: TemplateToSend, key: string) => Promise<unknown>;
  /** What was written before. */
  written?: WrittenTemplate | null;
  /** Is called with what is written now; null: nothing. Has to stay the same function. */
  onWrite?: (written: WrittenTemplate | null) => void;
}

export function ChooseTemplate(props: Props) {
  const { id } = useWorkspace();
  const [chosen, setChosen] = useState(props.written?.chosen ?? "");
  const choose = (next: string) => {
    setChosen(next);
    props.onWrite?.(next === "" ? null : { chosen: next, header: [], body: [], parts: [] });
  };
  const field = useId();
  const list = useQuery({
    queryKey: ["templates", id, "sendable"],
    queryFn: ({ signal }) =>
      request("GET /w/{workspace}/templates", { workspace: id, query: { status: "APPROVED" } }, { signal }),
    // Someone may wait here for WhatsApp's approval of the first one.
    refetchInterval: ({ state }) => (state.data?.data.some(isSentFromHere) === false ? WAITING_MS : false),
  });
  if (list.isPending) return <Loading />;
  if (list.data === undefined) return <Failed error={list.error} retry={() => void list.refetch()} />;
  const templates = list.data.data.filter(isSentFromHere);
  if (templates.length === 0) return props.none;
  const template = templates.find((one) => keyOf(one) === chosen);
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-col gap-1">
        <label htmlFor={field} className="font-semibold">
          {strings.template}
        </label>
        <select id={field} className={inputClass} value={chosen} onChange={({ target }) => choose(target.value)}>
          <option value="">{strings.chooseTemplate}</option>
          {templates.map((one) => (
            <option key={keyOf(one)} value={keyOf(one)}>
              {one.name} ({one.language})
            </option>
          ))}
        </select>
      </div>
      {template !== undefined && <TemplateForm key={chosen} {...props} template={template} onSent={() => choose("")} />}
    </div>
  );
}

/** A template that needs a file and has no sample cannot be sent from here. */
export function isSentFromHere(template: Template): boolean {
  return findBlocker(template) === null && (template.media === null || template.media.default);
}

interface Values {
  to: string;
  header: string[];
  body: string[];
  /** One for each of `askedParts`. */
  parts: string[];
}

/** The values of one template, and the template with them. */
export function TemplateForm({
  template,
  from,
  to,
  send,
  onSent,
  written = null,
  onWrite,
}: Omit<Props, "none"> & { template: Template; onSent: () => void }) {
  const workspace = useWorkspace();
  const { billing } = workspace;
  const { header, body } = template.variables;
  const order = template.parameter_order;
  const empty = (count: number): string[] => Array.from({ length: count }, () => "");
  const before = written?.chosen === keyOf(template) ? written : null;
  const asked = askedParts(template);
  const form = useForm<Values>({
    defaultValues: {
      to: typeof to === "string" ? to : "",
      header: empty(header).map((none, index) => before?.header[index] ?? none),
      body: empty(body).map((none, index) => before?.body[index] ?? none),
      parts: asked.map((_, index) => before?.parts[index] ?? ""),
    },
  });
  useWritten(form, template, onWrite);
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
  const names = Object.fromEntries([
    ...places.map(({ name }) => [`variables.${name}`, name]),
    ...asked.map(({ path }, index) => [path, `parts.${index}` as Path<Values>]),
  ]);
  const submit = async (filled: Values, key: string) => {
    const { name, language } = template;
    const { buttons, members } = membersOf(
      template,
      (path) => filled.parts[asked.findIndex((part) => part.path === path)],
    );
    const values = { header: filled.header ?? [], body: filled.body ?? [] };
    const variables = { ...values, ...(buttons.length === 0 ? {} : { buttons: buttons as (string | null)[] }) };
    const message = { to: filled.to, template: name, language, variables, ...(from === null ? {} : { from }) };
    await send(withoutEmpty({ ...message, ...members }), key);
    onSent();
  };
  return (
    <Form form={form} onSend={submit} submit={strings.sendTemplate} names={names}>
      {typeof to !== "string" && (
        <TextField
          form={form}
          name="to"
          type="tel"
          inputMode="tel"
          autoComplete="tel"
          label={to.label}
          hint={to.hint}
        />
      )}
      {places.map(({ name, label }) => (
        <TextField key={name} form={form} name={name} label={label} />
      ))}
      {asked.map(({ path, label, hint, input }, index) => {
        const field = { form, name: `parts.${index}` as Path<Values>, label, ...(hint === undefined ? {} : { hint }) };
        if (input === "lines") return <AreaField key={path} {...field} />;
        return <TextField key={path} {...field} type={input === "number" ? "text" : input} autoComplete="off" />;
      })}
      <div>
        <p className="mb-1 text-label text-quiet">{strings.preview}</p>
        <PhonePreview template={{ ...template, text: fill(template.text, values.body ?? []) }} />
      </div>
      {billing !== null ? (
        <p className="text-quiet">{strings.costs(billing.rate, billing.currency)}</p>
      ) : (
        !isSimulated(workspace, from ?? undefined) && <p className="text-quiet">{messageStrings.metaBills}</p>
      )}
    </Form>
  );
}

/** Says what is typed, as it is typed. */
function useWritten({ watch }: UseFormReturn<Values>, template: Template, onWrite: Props["onWrite"]): void {
  const chosen = keyOf(template);
  useEffect(() => {
    if (onWrite === undefined) return;
    const texts = (values: readonly (string | undefined)[] = []) => values.map((value) => value ?? "");
    const { unsubscribe } = watch(({ header, body, parts }) =>
      onWrite({ chosen, header: texts(header), body: texts(body), parts: texts(parts) }),
    );
    return unsubscribe;
  }, [watch, chosen, onWrite]);
}

/** Without what is undefined, as JSON. */
function withoutEmpty<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

function keyOf({ name, language }: Template): string {
  return `${name} ${language}`;
}

/** Values that are still empty show their placeholder. */
function fill(text: string, values: readonly (string | undefined)[]): string {
  return text.replace(/\{\{(\d+)\}\}/g, (whole, position: string) => values[Number(position) - 1] || whole);
}
