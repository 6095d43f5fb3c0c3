/** Step 3: the value of each placeholder, how many recipients lack one, and rendered examples. */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { RefreshCw } from "lucide-react";
import { useId } from "react";
import { broadcastNames, profileFields } from "#src/domain/contacts/profile-fields.ts";
import { reading, request } from "../../data/api.ts";
import { useWorkspace } from "../../data/session.ts";
import { Button } from "../../ui/button.tsx";
import { inputClass } from "../../ui/field.tsx";
import { plural } from "../../ui/plural.ts";
import { Failed, Loading } from "../../ui/states.tsx";
import { type AskedPart, askedParts, valueAt } from "../templates/asked-parts.ts";
import { PhonePreview } from "../templates/phone-preview.tsx";
import type { Template } from "../templates/template-view.ts";
import type { DraftContent, DraftValue, Saved } from "./draft.ts";
import { strings } from "./strings.ts";
import { padValues, readValues } from "./values.ts";

interface Props {
  draftId: number;
  template: Template;
  saved: Saved;
}

export function useValuesPreview(workspaceId: number, draftId: number, { content, flush }: Saved) {
  // The name and the time do not affect the values, so changing them does not refetch.
  const { name: _, send_at: __, ...asked } = content;
  return useQuery({
    queryKey: ["draft-values", workspaceId, draftId, JSON.stringify(asked)],
    queryFn: async ({ signal }) => {
      await flush();
      return request("GET /w/{workspace}/drafts/{id}/values", { workspace: workspaceId, id: draftId }, { signal });
    },
    placeholderData: keepPreviousData,
    staleTime: 30_000,
    gcTime: 30_000,
  });
}

export function FieldsStep({ draftId, template, saved }: Props) {
  const { id } = useWorkspace();
  const { content, change } = saved;
  const custom = useQuery(reading("GET /w/{workspace}/fields", { workspace: id }, ["fields", id]));
  const values = useValuesPreview(id, draftId, saved);
  const { header, body } = padValues(content, template);
  const set = (path: string, value: DraftValue) => change(readValues(content, template, { path, value }));
  const asked = askedParts(template);
  const fields = [
    ...broadcastNames.map((key) => ({ key, label: profileFields[key].label })),
    ...(custom.data ?? []).map(({ key, label }) => ({ key, label })),
  ];
  const placeholders = [
    ...header.map((value, index) => ({ part: "header" as const, index, value })),
    ...body.map((value, index) => ({ part: "body" as const, index, value })),
  ];
  return (
    <div className="grid gap-8 wide:grid-cols-[1fr_20rem]">
      <div className="flex flex-col gap-6">
        {placeholders.length + asked.length === 0 && <p>{strings.valuesNone}</p>}
        {placeholders.map(({ part, index, value }) => (
          <PlaceholderField
            key={`${part} ${index}`}
            label={strings.placeholder(part, index, template.parameter_order?.[part][index])}
            value={value}
            fields={fields}
            missing={values.data?.missing}
            onChange={(changed) => set(`variables.${part}.${index}`, changed)}
          />
        ))}
        {asked.map(({ path, label, hint, input, isValue }) => {
          const value = (valueAt(template, content, path) ?? "") as DraftValue | number;
          return isValue ? (
            <PlaceholderField
              key={path}
              label={label}
              hint={hint}
              value={typeof value === "number" ? String(value) : value}
              fields={fields}
              missing={values.data?.missing}
              onChange={(changed) => set(path, changed)}
            />
          ) : (
            <PartField
              key={path}
              {...{ label, hint, input }}
              value={typeof value === "object" ? "" : String(value)}
              onChange={(changed) => set(path, changed)}
            />
          );
        })}
        {template.media !== null && <Media template={template} content={content} change={change} />}
      </div>
      <section aria-label={strings.examples}>
        <div className="mb-3 flex items-center justify-between gap-3">
          <h2 className="text-section font-semibold">{strings.examples}</h2>
          <Button small busy={values.isFetching} onClick={() => void values.refetch()}>
            <RefreshCw aria-hidden size={14} />
            {strings.refreshExamples}
          </Button>
        </div>
        <p className="mb-3 text-quiet">{strings.examplesText}</p>
        {values.isPending && <Loading />}
        {values.isError && <Failed error={values.error} retry={() => void values.refetch()} />}
        {values.data?.examples.length === 0 && <p>{strings.examplesNobody}</p>}
        <ul className={`flex flex-col gap-4 ${values.isPlaceholderData ? "opacity-60" : ""}`}>
          {values.data?.examples.map((example) => (
            <li key={example.to}>
              <p className="mb-1 font-semibold">
                {example.name ?? example.to}
                {example.name !== null && <span className="ms-2 font-normal text-quiet figures">{example.to}</span>}
              </p>
              {example.text === null ? (
                <p className="text-quiet">{strings.exampleSkipped(labelOf(fields, example.missing ?? ""))}</p>
              ) : (
                <PhonePreview template={template} whole={example.text} filled={example} />
              )}
            </li>
          ))}
        </ul>
      </section>
    </div>
  );
}

