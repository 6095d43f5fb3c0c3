/**
 * Prepared rows as text, on their way from the preparing thread. What most rows do not have is omitted, because the thread
 * that writes reads every character.
 */
import type { E164 } from "#src/core/phone.ts";
import type { ContactChanges } from "#src/domain/contacts/put.ts";
import type { PreparedRow } from "./prepare.ts";
import type { Omission, RowProblem } from "./reasons.ts";
import type { ParsedRow } from "./row.ts";

/** `phone` is the cell, `read` what it is read as: 0 if the same, null if it is not a number. 0 stands for a missing list. */
type PackedRow =
  | [
      line: number,
      phone: string,
      read: string | 0 | null,
      profile: ContactChanges["profile"] & object,
      tags: string[] | 0,
      groups: (number | string)[] | 0,
      rest?: Rest,
    ]
  | [line: number, problems: RowProblem[]];

/** What differs from the usual: no user id, username or custom field, nothing skipped, not repeated, the phone as the only identifier. */
interface Rest {
  userId?: string;
  username?: string;
  fields?: Record<string, unknown>;
  omitted?: RowProblem<Omission>[];
  identifiers?: string[];
  isRepeated?: true;
  /** As in `ParsedRow`. */
  found?: Pick<ParsedRow, "change" | "unread" | "consent" | "evidence" | "people">;
}

export function packRows(rows: readonly PreparedRow[]): string {
  return JSON.stringify(rows.map(pack));
}

/** The rows that were given to `packRows`. */
export function unpackRows(text: string): PreparedRow[] {
  return (JSON.parse(text) as PackedRow[]).map(unpack);
}

function pack({ line, row, person, isRepeated }: PreparedRow): PackedRow {
  if ("problems" in row) return [line, row.problems];
  const { phone, userId, username, changes, omitted, change, unread, consent, evidence, people } = row;
  const { profile = {}, fields = {}, addTags, addToGroups } = changes;
  const rest: Rest = {};
  if (userId !== null) rest.userId = userId;
  if (username !== null) rest.username = username;
  if (Object.keys(fields).length > 0) rest.fields = fields;
  if (omitted !== undefined) rest.omitted = omitted;
  const { identifiers } = person;
  if (identifiers.length !== 1 || identifiers[0] !== person.phone) rest.identifiers = identifiers;
  const found = { change, unread, consent, evidence, people };
  if (Object.values(found).some((value) => value !== undefined)) rest.found = found as Rest["found"] & object;
  if (isRepeated) rest.isRepeated = true;
  const read = person.phone === phone ? 0 : person.phone;
  const [tags, groups] = [addTags ?? 0, addToGroups ?? 0] as const;
  const isUsual = Object.keys(rest).length === 0;
  return isUsual ? [line, phone, read, profile, tags, groups] : [line, phone, read, profile, tags, groups, rest];
}

function unpack(packed: PackedRow): PreparedRow {
  if (packed.length === 2) {
    const [line, problems] = packed;
    return { line, row: { problems }, person: { phone: null, identifiers: [] }, isRepeated: false };
  }
  const [line, phone, read, profile, tags, groups, rest] = packed;
  const changes: ParsedRow["changes"] = { profile, fields: rest?.fields ?? {} };
  if (tags !== 0) changes.addTags = tags;
  if (groups !== 0) changes.addToGroups = groups;
  const row: ParsedRow = {
    ...rest?.found,
    phone,
    userId: rest?.userId ?? null,
    username: rest?.username ?? null,
    changes,
  };
  if (rest?.omitted !== undefined) row.omitted = rest.omitted;
  const number = (read === 0 ? phone : read) as E164 | null;
  const person = { phone: number, identifiers: rest?.identifiers ?? (number === null ? [] : [number]) };
  return { line, row, person, isRepeated: rest?.isRepeated === true };
}
