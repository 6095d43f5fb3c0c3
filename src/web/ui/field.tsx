/** The parts of a form: a label, a control, a hint, and what is wrong with it, tied together for every reader. */
import { type ComponentProps, type ReactNode, useId } from "react";
import { type FieldValues, get, type Path, type UseFormReturn } from "react-hook-form";

/** 16 px on phones: below that iOS zooms in. */
export const inputLook =
  "w-full min-h-10 max-mid:min-h-11 rounded-control border border-edge bg-surface px-3 py-2 text-form mid:text-body text-ink disabled:opacity-60 aria-invalid:border-red";

interface Common<V extends FieldValues> {
  form: UseFormReturn<V>;
  name: Path<V>;
  label: string;
  hint?: ReactNode;
}

interface Described {
  id: string;
  hint?: ReactNode;
  mistake: string | undefined;
}

function Around({ label, children, ...described }: Described & { label: string; children: ReactNode }) {
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={described.id} className="font-semibold">
        {label}
      </label>
      {children}
      <Notes {...described} />
    </div>
  );
}

function Notes({ id, hint, mistake }: Described) {
  return (
    <>
      {hint !== undefined && (
        <p id={`${id}-hint`} className="text-label text-quiet">
          {hint}
        </p>
      )}
      {mistake !== undefined && (
        <p id={`${id}-mistake`} role="alert" className="text-red">
          {mistake}
        </p>
      )}
    </>
  );
}

function useField<V extends FieldValues>({ form, name, hint }: Pick<Common<V>, "form" | "name" | "hint">) {
  const id = useId();
  const mistake = (get(form.formState.errors, name) as { message?: string } | undefined)?.message;
  const describedBy = [hint !== undefined && `${id}-hint`, mistake !== undefined && `${id}-mistake`]
    .filter(Boolean)
    .join(" ");
  const control = {
    id,
    "aria-invalid": mistake === undefined ? undefined : true,
    "aria-describedby": describedBy === "" ? undefined : describedBy,
    ...form.register(name),
  };
  return { control, around: { id, hint, mistake } };
}

type InputRest = Omit<ComponentProps<"input">, "form" | "name">;

export function TextField<V extends FieldValues>({ form, name, label, hint, ...rest }: Common<V> & InputRest) {
  const { control, around } = useField({ form, name, hint });
  return (
    <Around label={label} {...around}>
      <input className={inputLook} {...rest} {...control} />
    </Around>
  );
}

type AreaRest = Omit<ComponentProps<"textarea">, "form" | "name">;

export function AreaField<V extends FieldValues>({ form, name, label, hint, ...rest }: Common<V> & AreaRest) {
  const { control, around } = useField({ form, name, hint });
  return (
    <Around label={label} {...around}>
      <textarea className={inputLook} rows={3} {...rest} {...control} />
    </Around>
  );
}

interface Choice {
  value: string;
  label: string;
}

/** The system's own: it works with every keyboard, reader and phone. */
export function SelectField<V extends FieldValues>({
  form,
  name,
  label,
  hint,
  choices,
}: Common<V> & { choices: readonly Choice[] }) {
  const { control, around } = useField({ form, name, hint });
  return (
    <Around label={label} {...around}>
      <select className={inputLook} {...control}>
        {choices.map(({ value, label: word }) => (
          <option key={value} value={value}>
            {word}
          </option>
        ))}
      </select>
    </Around>
  );
}
