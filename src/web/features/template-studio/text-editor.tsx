/** A text with placeholders: each has a name and a sample. */
import { useId, useRef } from "react";
import { Button } from "../../ui/button.tsx";
import { describedBy, FieldFrame, inputClass } from "../../ui/field.tsx";
import { useChecked, usePlace } from "./checked.tsx";
import { nextPlaceholder, placeholdersOf, rename, samplesOf, setSample, setText, textAt } from "./content.ts";
import { LeftText, StudioPlace, StudioText } from "./fields.tsx";
import { strings } from "./strings.ts";

interface Props {
  /** Path of the component. */
  part: string;
  label: string;
  limit: number;
  hint?: string;
  /** One line. */
  isLine?: boolean;
}

export function TextEditor({ part, label, limit, hint, isLine = false }: Props) {
  const { content, change } = useChecked();
  const path = `${part}.text`;
  const { error, leave } = usePlace(path);
  const control = useRef<HTMLTextAreaElement & HTMLInputElement>(null);
  const id = useId();
  const text = textAt(content, path);
  const names = placeholdersOf(content, part);
  const samples = samplesOf(content, part);
  const count = strings.of([...text].length, limit);
  const notes = hint === undefined ? count : `${hint} · ${count}`;
  const insert = () => {
    const { selectionStart: start, selectionEnd: end } = control.current ?? {};
    change((all) => {
      const now = textAt(all, path);
      const from = start ?? now.length;
      return setText(all, part, now.slice(0, from) + nextPlaceholder(all, part) + now.slice(end ?? from));
    });
    control.current?.focus();
  };
  const Control = isLine ? "input" : "textarea";
  return (
    <div className="flex flex-col gap-3">
      <FieldFrame id={id} label={label} hint={notes} error={error}>
        <Control
          ref={control}
          id={id}
          className={inputClass}
          autoComplete="off"
          {...(isLine ? {} : { rows: 6 })}
          {...describedBy({ id, hint: notes, error })}
          value={text}
          onChange={({ target }: { target: { value: string } }) => change((all) => setText(all, part, target.value))}
          onBlur={leave}
        />
      </FieldFrame>
      <div>
        <Button small onClick={insert}>
          {strings.addPlaceholder}
        </Button>
      </div>
      {names.length > 0 && (
        <fieldset className="flex flex-col gap-2 rounded-control border border-line p-3">
          <legend className="px-1 font-semibold">{strings.placeholders}</legend>
          <p className="text-label text-quiet">{strings.placeholderHint}</p>
          <div aria-hidden className="grid grid-cols-[minmax(5rem,1fr)_2fr] gap-2 font-semibold">
            <span>{strings.placeholderNames}</span>
            <span>{strings.placeholderSamples}</span>
          </div>
          {names.map((name) => (
            <div key={name} className="grid grid-cols-[minmax(5rem,1fr)_2fr] items-end gap-2">
              <LeftText
                label={strings.placeholderName(name)}
                value={name}
                onLeave={(to) => change((all) => rename(all, part, name, to))}
              />
              <input
                aria-label={strings.placeholderSample(name)}
                className={inputClass}
                autoComplete="off"
                value={samples.get(name) ?? ""}
                onChange={({ target }) => change((all) => setSample(all, part, name, target.value))}
              />
            </div>
          ))}
          <StudioPlace path={`${part}.example`} />
        </fieldset>
      )}
      {names.length === 0 && <StudioPlace path={`${part}.example`} />}
    </div>
  );
}

/** A text without placeholders. */
export function PlainText({ part, label, limit }: Omit<Props, "hint" | "isLine">) {
  const { content } = useChecked();
  const path = `${part}.text`;
  return <StudioText path={path} label={label} hint={strings.of([...textAt(content, path)].length, limit)} />;
}
