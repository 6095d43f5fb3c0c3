/** The audit log: an entry is written in the same transaction as the action it records. */
import { and, desc, eq, lt, sql } from "drizzle-orm";
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

/** The actions of API keys that are audited: those of which owners get an e-mail, and those that cannot be undone. The effects of the others can be seen. */
export const auditedOfKeys: readonly string[] = [...mailedActions, "contact.join"];

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

/** Changes of settings that are read at once, the newest first. */
const CHANGES_READ = 100;

/** When each of these settings was last changed, by its name in JSON, and by whom; none that never was. */
export function findSettingChanges(
  tx: ReadTx,
  workspaceId: number,
  keys: readonly string[],
): ReadonlyMap<string, ListedAuditEntry> {
  const found = new Map<string, ListedAuditEntry>();
  for (let before = Number.MAX_SAFE_INTEGER; found.size < keys.length; ) {
    const entries = tx.db
      .select({ entry: auditLog, email: users.email })
      .from(auditLog)
      .leftJoin(users, eq(users.id, auditLog.userId))
      // As text, so that the index of these entries serves.
      .where(
        and(
          eq(auditLog.workspaceId, workspaceId),
          sql`${auditLog.action} = ${sql.raw(`'${SETTINGS_CHANGED}'`)}`,
          lt(auditLog.id, before),
        ),
      )
      .orderBy(desc(auditLog.id))
      .limit(CHANGES_READ)
      .all();
    for (const { entry, email } of entries) {
      const changed = Object.keys((entry.details.became ?? {}) as object);
      for (const key of changed) if (keys.includes(key) && !found.has(key)) found.set(key, { ...entry, email });
    }
    const last = entries.at(-1);
    if (entries.length < CHANGES_READ || last === undefined) break;
    before = last.entry.id;
  }
  return found;
}
