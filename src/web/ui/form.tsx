/**
 * A form that acts once. It gets an idempotency key when it opens, a second press repeats the key, and only a form that
 * was accepted, refused for good or changed gets a new one. The server's messages about fields appear at the fields, all others above the
 * button.
 */
import { type ReactNode, useRef, useState } from "react";
import type { FieldValues, Path, UseFormReturn } from "react-hook-form";
import { ApiError, newFormKey } from "../data/api.ts";
import { Button, type Tone } from "./button.tsx";
import { ErrorLine } from "./states.tsx";

interface FormProps<V extends FieldValues> {
  form: UseFormReturn<V>;
  /** Sends the values. Errors that it throws are shown. */
  onSend: (values: V, key: string) => Promise<unknown>;
  submit: string;
  tone?: Tone;
  children: ReactNode;
  /** Rendered beside the submit button. */
  beside?: ReactNode;
  /** Maps the server's field names to the form's, where they differ. */
  names?: Readonly<Record<string, Path<V>>>;
}

export function Form<V extends FieldValues>({
  form,
  onSend,
  submit,
  tone = "primary",
  children,
  beside,
  names = {},
}: FormProps<V>) {
  const [error, setError] = useState<unknown>(null);
  const key = useRef({ text: newFormKey(), values: "" });
  const run = form.handleSubmit(async (values) => {
    setError(null);
    // Changed values are a new request and get a new key; the same values repeat the old one.
    const text = JSON.stringify(values);
    if (key.current.values !== "" && key.current.values !== text) key.current.text = newFormKey();
    key.current.values = text;
    try {
      await onSend(values, key.current.text);
      key.current = { text: newFormKey(), values: "" };
    } catch (reason) {
      // Refused for good, and the key repeats the refusal: another press is another attempt.
      if (reason instanceof ApiError && reason.status === 422) key.current = { text: newFormKey(), values: "" };
      if (!showAtFields(form, reason, names)) setError(reason);
    }
  });
  const isBusy = form.formState.isSubmitting;
  return (
    <form
      noValidate
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        if (!isBusy) void run();
      }}
      onKeyDown={(event) => {
        const isSend = event.key === "Enter" || event.key === "s";
        if (!isSend || !(event.ctrlKey || event.metaKey)) return;
        event.preventDefault();
        if (!isBusy) void run();
      }}
    >
      {children}
      <ErrorLine error={error} />
      <div className="flex flex-wrap items-center gap-3">
        <Button type="submit" tone={tone} busy={isBusy}>
          {submit}
        </Button>
        {beside}
      </div>
    </form>
  );
}

/** False if a message belongs to none of the form's fields: the caller then shows the error as a whole. */
function showAtFields<V extends FieldValues>(
  form: UseFormReturn<V>,
  error: unknown,
  names: Readonly<Record<string, Path<V>>>,
): boolean {
  if (!(error instanceof ApiError)) return false;
  const known = Object.keys(form.getValues());
  let isFirst = true;
  let areAllShown = Object.keys(error.fields).length > 0;
  for (const [path, sentences] of Object.entries(error.fields)) {
    const name = names[path] ?? path;
    if (!known.includes(name.split(".")[0] ?? "")) {
      areAllShown = false;
      continue;
    }
    form.setError(name as Path<V>, { message: sentences.join(" ") }, { shouldFocus: isFirst });
    isFirst = false;
  }
  return areAllShown;
}
