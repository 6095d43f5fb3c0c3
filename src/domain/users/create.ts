/** Makes a person who may sign in, or gives a known one another role. The password is chosen later, by a one-time link. */
import { invalidRequest } from "#src/primitives/problem.ts";
import type { Tx } from "#src/storage/transaction.ts";
import { getWorkspace } from "../workspaces/read.ts";
import { findUserByEmail } from "./read.ts";
import { memberships, type User, users } from "./table.ts";
import { emailKey, findEmailMistake, type Role } from "./user.ts";

export interface NewUser {
  email: string;
  role: Role;
  /** Of an owner or member. */
  workspaceId: number | null;
}

export interface AddedUser {
  user: User;
  /** False: somebody known was given this role beside what they had. */
  isNew: boolean;
}

export function addUser(tx: Tx, { email, role, workspaceId }: NewUser): AddedUser {
  const mistake = findEmailMistake(email.trim());
  if (mistake !== null) throw invalidRequest({ email: [mistake] });
  if (role !== "operator" && workspaceId === null) {
    throw invalidRequest({ workspace: [`Say of which workspace this person is ${role}.`] });
  }
  if (role === "operator" && workspaceId !== null) {
    throw invalidRequest({ workspace: ["An operator has every workspace; leave it out."] });
  }
  if (workspaceId !== null) getWorkspace(tx, workspaceId);
  const known = findUserByEmail(tx, email);
  if (known?.disabledAt != null) throw invalidRequest({ email: ["This person was disabled."] });
  if (known !== undefined && (known.isOperator || role === "operator")) {
    throw invalidRequest({ email: [known.isOperator ? "This person is an operator already." : taken] });
  }
  const user = known ?? insertUser(tx, email, role === "operator");
  if (workspaceId !== null && role !== "operator") setRole(tx, user.id, workspaceId, role);
  return { user, isNew: known === undefined };
}

const taken = "There is a user with this e-mail address already; disable them first, or choose another address.";

export function insertUser(tx: Tx, email: string, isOperator: boolean): User {
  return tx.db
    .insert(users)
    .values({
      email: email.trim(),
      emailKey: emailKey(email),
      isOperator,
      totpStep: 0,
      createdAt: tx.now,
      updatedAt: tx.now,
    })
    .returning()
    .get();
}

function setRole(tx: Tx, userId: number, workspaceId: number, role: Exclude<Role, "operator">): void {
  tx.db
    .insert(memberships)
    .values({ userId, workspaceId, role, createdAt: tx.now })
    .onConflictDoUpdate({ target: [memberships.userId, memberships.workspaceId], set: { role } })
    .run();
}
