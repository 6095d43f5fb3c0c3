/**
 * The table of what people write: each row with its language, where the row comes from, how it arrives, what was sent to
 * the person before, and what it has to mean. A third of the rows, chosen by their hash, is held out: it was looked at
 * only after the normaliser and the word lists were finished, and `heldOut` reports on it separately.
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

/** `stop` opts out, `doubt` is "may want to stop", `none` changes nothing. */
type Meaning = "stop" | "doubt" | "none";

interface OptOutInput {
  meaning: Meaning;
  language: string;
  source: string;
  /** How it arrives: `button` is a quick-reply button of a template, `payload` its payload. */
  form: "text" | "caption" | "edit" | "button" | "payload" | "button_reply" | "list_reply";
  /** The last message to the person within 24 hours. */
  after: "nothing" | "marketing" | "utility" | "authentication" | "text";
  said: string;
}

const lines = readFileSync(`${import.meta.dir}/opt-out-inputs.jsonl`, "utf8")
  .trimEnd()
  .split("\n");

export const optOutInputs: (OptOutInput & { isHeldOut: boolean })[] = lines.map((line) => {
  const [meaning, language, source, form, after, said] = JSON.parse(line);
  const isHeldOut = (createHash("sha256").update(line).digest()[0] ?? 0) % 3 === 0;
  return { meaning, language, source, form, after, said, isHeldOut };
});
