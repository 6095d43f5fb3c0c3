/** Step 3: what stands in each place of the text, who lacks it, and what some of the people will read. */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { RefreshCw } from "lucide-react";
import { useId } from "react";
import { get } from "../../data/api.ts";
import { useWorkspace } from "../../data/session.ts";
import { Button } from "../../ui/button.tsx";
import { inputLook } from "../../ui/field.tsx";
import { plural } from "../../ui/plural.ts";
import { Failed, Loading } from "../../ui/states.tsx";
import type { CustomField } from "../developer/custom-fields.tsx";
import { PhonePreview } from "../templates/phone-preview.tsx";
import type { Template } from "../templates/template-view.ts";
import type { DraftContent, DraftValue, Saved } from "./draft.ts";
import { words } from "./strings.ts";

export interface Example {
  to: string;
  name: string | null;
  text: string | null;
  missing: string | null;
  header: string[];
  body: string[];
}

export interface ShownValues {
  examples: Example[];
  missing: Record<string, number>;
}

interface Props {
  draftId: number;
  template: Template;
  saved: Saved;
}

export function useValues(workspaceId: number, draftId: number, { content, flush }: Saved) {
  // What decides who and what: another name of the broadcast is no reason to ask again.
  const { name: _, send_at: __, ...asked } = content;
  return useQuery({
    queryKey: ["draft-values", workspaceId, draftId, JSON.stringify(asked)],
    queryFn: async ({ signal }) => {
      await flush();
      return get<ShownValues>(`/w/${workspaceId}/drafts/${draftId}/values`, signal);
    },
    placeholderData: keepPreviousData,
    staleTime: 30_000,
    gcTime: 30_000,
  });
}

export function ValuesStep({ draftId, template, saved }: Props) {
  const { id } = useWorkspace();
  const { content, change } = saved;
  const custom = useQuery({
    queryKey: ["fields", id],
    queryFn: ({ signal }) => get<CustomField[]>(`/w/${id}/fields`, signal),
  });
  const values = useValues(id, draftId, saved);
  const { header, body } = padded(content, template);
  const set = (part: "header" | "body", index: number, value: DraftValue) => {
    const list = (part === "header" ? header : body).map((known, place) => (place === index ? value : known));
    change({ variables: { header, body, [part]: list } });
  };
  const fields = [
    ...Object.entries(words.ownFields).map(([key, label]) => ({ key, label })),
    ...(custom.data ?? []).map(({ key, label }) => ({ key, label })),
  ];
  const places = [
    ...header.map((value, index) => ({ part: "header" as const, index, value })),
    ...body.map((value, index) => ({ part: "body" as const, index, value })),
  ];
  return (
    <div className="grid gap-8 wide:grid-cols-[1fr_20rem]">
      <div className="flex flex-col gap-6">
        {places.length === 0 && <p>{words.valuesNone}</p>}
        {places.map(({ part, index, value }) => (
          <Place
            key={`${part} ${index}`}
            label={part === "header" ? words.placeHeader(index + 1) : words.placeBody(index + 1)}
            value={value}
            fields={fields}
            missing={values.data?.missing}
            onChange={(changed) => set(part, index, changed)}
          />
        ))}
        {template.media !== null && <Media template={template} content={content} change={change} />}
      </div>
      <section aria-label={words.examples}>
        <div className="mb-3 flex items-center justify-between gap-3">
          <h2 className="text-section font-semibold">{words.examples}</h2>
          <Button small busy={values.isFetching} onClick={() => void values.refetch()}>
            <RefreshCw aria-hidden size={14} />
            {words.reroll}
          </Button>
        </div>
        <p className="mb-3 text-quiet">{words.examplesText}</p>
        {values.isPending && <Loading />}
        {values.isError && <Failed error={values.error} retry={() => void values.refetch()} />}
        {values.data?.examples.length === 0 && <p>{words.examplesNobody}</p>}
        <ul className={`flex flex-col gap-4 ${values.isPlaceholderData ? "opacity-60" : ""}`}>
          {values.data?.examples.map((example) => (
            <li key={example.to}>
              <p className="mb-1 font-semibold">
                {example.name ?? example.to}
                {example.name !== null && <span className="ms-2 font-normal text-quiet figures">{example.to}</span>}
              </p>
              {example.text === null ? (
                <p className="text-quiet">{words.exampleLeftOut(labelOf(fields, example.missing ?? ""))}</p>
              ) : (
                <PhonePreview template={template} whole={example.text} />
              )}
            </li>
          ))}
        </ul>
      </section>
    </div>
  );
}

