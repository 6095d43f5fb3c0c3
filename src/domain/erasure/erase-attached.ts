/**
 * Deletes what is attached to the contacts of a person, a bounded number of rows at a time. What is deleted is not found again, so a
 * crash repeats nothing.
 */
import { type SQL, sql } from "drizzle-orm";
import { type TablesWith, tablesWith } from "#src/db/table-policies.ts";
import type { Tx } from "#src/db/transaction.ts";
import { eraseUploads } from "../media/send-upload.ts";
import type { Person } from "./person.ts";

/** Rows, each of which is in a few small indexes. */
const ATTACHED_AT_ONCE = 50;

/** Uploads, each of which has rows in other tables. */
const UPLOADS_AT_ONCE = 4;

type AttachedTable = TablesWith<"person", "deleted">;

/** By which the person is found: few for each name and each of our numbers. */
const SEEN: readonly AttachedTable[] = ["contact_network_ids", "former_phones", "conversations"];
/** In which users see the person: first of what is deleted in slices. */
const FIRST: readonly AttachedTable[] = ["conversation_drafts", "group_members"];
/** A person may have any number of these. */
const LAST: readonly AttachedTable[] = ["thread_calls", "note_mentions", "upload_people", "conversation_notes"];
/** It goes with its message, which fails: see `erase-texts.ts`. Until then, it is not sent. */
const WITH_MESSAGE: AttachedTable = "scheduled_messages";

const attachedTables: readonly AttachedTable[] = [
  ...SEEN,
  ...FIRST,
  ...tablesWith("person", "deleted").filter(
    (table) => ![...SEEN, ...FIRST, ...LAST].includes(table) && table !== WITH_MESSAGE,
  ),
  ...LAST,
];

interface DeletedAttached {
  notes: number;
  /** Uploads. */
  files: number;
  /** Ids of uploads that others got too, or that are of quick replies. */
  sharedUploads: number[];
  isMore: boolean;
}

/** Deletes all by which the contacts are found, in the transaction that begins the erasure. */
export function deleteSeen(tx: Tx, { contactIds }: Pick<Person, "contactIds">): void {
  const ids = JSON.stringify(contactIds);
  for (const table of SEEN)
    tx.db.run(sql`DELETE FROM ${sql.raw(table)} WHERE contact_id IN (SELECT value FROM json_each(${ids}))`);
}

/** Deletes some rows; none is left unless `isMore`. */
export function deleteAttached(tx: Tx, { contactIds }: Pick<Person, "contactIds">): DeletedAttached {
  const deleted: DeletedAttached = { notes: 0, files: 0, sharedUploads: [], isMore: false };
  const ids = JSON.stringify(contactIds);
  let left = ATTACHED_AT_ONCE;
  for (const table of attachedTables) {
    if (left === 0) return { ...deleted, isMore: true };
    if (table === "upload_people") {
      const { removed, kept } = eraseUploads(tx, contactIds, UPLOADS_AT_ONCE);
      deleted.files += removed;
      deleted.sharedUploads.push(...kept);
      if (removed + kept.length === UPLOADS_AT_ONCE) return { ...deleted, isMore: true };
      continue;
    }
    const { changes } = tx.db.run(deleteSome(tx, table, ids, left));
    if (table === "conversation_notes") deleted.notes += changes;
    left -= changes;
  }
  return { ...deleted, isMore: left === 0 };
}

function deleteSome(tx: Tx, table: AttachedTable, ids: string, limit: number): SQL {
  const [name, key] = [sql.raw(table), sql.raw(keyOf(tx, table))];
  return sql`DELETE FROM ${name} WHERE (${key}) IN (SELECT ${key} FROM ${name}
    WHERE contact_id IN (SELECT value FROM json_each(${ids})) LIMIT ${limit})`;
}

const keys = new Map<AttachedTable, string>();

/** The columns of the primary key. */
function keyOf(tx: Tx, table: AttachedTable): string {
  const known = keys.get(table);
  if (known !== undefined) return known;
  const columns = tx.db.all<{ name: string }>(
    sql`SELECT name FROM pragma_table_info(${table}) WHERE pk > 0 ORDER BY pk`,
  );
  const key = columns.map(({ name }) => name).join(", ");
  keys.set(table, key);
  return key;
}
