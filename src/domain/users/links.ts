/**
 * One-time links: made for a user (or for the first operator, who has no account yet) and used once. Most choose a
 * password; an invitation gives a role in a workspace, to the account of its address or to one that takes it over.
 */
import { and, eq, isNull } from "drizzle-orm";
import { invalidRequest, Problem } from "#src/core/problem.ts";
import { hashToken, newToken } from "#src/core/secret.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { setPassword } from "./change.ts";
import { insertUser, setRole } from "./create.ts";
import { findUser, findUserByEmail, hasOperator } from "./read.ts";
import { removeTotp } from "./second-factor.ts";
import { formAnswers, memberships, type User, type UserLink, userLinks } from "./table.ts";
import { findEmailProblem, LINK_LIFETIME_MS, type LinkKind, type WorkspaceRole } from "./user.ts";

const TOKEN_BYTES = 24;

export interface CreatedLink {
  kind: LinkKind;
  /** In clear: it stands behind the `#` of the address, so that no log and no proxy ever has it. */
  token: string;
  expiresAt: number;
}

/** Where an invitation leads. */
export interface Place {
  workspaceId: number;
  role: WorkspaceRole;
}

/**
 * Ends the earlier links of the same kind of use: those that choose the same user's password, the same invitation, or
 * those that make the first operator.
 */
export function createLink(tx: Tx, kind: LinkKind, userId: number | null, place: Place | null = null): CreatedLink {
  const { workspaceId, role } = place ?? { workspaceId: null, role: null };
  tx.db
    .delete(userLinks)
    .where(
      and(
        userId === null ? isNull(userLinks.userId) : eq(userLinks.userId, userId),
        workspaceId === null ? isNull(userLinks.workspaceId) : eq(userLinks.workspaceId, workspaceId),
      ),
    )
    .run();
  const token = newToken(tx.random, "", TOKEN_BYTES);
  const expiresAt = tx.now + LINK_LIFETIME_MS[kind];
  tx.db
    .insert(userLinks)
    .values({ kind, userId, workspaceId, role, hash: hashToken(token), createdAt: tx.now, expiresAt })
    .run();
  return { kind, token, expiresAt };
}

/** The link that makes the first operator; null where there is one already. */
export function createSetupLink(tx: Tx): CreatedLink | null {
  return hasOperator(tx) ? null : createLink(tx, "setup", null);
}

export interface OpenLink {
  link: UserLink;
  /** Null: whoever uses it becomes the first operator. */
  user: User | null;
}

/** Undefined: unknown, used, too old, or its person was disabled meanwhile; which of them is nobody's business. */
export function findOpenLink(tx: ReadTx, token: string): OpenLink | undefined {
  const link = tx.db
    .select()
    .from(userLinks)
    .where(and(eq(userLinks.hash, hashToken(token)), isNull(userLinks.usedAt)))
    .get();
  if (link === undefined || link.expiresAt <= tx.now) return undefined;
  if (link.userId === null) return hasOperator(tx) ? undefined : { link, user: null };
  const user = findUser(tx, link.userId);
  if (user === undefined || user.disabledAt !== null || !stillServes(link, user)) return undefined;
  return { link, user };
}

/** An operator needs no invitation, and a link to choose a first password must not replace one that was chosen since. */
function stillServes({ kind, workspaceId }: UserLink, user: User): boolean {
  if (workspaceId !== null) return !user.isOperator;
  return kind !== "join" || user.password === null;
}

/** Whether the address of an invitation has an account, which the invitee signs in to or takes over. */
export function leadsToAccount({ link, user }: OpenLink): boolean {
  return link.workspaceId !== null && user !== null && user.password !== null;
}

export interface UsedLink {
  link: UserLink;
  user: User;
  /** Null: no account was taken over. Else the workspaces that it could enter until then. */
  lostWorkspaceIds: number[] | null;
}

/**
 * Uses the link: its user has this password from now on, every session of theirs has ended, and an invitation is
 * accepted. Where that leads to an account, the account is taken over. `email` is only asked for the first operator.
 * Throws `not_found` where the link no longer works.
 */
export function redeemLink(tx: Tx, token: string, passwordHash: string, email: string | null): UsedLink {
  const open = getOpenLink(tx, token);
  const lostWorkspaceIds = open.user !== null && leadsToAccount(open) ? takeOver(tx, open.user.id) : null;
  const { id } = open.user ?? createFirstOperator(tx, email ?? "");
  spend(tx, open.link, id);
  return { link: open.link, user: setPassword(tx, id, passwordHash), lostWorkspaceIds };
}

/** The account of the address accepts the invitation. Throws `not_found` where it is for another address, or over. */
export function acceptInvitation(tx: Tx, token: string, userId: number): UserLink {
  const { link, user } = getOpenLink(tx, token);
  if (link.workspaceId === null || user?.id !== userId) throw linkIsOver();
  spend(tx, link, userId);
  return link;
}

function getOpenLink(tx: Tx, token: string): OpenLink {
  const open = findOpenLink(tx, token);
  if (open === undefined) throw linkIsOver();
  return open;
}

export function linkIsOver(): Problem {
  return new Problem("not_found", "This link was used already, or is too old.");
}

function spend(tx: Tx, { id, workspaceId, role }: UserLink, userId: number): void {
  tx.db.update(userLinks).set({ usedAt: tx.now, userId }).where(eq(userLinks.id, id)).run();
  if (workspaceId !== null && role !== null) setRole(tx, userId, workspaceId, role);
}

/** Takes everything from the account that its holder until now has put there or was given. */
function takeOver(tx: Tx, userId: number): number[] {
  removeTotp(tx, userId);
  tx.db.delete(formAnswers).where(eq(formAnswers.userId, userId)).run();
  return tx.db
    .delete(memberships)
    .where(eq(memberships.userId, userId))
    .returning({ workspaceId: memberships.workspaceId })
    .all()
    .map(({ workspaceId }) => workspaceId);
}

function createFirstOperator(tx: Tx, email: string): User {
  const problem = findEmailProblem(email.trim());
  if (problem !== null) throw invalidRequest({ email: [problem] });
  if (findUserByEmail(tx, email) !== undefined) {
    throw invalidRequest({ email: ["There is a user with this e-mail address already."] });
  }
  return insertUser(tx, { email, isOperator: true, firstWorkspaceId: null });
}
