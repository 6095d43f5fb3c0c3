/** Reading the log of who did what, the newest first. */
import { and, desc, eq, lt } from "drizzle-orm";
import type { Reading } from "#src/storage/transaction.ts";
import { users } from "../users/table.ts";
import { type AuditEntry, auditLog } from "./table.ts";

export interface ListedEntry extends AuditEntry {
  /** Null: the command line. */
  email: string | null;
}

/** Of one workspace, or (null) of the whole server. `before`: only older than this id. */
export function listAudit(
  reading: Reading,
  workspaceId: number | null,
  before: number | null,
  limit: number,
): ListedEntry[] {
  return reading.db
    .select({ entry: auditLog, email: users.email })
    .from(auditLog)
    .leftJoin(users, eq(users.id, auditLog.userId))
    .where(
      and(
        workspaceId === null ? undefined : eq(auditLog.workspaceId, workspaceId),
        before === null ? undefined : lt(auditLog.id, before),
      ),
    )
    .orderBy(desc(auditLog.id))
    .limit(limit)
    .all()
    .map(({ entry, email }) => ({ ...entry, email }));
}
