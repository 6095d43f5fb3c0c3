/**
 * The hot statements of a broadcast's counters, its circuit breaker, the daily cap and the budgets of keys: see `db/hot-statement.ts`. They
 * run for every recipient and status of a broadcast.
 */
import { getTableColumns } from "drizzle-orm";
import { columns, hotQuery, hotWrite, integer } from "#src/db/hot-statement.ts";
import { hotDelete, hotFind, hotInsert } from "#src/db/hot-table.ts";
import {
  broadcastCounters,
  keyDays,
  keyPeople,
  networkUsage,
  recentRecipientCounts,
  recentRecipients,
} from "./table.ts";

const counters = getTableColumns(broadcastCounters);
const recent = getTableColumns(recentRecipients);
const keyDay = getTableColumns(keyDays);

export const countersOfBroadcast = hotFind(broadcastCounters, ["broadcastId"]);

/** Adds to each counter; a delta may be negative. */
export const addToCounters = hotQuery(
  `UPDATE broadcast_counters SET pending = pending + :pending, sending = sending + :sending, sent = sent + :sent,
    delivered = delivered + :delivered, read = read + :read, failed = failed + :failed, skipped = skipped + :skipped,
    held_back = held_back + :heldBack, held_back_until = coalesce(:heldBackUntil, held_back_until),
    held = held + :held, charged = charged + :charged
  WHERE broadcast_id = +:broadcastId RETURNING ${columns(counters)}`,
  counters,
  counters,
);

export const setLastSentAt = hotWrite(
  "UPDATE broadcast_counters SET last_sent_at = :lastSentAt WHERE broadcast_id = +:broadcastId",
  counters,
);

export const resetAnswerStreaks = hotWrite(
  `UPDATE broadcast_counters
  SET answer_code = NULL, answer_repeats = 0
  WHERE broadcast_id = +:broadcastId AND answer_repeats > 0`,
  counters,
);

export const resetStatusStreaks = hotWrite(
  `UPDATE broadcast_counters
  SET status_code = NULL, status_repeats = 0
  WHERE broadcast_id = +:broadcastId AND status_repeats > 0`,
  counters,
);

export const addUsage = hotInsert(
  networkUsage,
  ["workspaceId", "month", "numberId", "category", "type", "billable", "country", "messages"],
  `ON CONFLICT (workspace_id, month, number_id, category, type, billable, country)
  DO UPDATE SET messages = messages + excluded.messages`,
);

export const countRecent = hotFind(recentRecipientCounts, ["workspaceId"], { take: ["count"] });

export const countExpired = hotQuery(
  "SELECT count(*) AS count FROM recent_recipients WHERE workspace_id = +:workspaceId AND last_at <= :since",
  { ...recent, since: integer },
  { count: integer },
);

export const lastSentTo = hotFind(recentRecipients, ["workspaceId", "identityId"], { take: ["lastAt"] });

export const upsertRecent = hotInsert(
  recentRecipients,
  ["workspaceId", "identityId", "lastAt"],
  `ON CONFLICT (workspace_id, identity_id) DO UPDATE SET last_at = excluded.last_at`,
);

export const listExpired = hotQuery(
  `SELECT identity_id AS identityId FROM recent_recipients WHERE workspace_id = +:workspaceId AND last_at <= :since
  ORDER BY last_at LIMIT +:limit`,
  { ...recent, since: integer, limit: integer },
  { identityId: recent.identityId },
);

export const deleteRecent = hotDelete(recentRecipients, ["workspaceId", "identityId"]);

export const budgetOfDay = hotFind(keyDays, ["keyId", "day"], { take: ["people", "reserved"] });

export const addToBudget = hotInsert(
  keyDays,
  ["keyId", "day", "people", "reserved"],
  `ON CONFLICT (key_id, day) DO UPDATE SET people = people + excluded.people, reserved = reserved + excluded.reserved`,
);

export const moneyOfDay = hotFind(keyDays, ["keyId", "day"], { take: ["money"] });

export const addMoneyToDay = hotWrite(
  `INSERT INTO key_days (key_id, day, people, reserved, money) VALUES (:keyId, :day, 0, 0, :money)
  ON CONFLICT (key_id, day) DO UPDATE SET money = money + excluded.money`,
  keyDay,
);

/** What was reserved becomes people, or is released. */
export const useReserved = hotWrite(
  `UPDATE key_days SET people = people + :people, reserved = reserved - :reserved
  WHERE key_id = +:keyId AND day = +:day`,
  keyDay,
);

export const messagedPerson = hotFind(keyPeople, ["keyId", "day", "identityId"], { take: ["identityId"] });

export const addMessagedPerson = hotInsert(keyPeople, ["keyId", "day", "identityId"]);