interface Field {
  key: string;
  label: string;
}

function labelOf(fields: readonly Field[], key: string): string {
  return fields.find((field) => field.key === key)?.label ?? key;
}

interface PartProps extends Pick<AskedPart, "label" | "hint" | "input"> {
  value: string;
  onChange: (value: string) => void;
}

/** A part that is the same for everyone. */
function PartField({ label, hint, input, value, onChange }: PartProps) {
  const id = useId();
  const shared = {
    id,
    className: inputClass,
    value,
    "aria-describedby": hint === undefined ? undefined : `${id}-hint`,
    onChange: ({ target }: { target: { value: string } }) => onChange(target.value),
  };
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id} className="font-semibold">
        {label}
      </label>
      {hint !== undefined && (
        <p id={`${id}-hint`} className="text-label text-quiet">
          {hint}
        </p>
      )}
      {input === "lines" ? (
        <textarea {...shared} rows={3} />
      ) : (
        <input {...shared} type={input === "number" ? "text" : input} autoComplete="off" />
      )}
    </div>
  );
}

interface PlaceholderProps {
  label: string;
  hint?: string | undefined;
  value: DraftValue;
  fields: readonly Field[];
  missing: Record<string, number> | undefined;
  onChange: (value: DraftValue) => void;
}

function PlaceholderField({ label, hint, value, fields, missing, onChange }: PlaceholderProps) {
  const id = useId();
  const field = typeof value === "string" ? "" : value.field;
  const fallback = typeof value === "string" ? "" : (value.fallback ?? "");
  return (
    <fieldset className="rounded-panel border border-line bg-surface p-4">
      <legend className="px-1 font-semibold">{label}</legend>
      {hint !== undefined && <p className="mb-2 text-label text-quiet">{hint}</p>}
      <div className="grid gap-3 mid:grid-cols-2">
        <label className="flex flex-col gap-1">
          <span className="sr-only">{`${label}: ${strings.fromContact}`}</span>
          <select
            className={inputClass}
            value={field}
            onChange={({ target }) => onChange(target.value === "" ? "" : { field: target.value })}
          >
            <option value="">{strings.sameText}</option>
            <optgroup label={strings.fromContact}>
              {fields.map(({ key, label }) => (
                <option key={key} value={key}>
                  {label}
                </option>
              ))}
            </optgroup>
          </select>
        </label>
        {typeof value === "string" ? (
          <input
            aria-label={`${label}: ${strings.text}`}
            className={inputClass}
            placeholder={strings.text}
            value={value}
            autoComplete="off"
            onChange={({ target }) => onChange(target.value)}
          />
        ) : (
          <div className="flex flex-col gap-1">
            <input
              aria-label={`${label}: ${strings.fallback}`}
              aria-describedby={`${id}-hint`}
              className={inputClass}
              placeholder={strings.fallback}
              value={fallback}
              autoComplete="off"
              onChange={({ target }) => onChange(target.value === "" ? { field } : { field, fallback: target.value })}
            />
            <p id={`${id}-hint`} className="text-label text-quiet">
              {strings.fallbackHint}
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
  if (count === 0) return strings.missingNone(field);
  const people = plural(count, strings.one, strings.other);
  return fallback.trim() === ""
    ? strings.missingSkipped(people, field)
    : strings.missingFallback(people, field, fallback);
}

function Media({ template, content, change }: { template: Template; content: DraftContent; change: Saved["change"] }) {
  const id = useId();
  const { media } = template;
  if (media === null) return null;
  const { link = "", filename = "" } = content.media ?? {};
  const set = (file: { link: string; filename: string }) => {
    const name = file.filename.trim() === "" ? {} : { filename: file.filename };
    change({ media: file.link.trim() === "" ? undefined : { link: file.link.trim(), ...name } });
  };
  return (
    <fieldset className="flex flex-col gap-3 rounded-panel border border-line bg-surface p-4">
      <legend className="px-1 font-semibold">{strings.media[media.type]}</legend>
      <label className="flex flex-col gap-1">
        {strings.mediaLink}
        <input
          type="url"
          className={inputClass}
          aria-describedby={`${id}-hint`}
          value={link}
          autoComplete="off"
          onChange={({ target }) => set({ link: target.value, filename })}
        />
      </label>
      <p id={`${id}-hint`} className="text-label text-quiet">
        {media.default ? strings.mediaHintSample : strings.mediaHint}
      </p>
      {media.type === "document" && (
        <label className="flex flex-col gap-1">
          {strings.filename}
          <input
            className={inputClass}
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
