/** Links to files that the network fetches when a message is sent: their schema, and what it cannot say. Pure. */
import { Type } from "@sinclair/typebox";
import type { FieldProblems } from "#src/core/fault.ts";
import { inDocument } from "#src/core/schema.ts";

export const LINK_LENGTH_MAX = 2048;
/** Of an address that a button opens. */
export const HTTP_PATTERN = "^[Hh][Tt][Tt][Pp][Ss]?://[^\\s\\u0000-\\u001f\\u007f-\\u009f]+$";
const HTTPS_PATTERN = "^[Hh][Tt][Tt][Pp][Ss]://[^\\s\\u0000-\\u001f\\u007f-\\u009f]+$";

export function Link(description: string, example: string) {
  const text = Type.String({ format: "uri", maxLength: LINK_LENGTH_MAX, description, examples: [example] });
  return inDocument(text, { pattern: HTTPS_PATTERN });
}

export function checkLink(fields: FieldProblems, path: string, link: string): void {
  if (fields[path] !== undefined) return;
  if (!/^https:\/\/[^\s\p{C}]+$/iu.test(link) || !URL.canParse(link)) {
    fields[path] = [{ rule: "format", sentence: "The link has to be a complete https address." }];
  }
}

/** The last part of the link's path, as the phone shows it for a document without a name of its own. */
export function fileNameOf(link: string): string {
  const part =
    new URL(link).pathname
      .split("/")
      .filter((piece) => piece !== "")
      .at(-1) ?? "document.pdf";
  try {
    return decodeURIComponent(part);
  } catch {
    // A stray percent sign in the link is no reason to refuse the file.
    return part;
  }
}

/** In lower case; null if the link's path ends in none. */
export function extensionOf(link: string): string | null {
  return /\.([a-z0-9]{1,5})$/.exec(new URL(link).pathname.toLowerCase())?.[1] ?? null;
}
