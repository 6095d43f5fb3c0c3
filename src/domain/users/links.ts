/**
 * One-time links, created for a user, or for the first operator, who has no account yet. Most links choose a password.
 * An invitation gives a role in a workspace to the account of its address, and the invitee signs in to that account. Only an
 * account that was never used elsewhere may start again with a new password: the holder of an owner's link must not end
 * an account that belongs to another workspace. An operator's reset link can.
 */
import { and, eq, isNull, ne } from "drizzle-orm";
import { invalidRequest, Problem } from "#src/core/problem.ts";
import { hashToken, newToken } from "#src/core/secret.ts";
import { deleteRows, findRow, updateRows } from "#src/db/rows.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { enqueue } from "#src/jobs/enqueue.ts";
import { findWorkspace } from "../workspaces/read.ts";
import { insertUser, type Place, setPassword, setRole, updateUser } from "./change.ts";
import { describeAccount, findUser, findUserByEmail, hasOperator, workspaceIdsOf } from "./read.ts";
import type { WorkspaceRole } from "./roles.ts";
import { formAnswers, type User, type UserLink, userLinks } from "./table.ts";
import {
  findEmailProblem,
  LINK_LIFETIME_MS,
  type LinkKind,
  type MailedKind,
  type PassedKind,
  readEmail,
} from "./user.ts";

const TOKEN_BYTES = 24;

export interface CreatedLink<Kind extends LinkKind = PassedKind> {
  id: number;
  kind: Kind;
  /** In clear. The address carries it after the `#`, so that no log and no proxy sees it. */
  token: string;
  expiresAt: number;
}

/**
 * Creates a link and deletes earlier links for the same use: choosing this user's password, joining the same workspace,
 * creating the first operator. A link by e-mail, which anybody may ask for, ends earlier ones of its kind alone.
 */
export function createLink<Kind extends LinkKind>(
  tx: Tx,
  kind: Kind,
  userId: number | null,
  place: Place | null = null,
): CreatedLink<Kind> {
  const { workspaceId, role, numberIds } = place ?? { workspaceId: null, role: null, numberIds: null };
  tx.db
    .delete(userLinks)
    .where(
      and(
        userId === null ? isNull(userLinks.userId) : eq(userLinks.userId, userId),
        workspaceId === null ? isNull(userLinks.workspaceId) : eq(userLinks.workspaceId, workspaceId),
        isMailed(kind) ? eq(userLinks.kind, kind) : ne(userLinks.kind, "verify"),
      ),
    )
    .run();
  const token = newToken(tx.random, "", TOKEN_BYTES);
  const expiresAt = tx.now + LINK_LIFETIME_MS[kind];
  const { id } = tx.db
    .insert(userLinks)
    .values({ kind, userId, workspaceId, role, numberIds, hash: hashToken(token), createdAt: tx.now, expiresAt })
    .returning({ id: userLinks.id })
    .get();
  return { id, kind, token, expiresAt };
}

function isMailed(kind: LinkKind): kind is MailedKind {
  return kind === "forgot" || kind === "verify";
}

/** Creates a link that the server sends to the user's address. Its token is made when it is sent: no row ever has it. */
export function requestMailedLink(tx: Tx, kind: MailedKind, userId: number): void {
  const { id } = createLink(tx, kind, userId);
  enqueue(tx, { kind: "mail_link", subject: id, queueKey: 0, dueAt: tx.now });
}

/** The server sends an invitation to its address. The token of the link ends: only the invitee gets one. */
export function sendInvitation(tx: Tx, { id }: Pick<CreatedLink, "id">): void {
  enqueue(tx, { kind: "mail_link", subject: id, queueKey: 0, dueAt: tx.now });
}

interface RenewedLink {
  token: string;
  email: string;
  kind: MailedKind | "join";
  /** The workspace and role of an invitation. */
  place: { workspace: string; role: WorkspaceRole } | null;
}

/** A token for a link that is about to be sent; its previous token ends. Undefined: the link no longer works. */
export function renewToken(tx: Tx, linkId: number): RenewedLink | undefined {
  const link = findRow(tx, userLinks, { id: linkId });
  if (link === undefined || link.usedAt !== null || link.expiresAt <= tx.now) return undefined;
  const { kind, workspaceId, role } = link;
  if (!isMailed(kind) && kind !== "join") return undefined;
  const user = link.userId === null ? undefined : findUser(tx, link.userId);
  if (user === undefined || user.disabledAt !== null) return undefined;
  const workspace = workspaceId === null ? undefined : findWorkspace(tx, workspaceId);
  const place = workspace === undefined || role === null ? null : { workspace: workspace.name, role };
  const token = newToken(tx.random, "", TOKEN_BYTES);
  updateRows(tx, userLinks, { id: linkId }, { hash: hashToken(token) });
  return { kind, token, email: user.email, place };
}

