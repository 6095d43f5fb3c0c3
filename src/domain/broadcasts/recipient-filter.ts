/**
 * Finds a broadcast's recipients by outcome. This is the API's filter plus `unknown`: a message that was sent with an
 * unknown outcome is neither sent nor failed. Each query reads in the order of ids, on the reader's thread.
 */
import { withinBudget } from "#src/db/query-budget.ts";
import type { MessageStatus } from "../messages/message.ts";
import { maySendAgainSql } from "../messages/person-limit.ts";
import type { RecipientOutcome } from "./broadcast.ts";
import { statusesFor } from "./read.ts";
import type { Broadcast } from "./table.ts";

export interface Query {
  sql: string;
  parameters: number[];
}

/**
 * SQL conditions for the outcomes, one for each range of the index; no outcomes match everyone. Values are literal, as
 * in the index. `againAt`: of the failed ones, only those who may be sent to again at this time.
 */
function outcomeConditions(
  broadcast: Broadcast,
  outcomes: readonly RecipientOutcome[],
  againAt: number | null = null,
): string[] {
  if (outcomes.length === 0) return ["1"];
  return outcomes.flatMap((outcome) => {
    if (outcome === "failed") {
      return [`status = 'failed' AND outcome_unknown = 0${againAt === null ? "" : ` AND ${maySendAgainSql(againAt)}`}`];
    }
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
  againAt: number | null = null,
): Query {
  const conditions = outcomeConditions(broadcast, outcomes, againAt);
  // Ranges of the index ordered by id are merged without sorting.
  const selects = conditions.map(
    (condition) => `SELECT id, contact_id FROM messages WHERE broadcast_id = ? AND ${condition} AND id > ?`,
  );
  return {
    sql: `${selects.join(" UNION ALL ")} ORDER BY id LIMIT ?`,
    parameters: [...conditions.flatMap(() => [broadcast.id, after]), limit],
  };
}

/** One row with `total`: the number of matching recipients. */
export function countOutcomeQuery(broadcast: Broadcast, outcome: RecipientOutcome): Query {
  return {
    sql: `SELECT count(*) AS total FROM messages WHERE broadcast_id = ? AND ${withinBudget("id")} AND ${anyOf(outcomeConditions(broadcast, [outcome]))}`,
    parameters: [broadcast.id],
  };
}

/** One row with `total`: the number of distinct contacts with a phone number among them. */
export function countPeopleQuery(
  broadcast: Broadcast,
  outcomes: readonly RecipientOutcome[],
  againAt: number | null = null,
): Query {
  const contacts = `SELECT DISTINCT contact_id FROM messages WHERE broadcast_id = ? AND ${withinBudget("id")} AND ${anyOf(outcomeConditions(broadcast, outcomes, againAt))}`;
  return {
    sql:
      `SELECT count(*) AS total FROM (${contacts}) AS people ` +
      "WHERE EXISTS (SELECT 1 FROM contacts WHERE contacts.id = people.contact_id AND (contacts.phone IS NOT NULL OR contacts.network_user_id IS NOT NULL))",
    parameters: [broadcast.id],
  };
}

function anyOf(conditions: readonly string[]): string {
  return `(${conditions.map((condition) => `(${condition})`).join(" OR ")})`;
}
