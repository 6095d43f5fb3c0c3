/**
 * Builds a filter from sentences, with the number of matches and some of them, counted shortly after the last change.
 */
import { useQuery } from "@tanstack/react-query";
import { Plus, X } from "lucide-react";
import { useEffect, useState } from "react";
import { reading, request } from "../../data/api.ts";
import { may, useWorkspace } from "../../data/session.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { Chip } from "../../ui/chip.tsx";
import { inputClass } from "../../ui/field.tsx";
import { plural } from "../../ui/plural.ts";
import { Failed } from "../../ui/states.tsx";
import { consentChip } from "../contacts/contact-view.ts";
import { useAllGroups } from "./all-groups.ts";
import {
  type Comparison,
  type FilterCondition,
  type FilterConditions,
  type FilterField,
  filterFields,
  newCondition,
} from "./filter.ts";
import type { SamplePerson } from "./group-view.ts";
import { strings } from "./strings.ts";

const COUNT_DELAY_MS = 400;

/** The fields of this workspace; undefined while they load. Groups are for those who may see them. */
export function useFilterFields(): FilterField[] | undefined {
  const workspace = useWorkspace();
  const { id } = workspace;
  const seesGroups = may(workspace, "broadcasts");
  const custom = useQuery(reading("GET /w/{workspace}/fields", { workspace: id }, ["fields", id]));
  const groups = useAllGroups(id, seesGroups);
  if (custom.data === undefined || (seesGroups && groups.data === undefined)) return undefined;
  return filterFields(custom.data, groups.data?.filter(({ type }) => type === "static") ?? []);
}

interface Props {
  fields: readonly FilterField[];
  value: FilterConditions;
  onChange: (value: FilterConditions) => void;
}

