/**
 * Erases the names of a person from rows that are not theirs: drafts of broadcasts, the network's words about numbers and templates,
 * statuses that wait for their message, kept answers of forms, and the network's limit of people. Slice by slice, each of a bounded number
 * of rows; the places are in memory, so that after a crash the search begins with the first row.
 */
import { and, eq, inArray, lte, sql } from "drizzle-orm";
import { deleteRows } from "#src/db/rows.ts";
import type { Tx } from "#src/db/transaction.ts";
import { eraseFromDrafts, numberEnds } from "../broadcasts/drafts.ts";
import type { PersonName } from "../contacts/table.ts";
import { ERASED } from "../messages/message.ts";
import { parkedStatuses, portfolioRecipients } from "../messages/table.ts";
import { numbers } from "../numbers/table.ts";
import { formAnswers } from "../users/table.ts";
import type { Person } from "./person.ts";
import { emptyRows, refusalTexts } from "./person-columns.ts";
import { stripSigns } from "./spelled.ts";

/** Rows that one slice reads. */
const READ_AT_ONCE = 200;
/** Answers, which may be whole pages. */
const ANSWERS_AT_ONCE = 20;
/** Names for which one slice searches the people of the network's limit. */
const NAMES_AT_ONCE = 50;

/** Where the next slice of names continues: a search, and what it has passed. */
export interface NamesPlace {
  search: number;
  after: number;
  /** Of what has a text in its key. */
  afterText: string;
}

export const FIRST_NAMES: NamesPlace = { search: 0, after: 0, afterText: "" };

type Found = { next: Omit<NamesPlace, "search"> | null; drafts?: number };
type Search = (tx: Tx, person: Person, place: NamesPlace) => Found;

/** Searches the next rows. `next`: where to continue; null at the end. `drafts`: how many drafts of broadcasts named the person. */
export function eraseNames(tx: Tx, person: Person, place: NamesPlace): { next: NamesPlace | null; drafts: number } {
  const search = searches[place.search];
  if (search === undefined) return { next: null, drafts: 0 };
  const { next, drafts = 0 } = search(tx, person, place);
  const after = next === null ? { ...FIRST_NAMES, search: place.search + 1 } : { ...next, search: place.search };
  return { next: after.search === searches.length ? null : after, drafts };
}

/** Those of a former number are the next owner's since then. */
function presentNames({ names }: Person): string[] {
  return names.flatMap(({ text, until }) => (until === null ? [text] : []));
}

/** SQL: whether a text of the row has one of these names in it. */
function names(texts: readonly string[], column: string) {
  return sql`EXISTS (SELECT 1 FROM json_each(${JSON.stringify(texts)}) AS name WHERE instr(${sql.raw(column)}, name.value) > 0)`;
}

const searches: readonly Search[] = [
  (tx, person, { after }) => {
    const { last, changed } = eraseFromDrafts(tx, person.workspaceId, presentNames(person), after);
    return { next: last === null ? null : { after: last, afterText: "" }, drafts: changed };
  },
  // Those of a former number are gone by themselves within a day.
  (tx, person, { after }) => {
    const last = tx.db.get<{ id: number | null }>(
      sql`SELECT max(id) AS id FROM (SELECT id FROM parked_statuses WHERE id > ${after} ORDER BY id LIMIT ${READ_AT_ONCE})`,
    )?.id;
    if (last == null) return { next: null };
    deleteRows(tx, parkedStatuses, sql`id > ${after} AND id <= ${last} AND ${names(presentNames(person), "item")}`);
    return { next: { after: last, afterText: "" } };
  },
  // One row for each number, template or refusal.
  (tx, person) => {
    const texts = person.names.map(({ text }) => text);
    for (const [table, column] of Object.entries(refusalTexts) as [keyof typeof refusalTexts, string][])
      emptyRows(tx, table, names(texts, column));
    return { next: null };
  },
  eraseFromAnswers,
  (tx, person, { after }) => {
    const some = person.names.slice(after, after + NAMES_AT_ONCE);
    some.forEach((name, index) => {
      forgetRecipient(tx, person.workspaceId, name, `${ERASED} ${person.contactIds[0]}-${after + index}`);
    });
    return { next: some.length < NAMES_AT_ONCE ? null : { after: after + NAMES_AT_ONCE, afterText: "" } };
  },
];

/** Answers of the console, in which numbers may stand as users typed them. */
function eraseFromAnswers(tx: Tx, person: Person, { after, afterText }: NamesPlace): Found {
  const { userId, key, body, createdAt } = formAnswers;
  const rows = tx.db
    .select({ userId, key, body, createdAt })
    .from(formAnswers)
    .where(sql`(${userId}, ${key}) > (${after}, ${afterText})`)
    .orderBy(userId, key)
    .limit(ANSWERS_AT_ONCE)
    .all();
  const ends = person.names.map(({ text, until }) => ({ end: numberEnds([text])[0] ?? text, until }));
  for (const row of rows) {
    const plain = stripSigns(row.body);
    const isNamed = ends.some(({ end, until }) => plain.includes(end) && (until === null || row.createdAt <= until));
    if (!isNamed) continue;
    const isThis = and(eq(userId, row.userId), eq(key, row.key));
    if (isThis !== undefined) emptyRows(tx, "form_answers", isThis);
  }
  const last = rows.at(-1);
  return { next: last === undefined ? null : { after: last.userId, afterText: last.key } };
}

/** Under the network's limit, which counts people by the names that they were sent to. */
function forgetRecipient(tx: Tx, workspaceId: number, { text, until }: PersonName, empty: string): void {
  const portfolioIds = tx.db
    .select({ id: numbers.portfolioId })
    .from(numbers)
    .where(eq(numbers.workspaceId, workspaceId));
  tx.db
    .update(portfolioRecipients)
    .set({ person: empty })
    .where(
      and(
        inArray(portfolioRecipients.person, [text, `+${text}`]),
        inArray(portfolioRecipients.portfolioId, portfolioIds),
        until === null ? undefined : lte(portfolioRecipients.lastAt, until),
      ),
    )
    .run();
}
