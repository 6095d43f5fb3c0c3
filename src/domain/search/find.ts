/** What a search asks of the index. It runs on a reader's thread, because a frequent word is in many rows. */
import { withinBudget } from "#src/db/query-budget.ts";
import { contactEntryId, type EntryKind, firstEntryAt, ownToken } from "./entries.ts";
import { matchOf, type Phrase, phrasesOf } from "./words.ts";

export const searchKinds = ["messages", "contacts", "notes"] as const;
export type SearchKind = (typeof searchKinds)[number];

export interface SearchScope {
  workspaceId: number;
  /** Null: all numbers of the workspace. */
  numberIds: readonly number[] | null;
  kinds: readonly SearchKind[];
  contactId: number | null;
  tagId: number | null;
  /** Milliseconds, inclusive; by the second. */
  since: number | null;
  until: number | null;
  hasFile: boolean;
}

export interface Hit {
  /** The place in the order of the results, and the cursor. */
  entryId: number;
  kind: EntryKind;
  id: number;
}

/** A number with or without its separators. */
const PHONE = /^\+?[\d\s().-]{5,}$/;

/** What is searched for; null for a text without a letter, a digit or an emoji. */
export function readSearch(text: string): { phrases: Phrase[]; match: string } | null {
  const phrases = phrasesOf(text);
  if (phrases.length === 0) return null;
  const words = phrases.map(matchOf).join(" AND ");
  const digits = text.replace(/\D/g, "").replace(/^0+/, "");
  const isNumber = PHONE.test(text.trim()) && digits.length > 3;
  if (!isNumber) return { phrases, match: words };
  return { phrases: [...phrases, ...phrasesOf(digits)], match: `((${words}) OR "${digits}" *)` };
}

/** The newest first, contacts last. */
export const searchSql = `SELECT rowid AS entry_id, kind, subject_id FROM search_index
  WHERE search_index MATCH ? AND rowid < CAST(? AS INTEGER) AND rowid >= CAST(? AS INTEGER) AND rowid < CAST(? AS INTEGER)
    AND (? IS NULL OR contact_id IN (SELECT contact_id FROM contact_tags WHERE tag_id = ?))
    AND (CASE WHEN rowid < 0 THEN ? WHEN rowid & 3 = 3 THEN ? ELSE ? END)
    AND ${withinBudget("rowid")}
  ORDER BY rowid DESC LIMIT ?`;

type Parameters = (string | number | null)[];

/** `match`: null: whatever is in the scope. `before`: of the last hit of the page before; null: from the start. */
export function searchParameters(
  match: string | null,
  scope: SearchScope,
  before: number | null,
  limit: number,
): Parameters {
  const { workspaceId, numberIds, kinds, contactId, tagId, since, until, hasFile } = scope;
  const own = (token: string): string => `"${token}"`;
  const ofNumbers = (ids: readonly number[]): string => `(${ids.map((id) => own(ownToken.number(id))).join(" OR ")})`;
  const required = [
    // A limited caller's numbers are those of its workspace, and the token of the workspace is required all the same.
    own(ownToken.workspace(workspaceId)),
    ...(numberIds === null ? [] : [ofNumbers(numberIds)]),
    ...(contactId === null ? [] : [own(ownToken.contact(contactId))]),
    ...(hasFile ? [own(ownToken.file)] : []),
  ];
  const isTimed = since !== null || until !== null;
  const lowest = since !== null ? firstEntryAt(since) : isTimed ? 0 : contactEntryId(0);
  const above = until !== null ? firstEntryAt(until + 1_000) : Number.MAX_SAFE_INTEGER;
  const wants = (kind: SearchKind): number => (kinds.includes(kind) ? 1 : 0);
  return [
    ...[
      [...required, ...(match === null ? [] : [match])].join(" AND "),
      String(before ?? Number.MAX_SAFE_INTEGER),
      String(lowest),
      String(above),
    ],
    ...[tagId, tagId, wants("contacts"), wants("notes"), wants("messages"), limit],
  ];
}
