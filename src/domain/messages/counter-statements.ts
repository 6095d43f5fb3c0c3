/**
 * The hot statements of a broadcast's counters, its circuit breaker, the daily cap and the budgets of keys: see `db/hot-statement.ts`. They
 * run for every recipient and status of a broadcast.
 */
import { getTableColumns } from "drizzle-orm";
import { columns, hotQuery, hotWrite, integer } from "#src/db/hot-statement.ts";
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
const keyPerson = getTableColumns(keyPeople);
const { count } = getTableColumns(recentRecipientCounts);

export const countersOfBroadcast = hotQuery(
  `SELECT ${columns(counters)} FROM broadcast_counters WHERE broadcast_id = +:broadcastId`,
  counters,
  counters,
);

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

export const addUsage = hotWrite(
  `INSERT INTO network_usage (workspace_id, month, number_id, category, type, billable, country, messages)
  VALUES (:workspaceId, :month, :numberId, :category, :type, :billable, :country, :messages)
  ON CONFLICT (workspace_id, month, number_id, category, type, billable, country)
  DO UPDATE SET messages = messages + excluded.messages`,
  getTableColumns(networkUsage),
);

export const countRecent = hotQuery(
  "SELECT count FROM recent_recipient_counts WHERE workspace_id = +:workspaceId",
  recent,
  { count },
);

export const countExpired = hotQuery(
  "SELECT count(*) AS count FROM recent_recipients WHERE workspace_id = +:workspaceId AND last_at <= :since",
  { ...recent, since: integer },
  { count: integer },
);

export const lastSentTo = hotQuery(
  `SELECT last_at AS lastAt FROM recent_recipients WHERE workspace_id = +:workspaceId AND identity_id = +:identityId`,
  recent,
  { lastAt: recent.lastAt },
);

export const upsertRecent = hotWrite(
  `INSERT INTO recent_recipients (workspace_id, identity_id, last_at) VALUES (:workspaceId, :identityId, :lastAt)
  ON CONFLICT (workspace_id, identity_id) DO UPDATE SET last_at = excluded.last_at`,
  recent,
);

export const listExpired = hotQuery(
  `SELECT identity_id AS identityId FROM recent_recipients WHERE workspace_id = +:workspaceId AND last_at <= :since
  ORDER BY last_at LIMIT +:limit`,
  { ...recent, since: integer, limit: integer },
  { identityId: recent.identityId },
);

export const deleteRecent = hotWrite(
  "DELETE FROM recent_recipients WHERE workspace_id = +:workspaceId AND identity_id = +:identityId",
  recent,
);

export const budgetOfDay = hotQuery(
  "SELECT people, reserved FROM key_days WHERE key_id = +:keyId AND day = +:day",
  keyDay,
  { people: keyDay.people, reserved: keyDay.reserved },
);

export const addToBudget = hotWrite(
  `INSERT INTO key_days (key_id, day, people, reserved) VALUES (:keyId, :day, :people, :reserved)
  ON CONFLICT (key_id, day) DO UPDATE SET people = people + excluded.people, reserved = reserved + excluded.reserved`,
  keyDay,
);

export const moneyOfDay = hotQuery("SELECT money FROM key_days WHERE key_id = +:keyId AND day = +:day", keyDay, {
  money: keyDay.money,
});

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

export const messagedPerson = hotQuery(
  `SELECT identity_id AS identityId FROM key_people
  WHERE key_id = +:keyId AND day = +:day AND identity_id = +:identityId`,
  keyPerson,
  { identityId: keyPerson.identityId },
);

export const addMessagedPerson = hotWrite(
  "INSERT INTO key_people (key_id, day, identity_id) VALUES (:keyId, :day, :identityId)",
  keyPerson,
);
