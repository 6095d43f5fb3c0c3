/** Writes down who did something, in the transaction in which it is done. */
import { and, desc, eq, lt } from "drizzle-orm";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { type AuditEntry, auditLog, users } from "./table.ts";

export interface Actor {
  /** Null: the command line. */
  userId: number | null;
  address: string;
}

export const COMMAND_LINE: Actor = { userId: null, address: "" };

export interface NewAuditEntry {
  workspaceId: number | null;
  /** A noun and a verb: `key.create`. */
  action: string;
  subject: string;
  /** What it was and what it became; never a secret. */
  details?: Record<string, unknown>;
}

export function recordAudit(tx: Tx, { userId, address }: Actor, entry: NewAuditEntry): void {
  const { workspaceId, action, subject, details = {} } = entry;
  tx.db.insert(auditLog).values({ at: tx.now, userId, workspaceId, action, subject, details, address }).run();
}

export interface ListedAuditEntry extends AuditEntry {
  /** Null: the command line. */
  email: string | null;
}

/** Of one workspace, or (null) of the whole server. `before`: only older than this id. */
export function listAuditEntries(
  tx: ReadTx,
  workspaceId: number | null,
  before: number | null,
  limit: number,
): ListedAuditEntry[] {
  return tx.db
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
