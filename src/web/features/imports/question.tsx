/** Asks what only the user can know. The question stays, so that the answer can be changed. */
import { Tick } from "../../ui/field.tsx";

interface Props {
  title: string;
  /** Null: not answered yet. */
  value: string | null;
  options: readonly { value: string; label: string; hint?: string }[];
  choose: (value: string) => void;
}

export function Question({ title, value, options, choose }: Props) {
  return (
    <fieldset
      className={`rounded-panel border p-4 mid:px-6 ${value === null ? "border-amber bg-amber-tint text-amber" : "border-line bg-surface"}`}
    >
      <legend className="float-start mb-2 w-full font-semibold">{title}</legend>
      <div className="clear-both flex flex-col">
        {options.map((option) => (
          <Tick
            key={option.value}
            className="text-ink"
            type="radio"
            value={option.value}
            checked={value === option.value}
            onChange={() => choose(option.value)}
          >
            <span className="me-3">{option.label}</span>
            {option.hint !== undefined && <span className="text-label text-quiet">{option.hint}</span>}
          </Tick>
        ))}
      </div>
    </fieldset>
  );
}
