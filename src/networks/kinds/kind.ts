/** What a network knows about a kind of message, and the limits that several kinds share. Pure. */

import { SHOWS_NOTHING } from "#src/core/shown-text.ts";
import { isLonger } from "#src/core/text-limits.ts";
import type { Content } from "#src/domain/messages/content.ts";
import type { FilledTexts } from "#src/domain/templates/template.ts";

export interface Refusal {
  /** Meta's error code. */
  code: string;
  /** What is wrong, in a sentence of ours: Meta's own wording varies. */
  message: string;
}

export interface NetworkKind<Kind extends Content> {
  /** The part of Meta's request that is about this kind. `mediaId`: Meta's id of the file if it was uploaded. */
  payload(content: Kind, mediaId: string | null): { type: string } & Readonly<Record<string, unknown>>;
  /**
   * The refusal in the answer to the send; null: Meta takes the content. The simulator refuses the same, so that a test
   * finds it and not a customer. `filled`: of a template; null if it is not known.
   */
  refuse(content: Kind, filled: FilledTexts | null): Refusal | null;
  /** The file that goes with the content, as a link. Absent: never one. */
  linkOf?(content: Kind): string | null;
  /** Whether the file has a type that Meta refuses, which it reports later. Absent: never. */
  hasUnusableFile?(content: Kind): boolean;
  /** Whether a user id does not do. Absent: it does. */
  needsPhone?(content: Kind): boolean;
}

/** Meta's code for an invalid parameter. */
const PARAMETER_INVALID = "100";

/** `max`: in code points. */
export function refuseText(text: string, max: number): Refusal | null {
  if (SHOWS_NOTHING.test(text)) return { code: PARAMETER_INVALID, message: "The text has no visible character." };
  return isLonger(text, max) ? tooLong(PARAMETER_INVALID, "text", max) : null;
}

export function tooLong(code: string, part: string, max: number): Refusal {
  return { code, message: `The ${part} has more than ${max.toLocaleString("en")} characters.` };
}
