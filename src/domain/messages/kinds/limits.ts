/**
 * How long the texts of free messages may be, and how many parts they may have. Lengths are in UTF-16 units. The browser
 * shares this file, which therefore imports nothing. Limits are Meta's unless they say so. Pure.
 */
export const limits = {
  text: 4_096,
  /** The text below a file. */
  caption: 1_024,
  /** The text above buttons, a link or a request. */
  body: 1_024,
  listBody: 4_096,
  header: 60,
  footer: 60,
  buttons: 3,
  buttonTitle: 20,
  /** What the button says that opens a list. */
  listButton: 20,
  sections: 10,
  sectionTitle: 24,
  /** In all sections of a list. */
  rows: 10,
  rowTitle: 24,
  rowDescription: 72,
  linkTitle: 20,
  linkUrl: 2_048,
  /** Of ours: more than a phone shows. */
  placeLabel: 1_000,
  cards: 257,
  /** Of ours: Meta names no limit, and phones show fewer. */
  cardText: 1_000,
} as const;

/** Of an address that a button opens. */
export const HTTP_PATTERN = "^[Hh][Tt][Tt][Pp][Ss]?://[^\\s\\u0000-\\u001f\\u007f-\\u009f]+$";
