/**
 * A broadcast's recipients by what is known of them. It is the API's filter with one more word: who was handed over and
 * nobody knows what became of is neither sent nor failed. Each is a walk in the order of ids, for the reader's thread.
 */
import type { MessageStatus } from "../messages/message.ts";
import { recipientFilters, statusesFor } from "./read.ts";
import type { Broadcast } from "./table.ts";

export const outcomes = [...recipientFilters, "unknown"] as const;
export type Outcome = (typeof outcomes)[number];

export interface Query {
  sql: string;
  parameters: number[];
}

/** What outcomes ask of a row, a part for each stretch of the index; none: everybody. The words are the index's own, so they are written out. */
function stretches(broadcast: Broadcast, which: readonly Outcome[]): string[] {
  if (which.length === 0) return ["1"];
  return which.flatMap((outcome) => {
    if (outcome === "failed") return ["status = 'failed' AND outcome_unknown = 0"];
    if (outcome === "unknown") return ["status = 'failed' AND outcome_unknown = 1"];
    return statusesFor(broadcast, outcome).map((status: MessageStatus) => `status = '${status}'`);
  });
}

/** Rows of `id` and `contact_id`, at most `limit`, after an id. */
export function recipientsQuery(broadcast: Broadcast, which: readonly Outcome[], after: number, limit: number): Query {
  const parts = stretches(broadcast, which);
  // Stretches of the index in the order of ids are merged without sorting.
  const selects = parts.map(
    (part) => `SELECT id, contact_id FROM messages WHERE broadcast_id = ? AND ${part} AND id > ?`,
  );
  return {
    sql: `${selects.join(" UNION ALL ")} ORDER BY id LIMIT ?`,
    parameters: [...parts.flatMap(() => [broadcast.id, after]), limit],
  };
}

/** One row with `total`: how many rows there are. */
export function countOutcomeQuery(broadcast: Broadcast, outcome: Outcome): Query {
  return {
    sql: `SELECT count(*) AS total FROM messages WHERE broadcast_id = ? AND ${anyOf(stretches(broadcast, [outcome]))}`,
    parameters: [broadcast.id],
  };
}

/** One row with `total`: how many contacts with a number they are, each once. */
export function countPeopleQuery(broadcast: Broadcast, which: readonly Outcome[]): Query {
  const people = `SELECT DISTINCT contact_id FROM messages WHERE broadcast_id = ? AND ${anyOf(stretches(broadcast, which))}`;
  return {
    sql:
      `SELECT count(*) AS total FROM (${people}) AS people ` +
      "WHERE EXISTS (SELECT 1 FROM contacts WHERE contacts.id = people.contact_id AND contacts.phone IS NOT NULL)",
    parameters: [broadcast.id],
  };
}

function anyOf(parts: readonly string[]): string {
  return `(${parts.map((part) => `(${part})`).join(" OR ")})`;
}