/**
 * Redeems a link that was sent to the user's address, which verifies the address. With a password, it is set, and all
 * sessions end; a second factor stays. Throws `not_found` if the link no longer works or is of another kind.
 */
export function redeemMailedLink(tx: Tx, kind: MailedKind, token: string, passwordHash: string | null): User {
  const { link, user } = getOpenLink(tx, token);
  if (link.kind !== kind || user === null) throw linkIsOver();
  spend(tx, link, user.id);
  if (passwordHash !== null) setPassword(tx, user.id, passwordHash);
  return updateUser(tx, user.id, { emailVerifiedAt: user.emailVerifiedAt ?? tx.now });
}

/** Creates the link that makes the first operator; null if an operator exists. */
export function createSetupLink(tx: Tx): CreatedLink | null {
  return hasOperator(tx) ? null : createLink(tx, "setup", null);
}

export interface OpenLink {
  link: UserLink;
  /** Null: the link creates the first operator. */
  user: User | null;
}

/**
 * Returns undefined if the token is unknown, used or expired, if its user was disabled, or if the link no longer
 * applies. Callers do not learn which.
 */
export function findOpenLink(tx: ReadTx, token: string): OpenLink | undefined {
  const link = findRow(tx, userLinks, { hash: hashToken(token), usedAt: null });
  if (link === undefined || link.expiresAt <= tx.now) return undefined;
  if (link.userId === null) return hasOperator(tx) ? undefined : { link, user: null };
  const user = findUser(tx, link.userId);
  if (user === undefined || user.disabledAt !== null || !stillServes(link, user)) return undefined;
  return { link, user };
}

/** An operator needs no invitation, and a link for the first password must not replace a password chosen since. */
function stillServes({ kind, workspaceId }: UserLink, user: User): boolean {
  if (workspaceId !== null) return !user.isOperator;
  return kind !== "join" || user.password === null;
}

/** Whether the invitation's address has an account with a password, to which the invitee signs in. */
export function leadsToAccount({ link, user }: OpenLink): boolean {
  return link.workspaceId !== null && user !== null && user.password !== null;
}

/** Whether the account of an invitation's address is a member of a workspace or has a second factor. */
export function isInUse(tx: ReadTx, { user }: OpenLink): boolean {
  return user !== null && describeAccount(tx, user)?.isInUse === true;
}

interface UsedLink {
  link: UserLink & { kind: PassedKind };
  user: User;
  /** The workspaces that the account could enter before. */
  workspaceIds: number[];
  /** The account had a password and starts again with a new one. */
  startsAgain: boolean;
}

/**
 * Redeems a link: sets the user's password, ends all of the user's sessions and accepts the invitation. `email` is needed
 * only for the first operator. Throws `not_found` if the link no longer works, or if it is an invitation and the account of
 * its address is in use.
 */
export function redeemLink(tx: Tx, token: string, passwordHash: string, email: string | null): UsedLink {
  const open = getOpenLink(tx, token);
  const { kind } = open.link;
  if (isMailed(kind)) throw linkIsOver();
  const startsAgain = leadsToAccount(open);
  if (startsAgain && isInUse(tx, open)) throw linkIsOver();
  const { id } = open.user ?? createFirstOperator(tx, email ?? "");
  const workspaceIds = workspaceIdsOf(tx, id);
  if (startsAgain) deleteRows(tx, formAnswers, { userId: id });
  spend(tx, open.link, id);
  return { link: { ...open.link, kind }, user: setPassword(tx, id, passwordHash), workspaceIds, startsAgain };
}

/**
 * Accepts an invitation for the signed-in user. Throws `not_found` if the invitation is for another address or no
 * longer works.
 */
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
  return new Problem("not_found", "This link has been used or has expired.");
}

function spend(tx: Tx, { id, workspaceId, role, numberIds }: UserLink, userId: number): void {
  updateRows(tx, userLinks, { id }, { usedAt: tx.now, userId });
  if (workspaceId !== null && role !== null) setRole(tx, userId, { workspaceId, role, numberIds });
}

function createFirstOperator(tx: Tx, email: string): User {
  const problem = findEmailProblem(readEmail(email));
  if (problem !== null) throw invalidRequest({ email: [problem] });
  if (findUserByEmail(tx, email) !== undefined) {
    throw invalidRequest({ email: ["There is already a user with this e-mail address."] });
  }
  return insertUser(tx, { email, isOperator: true });
}