/** As many values as the template takes. */
export function padded({ variables }: DraftContent, { variables: size }: Template) {
  const fill = (list: readonly DraftValue[] = [], count: number) =>
    Array.from({ length: count }, (_, index): DraftValue => list[index] ?? "");
  return { header: fill(variables?.header, size.header), body: fill(variables?.body, size.body) };
}

interface Field {
  key: string;
  label: string;
}

function labelOf(fields: readonly Field[], key: string): string {
  return fields.find((field) => field.key === key)?.label ?? key;
}

interface PlaceProps {
  label: string;
  value: DraftValue;
  fields: readonly Field[];
  missing: Record<string, number> | undefined;
  onChange: (value: DraftValue) => void;
}

function Place({ label, value, fields, missing, onChange }: PlaceProps) {
  const id = useId();
  const field = typeof value === "string" ? "" : value.field;
  const fallback = typeof value === "string" ? "" : (value.fallback ?? "");
  return (
    <fieldset className="rounded-panel border border-line bg-surface p-4">
      <legend className="px-1 font-semibold">{label}</legend>
      <div className="grid gap-3 mid:grid-cols-2">
        <label className="flex flex-col gap-1">
          <span className="sr-only">{`${label}: ${words.ofEach}`}</span>
          <select
            className={inputLook}
            value={field}
            onChange={({ target }) => onChange(target.value === "" ? "" : { field: target.value })}
          >
            <option value="">{words.sameText}</option>
            <optgroup label={words.ofEach}>
              {fields.map(({ key, label: word }) => (
                <option key={key} value={key}>
                  {word}
                </option>
              ))}
            </optgroup>
          </select>
        </label>
        {typeof value === "string" ? (
          <input
            aria-label={`${label}: ${words.text}`}
            className={inputLook}
            placeholder={words.text}
            value={value}
            autoComplete="off"
            onChange={({ target }) => onChange(target.value)}
          />
        ) : (
          <div className="flex flex-col gap-1">
            <input
              aria-label={`${label}: ${words.fallback}`}
              aria-describedby={`${id}-hint`}
              className={inputLook}
              placeholder={words.fallback}
              value={fallback}
              autoComplete="off"
              onChange={({ target }) => onChange(target.value === "" ? { field } : { field, fallback: target.value })}
            />
            <p id={`${id}-hint`} className="text-label text-quiet">
              {words.fallbackHint}
            </p>
          </div>
        )}
      </div>
      {field !== "" && missing?.[field] !== undefined && (
        <p role="status" className="mt-2 text-quiet">
          {sentenceOf(missing[field], labelOf(fields, field), fallback)}
        </p>
      )}
    </fieldset>
  );
}

function sentenceOf(count: number, field: string, fallback: string): string {
  if (count === 0) return words.lackNone(field);
  const people = plural(count, words.one, words.other);
  return fallback.trim() === "" ? words.lackLeftOut(people, field) : words.lackFallback(people, field, fallback);
}

function Media({ template, content, change }: { template: Template; content: DraftContent; change: Saved["change"] }) {
  const id = useId();
  const { media } = template;
  if (media === null) return null;
  const { link = "", filename = "" } = content.media ?? {};
  const set = (given: { link: string; filename: string }) => {
    const name = given.filename.trim() === "" ? {} : { filename: given.filename };
    change({ media: given.link.trim() === "" ? undefined : { link: given.link.trim(), ...name } });
  };
  return (
    <fieldset className="flex flex-col gap-3 rounded-panel border border-line bg-surface p-4">
      <legend className="px-1 font-semibold">{words.media[media.type]}</legend>
      <label className="flex flex-col gap-1">
        {words.mediaLink}
        <input
          type="url"
          className={inputLook}
          aria-describedby={`${id}-hint`}
          value={link}
          autoComplete="off"
          onChange={({ target }) => set({ link: target.value, filename })}
        />
      </label>
      <p id={`${id}-hint`} className="text-label text-quiet">
        {media.default ? words.mediaHintSample : words.mediaHint}
      </p>
      {media.type === "document" && (
        <label className="flex flex-col gap-1">
          {words.filename}
          <input
            className={inputLook}
            value={filename}
            autoComplete="off"
            disabled={link === ""}
            onChange={({ target }) => set({ link, filename: target.value })}
          />
        </label>
      )}
    </fieldset>
  );
}
