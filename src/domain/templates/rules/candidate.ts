/**
 * A template as a person writes it, read as far as it can be read: what has another form than it should reads as empty,
 * and a rule says so. Pure.
 */
import { namesIn } from "./text.ts";

type Loose = Readonly<Record<string, unknown>>;

/** A component, of the message itself or of a card. */
export interface Part {
  /** In capitals; empty if it has none. */
  type: string;
  path: string;
  given: Loose;
}

export interface Button extends Part {
  text: string;
}

export interface Card {
  path: string;
  parts: Part[];
}

/** What the account has already, as far as it matters to a new text. */
interface KnownTemplate {
  name: string;
  language: string;
  category: string;
  components: readonly Loose[];
}

/** The template that is corrected. */
export interface Corrected {
  category: string;
  /** `APPROVED`, `PENDING`, `REJECTED`, `PAUSED`, `DISABLED`. */
  status: string;
  /** How often it was corrected while it was approved: in 24 hours, and in 30 days. */
  today: number;
  month: number;
}

export interface LibraryButton {
  /** In capitals. */
  type: string;
  text: string;
  /** The sample address or number that the library shows; null: it shows none. */
  url: string | null;
  phoneNumber: string | null;
}

/** A template of the network's own library: its words are fixed. */
export interface LibraryEntry {
  id: string;
  name: string;
  language: string;
  category: string;
  topic: string | null;
  useCase: string | null;
  industries: string[];
  header: string | null;
  body: string;
  /** A sample of each value of the body, and what kind of value it is, such as `TEXT` or `AMOUNT`. */
  bodyValues: string[];
  bodyTypes: string[];
  buttons: LibraryButton[];
}

export interface CheckContext {
  /** The template of the library that the request names; null: there is none; absent: the library was not asked. */
  library?: LibraryEntry | null;
  /** Other templates of the account in the same language. */
  known?: readonly KnownTemplate[];
  /** Null: it is a new one. */
  corrected?: Corrected | null;
  /** The account has this name in this language. */
  isTaken?: boolean;
  /** An approved template of this name was deleted less than 30 days ago. */
  isBlocked?: boolean;
}

export interface Candidate {
  given: Loose;
  name: string;
  language: string;
  category: string;
  /** As given; derived from the placeholders if it is not. */
  format: "POSITIONAL" | "NAMED";
  parts: Part[];
  cards: Card[];
  /** Whether a file was given as the sample of the header, and of each card. */
  samples: { header: boolean; cards: boolean[] };
  context: CheckContext;
}

export function isLoose(value: unknown): value is Loose {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function textIn(given: Loose, member: string): string {
  const value = given[member];
  return typeof value === "string" ? value : "";
}

/** More items than any list of a template may have: a longer one breaks a rule in any case. */
const ITEMS_MAX = 200;

/** Up to `ITEMS_MAX` items. */
export function listIn(given: Loose, member: string): unknown[] {
  const value = given[member];
  return Array.isArray(value) ? value.slice(0, ITEMS_MAX) : [];
}

export function readCandidate(input: unknown, context: CheckContext = {}): Candidate {
  const given = isLoose(input) ? input : {};
  const parts = readParts(listIn(given, "components"), "components");
  const carousel = parts.find(({ type }) => type === "CAROUSEL");
  const cards = carousel === undefined ? [] : readCards(carousel);
  const media = isLoose(given.sample_media) ? given.sample_media : {};
  return {
    given,
    name: textIn(given, "name"),
    language: textIn(given, "language"),
    category: textIn(given, "category"),
    format: readFormat(given, [...parts, ...cards.flatMap((card) => card.parts)]),
    parts,
    cards,
    samples: {
      header: typeof media.header === "number",
      cards: listIn(media, "cards").map((id) => typeof id === "number"),
    },
    context,
  };
}

function readParts(list: readonly unknown[], path: string): Part[] {
  return list.map((one, index) => readPart(one, `${path}.${index}`));
}

function readPart(one: unknown, path: string): Part {
  const given = isLoose(one) ? one : {};
  return { type: textIn(given, "type").toUpperCase(), path, given };
}

function readCards({ path, given }: Part): Card[] {
  return listIn(given, "cards").map((card, index) => {
    const at = `${path}.cards.${index}`;
    return { path: at, parts: readParts(listIn(isLoose(card) ? card : {}, "components"), `${at}.components`) };
  });
}

function readFormat({ parameter_format: format }: Loose, parts: readonly Part[]): Candidate["format"] {
  if (format === "NAMED" || format === "POSITIONAL") return format;
  const names = parts
    .filter(({ type }) => type === "HEADER" || type === "BODY")
    .flatMap(({ given }) => namesIn(textIn(given, "text")));
  return names.some((name) => !/^\d+$/.test(name)) ? "NAMED" : "POSITIONAL";
}

/** Of the message itself. */
export function partsOf({ parts }: Candidate, type: string): Part[] {
  return parts.filter((part) => part.type === type);
}

/** Of the message and of its cards. */
export function allPartsOf(candidate: Candidate, type: string): Part[] {
  return [
    ...partsOf(candidate, type),
    ...candidate.cards.flatMap(({ parts }) => parts.filter((one) => one.type === type)),
  ];
}

export function has(candidate: Candidate, type: string): boolean {
  return partsOf(candidate, type).length > 0;
}

export function isLogin({ category }: Candidate): boolean {
  return category === "AUTHENTICATION";
}

export function formatOf({ given }: Part): string {
  return (textIn(given, "format") || "TEXT").toUpperCase();
}

export function buttonsOf({ path, given }: Part): Button[] {
  return listIn(given, "buttons").map((one, index) => {
    const button = readPart(one, `${path}.buttons.${index}`);
    return { ...button, text: textIn(button.given, "text") };
  });
}

/** Each list of buttons: that of the message, and that of each card. */
export function buttonLists(candidate: Candidate): { path: string; buttons: Button[]; isCard: boolean }[] {
  const own = partsOf(candidate, "BUTTONS").map((part) => ({
    path: part.path,
    buttons: buttonsOf(part),
    isCard: false,
  }));
  const ofCards = candidate.cards
    .flatMap(({ parts }) => parts.filter(({ type }) => type === "BUTTONS"))
    .map((part) => ({ path: part.path, buttons: buttonsOf(part), isCard: true }));
  return [...own, ...ofCards];
}

export function allButtons(candidate: Candidate): Button[] {
  return buttonLists(candidate).flatMap(({ buttons }) => buttons);
}
