/**
 * A command that sends to the reader's own phone. It is shown once the reader has typed a number, because a pasted
 * command with a number of ours would write to a stranger and record that stranger's consent.
 */
import { useId, useState } from "react";
import { CodeBlock } from "../../ui/copy.tsx";
import { inputClass } from "../../ui/field.tsx";
import { strings } from "./strings.ts";

/** International, with or without `+`; the server checks the rest. */
const NUMBER = /^\+?\d[\d ().-]{6,}$/;

export function OwnNumberCommand({ make, label }: { make: (recipient: string) => string; label: string }) {
  const id = useId();
  const [typed, setTyped] = useState("");
  const recipient = NUMBER.test(typed.trim()) ? `+${typed.replace(/\D/g, "")}` : null;
  return (
    <div className="flex flex-col gap-2 text-start">
      <label htmlFor={id} className="font-semibold">
        {strings.ownNumber}
      </label>
      <input
        id={id}
        className={inputClass}
        type="tel"
        autoComplete="tel"
        value={typed}
        aria-describedby={`${id}-hint`}
        onChange={(event) => setTyped(event.target.value)}
      />
      <p id={`${id}-hint`} className="text-label text-quiet">
        {strings.ownNumberHint}
      </p>
      {recipient !== null && <CodeBlock text={make(recipient)} label={label} copyLabel={strings.copyCurl} />}
    </div>
  );
}