export function FilterBuilder({ fields, value, onChange }: Props) {
  const { match, conditions } = value;
  const set = (index: number, condition: FilterCondition) =>
    onChange({ match, conditions: conditions.map((known, position) => (position === index ? condition : known)) });
  const [first] = fields;
  return (
    <div className="flex flex-col gap-3">
      <label className="flex flex-wrap items-center gap-2">
        {strings.match}
        <select
          className={`${inputClass} w-auto! max-w-full`}
          value={match}
          onChange={({ target }) => onChange({ match: target.value === "any" ? "any" : "all", conditions })}
        >
          <option value="all">{strings.matchAll}</option>
          <option value="any">{strings.matchAny}</option>
        </select>
      </label>
      <ol className="flex flex-col gap-2 max-mid:gap-5">
        {conditions.map((condition, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: conditions are identified by their position only.
          <li key={index} className="flex items-start gap-2">
            <fieldset className="flex min-w-0 flex-1 flex-wrap items-center gap-2">
              <legend className="sr-only">{strings.condition(index + 1)}</legend>
              <ConditionFields
                position={index + 1}
                fields={fields}
                condition={condition}
                onChange={(changed) => set(index, changed)}
              />
            </fieldset>
            <IconButton
              label={strings.removeCondition(index + 1)}
              disabled={conditions.length === 1}
              onClick={() => onChange({ match, conditions: conditions.filter((_, position) => position !== index) })}
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
          onClick={() => onChange({ match, conditions: [...conditions, newCondition(first)] })}
        >
          <Plus aria-hidden size={16} />
          {strings.addCondition}
        </Button>
      )}
    </div>
  );
}

interface ConditionProps {
  position: number;
  fields: readonly FilterField[];
  condition: FilterCondition;
  onChange: (condition: FilterCondition) => void;
}

const fieldClass = `${inputClass} mid:w-auto!`;

function ConditionFields({ position, fields, condition, onChange }: ConditionProps) {
  const field = fields.find(({ id }) => id === condition.field);
  const comparison = field?.comparisons.find(({ id }) => id === condition.comparison);
  return (
    <>
      <select
        aria-label={strings.field(position)}
        className={fieldClass}
        value={condition.field}
        onChange={({ target }) => {
          const chosen = fields.find(({ id }) => id === target.value);
          if (chosen !== undefined) onChange(newCondition(chosen));
        }}
      >
        {fields.map(({ id, label }) => (
          <option key={id} value={id}>
            {label}
          </option>
        ))}
      </select>
      <select
        aria-label={strings.comparison(position)}
        className={fieldClass}
        value={condition.comparison}
        onChange={({ target }) => {
          const chosen = field?.comparisons.find(({ id }) => id === target.value);
          const isSameInput = chosen?.input === comparison?.input;
          onChange({
            ...condition,
            comparison: target.value,
            value: isSameInput ? condition.value : firstValue(chosen, field),
          });
        }}
      >
        {field?.comparisons.map(({ id, label }) => (
          <option key={id} value={id}>
            {label}
          </option>
        ))}
      </select>
      <ConditionValue
        position={position}
        field={field}
        comparison={comparison}
        condition={condition}
        onChange={onChange}
      />
    </>
  );
}

function firstValue(comparison: Comparison | undefined, field: FilterField | undefined): string {
  return comparison?.input === "choice" ? (field?.choices?.[0]?.value ?? "") : "";
}

function ConditionValue({
  position,
  field,
  comparison,
  condition,
  onChange,
}: Omit<ConditionProps, "fields"> & { field: FilterField | undefined; comparison: Comparison | undefined }) {
  if (field === undefined || comparison === undefined || comparison.input === "none") return null;
  const common = {
    "aria-label": strings.value(position),
    className: fieldClass,
    value: condition.value,
    onChange: ({ target }: { target: { value: string } }) => onChange({ ...condition, value: target.value }),
  };
  if (comparison.input === "choice") {
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
  if (comparison.input === "days") {
    return (
      <span className="flex items-center gap-2">
        <input {...common} type="number" min={0} max={366} inputMode="numeric" className={`${inputClass} w-24!`} />
        {strings.daysUnit}
      </span>
    );
  }
  if (comparison.input === "date") return <input {...common} type="date" />;
  return (
    <input
      {...common}
      className={`${inputClass} mid:w-auto! min-w-32 flex-1`}
      type="text"
      inputMode={comparison.input === "number" ? "decimal" : "text"}
      autoComplete="off"
    />
  );
}

/** `filter`: null while it is incomplete. */
export function LiveCount({ filter }: { filter: unknown }) {
  const { id } = useWorkspace();
  const text = JSON.stringify(filter);
  const [asked, setAsked] = useState<string | null>(null);
  useEffect(() => {
    const timer = setTimeout(() => setAsked(text), COUNT_DELAY_MS);
    return () => clearTimeout(timer);
  }, [text]);
  const found = useQuery({
    queryKey: ["filter", id, asked],
    queryFn: () =>
      request("POST /w/{workspace}/groups/count", {
        workspace: id,
        body: { filter: JSON.parse(asked ?? "null") as unknown },
      }),
    enabled: asked !== null && asked !== "null",
    staleTime: 30_000,
  });
  if (filter === null) return <p className="text-quiet">{strings.unfinished}</p>;
  const isCurrent = asked === text && !found.isFetching;
  // The first count and a failure have nothing older to dim.
  const isOld = found.data !== undefined && !isCurrent;
  return (
    <div aria-live="polite" className={`min-h-20 transition-opacity ${isOld ? "opacity-60" : ""}`}>
      {isCurrent && found.isError && <Failed error={found.error} retry={() => void found.refetch()} />}
      {found.data === undefined && !found.isError && <p className="text-quiet">{strings.counting}</p>}
      {found.data !== undefined && (
        <>
          <p className="text-form font-semibold">
            {found.data.count === 0
              ? strings.findsNobody
              : strings.finds(plural(found.data.count, strings.one, strings.other))}
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
    <ul aria-label={strings.sample} className="mt-2 flex flex-col gap-1">
      {people.map(({ phone, name, consent }) => {
        const { label, tone } = consentChip(consent);
        return (
          <li key={phone} className="flex flex-wrap items-center gap-2">
            <span className="min-w-0">{name ?? phone}</span>
            {name !== null && <span className="text-quiet figures">{phone}</span>}
            <Chip tone={tone}>{label}</Chip>
          </li>
        );
      })}
    </ul>
  );
}
