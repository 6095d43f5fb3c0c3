/**
 * Normalises inbound texts, and the words they are compared with. It removes everything that only decorates a word:
 * case, accents, compatibility forms of letters, invisible characters, emoji, quotation marks, Markdown, punctuation,
 * courtesy. It takes linear time over a limited prefix of the text, because strangers choose the text.
 */
import { COMMAND_LENGTH_MAX, COMMAND_SCAN_MAX, cutText, isLonger } from "#src/core/text-limits.ts";

/** "Please" in each language that has opt-out words, as people write it in messages. */
const COURTESY_WORDS = [
  ...["please", "pls", "plz", "kindly"], // English
  ...["por favor", "porfavor", "porfa"], // Spanish, Portuguese
  ...["bitte", "alstublieft", "aub"], // German, Dutch
  ...["s'il vous plaît", "s'il te plaît", "svp", "stp"], // French
  ...["per favore", "per piacere"], // Italian
  ...["tolong", "mohon", "sila"], // Indonesian, Malay
  ...["lütfen", "proszę", "vă rog", "paki"], // Turkish, Polish, Romanian, Filipino
  ...["пожалуйста", "будь ласка", "παρακαλώ"], // Russian, Ukrainian, Greek
  ...["من فضلك", "لو سمحت", "رجاء", "لطفا", "براہ کرم", "בבקשה"], // Arabic, Persian, Urdu, Hebrew
  ...["कृपया", "कृपा करून", "দয়া করে", "தயவுசெய்து", "దయచేసి"], // Hindi, Marathi, Bengali, Tamil, Telugu
  ...["કૃપા કરીને", "ದಯವಿಟ್ಟು", "ദയവായി", "ਕਿਰਪਾ ਕਰਕੇ"], // Gujarati, Kannada, Malayalam, Punjabi
  ...["vui lòng", "xin", "tack", "tafadhali", "prosím", "kérem"], // Vietnamese, Swedish, Swahili, Czech, Hungarian
];

/** The same for languages written without spaces between words. */
const COURTESY_WITHOUT_SPACE = ["请", "請", "してください", "お願いします", "ください", "해주세요", "กรุณา", "โปรด"];

/** Includes unassigned code points, such as emoji newer than this runtime's Unicode. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}|(?![\s\u0085])\p{C}/gu;
/** Emoji that NFKD would turn into letters and join to the word beside them. */
const EMOJI_OF_LETTERS =
  /[\u2122\u2139\u24c2\u3297\u3299\u{1f170}\u{1f171}\u{1f17e}\u{1f17f}]\ufe0f|[\u{1f200}-\u{1f2ff}]/gu;
