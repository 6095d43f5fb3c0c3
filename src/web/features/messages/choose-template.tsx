/** Sends a template to one person: choose one that can be sent, fill in its values, see what is sent. */
import { useQuery } from "@tanstack/react-query";
import { ChevronDown } from "lucide-react";
import { type ReactNode, useEffect, useId, useState } from "react";
import { flushSync } from "react-dom";
import { type Path, type UseFormReturn, useForm, useWatch } from "react-hook-form";
import { type Entry, request } from "../../data/api.ts";
import { isSimulated, useWorkspace } from "../../data/session.ts";
import { Choices } from "../../ui/choices.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { AreaField, inputClass, TextField } from "../../ui/field.tsx";
import { Form } from "../../ui/form.tsx";
import { moveFocusLater, useKeys } from "../../ui/keys.ts";
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
  /** The key that opens the list. */
  keyName?: string;
  /** A heading above says what it is. */
  isTitled?: boolean;
}

export function ChooseTemplate(props: Props) {
  const { keyName } = props;
  const [chosen, setChosen] = useState(props.written?.chosen ?? "");
  const [isPicking, setPicking] = useState(false);
  const choose = (next: string) => {
    setChosen(next);
    props.onWrite?.(next === "" ? null : unfilled(next));
  };
  const field = useId();
  const list = useSendableTemplates();
  useKeys((key) => {
    if (keyName === undefined || key !== keyName || list.data === undefined) return false;
    // Its field has the focus before the next key.
    flushSync(() => setPicking(true));
    return true;
  });
  if (list.isPending) return <Loading />;
  if (list.data === undefined) return <Failed error={list.error} retry={() => void list.refetch()} />;
  if (list.data.length === 0) return props.none;
  const template = list.data.find((one) => keyOf(one) === chosen);
  const shown = template === undefined ? strings.chooseTemplate : nameOf(template);
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-col gap-1">
        <span id={field} className={props.isTitled === true ? "sr-only" : "font-semibold"}>
          {strings.template}
        </span>
        <button
          type="button"
          id={`${field}-button`}
          aria-labelledby={`${field} ${field}-button`}
          aria-haspopup="dialog"
          aria-keyshortcuts={keyName}
          title={keyName === undefined ? undefined : `${strings.chooseTemplate} (${keyName})`}
          className={`${inputClass} flex items-center gap-2 text-start`}
          onClick={() => setPicking(true)}
        >
          <span className="min-w-0 flex-1 truncate">{shown}</span>
          <ChevronDown aria-hidden size={16} className="shrink-0 text-quiet" />
        </button>
      </div>
      {template !== undefined && <TemplateForm key={chosen} {...props} template={template} onSent={() => choose("")} />}
      {isPicking && (
        <TemplatePicker
          onChoose={(next) => {
            if (next !== chosen) choose(next);
            focusTemplate();
          }}
          onClose={() => setPicking(false)}
        />
      )}
    </div>
  );
}

function useSendableTemplates() {
  const { id } = useWorkspace();
  return useQuery({
    queryKey: ["templates", id, "sendable"],
    queryFn: async ({ signal }) => {
      const query = { status: "APPROVED" } as const;
      return (await request("GET /w/{workspace}/templates", { workspace: id, query }, { signal })).data;
    },
    select: (all) => all.filter(isSentFromHere),
    // Someone may wait here for WhatsApp's approval of the first one.
    refetchInterval: ({ state }) => (state.data?.some(isSentFromHere) === false ? WAITING_MS : false),
  });
}

interface PickerProps {
  /** `chosen`: as `keyOf` names it. The picker is closed by then. */
  onChoose: (chosen: string) => void;
  onClose: () => void;
}

/** All templates that can be sent, with what they say. */
export function TemplatePicker({ onChoose, onClose }: PickerProps) {
  const list = useSendableTemplates();
  return (
    <Dialog title={strings.templates} isOpen onClose={onClose}>
      <Choices
        label={strings.templates}
        find={strings.findTemplate}
        choices={list.data?.map((one) => ({ id: keyOf(one), name: nameOf(one), text: one.text }))}
        none={strings.noTemplates}
        noneFound={strings.noTemplateFound}
        onChoose={({ id }) => {
          onClose();
          onChoose(id);
        }}
      />
      {list.isPending && <Loading />}
      {list.isError && <Failed error={list.error} retry={() => void list.refetch()} />}
    </Dialog>
  );
}

/** A template whose values are not typed yet. */
export function unfilled(chosen: string): WrittenTemplate {
  return { chosen, header: [], body: [], parts: [] };
}

/** The first value that is to be typed; without one the preview, so that a second Enter does not send what was not read. */
export function focusTemplate(): void {
  moveFocusLater(() => {
    const preview = document.querySelector<HTMLElement>("[data-template]");
    return preview?.closest("form")?.querySelector<HTMLElement>("input, textarea") ?? preview;
  });
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
}: Omit<Props, "none" | "keyName" | "isTitled"> & { template: Template; onSent: () => void }) {
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
      <div data-template tabIndex={-1} className="outline-none">
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

function nameOf({ name, language }: Template): string {
  return `${name} (${language})`;
}

/** Values that are still empty show their placeholder. */
function fill(text: string, values: readonly (string | undefined)[]): string {
  return text.replace(/\{\{(\d+)\}\}/g, (whole, position: string) => values[Number(position) - 1] || whole);
}
