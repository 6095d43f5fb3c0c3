/**
 * Creates the account of an address, without a password, and sets a role in a workspace. Changes to a user: password, disabling, removal from a workspace. Each of these also ends the sessions, links or memberships
 * that it invalidates.
 */
import { and, eq, isNull, ne, sql } from "drizzle-orm";
import { invalidRequest, notFound } from "#src/core/problem.ts";
import { changeRow, deleteRows, insertRow, updateRows, upsertRow } from "#src/db/rows.ts";
import type { Tx } from "#src/db/transaction.ts";
import { forgetDevices } from "./known-devices.ts";
import { findMembership, findUser, getUser } from "./read.ts";
import type { WorkspaceRole } from "./roles.ts";
import { endSessions } from "./sessions.ts";
import { conversationDrafts, memberships, type User, userLinks, users } from "./table.ts";
import { emailKey, readEmail } from "./user.ts";

/**
 * Sets the password. Ends all sessions, known devices and open links of the user; another person may have caused them.
 * A first password keeps the invitations to other workspaces, which cannot have been caused with an older one.
 */
export function setPassword(tx: Tx, userId: number, passwordHash: string): User {
  const isFirst = getUser(tx, userId).password === null;
  endSessions(tx, userId);
  forgetDevices(tx, userId);
  tx.db
    .delete(userLinks)
    .where(
      and(eq(userLinks.userId, userId), isFirst ? isNull(userLinks.workspaceId) : undefined, isNull(userLinks.usedAt)),
    )
    .run();
  return updateUser(tx, userId, { password: passwordHash });
}

/**
 * Disables a user, ending sessions and links. Throws `invalid_request` for the last enabled operator, so that the
 * server always has one. Disabling twice keeps the first time.
 */
export function disableUser(tx: Tx, userId: number): User {
  const user = getUser(tx, userId);
  if (user.disabledAt !== null) return user;
  if (user.isOperator && !hasOtherOperator(tx, userId)) {
    throw invalidRequest({ email: ["This is the only operator. Add another one first."] });
  }
  endSessions(tx, userId);
  forgetDevices(tx, userId);
  removeDraftsOf(tx, userId);
  deleteRows(tx, userLinks, { userId });
  return updateUser(tx, userId, { disabledAt: tx.now });
}

/**
 * Removes a member or revokes an invitation, and returns which of the two it was. The user's other workspaces stay.
 * Throws `not_found` if the user has neither, `invalid_request` for the only owner.
 */
export function removeMembership(tx: Tx, workspaceId: number, userId: number): "member" | "invitation" {
  requireOtherOwner(tx, workspaceId, userId, "email");
  const removed = tx.db
    .delete(memberships)
    .where(and(eq(memberships.userId, userId), eq(memberships.workspaceId, workspaceId)))
    .run();
  if (removed.changes > 0) {
    removeDraftsOf(tx, userId, workspaceId);
    return "member";
  }
  const revoked = tx.db
    .delete(userLinks)
    .where(and(eq(userLinks.userId, userId), eq(userLinks.workspaceId, workspaceId), isNull(userLinks.usedAt)))
    .run();
  if (revoked.changes === 0) throw notFound("user");
  return "invitation";
}

/** What they were writing. `workspaceId` absent: in every workspace. */
function removeDraftsOf(tx: Tx, userId: number, workspaceId?: number): void {
  const { userId: owner, workspaceId: place } = conversationDrafts;
  tx.db
    .delete(conversationDrafts)
    .where(and(eq(owner, userId), workspaceId === undefined ? undefined : eq(place, workspaceId)))
    .run();
}

/**
 * Signs a member out everywhere, except in the given session, and forgets the devices. Returns how many sessions ended. Throws
 * `not_found` for a user who is no member, and for an operator, who answers to no workspace.
 */
export function endSessionsOfMember(
  tx: Tx,
  workspaceId: number,
  userId: number,
  except: number | null,
): { email: string; ended: number } {
  const user = findMembership(tx, userId, workspaceId) === undefined ? undefined : findUser(tx, userId);
  if (user === undefined || user.isOperator) throw notFound("user");
  forgetDevices(tx, userId);
  return { email: user.email, ended: endSessions(tx, userId, except) };
}

/** The member uses the console in the workspace. */
export function touchMembership(tx: Tx, userId: number, workspaceId: number): void {
  updateRows(tx, memberships, { userId, workspaceId }, { seenAt: tx.now });
}

/**
 * Throws `invalid_request` if the user is the only owner who can sign in: a workspace that has an owner keeps one. Only
 * disabling an account goes further, because it must never wait.
 */
function requireOtherOwner(tx: Tx, workspaceId: number, userId: number, field: "email" | "role"): void {
  const owners = tx.db
    .select({ id: users.id })
    .from(memberships)
    .innerJoin(users, eq(users.id, memberships.userId))
    .where(and(eq(memberships.workspaceId, workspaceId), eq(memberships.role, "owner"), isNull(users.disabledAt)))
    .all();
  if (owners.length !== 1 || owners[0]?.id !== userId) return;
  throw invalidRequest({ [field]: ["This is the only owner of the workspace. Make another member an owner first."] });
}

/** The owner has read what an upgrade changed. */
export function markNewsRead(tx: Tx, workspaceId: number, userId: number): void {
  updateRows(tx, memberships, { userId, workspaceId }, { hasNews: false });
}

export function updateUser(tx: Tx, userId: number, changes: Partial<User>): User {
  const changed = changeRow(tx, users, { id: userId }, { ...changes, updatedAt: tx.now });
  if (changed === undefined) throw notFound("user");
  return changed;
}

function hasOtherOperator(tx: Tx, userId: number): boolean {
  const other = tx.db
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.isOperator, sql`1`), isNull(users.disabledAt), ne(users.id, userId)))
    .limit(1)
    .get();
  return other !== undefined;
}

/** A role in a workspace. */
export interface Place {
  workspaceId: number;
  role: WorkspaceRole;
  /** The numbers whose conversations an agent sees; null: all. */
  numberIds: number[] | null;
}

interface NewUser {
  email: string;
  isOperator: boolean;
}

export function insertUser(tx: Tx, { email, isOperator }: NewUser): User {
  return insertRow(tx, users, {
    email: readEmail(email),
    emailKey: emailKey(email),
    isOperator,
    totpStep: 0,
    createdAt: tx.now,
    updatedAt: tx.now,
  });
}

/** Throws `invalid_request` if the workspace would lose its only owner. */
export function setRole(tx: Tx, userId: number, { workspaceId, role, numberIds }: Place): void {
  if (role !== "owner") requireOtherOwner(tx, workspaceId, userId, "role");
  upsertRow(
    tx,
    memberships,
    ["userId", "workspaceId"],
    { userId, workspaceId, role, numberIds, createdAt: tx.now },
    { role, numberIds },
  );
}
