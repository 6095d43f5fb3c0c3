/**
 * How long a text from outside may be. Whatever reads such a text cuts it to its limit before anything matches,
 * normalises or stores it, so that one text costs no more than its limit whatever it is made of.
 */

/** What a person wrote (a text, a caption, a title). WhatsApp's own apps take 65,536 characters. */
export const WRITTEN_LENGTH_MAX = 65_536;

/** A profile's name; a contact's name is as long by the API. */
export const PROFILE_NAME_LENGTH_MAX = 191;

/** Sentences of the network about an error or a refusal. */
export const NETWORK_WORDS_LENGTH_MAX = 1_024;

/** Every other text of the network: a kind, a status, a date, a template's name. */
export const NETWORK_LABEL_LENGTH_MAX = 512;

/** Ids of the network. A longer one is refused and never cut: two ids with the same beginning are two ids. */
export const NETWORK_ID_LENGTH_MAX = 512;

/** A time or a number that is written as a text. */
export const NUMBER_LENGTH_MAX = 40;

/** How much of a text is looked at for a command such as STOP. */
export const COMMAND_SCAN_MAX = 4_096;

/** What is longer than this after normalising is no command. */
export const COMMAND_LENGTH_MAX = 64;

/** The first `max` UTF-16 code units, without half of a character at the end. */
export function cutText(text: string, max: number): string {
  if (text.length <= max) return text;
  const last = text.charCodeAt(max - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? max - 1 : max);
}
