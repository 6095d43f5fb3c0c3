/**
 * A broadcast's recipients by what is known of them. It is the API's filter with one more word: who was handed over and
 * nobody knows what became of is neither sent nor failed. Each is a walk in the order of ids, for the reader's thread.
 */
import type { MessageStatus } from "../messages/message.ts";
import { recipientFilters, statusesFor } from "./read.ts";
import type { Broadcast } from "./table.ts";

export const recipientOutcomes = [...recipientFilters, "unknown"] as const;
export type RecipientOutcome = (typeof recipientOutcomes)[number];

export interface Query {
  sql: string;
  parameters: number[];
}

/** What outcomes ask of a row, a part for each stretch of the index; none: everybody. The words are the index's own, so they are written out. */
function outcomeConditions(broadcast: Broadcast, outcomes: readonly RecipientOutcome[]): string[] {
  if (outcomes.length === 0) return ["1"];
  return outcomes.flatMap((outcome) => {
    if (outcome === "failed") return ["status = 'failed' AND outcome_unknown = 0"];
    if (outcome === "unknown") return ["status = 'failed' AND outcome_unknown = 1"];
    return statusesFor(broadcast, outcome).map((status: MessageStatus) => `status = '${status}'`);
  });
}

/** Rows of `id` and `contact_id`, at most `limit`, after an id. */
export function recipientsQuery(
  broadcast: Broadcast,
  outcomes: readonly RecipientOutcome[],
  after: number,
  limit: number,
): Query {
  const conditions = outcomeConditions(broadcast, outcomes);
  // Stretches of the index in the order of ids are merged without sorting.
  const selects = conditions.map(
    (condition) => `SELECT id, contact_id FROM messages WHERE broadcast_id = ? AND ${condition} AND id > ?`,
  );
  return {
    sql: `${selects.join(" UNION ALL ")} ORDER BY id LIMIT ?`,
    parameters: [...conditions.flatMap(() => [broadcast.id, after]), limit],
  };
}

/** One row with `total`: how many rows there are. */
export function countOutcomeQuery(broadcast: Broadcast, outcome: RecipientOutcome): Query {
  return {
    sql: `SELECT count(*) AS total FROM messages WHERE broadcast_id = ? AND ${anyOf(outcomeConditions(broadcast, [outcome]))}`,
    parameters: [broadcast.id],
  };
}

/** One row with `total`: how many contacts with a number they are, each once. */
export function countPeopleQuery(broadcast: Broadcast, outcomes: readonly RecipientOutcome[]): Query {
  const contacts = `SELECT DISTINCT contact_id FROM messages WHERE broadcast_id = ? AND ${anyOf(outcomeConditions(broadcast, outcomes))}`;
  return {
    sql:
      `SELECT count(*) AS total FROM (${contacts}) AS people ` +
      "WHERE EXISTS (SELECT 1 FROM contacts WHERE contacts.id = people.contact_id AND contacts.phone IS NOT NULL)",
    parameters: [broadcast.id],
  };
}

function anyOf(conditions: readonly string[]): string {
  return `(${conditions.map((condition) => `(${condition})`).join(" OR ")})`;
}
