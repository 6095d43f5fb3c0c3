/** A drop-down filter stored in the address, for more choices than a `FilterBar` has room for. */
import type { ReactNode } from "react";
import type { Parameters, Screen } from "../app/routes.ts";
import { useChangeParameters, useChoice, useParameters } from "./address.tsx";
import { inputClass } from "./field.tsx";

interface SelectFilterProps<At, Name, Value> {
  screen: At;
  label: string;
  /** The search parameter. */
  name: Name;
  /** The label of "no filter". */
  any: string;
  choices: readonly { value: Value; label: string }[];
}

export function SelectFilter<At extends Screen, Name extends string & keyof Parameters<At>>(
  props: SelectFilterProps<At, Name, NonNullable<Parameters<At>[Name]>>,
): ReactNode;
export function SelectFilter({ screen, label, name, any, choices }: SelectFilterProps<Screen, string, string>) {
  const change = useChangeParameters(screen);
  const search: Readonly<Record<string, unknown>> = useParameters(screen);
  const there = search[name];
  const [chosen, choose] = useChoice(typeof there === "string" ? there : "", (value) =>
    change({ [name]: value || undefined, after: undefined, open: undefined }),
  );
  return (
    <label className="mb-4 flex items-center gap-2 max-mid:w-full">
      <span className="shrink-0 whitespace-nowrap text-quiet">{label}</span>
      <select
        className={`${inputClass} mid:min-h-8 mid:w-48 mid:py-1`}
        value={chosen}
        onChange={({ target }) => choose(target.value)}
      >
        <option value="">{any}</option>
        {choices.map(({ value, label: text }) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}
