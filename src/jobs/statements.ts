/** The hot statements of the job queue: see `db/hot-statement.ts`. */
import { getTableColumns } from "drizzle-orm";
import { hotQuery, hotWrite, integer, integerOrNull } from "#src/db/hot-statement.ts";
import { hotDelete, hotInsert } from "#src/db/hot-table.ts";
import { outbox } from "./table.ts";

const job = getTableColumns(outbox);

/** The next queue after one, with the due time of its earliest job. */
export const nextQueue = hotQuery(
  `SELECT queue_key AS queueKey, due_at AS dueAt FROM outbox
  WHERE kind = +:kind AND queue_key > +:after ORDER BY queue_key, due_at LIMIT 1`,
  { ...job, after: integer },
  { queueKey: job.queueKey, dueAt: job.dueAt },
);

/** Read after every commit. */
export const lastJob = hotQuery("SELECT max(id) AS id FROM outbox", {}, { id: integerOrNull });

/** Without what the caller knows already. */
export const firstJobs = hotQuery(
  `SELECT id, subject, due_at AS dueAt FROM outbox WHERE kind = +:kind AND queue_key = +:queueKey
  ORDER BY due_at LIMIT +:limit`,
  { ...job, limit: integer },
  { id: job.id, subject: job.subject, dueAt: job.dueAt },
);

export const deleteJob = hotDelete(outbox, ["id"]);

export const setDueAt = hotWrite("UPDATE outbox SET due_at = :dueAt WHERE id = +:id", job);

/** An existing job can only become due earlier. */
export const insertJob = hotInsert(
  outbox,
  ["kind", "subject", "queueKey", "dueAt"],
  `ON CONFLICT (kind, subject) DO UPDATE SET due_at = min(due_at, excluded.due_at)`,
);

/** An existing job becomes due at the new time, even if that is later. */
export const insertOrRescheduleJob = hotInsert(
  outbox,
  ["kind", "subject", "queueKey", "dueAt"],
  `ON CONFLICT (kind, subject) DO UPDATE SET due_at = excluded.due_at`,
);
