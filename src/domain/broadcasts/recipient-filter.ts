/**
 * Finds a broadcast's recipients by outcome. This is the API's filter plus `unknown`: a message that was sent with an
 * unknown outcome is neither sent nor failed. Each query reads in the order of ids, on the reader's thread.
 */
import { withinBudget } from "#src/db/query-budget.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import { codesThat } from "../messages/error-codes.ts";
import type { MessageStatus } from "../messages/message.ts";
import { maySendAgainSql } from "../messages/person-limit.ts";
import { firstOf, listFamily } from "./again.ts";
import { isFinished, type RecipientOutcome } from "./broadcast.ts";
import { getBroadcast, statusesFor } from "./read.ts";
import type { Broadcast } from "./table.ts";

export interface Query {
  sql: string;
  parameters: (number | string)[];
}

/** Who is sent to again. */
export interface Again {
  /** At this time, in milliseconds. Null: also those who have to wait. */
  at: number | null;
  /** The ids of all broadcasts that sent the message, as `listFamily` has them, and of those that still send. */
  family: readonly number[];
  open: readonly number[];
  /** Only those whose failure usually lasts. */
  isLasting?: boolean;
}

/** `at`: see `Again`. */
export function againOf(tx: ReadTx, broadcast: Broadcast, at: number | null): Again {
  const family = listFamily(tx, firstOf(broadcast));
  return { at, family, open: family.filter((id) => !isFinished(getBroadcast(tx, id).status)) };
}

/**
 * The number cannot receive the message, or the message itself was refused: sending the same again will most likely fail
 * again.
 */
const LASTING_CODES = codesThat(({ caller, scope }) => caller === "invalid_number" || scope === "message");

export interface RecipientSelection {
  /** None match everyone. */
  outcomes: readonly RecipientOutcome[];
  /** The code of the failure or of the reason to skip; `none`: those without one. Absent: any. */
  code?: string | null | undefined;
  /** Of these, only those who may be sent to again. Absent: all. */
  again?: Again | undefined;
}

/** The code of recipients that failed or were skipped without one. */
const NO_CODE = "none";

interface Condition {
  sql: string;
  parameters: string[];
}

/**
 * SQL conditions for the outcomes, one for each range of the index; no outcomes match everyone. Values are literal, as
 * in the index.
 */
function conditionsOf(broadcast: Broadcast, { outcomes, code = null, again }: RecipientSelection): Condition[] {
  const more = [
    ...(code === NO_CODE ? ["error_code IS NULL"] : code === null ? [] : ["error_code = ?"]),
    ...(again === undefined ? [] : [notReachedSql(again)]),
    ...(again?.isLasting === true ? [`error_code IN (${LASTING_CODES.map((one) => `'${one}'`).join(", ")})`] : []),
  ];
  const parameters = code === null || code === NO_CODE ? [] : [code];
  const ofStatus = (status: MessageStatus) => [`status = '${status}'`];
  const ranges = (outcome: RecipientOutcome): string[] => {
    switch (outcome) {
      case "failed": {
        const certain = "status = 'failed' AND outcome_unknown = 0";
        return [again === undefined || again.at === null ? certain : `${certain} AND ${maySendAgainSql(again.at)}`];
      }
      case "unknown":
        return ["status = 'failed' AND outcome_unknown = 1"];
      case "unsuccessful":
        return ofStatus("failed");
      case "accepted":
        return (["sent", "delivered", "read"] as const).flatMap(ofStatus);
      case "arrived":
        return (["delivered", "read"] as const).flatMap(ofStatus);
      default:
        return statusesFor(broadcast, outcome).flatMap(ofStatus);
    }
  };
  const all = outcomes.length === 0 ? ["1"] : [...new Set(outcomes.flatMap(ranges))];
  return all.map((range) => ({ sql: [range, ...more].join(" AND "), parameters }));
}

/** No broadcast of the family has reached the person, or is about to. An unknown outcome does not count here. */
function notReachedSql({ family, open }: Again): string {
  const reached = `other.broadcast_id IN (${family.join(", ")}) AND other.status IN ('sending', 'sent', 'delivered', 'read')`;
  const waiting = `other.broadcast_id IN (${open.join(", ")}) AND other.status IN ('pending', 'queued')`;
  return `NOT EXISTS (SELECT 1 FROM messages AS other WHERE other.contact_id = messages.contact_id
    AND other.broadcast_id IS NOT NULL AND ((${reached}) OR (${waiting})))`;
}

/** Rows of `id` and `contact_id`, at most `limit`, after an id. */
export function recipientsQuery(
  broadcast: Broadcast,
  selection: RecipientSelection,
  after: number,
  limit: number,
): Query {
  const conditions = conditionsOf(broadcast, selection);
  // What the index does not find is looked for row by row.
  const budget = (selection.code ?? null) === null && selection.again === undefined ? "" : ` AND ${withinBudget("id")}`;
  // Ranges of the index ordered by id are merged without sorting.
  const selects = conditions.map(
    ({ sql }) => `SELECT id, contact_id FROM messages WHERE broadcast_id = ? AND ${sql} AND id > ?${budget}`,
  );
  return {
    sql: `${selects.join(" UNION ALL ")} ORDER BY id LIMIT ?`,
    parameters: [...conditions.flatMap(({ parameters }) => [broadcast.id, ...parameters, after]), limit],
  };
}

/** One row with `total`: the number of matching recipients. */
export function countOutcomeQuery(broadcast: Broadcast, selection: RecipientSelection): Query {
  const any = anyOf(conditionsOf(broadcast, selection));
  return {
    sql: `SELECT count(*) AS total FROM messages WHERE broadcast_id = ? AND ${withinBudget("id")} AND ${any.sql}`,
    parameters: [broadcast.id, ...any.parameters],
  };
}

/** One row with `total`: the number of distinct contacts with a phone number among them. */
export function countPeopleQuery(broadcast: Broadcast, selection: RecipientSelection): Query {
  const any = anyOf(conditionsOf(broadcast, selection));
  const contacts = `SELECT DISTINCT contact_id FROM messages WHERE broadcast_id = ? AND ${withinBudget("id")} AND ${any.sql}`;
  return {
    sql:
      `SELECT count(*) AS total FROM (${contacts}) AS people ` +
      "WHERE EXISTS (SELECT 1 FROM contacts WHERE contacts.id = people.contact_id AND (contacts.phone IS NOT NULL OR contacts.network_user_id IS NOT NULL))",
    parameters: [broadcast.id, ...any.parameters],
  };
}

function anyOf(conditions: readonly Condition[]): Condition {
  return {
    sql: `(${conditions.map(({ sql }) => `(${sql})`).join(" OR ")})`,
    parameters: conditions.flatMap(({ parameters }) => parameters),
  };
}
