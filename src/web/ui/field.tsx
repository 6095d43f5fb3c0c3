/** Form fields: a label, a control, a hint and an error, linked for screen readers. */
import { type ComponentProps, type ReactNode, useId } from "react";
import { type FieldValues, get, type Path, type UseFormReturn } from "react-hook-form";

/** 16 px on phones, because iOS zooms in on smaller inputs. */
export const inputClass =
  "w-full min-h-10 max-mid:min-h-11 rounded-control border border-edge bg-surface px-3 py-2 text-form mid:text-body text-ink disabled:opacity-60 aria-invalid:border-red";

interface Common<V extends FieldValues> {
  form: UseFormReturn<V>;
  name: Path<V>;
  label: string;
  hint?: ReactNode;
}

interface Described {
  /** Of the control. */
  id: string;
  hint?: ReactNode;
  error: string | undefined;
}

/** The frame of a control that is no field of a `Form`; `describedBy` links it. */
export function FieldFrame({ label, children, ...described }: Described & { label: ReactNode; children: ReactNode }) {
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={described.id} className="font-semibold">
        {label}
      </label>
      {children}
      <FieldNotes {...described} />
    </div>
  );
}

export function FieldNotes({ id, hint, error }: Described) {
  return (
    <>
      {hint !== undefined && (
        <p id={`${id}-hint`} className="text-label text-quiet">
          {hint}
        </p>
      )}
      {error !== undefined && (
        <p id={`${id}-error`} role="alert" className="text-red">
          {error}
        </p>
      )}
    </>
  );
}

/** What a control says of its notes. */
export function describedBy({ id, hint, error }: Described): { "aria-invalid"?: true; "aria-describedby"?: string } {
  const notes = [hint !== undefined && `${id}-hint`, error !== undefined && `${id}-error`].filter(Boolean).join(" ");
  return {
    ...(error === undefined ? {} : { "aria-invalid": true as const }),
    ...(notes === "" ? {} : { "aria-describedby": notes }),
  };
}

function useField<V extends FieldValues>({ form, name, hint }: Pick<Common<V>, "form" | "name" | "hint">) {
  const id = useId();
  const error = (get(form.formState.errors, name) as { message?: string } | undefined)?.message;
  const control = { id, ...describedBy({ id, hint, error }), ...form.register(name) };
  return { control, frame: { id, hint, error } };
}

type InputRest = Omit<ComponentProps<"input">, "form" | "name">;

export function TextField<V extends FieldValues>({ form, name, label, hint, ...rest }: Common<V> & InputRest) {
  const { control, frame } = useField({ form, name, hint });
  return (
    <FieldFrame label={label} {...frame}>
      <input className={inputClass} {...rest} {...control} />
    </FieldFrame>
  );
}

type AreaRest = Omit<ComponentProps<"textarea">, "form" | "name">;

export function AreaField<V extends FieldValues>({ form, name, label, hint, ...rest }: Common<V> & AreaRest) {
  const { control, frame } = useField({ form, name, hint });
  return (
    <FieldFrame label={label} {...frame}>
      <textarea className={inputClass} rows={3} {...rest} {...control} />
    </FieldFrame>
  );
}

interface Choice {
  value: string;
  label: string;
}

/** The browser's own select: it works with every keyboard, screen reader and phone. */
export function SelectField<V extends FieldValues>({
  form,
  name,
  label,
  hint,
  choices,
}: Common<V> & { choices: readonly Choice[] }) {
  const { control, frame } = useField({ form, name, hint });
  return (
    <FieldFrame label={label} {...frame}>
      <select className={inputClass} {...control}>
        {choices.map(({ value, label: text }) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </FieldFrame>
  );
}

interface TickProps extends ComponentProps<"input"> {
  type?: "checkbox" | "radio";
  /** Below the label. */
  hint?: ReactNode;
}

/** A checkbox or radio button and its label, which is pressed like the box; `className` is the label's. */
export function Tick({ type = "checkbox", hint, className = "", children, ...input }: TickProps) {
  return (
    <label className={`flex min-h-9 items-center gap-3 max-mid:min-h-11 ${className}`}>
      <input {...input} type={type} className="size-4 shrink-0 accent-accent max-mid:size-5" />
      <span className="min-w-0">
        {children}
        {hint !== undefined && <span className="block text-label text-quiet">{hint}</span>}
      </span>
    </label>
  );
}

/** Several values of one field, each with its checkbox. */
export function CheckboxesField<V extends FieldValues>({
  form,
  name,
  label,
  hint,
  choices,
}: Common<V> & { choices: readonly (Choice & { hint?: string })[] }) {
  const { control, frame } = useField({ form, name, hint });
  const { id: _, ...input } = control;
  return (
    <fieldset className="flex flex-col gap-1" aria-describedby={control["aria-describedby"]}>
      <legend className="mb-1 font-semibold">{label}</legend>
      <FieldNotes {...frame} />
      <div className="grid gap-x-6 mid:grid-cols-2">
        {choices.map(({ value, label: text, hint: meaning }) => (
          <Tick key={value} {...input} value={value} aria-describedby={undefined} hint={meaning}>
            {text}
          </Tick>
        ))}
      </div>
    </fieldset>
  );
}
