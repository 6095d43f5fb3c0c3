/** The fields of the studio. Each is a path in the draft's content, where its value is and where a rule's sentence belongs. */
import { type ComponentProps, type ReactNode, useId, useState } from "react";
import { describedBy, FieldFrame, FieldNotes, inputClass, Tick } from "../../ui/field.tsx";
import { useChecked, usePlace } from "./checked.tsx";
import { put, textAt } from "./content.ts";

interface Common {
  path: string;
  label: ReactNode;
  hint?: ReactNode;
}

type InputRest = Omit<ComponentProps<"input">, "value" | "onChange">;

interface Bound {
  /** Where the value is, if not at `path`. */
  value?: string;
  onValue?: (text: string) => void;
}

/** An empty field leaves its member out of the content. */
export function StudioText({ path, label, hint, value, onValue, ...rest }: Common & Bound & InputRest) {
  const { content, change } = useChecked();
  const { error, leave } = usePlace(path);
  const id = useId();
  const set = onValue ?? ((text: string) => change((all) => put(all, path, text === "" ? undefined : text)));
  return (
    <FieldFrame id={id} label={label} hint={hint} error={error}>
      <input
        className={inputClass}
        autoComplete="off"
        {...rest}
        id={id}
        {...describedBy({ id, hint, error })}
        value={value ?? textAt(content, path)}
        onChange={({ target }) => set(target.value)}
        onBlur={leave}
      />
    </FieldFrame>
  );
}

export function StudioNumber({ path, label, hint }: Common) {
  const { change } = useChecked();
  return (
    <StudioText
      path={path}
      label={label}
      hint={hint}
      type="number"
      inputMode="numeric"
      onValue={(text) => change((all) => put(all, path, text === "" ? undefined : Number(text)))}
    />
  );
}

interface Choice {
  value: string;
  label: string;
}

/** A value that is no choice is shown as it is. */
export function StudioSelect({
  path,
  label,
  hint,
  choices,
  value,
  onValue,
}: Common & Bound & { choices: readonly Choice[] }) {
  const { content, change } = useChecked();
  const { error, leave } = usePlace(path);
  const id = useId();
  const shown = value ?? textAt(content, path);
  const all = choices.some((one) => one.value === shown) ? choices : [{ value: shown, label: shown }, ...choices];
  const set = onValue ?? ((chosen: string) => change((whole) => put(whole, path, chosen === "" ? undefined : chosen)));
  return (
    <FieldFrame id={id} label={label} hint={hint} error={error}>
      <select
        className={inputClass}
        id={id}
        {...describedBy({ id, hint, error })}
        value={shown}
        onChange={({ target }) => set(target.value)}
        onBlur={leave}
      >
        {all.map((one) => (
          <option key={one.value} value={one.value}>
            {one.label}
          </option>
        ))}
      </select>
    </FieldFrame>
  );
}

export function StudioSwitch({
  path,
  label,
  hint,
  isOn,
  onChange,
}: Common & { isOn: boolean; onChange: (isOn: boolean) => void }) {
  const { error, leave } = usePlace(path);
  const id = useId();
  return (
    <div className="flex flex-col gap-1">
      <Tick
        {...describedBy({ id, hint, error })}
        checked={isOn}
        onChange={({ target }) => onChange(target.checked)}
        onBlur={leave}
      >
        {label}
      </Tick>
      <FieldNotes id={id} hint={hint} error={error} />
    </div>
  );
}

/** The sentences about several fields, where they stand. */
export function StudioPlace({ path }: { path: string }) {
  const { error } = usePlace(path);
  return error === undefined ? null : (
    <p role="alert" className="text-red" data-place={path}>
      {error}
    </p>
  );
}

/** A text that counts when it is left: the name of a placeholder would else change with each letter. */
export function LeftText({ label, value, onLeave }: { label: string; value: string; onLeave: (text: string) => void }) {
  const [text, setText] = useState(value);
  return (
    <input
      aria-label={label}
      className={inputClass}
      autoComplete="off"
      value={text}
      onChange={({ target }) => setText(target.value)}
      onBlur={() => {
        const wished = text.trim();
        if (wished === "" || wished === value) setText(value);
        else onLeave(wished);
      }}
    />
  );
}