/** White letters on black circles and squares, which have no compatibility form. */
const BLACK_LETTERS = /[\u{1f150}-\u{1f169}\u{1f170}-\u{1f189}]/gu;
const WHITE_SPACE = /[\s\u0085\u2800]+/gu;
/** Marks that combine with any letter. Marks of a single script stay, because Indic vowel signs are marks too. */
const DIACRITICS = /[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]/g;
/** Arabic vowel points, the madda and hamza of an alif, and the elongation stroke (tatweel): optional in writing. */
const ARABIC_POINTS = /[\u0640\u064b-\u0655\u0670]/g;
const APOSTROPHES = /[\u2018\u2019\u02bc\u00b4`]/g;
const DECORATION = /^[\p{P}\p{S}\s]$/u;
const LETTER = /^[\p{L}\p{M}\p{N}]$/u;

/**
 * Returns the same string for every way to write a command. Empty if nothing is left or more than 64 characters are
 * left. Idempotent.
 */
export function normalizeCommand(text: string): string {
  return limitCommand(normalizeText(text));
}

/** A normalised text if it is short enough for a command, else an empty string. */
export function limitCommand(said: string): string {
  return isLonger(said, COMMAND_LENGTH_MAX) ? "" : said;
}

/** The same for a text of any length, of which only a limited prefix counts. */
export function normalizeText(text: string): string {
  return withoutCourtesy(fold(cutText(text, COMMAND_SCAN_MAX)));
}

/**
 * Folds case, accents and compatibility forms, removes invisible characters, and turns runs of white space into one
 * space.
 */
function fold(text: string): string {
  const plain = text.replace(EMOJI_OF_LETTERS, " ").replace(BLACK_LETTERS, plainLetter);
  const shaped = withoutMarks(plain.normalize("NFKD"));
  // Via upper case, so that "ß" becomes "ss", and the two forms of sigma and of the Turkish i become one.
  const cased = shaped.toLowerCase().toUpperCase().toLowerCase().replaceAll("ς", "σ");
  const folded = withoutMarks(cased.normalize("NFKD"));
  return folded.normalize("NFKC").replace(APOSTROPHES, "'").replace(WHITE_SPACE, " ");
}

/** Both ranges hold A to Z, 32 code points apart. */
function plainLetter(letter: string): string {
  return String.fromCharCode(0x41 + (((letter.codePointAt(0) ?? 0) - 0x1f150) % 0x20));
}

function withoutMarks(text: string): string {
  return text.replace(INVISIBLE, "").replace(DIACRITICS, "").replace(ARABIC_POINTS, "");
}

const courtesy = COURTESY_WORDS.map(fold);
const courtesyWithoutSpace = COURTESY_WITHOUT_SPACE.map(fold);

/** Each iteration only moves the two ends and copies nothing, so that many courtesy words cost no more than one. */
function withoutCourtesy(text: string): string {
  let [start, end] = trim(text, 0, text.length);
  for (;;) {
    const before = courtesyBefore(text, start, end);
    const after = before > 0 ? 0 : courtesyAfter(text, start, end);
    const [newStart, newEnd] = trim(text, start + before, end - after);
    // A text of courtesy words alone stays unchanged.
    if (before + after === 0 || newStart >= newEnd) return text.slice(start, end);
    [start, end] = [newStart, newEnd];
  }
}

/** Length of the courtesy word at the start; 0 if there is none. */
function courtesyBefore(text: string, start: number, end: number): number {
  const spaced = courtesy.find((word) => text.startsWith(word, start) && isEdge(text, start + word.length, end));
  const joined = courtesyWithoutSpace.find((word) => text.startsWith(word, start));
  const word = spaced ?? joined ?? "";
  return start + word.length <= end ? word.length : 0;
}

function courtesyAfter(text: string, start: number, end: number): number {
  const spaced = courtesy.find((word) => text.endsWith(word, end) && isEdge(text, end - word.length - 1, end));
  const joined = courtesyWithoutSpace.find((word) => text.endsWith(word, end));
  const word = spaced ?? joined ?? "";
  return end - word.length >= start ? word.length : 0;
}

/** Whether a word ends here: there is no letter at this index. */
function isEdge(text: string, place: number, end: number): boolean {
  return place < 0 || place >= end || !LETTER.test(text.charAt(place));
}

/** The range of the text without decoration at both ends. */
function trim(text: string, from: number, to: number): [start: number, end: number] {
  let [start, end] = [from, to];
  while (start < end) {
    const character = characterAt(text, start);
    if (!DECORATION.test(character)) break;
    start += character.length;
  }
  while (end > start) {
    const character = characterBefore(text, end);
    if (!DECORATION.test(character)) break;
    end -= character.length;
  }
  return [start, end];
}

function characterAt(text: string, place: number): string {
  return String.fromCodePoint(text.codePointAt(place) ?? 0);
}

function characterBefore(text: string, place: number): string {
  const last = text.charCodeAt(place - 1);
  return last >= 0xdc00 && last <= 0xdfff && place > 1 ? characterAt(text, place - 2) : text.charAt(place - 1);
}
