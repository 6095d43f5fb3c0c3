/** What several kinds check of a request and no schema can say. Pure. */
import type { FieldProblems } from "#src/core/fault.ts";
import { SHOWS_NOTHING } from "#src/core/shown-text.ts";

/** `texts` by their paths. Those that are there have to show something. */
export function checkShown(fields: FieldProblems, texts: Readonly<Record<string, string | undefined>>): void {
  for (const [path, text] of Object.entries(texts)) {
    if (text !== undefined && SHOWS_NOTHING.test(text) && fields[path] === undefined) {
      fields[path] = [{ rule: "too_short", sentence: "This must not be blank." }];
    }
  }
}
