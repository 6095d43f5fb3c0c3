/** Asks what only the user can know. The question stays, so that the answer can be changed. */
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
          <label key={option.value} className="flex min-h-9 items-center gap-3 text-ink max-mid:min-h-11">
            <input
              type="radio"
              value={option.value}
              checked={value === option.value}
              onChange={() => choose(option.value)}
              className="size-4 shrink-0 accent-accent max-mid:size-5"
            />
            <span className="min-w-0">
              <span className="me-3">{option.label}</span>
              {option.hint !== undefined && <span className="text-label text-quiet">{option.hint}</span>}
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
