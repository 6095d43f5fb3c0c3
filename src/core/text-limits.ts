/**
 * Maximum lengths of texts from outside. A reader truncates such a text to its limit before it matches, normalises or
 * stores it, so that the cost of any text is bounded.
 */

/** A text that a person wrote (a message, a caption, a title). WhatsApp's own apps allow 65,536 characters. */
export const WRITTEN_LENGTH_MAX = 65_536;

/** A profile's name. The API has the same limit for a contact's name. */
export const PROFILE_NAME_LENGTH_MAX = 191;

/** Sentences from the network about an error or a refusal. */
export const NETWORK_WORDS_LENGTH_MAX = 1_024;

/** Every other text from the network: a kind, a status, a date, a template's name. */
export const NETWORK_LABEL_LENGTH_MAX = 512;

/** Ids from the network. A longer id is rejected, never truncated: a truncated id could equal another one. */
export const NETWORK_ID_LENGTH_MAX = 512;

/** A time or number written as text. */
export const NUMBER_LENGTH_MAX = 40;

/** How much of a text is searched for a command such as STOP. */
export const COMMAND_SCAN_MAX = 4_096;

/** A text longer than this after normalising is not a command. */
export const COMMAND_LENGTH_MAX = 64;

/** Counts code points, and of a text that is far too long only its code units: it may be a whole body. */
export function isLonger(text: string, max: number): boolean {
  return text.length > max && (text.length > 2 * max || [...text].length > max);
}

/** The first `max` UTF-16 code units, without half a surrogate pair at the end. */
export function cutText(text: string, max: number): string {
  if (text.length <= max) return text;
  const last = text.charCodeAt(max - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? max - 1 : max);
}
