/** Records an event in the transaction of the change that it reports. Its body is fixed here. */
import { sql } from "drizzle-orm";
import { newEventId } from "#src/core/id.ts";
import { formatInstant } from "#src/core/instant.ts";
import { statement, type Tx } from "#src/db/transaction.ts";
import type { Workspace } from "../workspaces/table.ts";
import type { EventType } from "./event-types.ts";
import { type EventRow, events } from "./table.ts";

const insert = statement((db) =>
  db
    .insert(events)
    .values({
      id: sql.placeholder("id"),
      workspaceId: sql.placeholder("workspaceId"),
      type: sql.placeholder("type"),
      body: sql.placeholder("body"),
      createdAt: sql.placeholder("createdAt"),
    })
    .returning({ seq: events.seq })
    .prepare(),
);

/**
 * `data` is the event's data, in the shape that the API documents for `type`. Returns the event's sequence number and
 * id.
 */
export function recordEvent(
  tx: Tx,
  workspace: Workspace,
  type: EventType,
  data: Record<string, unknown>,
): Pick<EventRow, "seq" | "id"> {
  const id = newEventId(tx.now, tx.random);
  const body = JSON.stringify({ id, type, created_at: formatInstant(tx.now, workspace.timezone), data });
  const row = insert(tx).get({ id, workspaceId: workspace.id, type, body, createdAt: tx.now });
  return { seq: row.seq, id };
}
