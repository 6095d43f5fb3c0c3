/** Records an event in the transaction of the change that it reports. Its body is fixed here. */
import { newEventId } from "#src/core/id.ts";
import { formatInstant } from "#src/core/instant.ts";
import type { Tx } from "#src/db/transaction.ts";
import type { Workspace } from "../workspaces/table.ts";
import type { EventData, EventType } from "./event-types.ts";
import { insertEvent, latestEventId } from "./statements.ts";
import type { EventRow } from "./table.ts";

/** Topic of the store that is notified of every commit with events. */
export const EVENTS = "events";

/**
 * The id of the latest event, for as long as only this connection records events and none of its transactions is rolled
 * back: `settingsState` is another object from then on. A purge of the event changes nothing: the next id sorts after it.
 */
const latestIds = new WeakMap<object, string>();

/**
 * `data` is the event's data, in the shape that the API documents for `type`. Returns the event's sequence number and
 * id.
 */
export function recordEvent<Type extends EventType>(
  tx: Tx,
  workspace: Workspace,
  type: Type,
  data: EventData<Type>,
): Pick<EventRow, "seq" | "id"> {
  const latest = latestIds.get(tx.settingsState) ?? latestEventId(tx).get()?.id ?? null;
  const id = newEventId(tx.now, latest, tx.random);
  const body = JSON.stringify({ id, type, created_at: formatInstant(tx.now, workspace.timezone), data });
  const seq = insertEvent(tx).insert({ id, workspaceId: workspace.id, type, body, createdAt: tx.now });
  latestIds.set(tx.settingsState, id);
  tx.notify(EVENTS);
  return { seq, id };
}
