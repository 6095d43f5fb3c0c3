/**
 * Sessions: a random token in the user's cookie, stored as a hash. A session ends when it expires, when the user ends
 * it, and when the password changes.
 */
import { and, desc, eq, gt, ne } from "drizzle-orm";
import { notFound } from "#src/core/problem.ts";
import { hashToken, newToken } from "#src/core/secret.ts";
import { deleteRows, insertRow, updateRows } from "#src/db/rows.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { findUser } from "./read.ts";
import { sessionByHash } from "./statements.ts";
import { type Session, sessions, type User } from "./table.ts";
import { SESSION_IDLE_MS, SESSION_LIFETIME_MS } from "./user.ts";

const TOKEN_BYTES = 32;
const AGENT_LENGTH_MAX = 200;
const TOUCH_EVERY_MS = 60_000;
/** Maximum number of sessions per user. Starting another one ends the session unused for longest. */
const SESSIONS_MAX = 50;

interface ClientInfo {
  address: string;
  agent: string;
}

/** Starts a session. Returns the token in clear; it is stored only as a hash. */
export function startSession(
  tx: Tx,
  userId: number,
  { address, agent }: ClientInfo,
): { token: string; session: Session } {
  const known = listSessions(tx, userId);
  for (const { id } of known.slice(SESSIONS_MAX - 1)) deleteRows(tx, sessions, { id });
  const token = newToken(tx.random, "", TOKEN_BYTES);
  const session = insertRow(tx, sessions, {
    userId,
    hash: hashToken(token),
    createdAt: tx.now,
    seenAt: tx.now,
    expiresAt: tx.now + SESSION_LIFETIME_MS,
    confirmedAt: tx.now,
    address,
    agent: agent.slice(0, AGENT_LENGTH_MAX),
  });
  return { token, session };
}

export interface SignedIn {
  session: Session;
  user: User;
}

/**
 * The session and user of a cookie's token; undefined if the session is unknown or expired, or the user is disabled.
 */
export function findSession(tx: ReadTx, token: string): SignedIn | undefined {
  const session = sessionByHash(tx).get({ hash: hashToken(token) });
  if (session === undefined || isExpired(session, tx.now)) return undefined;
  const user = findUser(tx, session.userId);
  return user === undefined || user.disabledAt !== null ? undefined : { session, user };
}

function isExpired({ expiresAt, seenAt }: Session, now: number): boolean {
  return expiresAt <= now || seenAt + SESSION_IDLE_MS <= now;
}

/** Whether `seenAt` is old enough to be updated. */
export function isTouchDue({ seenAt }: Session, now: number): boolean {
  return now - seenAt >= TOUCH_EVERY_MS;
}

export function touchSession(tx: Tx, id: number): void {
  updateRows(tx, sessions, { id }, { seenAt: tx.now });
}

/** The user has just proved again who they are. */
export function confirmSession(tx: Tx, id: number): void {
  updateRows(tx, sessions, { id }, { confirmedAt: tx.now });
}

/** The user's active sessions, most recently used first. */
export function listSessions(tx: ReadTx, userId: number): Session[] {
  return tx.db
    .select()
    .from(sessions)
    .where(
      and(eq(sessions.userId, userId), gt(sessions.expiresAt, tx.now), gt(sessions.seenAt, tx.now - SESSION_IDLE_MS)),
    )
    .orderBy(desc(sessions.seenAt), desc(sessions.id))
    .all();
}

/** Throws `not_found` if the session is not the user's. */
export function endSession(tx: Tx, userId: number, id: number): void {
  const { changes } = tx.db
    .delete(sessions)
    .where(and(eq(sessions.id, id), eq(sessions.userId, userId)))
    .run();
  if (changes === 0) throw notFound("session");
}

/** Ends all of the user's sessions, except the given one; returns how many. */
export function endSessions(tx: Tx, userId: number, except: number | null = null): number {
  return tx.db
    .delete(sessions)
    .where(and(eq(sessions.userId, userId), except === null ? undefined : ne(sessions.id, except)))
    .run().changes;
}
