/** Queries for users, their memberships and invitations, and the workspaces that they may enter. */
import { and, asc, eq, isNotNull, isNull, sql } from "drizzle-orm";
import { notFound } from "#src/core/problem.ts";
import { findRow, listRows } from "#src/db/rows.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import { findWorkspace, listWorkspaces } from "../workspaces/read.ts";
import { type Workspace, workspaces } from "../workspaces/table.ts";
import type { Role, WorkspaceRole } from "./roles.ts";
import { membershipIn, userById } from "./statements.ts";
import { memberships, type User, userLinks, users } from "./table.ts";
import { emailKey } from "./user.ts";

export function findUser(tx: ReadTx, id: number): User | undefined {
  return userById(tx).get({ id });
}

/** Throws `not_found`. */
export function getUser(tx: ReadTx, id: number): User {
  const user = findUser(tx, id);
  if (user === undefined) throw notFound("user");
  return user;
}

/** Includes disabled users. */
export function findUserByEmail(tx: ReadTx, email: string): User | undefined {
  const byKey = (key: string) => findRow(tx, users, { emailKey: key });
  // Addresses that 0.1 stored are in the form in which they were typed.
  return byKey(emailKey(email)) ?? byKey(email.trim().toLowerCase());
}

export function hasOperator(tx: ReadTx): boolean {
  return (
    tx.db
      .select({ id: users.id })
      .from(users)
      .where(and(eq(users.isOperator, sql`1`), isNull(users.disabledAt)))
      .limit(1)
      .get() !== undefined
  );
}

interface Membership {
  userId: number;
  workspaceId: number;
  role: WorkspaceRole;
  numberIds: number[] | null;
}

interface ListedMembership extends Membership {
  seenAt: number | null;
}

/** An invitation to a workspace that has not been accepted; its link may have expired. */
interface PendingInvitation extends Membership {
  createdAt: number;
  expiresAt: number;
}

export interface ListedUser extends User {
  memberships: ListedMembership[];
  invitations: PendingInvitation[];
}

/** Lists pending invitations, optionally of one workspace or of one user. */
export function listInvitations(
  tx: ReadTx,
  { workspaceId, userId }: { workspaceId?: number; userId?: number },
): PendingInvitation[] {
  const rows = tx.db
    .select()
    .from(userLinks)
    .where(
      and(
        isNotNull(userLinks.workspaceId),
        isNull(userLinks.usedAt),
        workspaceId === undefined ? undefined : eq(userLinks.workspaceId, workspaceId),
        userId === undefined ? undefined : eq(userLinks.userId, userId),
      ),
    )
    .orderBy(asc(userLinks.id))
    .all();
  return rows.flatMap(({ userId, workspaceId, role, numberIds, createdAt, expiresAt }) =>
    userId === null || workspaceId === null || role === null
      ? []
      : [{ userId, workspaceId, role, numberIds, createdAt, expiresAt }],
  );
}

/** What inviter and invitee are shown of an existing account of the address. It names no workspace. */
export interface KnownAccount {
  since: number;
  /** A member of a workspace, or protected by a second factor: only an operator's link can replace its password. */
  isInUse: boolean;
}

/** Null for a user without a password: the address was only invited and has no account yet. */
export function describeAccount(tx: ReadTx, user: User): KnownAccount | null {
  if (user.password === null) return null;
  const isInUse = user.totpSecret !== null || workspaceIdsOf(tx, user.id).length > 0;
  return { since: user.createdAt, isInUse };
}

export function workspaceIdsOf(tx: ReadTx, userId: number): number[] {
  const rows = tx.db
    .select({ id: memberships.workspaceId })
    .from(memberships)
    .where(eq(memberships.userId, userId))
    .all();
  return rows.map(({ id }) => id);
}

/** All users, or the members and invitees of one workspace. */
export function listUsers(tx: ReadTx, workspaceId: number | null = null): ListedUser[] {
  const rows = listRows(tx, memberships, workspaceId === null ? undefined : eq(memberships.workspaceId, workspaceId));
  const invitations = listInvitations(tx, workspaceId === null ? {} : { workspaceId });
  const everybody = tx.db.select().from(users).orderBy(asc(users.id)).all();
  return everybody
    .map((user) => ({
      ...user,
      memberships: rows.filter(({ userId }) => userId === user.id),
      invitations: invitations.filter(({ userId }) => userId === user.id),
    }))
    .filter((user) => workspaceId === null || user.memberships.length + user.invitations.length > 0);
}

/** Undefined: not a member. */
export function findMembership(tx: ReadTx, userId: number, workspaceId: number) {
  return membershipIn(tx).get({ userId, workspaceId });
}

export interface WorkspaceAccess {
  workspace: Workspace;
  role: Role;
  /** The numbers whose conversations and messages the user sees; null: all. */
  numberIds: readonly number[] | null;
  /** Something changed of which the owner has not been told yet. */
  hasNews: boolean;
  /** When the member last used the console in the workspace; null: never, or an operator. */
  seenAt: number | null;
}

/** Whether the user sees the conversations and messages of a number. */
export function seesNumber({ numberIds }: Pick<WorkspaceAccess, "numberIds">, numberId: number): boolean {
  return numberIds === null || numberIds.includes(numberId);
}

const EVERYWHERE = { role: "operator", numberIds: null, hasNews: false, seenAt: null } as const;

/** The workspace and the user's role in it; undefined if it does not exist or the user has no access. */
export function findWorkspaceAccess(
  tx: ReadTx,
  user: Pick<User, "id" | "isOperator">,
  workspaceId: number,
): WorkspaceAccess | undefined {
  const place = user.isOperator ? EVERYWHERE : findMembership(tx, user.id, workspaceId);
  const workspace = place === undefined ? undefined : findWorkspace(tx, workspaceId);
  if (workspace === undefined || place === undefined) return undefined;
  const { role, numberIds, hasNews, seenAt } = place;
  return { workspace, role, numberIds, hasNews, seenAt };
}

/** The workspaces that the user may enter, by name. */
export function listWorkspaceAccess(
  tx: ReadTx,
  user: Pick<User, "id" | "isOperator">,
): Pick<WorkspaceAccess, "workspace" | "role">[] {
  const entries: Pick<WorkspaceAccess, "workspace" | "role">[] = user.isOperator
    ? listWorkspaces(tx).map((workspace) => ({ workspace, role: "operator" }))
    : tx.db
        .select({ workspace: workspaces, role: memberships.role })
        .from(memberships)
        .innerJoin(workspaces, eq(workspaces.id, memberships.workspaceId))
        .where(eq(memberships.userId, user.id))
        .all();
  return entries.toSorted((a, b) => a.workspace.name.localeCompare(b.workspace.name));
}
