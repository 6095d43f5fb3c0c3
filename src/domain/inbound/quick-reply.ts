/**
 * Texts that the staff insert into a reply: their limits, and the contact fields that they name as `{{first_name}}`. The
 * console's bundle contains this file.
 */
import { broadcastNames } from "../contacts/profile-fields.ts";

export const QUICK_REPLIES_MAX = 200;
/** Characters, as UTF-16 counts them. */
export const REPLY_NAME_LENGTH_MAX = 32;
/** As long as the text below a file. */
export const REPLY_TEXT_LENGTH_MAX = 1_024;

/** The fields that a text may name, besides the workspace's own. */
export const replyFields: readonly string[] = broadcastNames;

const PLACEHOLDER = /\{\{([a-z][a-z0-9_]{0,63})\}\}/g;

/** Each once, in the order in which the text names them. */
export function fieldsIn(text: string): string[] {
  return [...new Set([...text.matchAll(PLACEHOLDER)].map(([, name]) => name ?? ""))];
}

/** Whether braces are left that name no field, such as `{{First name}}`. */
export function hasLooseBraces(text: string): boolean {
  return /\{\{|\}\}/.test(text.replace(PLACEHOLDER, ""));
}

/** The text with the value of each field. A field without a value stays as it is written. */
export function fillReply(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(PLACEHOLDER, (whole, name: string) =>
    Object.hasOwn(values, name) ? (values[name] ?? "") : whole,
  );
}
