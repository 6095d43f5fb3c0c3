/**
 * Texts of customers and of the network where operators read them: alarms, e-mails, Health, `status`, `doctor`. The
 * type keeps such a text from standing among our own words as it is: only `quoted` makes one.
 */

declare const isQuoted: unique symbol;

/** One line in quotation marks, which cannot look like a sentence of ours. */
export type ForeignText = string & { readonly [isQuoted]: true };

/** Characters between the quotation marks. */
const SHOWN_MAX = 300;

/** Blanks, line ends, control and formatting characters, but not the joiners that names and emoji are written with. */
const NOT_SHOWN = /(?:(?![\u200c\u200d])[\p{Z}\p{Cc}\p{Cf}\p{Cs}])+/gu;
/** What could end the quotation early, or seem to. */
const QUOTATION_MARKS = /[“”„‟❝❞〝〞＂]/gu;

export function quoted(text: string): ForeignText {
  const line = text.replace(NOT_SHOWN, " ").trim().replace(QUOTATION_MARKS, '"');
  const characters = [...line];
  const shown = characters.length > SHOWN_MAX ? `${characters.slice(0, SHOWN_MAX - 1).join("")}…` : line;
  return `“${shown}”` as ForeignText;
}
