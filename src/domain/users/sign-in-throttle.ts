/**
 * Slows guesses of passwords and codes, whether or not the account exists. Guesses from unknown devices count for the
 * account and the client's network together, so a stranger elsewhere does not delay the owner of an account; for the
 * network alone, against one that tries many accounts; and for the account alone, with a budget that many networks
 * share. A known device or a signed-in session is counted on its own. A guess is counted before it is checked, so that a
 * hundred concurrent guesses count as a hundred.
 */
import { deleteRows, findRow, upsertRow } from "#src/db/rows.ts";
import { tablePolicies } from "#src/db/table-policies.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { signInAttempts } from "./table.ts";
import {
  ACCOUNT_GUESSES_MAX,
  BUDGET_RESET_AFTER_MS,
  emailKey,
  FREE_ATTEMPTS,
  FREE_MAIL_REQUESTS,
  type GuessSubject,
  waitAfterAttempts,
} from "./user.ts";

/** Who guesses: a session, a known device, or an unknown device in a network. */
export type Guesser = { sessionId: number } | { deviceId: number } | { network: string };

export interface Guess {
  email: string;
  guesser: Guesser;
  /** Whether the guess brings a code of the second factor. */
  hasCode: boolean;
}

/** What may happen to a guess. */
export type Verdict =
  | { kind: "counted" }
  /** The account's budget is used up: the guess counts, and only password and second factor together let it pass. */
  | { kind: "needs code" }
  /** Not counted, and must not be checked. */
  | { kind: "too early"; waitMs: number }
  | { kind: "code missing"; waitMs: number };

/** Counts a guess that is about to be checked. */
export function countGuess(tx: Tx, guess: Guess): Verdict {
  const counters = countersOf(tx, guess);
  const waitUntil = Math.max(...counters.map(({ row }) => row?.blockedUntil ?? 0));
  if (waitUntil > tx.now) return { kind: "too early", waitMs: waitUntil - tx.now };
  const isUnknown = "network" in guess.guesser;
  const budgetEnd = isUnknown ? endOfBudget(tx, accountSubject(tx, guess)) : null;
  if (budgetEnd !== null && !guess.hasCode) return { kind: "code missing", waitMs: budgetEnd - tx.now };
  for (const { subject, free, row } of counters) {
    const count = countBefore(tx, row, tablePolicies.sign_in_attempts.kept.afterMs) + 1;
    save(tx, subject, count, tx.now + waitAfterAttempts(count, free));
  }
  if (budgetEnd !== null) return { kind: "needs code" };
  if (isUnknown) countTowardsBudget(tx, accountSubject(tx, guess));
  return { kind: "counted" };
}

/**
 * Counts a wrong code that came with the right password while the account's budget was used up. Returns false if there
 * were too many of those as well: then no code is accepted. Strangers cannot cause that without the password.
 */
export function countCodeBeyondBudget(tx: Tx, guess: Guess): boolean {
  const subject = tx.keyedHash(`sign-in code ${emailKey(guess.email)}`);
  if (endOfBudget(tx, subject) !== null) return false;
  countTowardsBudget(tx, subject);
  return true;
}

/** The guess succeeded, and earlier ones of the same guesser for this account are forgiven. */
export function forgiveGuesses(tx: Tx, guess: Guess, verdict: Verdict): void {
  uncountGuess(tx, guess, verdict);
  const [own] = countersOf(tx, guess);
  if (own !== undefined) deleteRows(tx, signInAttempts, { subject: own.subject });
}

/** The guess was right as far as it went. It no longer counts; earlier ones do. */
export function uncountGuess(tx: Tx, guess: Guess, { kind }: Verdict): void {
  for (const { subject, free, row } of countersOf(tx, guess)) {
    if (row !== undefined) save(tx, subject, row.count - 1, row.count - 1 < free ? 0 : row.blockedUntil);
  }
  if (kind !== "counted" || !("network" in guess.guesser)) return;
  const subject = accountSubject(tx, guess);
  const row = find(tx, subject);
  if (row !== undefined) save(tx, subject, Math.max(0, row.count - 1), 0);
}

/**
 * Counts a request for a link by e-mail, for the address and for the client's network. What may happen to it: `send`;
 * `ignore`, because the address had enough; or `wait`, because the network asks too often.
 */
export function countMailRequest(tx: Tx, email: string, network: string): "send" | "ignore" | { waitMs: number } {
  const count = (kind: "mail to" | "mail from", name: string): number => {
    const subject = tx.keyedHash(`${kind} ${name}`);
    const row = find(tx, subject);
    const waitMs = (row?.blockedUntil ?? 0) - tx.now;
    if (waitMs > 0) return waitMs;
    const count = countBefore(tx, row, tablePolicies.sign_in_attempts.kept.afterMs) + 1;
    save(tx, subject, count, tx.now + waitAfterAttempts(count, FREE_MAIL_REQUESTS[kind]));
    return 0;
  };
  const waitMs = count("mail from", network);
  if (waitMs > 0) return { waitMs };
  return count("mail to", emailKey(email)) > 0 ? "ignore" : "send";
}

function countersOf(tx: ReadTx, { email, guesser }: Guess) {
  return subjectsOf(email, guesser).map(([kind, name]) => {
    const subject = tx.keyedHash(`sign-in ${kind} ${name}`);
    return { subject, free: FREE_ATTEMPTS[kind], row: find(tx, subject) };
  });
}

/** The guesser's own subject first. */
function subjectsOf(email: string, guesser: Guesser): [GuessSubject, string][] {
  if ("sessionId" in guesser) return [["session", String(guesser.sessionId)]];
  if ("deviceId" in guesser) return [["device", String(guesser.deviceId)]];
  return [
    ["pair", `${guesser.network} ${emailKey(email)}`],
    ["network", guesser.network],
  ];
}

function accountSubject(tx: ReadTx, { email }: Guess): Uint8Array {
  return tx.keyedHash(`sign-in account ${emailKey(email)}`);
}

/** Null while guesses remain. */
function endOfBudget(tx: ReadTx, subject: Uint8Array): number | null {
  const row = find(tx, subject);
  const isUsedUp = countBefore(tx, row, BUDGET_RESET_AFTER_MS) >= ACCOUNT_GUESSES_MAX;
  return isUsedUp && row !== undefined ? row.lastAt + BUDGET_RESET_AFTER_MS : null;
}

function countTowardsBudget(tx: Tx, subject: Uint8Array): void {
  save(tx, subject, countBefore(tx, find(tx, subject), BUDGET_RESET_AFTER_MS) + 1, 0);
}

type Row = typeof signInAttempts.$inferSelect;

/** Guesses so far; none if the last one is this long ago. */
function countBefore(tx: ReadTx, row: Row | undefined, resetAfterMs: number): number {
  return row === undefined || row.lastAt <= tx.now - resetAfterMs ? 0 : row.count;
}

function find(tx: ReadTx, subject: Uint8Array): Row | undefined {
  return findRow(tx, signInAttempts, { subject });
}

function save(tx: Tx, subject: Uint8Array, count: number, blockedUntil: number): void {
  const values = { count, blockedUntil, lastAt: tx.now };
  upsertRow(tx, signInAttempts, ["subject"], { subject, ...values }, values);
}
