/**
 * Everything that is known to have happened with a person, newest first: the conversation, with the broadcasts in it, notes of
 * the staff, changes of consent and of the phone number, and when the contact was added. Each page reads the ends of an index for each kind.
 */
import type { ReadTx } from "#src/db/transaction.ts";
import { listConsentBefore } from "../contacts/consent-log.ts";
import { listFormerPhones } from "../contacts/former-phones.ts";
import type { Contact, consentLog, formerPhones } from "../contacts/table.ts";
import { listConversationsWith } from "./conversations.ts";
import { listNotes } from "./notes.ts";
import {
  type ConversationCursor,
  type ConversationPlace,
  NEWEST,
  placesTaken,
  readConversationPlaces,
} from "./read-conversation.ts";
import type { ConversationNote } from "./table.ts";

export type HistoryEntry =
  | { kind: "said"; at: number; place: ConversationPlace }
  | { kind: "note"; at: number; note: ConversationNote }
  | { kind: "consent"; at: number; change: typeof consentLog.$inferSelect }
  | { kind: "move"; at: number; move: typeof formerPhones.$inferSelect }
  | { kind: "added"; at: number };

/** How far each kind is read: the next page continues behind it. */
export interface HistoryCursor extends ConversationCursor {
  noteId: number;
  consentId: number;
  moves: number;
  /** 1: the last entry is read. */
  added: number;
}

interface HistoryPage {
  entries: HistoryEntry[];
  /** Null: no older entries. */
  next: HistoryCursor | null;
}

const START: HistoryCursor = {
  ...NEWEST,
  noteId: Number.MAX_SAFE_INTEGER,
  consentId: Number.MAX_SAFE_INTEGER,
  moves: 0,
  added: 0,
};

/** `numberIds`: the numbers of which notes are shown; null: all. */
export function readPersonHistory(
  tx: ReadTx,
  contact: Contact,
  numberIds: readonly number[] | null,
  from: HistoryCursor | null,
  limit: number,
): HistoryPage {
  const start = from ?? START;
  const more = limit + 1;
  const kinds: HistoryEntry[][] = [
    readConversationPlaces(tx, contact, start, more).places.map((place) => ({ kind: "said", at: place.at, place })),
    listNotesOf(tx, contact, numberIds, start.noteId, more).map((note) => ({ kind: "note", at: note.createdAt, note })),
    listConsentBefore(tx, contact.id, start.consentId, more).map((change) => ({
      kind: "consent",
      at: change.at,
      change,
    })),
    listFormerPhones(tx, contact.id)
      .slice(start.moves)
      .map((move) => ({ kind: "move", at: move.movedAt, move })),
    start.added === 0 ? [{ kind: "added", at: contact.createdAt }] : [],
  ];
  const all = merge(kinds, more);
  const entries = all.slice(0, limit);
  return { entries, next: all.length > limit ? cursorAfter(start, entries) : null };
}

/** The newest on each of the person's numbers; ids are given in the order in which notes are written. */
function listNotesOf(
  tx: ReadTx,
  contact: Contact,
  numberIds: readonly number[] | null,
  beforeId: number,
  limit: number,
): ConversationNote[] {
  return listConversationsWith(tx, contact.workspaceId, contact.id, numberIds)
    .flatMap((conversation) => listNotes(tx, conversation, beforeId, limit))
    .toSorted((one, other) => other.id - one.id)
    .slice(0, limit);
}

/**
 * The newest of all kinds. Each kind keeps its own order, also where the clock was set back in between: a cursor names one
 * place in each.
 */
function merge(kinds: HistoryEntry[][], limit: number): HistoryEntry[] {
  const rest = kinds.map((entries) => [...entries]);
  const found: HistoryEntry[] = [];
  while (found.length < limit) {
    const newest = rest.reduce((best, one) => ((one[0]?.at ?? -1) > (best[0]?.at ?? -1) ? one : best));
    const entry = newest.shift();
    if (entry === undefined) break;
    found.push(entry);
  }
  return found;
}

function cursorAfter(start: HistoryCursor, entries: readonly HistoryEntry[]): HistoryCursor {
  const said = entries.flatMap((entry) => (entry.kind === "said" ? [entry.place] : []));
  const note = entries.findLast((entry) => entry.kind === "note");
  const consent = entries.findLast((entry) => entry.kind === "consent");
  return {
    ...placesTaken(start, said),
    noteId: note?.kind === "note" ? note.note.id : start.noteId,
    consentId: consent?.kind === "consent" ? consent.change.id : start.consentId,
    moves: start.moves + entries.filter(({ kind }) => kind === "move").length,
    added: entries.some(({ kind }) => kind === "added") ? 1 : start.added,
  };
}
