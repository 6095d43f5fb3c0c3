/** A filter built as sentences, with how many it finds and some of them, counted a moment after the last change. */
import { useQuery } from "@tanstack/react-query";
import { Plus, X } from "lucide-react";
import { useEffect, useState } from "react";
import { get, getList, send } from "../../data/api.ts";
import { useWorkspace } from "../../data/session.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { Chip } from "../../ui/chip.tsx";
import { inputLook } from "../../ui/field.tsx";
import { plural } from "../../ui/plural.ts";
import { Failed } from "../../ui/states.tsx";
import { consentLook } from "../contacts/contact-view.ts";
import type { CustomField } from "../developer/custom-fields.tsx";
import { type Ask, type FilterField, filterFields, newSentence, type Sentence, type Sentences } from "./filter.ts";
import type { Group, SamplePerson } from "./group-view.ts";
import { words } from "./strings.ts";

const AFTER_MS = 400;

/** The fields of this workspace; undefined until they are known. */
export function useFilterFields(): FilterField[] | undefined {
  const { id } = useWorkspace();
  const custom = useQuery({
    queryKey: ["fields", id],
    queryFn: ({ signal }) => get<CustomField[]>(`/w/${id}/fields`, signal),
  });
  const groups = useQuery({
    queryKey: ["groups", id, undefined],
    queryFn: ({ signal }) => getList<Group>(`/w/${id}/v1/groups`, signal),
  });
  if (custom.data === undefined || groups.data === undefined) return undefined;
  return filterFields(
    custom.data,
    groups.data.data.filter(({ type }) => type === "static"),
  );
}

interface Props {
  fields: readonly FilterField[];
  value: Sentences;
  onChange: (value: Sentences) => void;
}

export function FilterBuilder({ fields, value, onChange }: Props) {
  const { joint, sentences } = value;
  const set = (index: number, sentence: Sentence) =>
    onChange({ joint, sentences: sentences.map((known, place) => (place === index ? sentence : known)) });
  const [first] = fields;
  return (
    <div className="flex flex-col gap-3">
      <label className="flex flex-wrap items-center gap-2">
        {words.joint}
        <select
          className={`${inputLook} w-auto! max-w-full`}
          value={joint}
          onChange={({ target }) => onChange({ joint: target.value === "any" ? "any" : "all", sentences })}
        >
          <option value="all">{words.jointAll}</option>
          <option value="any">{words.jointAny}</option>
        </select>
      </label>
      <ol className="flex flex-col gap-2 max-mid:gap-5">
        {sentences.map((sentence, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a condition has no other name than its place.
          <li key={index} className="flex items-start gap-2">
            <fieldset className="flex min-w-0 flex-1 flex-wrap items-center gap-2">
              <legend className="sr-only">{words.condition(index + 1)}</legend>
              <SentenceParts
                place={index + 1}
                fields={fields}
                sentence={sentence}
                onChange={(changed) => set(index, changed)}
              />
            </fieldset>
            <IconButton
              label={words.removeSentence(index + 1)}
              disabled={sentences.length === 1}
              onClick={() => onChange({ joint, sentences: sentences.filter((_, place) => place !== index) })}
            >
              <X aria-hidden size={16} />
            </IconButton>
          </li>
        ))}
      </ol>
      {first !== undefined && (
        <Button
          small
          className="self-start"
          onClick={() => onChange({ joint, sentences: [...sentences, newSentence(first)] })}
        >
          <Plus aria-hidden size={16} />
          {words.addSentence}
        </Button>
      )}
    </div>
  );
}

interface PartsProps {
  place: number;
  fields: readonly FilterField[];
  sentence: Sentence;
  onChange: (sentence: Sentence) => void;
}

const part = `${inputLook} mid:w-auto!`;

