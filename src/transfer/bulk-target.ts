/** The target of a bulk change: whom it holds, and SQL that lists the next ones. The reader's thread runs it. */
import { createHash } from "node:crypto";
import type { Reader } from "#src/db/reader.ts";
import type { Store } from "#src/db/store.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import { findBroadcast } from "#src/domain/broadcasts/read.ts";
import { againOf, type RecipientSelection, recipientsQuery } from "#src/domain/broadcasts/recipient-filter.ts";
import type { Broadcast } from "#src/domain/broadcasts/table.ts";
import { compileIds, type Sql } from "#src/domain/filters/compile.ts";
import { ADDRESSABLE } from "#src/domain/filters/condition-sql.ts";
import { readGroupFilter } from "#src/domain/filters/group-filter.ts";
import type { Workspace } from "#src/domain/workspaces/table.ts";
import type { BulkTarget } from "./table.ts";

/** Contacts that one query brings; what is done with them is one piece of work. */
const IDS_PER_QUERY = 5_000;
/** Contacts of one part of a list. */
export const IDS_IN_PART = 1_000;

/** Whom a bulk change would change, or an export would hand out. */
export interface CountedTarget {
  count: number;
  /** Their ids, in parts of `IDS_IN_PART`; the last one may have fewer. */
  parts: number[][];
  /** Stands for exactly these contacts. */
  set: string;
}

/**
 * Reads all contacts of a target in ascending order of the rows that hold them, on the reader's thread. Relative days in a
 * filter count from `at` (milliseconds). Throws `invalid_request` for an invalid filter.
 */
export async function readTarget(
  { store, reader }: { store: Store; reader: Reader },
  workspace: Workspace,
  target: BulkTarget,
  at: number,
): Promise<CountedTarget> {
  // A broadcast may have a contact twice; all other targets are read in the order of the contacts.
  const seen = "broadcast" in target ? new IdSet() : null;
  const parts: number[][] = [];
  let count = 0;
  const hash = createHash("sha256");
  for (let position = 0; ; ) {
    const query = store.read((tx) => nextTargetQuery(tx, workspace, { target, position, at }, IDS_PER_QUERY));
    if (query === null) break;
    const [row] = await reader.query(inOneRow(query, "broadcast" in target), query.parameters);
    const ids = JSON.parse(String(row?.ids)) as number[];
    const fresh = seen === null ? ids : ids.filter((id) => seen.add(id));
    count += fresh.length;
    addToParts(parts, fresh);
    if (fresh.length > 0) hash.update(`${fresh.join()},`);
    if (Number(row?.rows) < IDS_PER_QUERY) break;
    position = Number(row?.last);
  }
  return { count, parts, set: hash.digest("base64url") };
}

function addToParts(parts: number[][], ids: readonly number[]): void {
  for (let done = 0; done < ids.length; ) {
    if ((parts.at(-1)?.length ?? IDS_IN_PART) === IDS_IN_PART) parts.push([]);
    const part = parts.at(-1) ?? [];
    const some = ids.slice(done, done + IDS_IN_PART - part.length);
    part.push(...some);
    done += some.length;
  }
}

/** A set that grows page by page: one of a million ids in a hash table would stop the thread to grow. */
class IdSet {
  readonly #pages = new Map<number, Uint8Array>();

  /** Returns false if it was there already. */
  add(id: number): boolean {
    const [number, bit] = [Math.floor(id / PAGE_BITS), id % PAGE_BITS];
    const page = this.#pages.get(number) ?? new Uint8Array(PAGE_BITS / 8);
    this.#pages.set(number, page);
    const [byte, mask] = [bit >> 3, 1 << (bit & 7)];
    const isNew = ((page[byte] ?? 0) & mask) === 0;
    page[byte] = (page[byte] ?? 0) | mask;
    return isNew;
  }
}

const PAGE_BITS = 65_536;

/** One row instead of thousands: with their number, the last of them, and the ids of the contacts that can be sent to. */
function inOneRow({ sql }: Sql, isOfMessages: boolean): string {
  const contactId = isOfMessages ? "contact_id" : "id";
  return (
    `SELECT count(*) AS rows, max(target.id) AS last, json_group_array(target.${contactId}) ` +
    `FILTER (WHERE EXISTS (SELECT 1 FROM contacts WHERE contacts.id = target.${contactId} AND ${ADDRESSABLE})) AS ids FROM (${sql}) AS target`
  );
}

/**
 * A query for rows in ascending order of `id`, after `position`. `id` is the contact's, or the recipient's with
 * `contact_id` beside it. Null if no contact is left. Throws `invalid_request` for a filter that is no longer valid.
 */
export function nextTargetQuery(
  tx: ReadTx,
  workspace: Workspace,
  { target, position, at }: { target: BulkTarget; position: number; at: number },
  limit: number,
): Sql | null {
  if ("contacts" in target) {
    return {
      sql: "SELECT id FROM contacts WHERE +workspace_id = ? AND id > ? AND id IN (SELECT value FROM json_each(?)) ORDER BY id LIMIT ?",
      parameters: [workspace.id, position, JSON.stringify(target.contacts), limit],
    };
  }
  if ("filter" in target) {
    return compileIds(readGroupFilter(tx, workspace, target.filter), contextOf(workspace, at), position, limit);
  }
  const broadcast = findBroadcast(tx, workspace.id, target.broadcast);
  return broadcast === undefined
    ? null
    : recipientsQuery(broadcast, selectionOf(tx, broadcast, target, at), position, limit);
}

function selectionOf(
  tx: ReadTx,
  broadcast: Broadcast,
  { outcomes, code, isAgain }: Extract<BulkTarget, { broadcast: number }>,
  at: number,
): RecipientSelection {
  return { outcomes, code, again: isAgain === true ? againOf(tx, broadcast, at) : undefined };
}

function contextOf({ id, timezone }: Workspace, now: number) {
  return { workspaceId: id, timezone, now };
}
