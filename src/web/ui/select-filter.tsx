/** A drop-down filter stored in the address, for more choices than a `FilterBar` has room for. */
import { useNavigate, useSearch } from "@tanstack/react-router";
import { inputClass } from "./field.tsx";

interface SelectFilterProps {
  label: string;
  /** The search parameter. */
  name: string;
  /** The label of "no filter". */
  any: string;
  choices: readonly { value: string; label: string }[];
}

export function SelectFilter({ label, name, any, choices }: SelectFilterProps) {
  const navigate = useNavigate();
  const search = useSearch({ strict: false }) as Record<string, unknown>;
  const chosen = search[name];
  const choose = (value: string) =>
    void navigate({
      to: ".",
      search: (known: Record<string, unknown>) => ({
        ...known,
        [name]: value || undefined,
        after: undefined,
        open: undefined,
      }),
    } as never);
  return (
    <label className="mb-4 flex items-center gap-2 max-mid:w-full">
      <span className="shrink-0 whitespace-nowrap text-quiet">{label}</span>
      <select
        className={`${inputClass} mid:min-h-8 mid:w-48 mid:py-1`}
        value={typeof chosen === "string" ? chosen : ""}
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
