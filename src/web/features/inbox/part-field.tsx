/** A field of a part: its value is in the draft, its fault named as the request's member is. */
import { type ComponentProps, type ReactNode, useEffect, useId, useRef } from "react";
import { describedBy, FieldFrame, inputClass } from "../../ui/field.tsx";
import type { Draft } from "./composer-draft.ts";
import type { Faults } from "./composer-parts.ts";

/** What every field of an open part knows. */
export interface PartContext {
  faults: Faults;
  isLocked: boolean;
  /** The first field takes the focus: the user has just opened the part. */
  hasFocus: boolean;
}

/** What the form of a part is given. */
export interface FormProps {
  draftId: string;
  draft: Draft;
  context: PartContext;
}

interface PartFieldProps extends Omit<ComponentProps<"input">, "onChange" | "value"> {
  context: PartContext;
  /** Of the request's member. */
  path: string;
  label: string;
  hint?: string;
  value: string;
  onValue: (value: string) => void;
  isFirst?: boolean;
  /** Rendered behind the control. */
  beside?: ReactNode;
}

export function PartField({
  context: { faults, isLocked, hasFocus },
  path,
  label,
  hint,
  value,
  onValue,
  isFirst = false,
  beside,
  ...rest
}: PartFieldProps) {
  const id = useId();
  const error = faults[path];
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (isFirst && hasFocus) input.current?.focus();
  }, [isFirst, hasFocus]);
  return (
    <FieldFrame
      id={id}
      label={<span className="text-label">{label}</span>}
      error={error}
      {...(hint === undefined ? {} : { hint })}
    >
      <div className="flex items-center gap-1">
        <input
          ref={input}
          id={id}
          type="text"
          dir="auto"
          autoComplete="off"
          className={`${inputClass} mid:min-h-8! mid:py-1!`}
          {...rest}
          {...describedBy({ id, hint, error })}
          data-part-path={path}
          value={value}
          readOnly={isLocked}
          onChange={({ target }) => onValue(target.value)}
        />
        {beside}
      </div>
    </FieldFrame>
  );
}

/** Also a field that is about to appear. */
export function focusField(path: string): void {
  setTimeout(() => document.querySelector<HTMLElement>(`[data-part-path="${path}"]`)?.focus());
}
