/** One-time links: made for somebody (or for the first operator, who is nobody yet), and used once to choose a password. */
import { and, eq, isNull } from "drizzle-orm";
import { invalidRequest, Problem } from "#src/primitives/problem.ts";
import { hashToken, newToken } from "#src/primitives/secret.ts";
import type { Reading, Tx } from "#src/storage/transaction.ts";
import { setPassword } from "./change.ts";
import { insertUser } from "./create.ts";
import { findUser, findUserByEmail, hasOperator } from "./read.ts";
import { type User, type UserLink, userLinks } from "./table.ts";
import { findEmailMistake, LINK_LASTS_MS, type LinkKind } from "./user.ts";

const TOKEN_BYTES = 24;

export interface MadeLink {
  kind: LinkKind;
  /** In clear: it stands behind the `#` of the address, so that no log and no proxy ever has it. */
  token: string;
  expiresAt: number;
}

/** Earlier links of the same person, or earlier ones to make the first operator, end with this one. */
export function makeLink(tx: Tx, kind: LinkKind, userId: number | null): MadeLink {
  tx.db
    .delete(userLinks)
    .where(userId === null ? isNull(userLinks.userId) : eq(userLinks.userId, userId))
    .run();
  const token = newToken(tx.random, "", TOKEN_BYTES);
  const expiresAt = tx.now + LINK_LASTS_MS[kind];
  tx.db
    .insert(userLinks)
    .values({ kind, userId, hash: hashToken(token), createdAt: tx.now, expiresAt })
    .run();
  return { kind, token, expiresAt };
}

/** The link that makes the first operator; null where there is one already. */
export function makeSetupLink(tx: Tx): MadeLink | null {
  return hasOperator(tx) ? null : makeLink(tx, "setup", null);
}

export interface OpenLink {
  link: UserLink;
  /** Null: whoever uses it becomes the first operator. */
  user: User | null;
}

/** Undefined: unknown, used, too old, or its person was disabled meanwhile; which of them is nobody's business. */
export function findOpenLink(reading: Reading, token: string): OpenLink | undefined {
  const link = reading.db
    .select()
    .from(userLinks)
    .where(and(eq(userLinks.hash, hashToken(token)), isNull(userLinks.usedAt)))
    .get();
  if (link === undefined || link.expiresAt <= reading.now) return undefined;
  if (link.userId === null) return hasOperator(reading) ? undefined : { link, user: null };
  const user = findUser(reading, link.userId);
  return user === undefined || user.disabledAt !== null ? undefined : { link, user };
}

/**
 * Uses the link: its person has this password from now on and every session of theirs has ended. `email` is only asked
 * for the first operator. Throws `not_found` where the link no longer works.
 */
export function useLink(tx: Tx, token: string, passwordHash: string, email: string | null): User {
  const open = findOpenLink(tx, token);
  if (open === undefined) throw new Problem("not_found", "This link was used already, or is too old.");
  const user = open.user ?? makeFirst(tx, email ?? "");
  tx.db.update(userLinks).set({ usedAt: tx.now, userId: user.id }).where(eq(userLinks.id, open.link.id)).run();
  return setPassword(tx, user.id, passwordHash);
}

function makeFirst(tx: Tx, email: string): User {
  const mistake = findEmailMistake(email.trim());
  if (mistake !== null) throw invalidRequest({ email: [mistake] });
  if (findUserByEmail(tx, email) !== undefined) {
    throw invalidRequest({ email: ["There is a user with this e-mail address already."] });
  }
  return insertUser(tx, email, true);
}
