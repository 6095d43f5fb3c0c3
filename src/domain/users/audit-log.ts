/** The audit log: an entry is written in the same transaction as the action it records. */
import { and, desc, eq, inArray, lt } from "drizzle-orm";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { enqueue } from "#src/jobs/enqueue.ts";
import { type AuditEntry, auditLog, users } from "./table.ts";

export interface Actor {
  /** Null: the command line or, with an address, someone who is not signed in. */
  userId: number | null;
  address: string;
}

export const COMMAND_LINE: Actor = { userId: null, address: "" };

export interface NewAuditEntry {
  workspaceId: number | null;
  /** A noun and a verb: `key.create`. */
  action: string;
  subject: string;
  /** Values before and after; never a secret. */
  details?: Record<string, unknown>;
}

/** Changed settings of a workspace; `details` has the names of those that differ under `was` and `became`. */
export const SETTINGS_CHANGED = "settings.update";

/** Changes about which the owners of the workspace get an e-mail: those of people and of programs. */
export const mailedActions: readonly string[] = [
  "webhook.set",
  "webhook.clear",
  "webhook.rotate-secret",
  "webhook.add",
  "webhook.update",
  "webhook.remove",
];

export function recordAudit(tx: Tx, { userId, address }: Actor, entry: NewAuditEntry): void {
  const { workspaceId, action, subject, details = {} } = entry;
  const { id } = tx.db
    .insert(auditLog)
    .values({ at: tx.now, userId, workspaceId, action, subject, details, address })
    .returning({ id: auditLog.id })
    .get();
  if (mailedActions.includes(action)) enqueue(tx, { kind: "mail_owners", subject: id, queueKey: 0, dueAt: tx.now });
}

interface ListedAuditEntry extends AuditEntry {
  /** Null: the command line. */
  email: string | null;
}

/**
 * Lists entries of one workspace, or of the whole server (null), newest first. `before`: only entries with a lower id.
 */
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

/** Entries of a workspace among which its latest changes of settings are found. */
const ENTRIES_EXAMINED = 1_000;

/** When each setting was last changed, by its name in JSON, and by whom; none that is older than the newest entries. */
export function findSettingChanges(tx: ReadTx, workspaceId: number): ReadonlyMap<string, ListedAuditEntry> {
  const newest = tx.db
    .select({ id: auditLog.id })
    .from(auditLog)
    .where(eq(auditLog.workspaceId, workspaceId))
    .orderBy(desc(auditLog.id))
    .limit(ENTRIES_EXAMINED);
  const entries = tx.db
    .select({ entry: auditLog, email: users.email })
    .from(auditLog)
    .leftJoin(users, eq(users.id, auditLog.userId))
    .where(and(inArray(auditLog.id, newest), eq(auditLog.action, SETTINGS_CHANGED)))
    .orderBy(auditLog.id)
    .all();
  return new Map(
    entries.flatMap(({ entry, email }) =>
      Object.keys((entry.details.became ?? {}) as object).map((key) => [key, { ...entry, email }] as const),
    ),
  );
}
