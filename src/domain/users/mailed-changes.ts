/** Changes about which the owners of a workspace get an e-mail: what the mail says, and to whom it goes. */
import { and, asc, eq, gt, inArray, isNull, lte } from "drizzle-orm";
import { formatInstant } from "#src/core/instant.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import { findWorkspace } from "../workspaces/read.ts";
import { mailedActions } from "./audit-log.ts";
import { auditLog, memberships, users } from "./table.ts";

/** How many mails of one workspace go out in 24 hours. */
const A_DAY_MAX = 20;
const DAY_MS = 86_400_000;

export interface MailedChange {
  /** The owners' addresses. */
  to: string[];
  action: string;
  subject: string;
  /** An e-mail address, or the name of a key. */
  by: string;
  at: string;
  workspace: { id: number; name: string };
  /** No more mails today. */
  isLast: boolean;
}

/** Null: the entry is gone, the workspace has no owner, or too many were sent today. */
export function readMailedChange(tx: ReadTx, auditId: number): MailedChange | null {
  const found = tx.db
    .select({ entry: auditLog, email: users.email })
    .from(auditLog)
    .leftJoin(users, eq(users.id, auditLog.userId))
    .where(eq(auditLog.id, auditId))
    .get();
  const workspaceId = found?.entry.workspaceId ?? null;
  const workspace = workspaceId === null ? undefined : findWorkspace(tx, workspaceId);
  if (found === undefined || workspace === undefined) return null;
  const { entry, email } = found;
  const owners = tx.db
    .select({ email: users.email })
    .from(memberships)
    .innerJoin(users, eq(users.id, memberships.userId))
    .where(and(eq(memberships.workspaceId, workspace.id), eq(memberships.role, "owner"), isNull(users.disabledAt)))
    .orderBy(asc(users.id))
    .all();
  const today = tx.db
    .select({ id: auditLog.id })
    .from(auditLog)
    .where(
      and(
        eq(auditLog.workspaceId, workspace.id),
        lte(auditLog.id, auditId),
        gt(auditLog.at, entry.at - DAY_MS),
        inArray(auditLog.action, [...mailedActions]),
      ),
    )
    .limit(A_DAY_MAX + 1)
    .all().length;
  if (owners.length === 0 || today > A_DAY_MAX) return null;
  const { key } = entry.details;
  return {
    to: owners.map(({ email }) => email),
    ...{ action: entry.action, subject: entry.subject },
    by: email ?? (typeof key === "string" ? `the API key ${key}` : "the command line"),
    at: formatInstant(entry.at, workspace.timezone),
    workspace: { id: workspace.id, name: workspace.name },
    isLast: today === A_DAY_MAX,
  };
}