function SentenceParts({ place, fields, sentence, onChange }: PartsProps) {
  const field = fields.find(({ id }) => id === sentence.field);
  const ask = field?.asks.find(({ id }) => id === sentence.ask);
  return (
    <>
      <select
        aria-label={words.field(place)}
        className={part}
        value={sentence.field}
        onChange={({ target }) => {
          const chosen = fields.find(({ id }) => id === target.value);
          if (chosen !== undefined) onChange(newSentence(chosen));
        }}
      >
        {fields.map(({ id, label }) => (
          <option key={id} value={id}>
            {label}
          </option>
        ))}
      </select>
      <select
        aria-label={words.ask(place)}
        className={part}
        value={sentence.ask}
        onChange={({ target }) => {
          const chosen = field?.asks.find(({ id }) => id === target.value);
          const isSameInput = chosen?.input === ask?.input;
          onChange({ ...sentence, ask: target.value, value: isSameInput ? sentence.value : firstValue(chosen, field) });
        }}
      >
        {field?.asks.map(({ id, label }) => (
          <option key={id} value={id}>
            {label}
          </option>
        ))}
      </select>
      <ValuePart place={place} field={field} ask={ask} sentence={sentence} onChange={onChange} />
    </>
  );
}

function firstValue(ask: Ask | undefined, field: FilterField | undefined): string {
  return ask?.input === "choice" ? (field?.choices?.[0]?.value ?? "") : "";
}

function ValuePart({
  place,
  field,
  ask,
  sentence,
  onChange,
}: Omit<PartsProps, "fields"> & { field: FilterField | undefined; ask: Ask | undefined }) {
  if (field === undefined || ask === undefined || ask.input === "none") return null;
  const common = {
    "aria-label": words.value(place),
    className: part,
    value: sentence.value,
    onChange: ({ target }: { target: { value: string } }) => onChange({ ...sentence, value: target.value }),
  };
  if (ask.input === "choice") {
    return (
      <select {...common}>
        {field.choices?.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
    );
  }
  if (ask.input === "days") {
    return (
      <span className="flex items-center gap-2">
        <input {...common} type="number" min={0} max={366} inputMode="numeric" className={`${inputLook} w-24!`} />
        {words.daysUnit}
      </span>
    );
  }
  if (ask.input === "date") return <input {...common} type="date" />;
  return (
    <input
      {...common}
      className={`${inputLook} mid:w-auto! min-w-32 flex-1`}
      type="text"
      inputMode={ask.input === "number" ? "decimal" : "text"}
      autoComplete="off"
    />
  );
}

interface Found {
  count: number;
  sample: SamplePerson[];
}

/** `filter`: null while it is unfinished. */
export function LiveCount({ filter }: { filter: unknown }) {
  const { id } = useWorkspace();
  const text = JSON.stringify(filter);
  const [asked, setAsked] = useState<string | null>(null);
  useEffect(() => {
    const timer = setTimeout(() => setAsked(text), AFTER_MS);
    return () => clearTimeout(timer);
  }, [text]);
  const found = useQuery({
    queryKey: ["filter", id, asked],
    queryFn: () => send<Found>("POST", `/w/${id}/groups/count`, { filter: JSON.parse(asked ?? "null") as unknown }),
    enabled: asked !== null && asked !== "null",
    staleTime: 30_000,
  });
  if (filter === null) return <p className="text-quiet">{words.unfinished}</p>;
  const isCurrent = asked === text && !found.isFetching;
  return (
    <div aria-live="polite" className={`min-h-20 transition-opacity ${isCurrent ? "" : "opacity-60"}`}>
      {isCurrent && found.isError && <Failed error={found.error} retry={() => void found.refetch()} />}
      {found.data === undefined && !found.isError && <p className="text-quiet">{words.counting}</p>}
      {found.data !== undefined && (
        <>
          <p className="text-form font-semibold">
            {found.data.count === 0 ? words.findsNobody : words.finds(plural(found.data.count, words.one, words.other))}
          </p>
          <Sample people={found.data.sample} />
        </>
      )}
    </div>
  );
}

export function Sample({ people }: { people: readonly SamplePerson[] }) {
  if (people.length === 0) return null;
  return (
    <ul aria-label={words.sample} className="mt-2 flex flex-col gap-1">
      {people.map(({ phone, name, consent }) => {
        const { word, tone } = consentLook(consent);
        return (
          <li key={phone} className="flex flex-wrap items-center gap-2">
            <span className="min-w-0">{name ?? phone}</span>
            {name !== null && <span className="text-quiet figures">{phone}</span>}
            <Chip tone={tone}>{word}</Chip>
          </li>
        );
      })}
    </ul>
  );
}
