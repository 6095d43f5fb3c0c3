/** The filters of a search, each kept in the address. */
import { useId } from "react";
import { useWorkspace } from "../../data/session.ts";
import { useChangeParameters, useChoice, useParameters } from "../../ui/address.tsx";
import { FieldFrame, inputClass, Tick } from "../../ui/field.tsx";
import { strings } from "./search-strings.ts";
import { SCREEN } from "./search-view.ts";

const shortClass = `${inputClass} mid:min-h-8! mid:py-1!`;

export function SearchFilters() {
  const { numbers } = useWorkspace();
  return (
    <search
      aria-label={strings.filtersTitle}
      className="mb-4 grid grid-cols-2 gap-3 rounded-panel border border-line bg-surface p-3 [&>*]:min-w-0"
    >
      <TextFilter name="from" label={strings.from} type="tel" />
      <TextFilter name="tag" label={strings.tag} />
      <ChoiceFilter
        name="kind"
        label={strings.kind}
        any={strings.anyKind}
        choices={(["messages", "contacts", "notes"] as const).map((value) => [value, strings.kinds[value]])}
      />
      {numbers.length > 1 && (
        <ChoiceFilter
          name="number"
          label={strings.number}
          any={strings.anyNumber}
          choices={numbers.map(({ phone }) => [phone, phone])}
        />
      )}
      <TextFilter name="since" label={strings.since} type="date" />
      <TextFilter name="until" label={strings.until} type="date" />
      <FileFilter />
    </search>
  );
}

interface TextFilterProps {
  name: "from" | "tag" | "since" | "until";
  label: string;
  type?: "text" | "tel" | "date";
}

/** Takes effect on Enter, or when the field is left. */
function TextFilter({ name, label, type = "text" }: TextFilterProps) {
  const id = useId();
  const { [name]: value = "" } = useParameters(SCREEN);
  const change = useChangeParameters(SCREEN);
  const take = (text: string) => {
    if (text.trim() !== value) void change({ [name]: text.trim() || undefined });
  };
  return (
    <FieldFrame id={id} label={label} error={undefined}>
      <input
        key={value}
        id={id}
        type={type}
        className={shortClass}
        defaultValue={value}
        autoComplete="off"
        onBlur={({ target }) => take(target.value)}
        onKeyDown={({ key, currentTarget }) => key === "Enter" && take(currentTarget.value)}
      />
    </FieldFrame>
  );
}

interface ChoiceFilterProps {
  name: "kind" | "number";
  label: string;
  any: string;
  choices: readonly (readonly [value: string, label: string])[];
}

function ChoiceFilter({ name, label, any, choices }: ChoiceFilterProps) {
  const id = useId();
  const { [name]: there = "" } = useParameters(SCREEN);
  const change = useChangeParameters(SCREEN);
  const [value, choose] = useChoice<string>(there, (next) => change({ [name]: next || undefined }));
  return (
    <FieldFrame id={id} label={label} error={undefined}>
      <select id={id} className={shortClass} value={value} onChange={({ target }) => choose(target.value)}>
        <option value="">{any}</option>
        {choices.map(([one, text]) => (
          <option key={one} value={one}>
            {text}
          </option>
        ))}
      </select>
    </FieldFrame>
  );
}

function FileFilter() {
  const { file } = useParameters(SCREEN);
  const change = useChangeParameters(SCREEN);
  const [hasFile, choose] = useChoice(file === "true", (next) => change({ file: next ? "true" : undefined }));
  return (
    <Tick className="self-end" checked={hasFile} onChange={({ target }) => choose(target.checked)}>
      {strings.hasFile}
    </Tick>
  );
}
