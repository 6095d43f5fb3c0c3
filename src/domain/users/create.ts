/** Creates the account of an address, without a password, and sets a user's role in a workspace. */
import type { Tx } from "#src/db/transaction.ts";
import type { WorkspaceRole } from "./roles.ts";
import { memberships, type User, users } from "./table.ts";
import { emailKey } from "./user.ts";

interface NewUser {
  email: string;
  isOperator: boolean;
  /** The workspace that invites the address; null if an operator does. */
  firstWorkspaceId: number | null;
}

export function insertUser(tx: Tx, { email, isOperator, firstWorkspaceId }: NewUser): User {
  return tx.db
    .insert(users)
    .values({
      email: email.trim(),
      emailKey: emailKey(email),
      isOperator,
      totpStep: 0,
      firstWorkspaceId,
      createdAt: tx.now,
      updatedAt: tx.now,
    })
    .returning()
    .get();
}

export function setRole(tx: Tx, userId: number, workspaceId: number, role: WorkspaceRole): void {
  tx.db
    .insert(memberships)
    .values({ userId, workspaceId, role, createdAt: tx.now })
    .onConflictDoUpdate({ target: [memberships.userId, memberships.workspaceId], set: { role } })
    .run();
}
