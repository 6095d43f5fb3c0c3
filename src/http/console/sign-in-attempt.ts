/**
 * Checks the password and code of a sign-in. A wrong pair of e-mail address and password gets the same answer, in the
 * same time, whether or not the address has an account. Failures are logged with the client's address and kept in the
 * audit log.
 */

import { Problem } from "#src/core/problem.ts";
import type { Tx } from "#src/db/transaction.ts";
import { recordAudit } from "#src/domain/users/audit-log.ts";
import { findDevice } from "#src/domain/users/known-devices.ts";
import { findUserByEmail } from "#src/domain/users/read.ts";
import { consumeCode } from "#src/domain/users/second-factor.ts";
import {
  countCodeBeyondBudget,
  countGuess,
  forgiveGuesses,
  type Guess,
  type Guesser,
  uncountGuess,
  type Verdict,
} from "#src/domain/users/sign-in-throttle.ts";
import type { User } from "#src/domain/users/table.ts";
import { clientNetwork } from "#src/net/client-network.ts";
import { type ConsoleCall, Refusal } from "../endpoints/call.ts";
import { readDeviceCookie } from "./cookies.ts";
import type { PasswordClient } from "./passwords.ts";

interface Credentials {
  email: string;
  password: string;
  code?: string | undefined;
}

type Failure = "unknown address" | "disabled" | "wrong password" | "wrong code";

/** Runs `enter` in the transaction that accepts the credentials. Throws a refusal if they are wrong. */
export async function signIn<T>(call: ConsoleCall, credentials: Credentials, enter: (tx: Tx, user: User) => T) {
  const { store, passwords } = call;
  const { email, password } = credentials;
  const code = credentials.code ?? "";
  const guesser = guesserOf(call, email);
  const guess: Guess = { email, guesser, hasCode: code !== "" };
  using turn = passwords.reserve(clientOf(guesser));
  const verdict = await store.write((tx) => countGuess(tx, guess));
  requireAllowed(verdict);
  const known = store.read((tx) => findUserByEmail(tx, email));
  const hash = known === undefined || known.disabledAt !== null ? null : known.password;
  const isMatch = await turn.verify(password, hash);
  if (!isMatch || known === undefined)
    return fail(call, email, reasonOf(known), refusalOf(verdict, wrongCredentials()));
  const outcome = await store.write((tx): { entered: T } | { failure: Failure | null; refusal: Refusal } => {
    // The user may have been disabled, or their password changed, while this password was verified.
    const user = findUserByEmail(tx, email);
    if (user === undefined || user.disabledAt !== null || user.password !== hash) {
      return { failure: "wrong password", refusal: refusalOf(verdict, wrongCredentials()) };
    }
    if (user.totpSecret !== null && code === "") {
      uncountGuess(tx, guess, verdict);
      return { failure: null, refusal: codeRequired() };
    }
    if (!isCodeRight(tx, call, user, code, guess, verdict)) {
      return { failure: "wrong code", refusal: refusalOf(verdict, wrongCode()) };
    }
    forgiveGuesses(tx, guess, verdict);
    return { entered: enter(tx, user) };
  });
  if ("entered" in outcome) return outcome.entered;
  if (outcome.failure === null) throw outcome.refusal;
  return fail(call, email, outcome.failure, outcome.refusal);
}

/** Beyond the account's budget a password alone is not enough, also for a user without a second factor. */
function isCodeRight(tx: Tx, { box }: ConsoleCall, user: User, code: string, guess: Guess, verdict: Verdict): boolean {
  if (verdict.kind === "needs code" && (user.totpSecret === null || !countCodeBeyondBudget(tx, guess))) return false;
  return consumeCode(tx, box, user, code);
}

/** A device is known only for the account that signed in on it before. */
function guesserOf({ store, headers, isSecure, address }: ConsoleCall, email: string): Guesser {
  return store.read((tx) => {
    const user = findUserByEmail(tx, email);
    const token = user === undefined ? null : readDeviceCookie(headers, isSecure, user.id);
    const device = user === undefined || token === null ? undefined : findDevice(tx, user.id, token);
    return device === undefined ? { network: clientNetwork(address) } : { deviceId: device.id };
  });
}

export function clientOf(guesser: Guesser): PasswordClient {
  if ("network" in guesser) return { name: guesser.network, isKnown: false };
  const name = "sessionId" in guesser ? `session ${guesser.sessionId}` : `device ${guesser.deviceId}`;
  return { name, isKnown: true };
}

/** Throws if the guess must not be checked. */
export function requireAllowed(verdict: Verdict): void {
  if (verdict.kind === "too early") {
    const message = `Too many attempts. Wait ${waitText(verdict.waitMs)}.`;
    throw new Problem("rate_limited", message, { retryAfterMs: verdict.waitMs });
  }
  if (verdict.kind === "code missing") throw budgetUsedUp();
}

function refusalOf(verdict: Verdict, refusal: Refusal): Refusal {
  // The same answer for a wrong password and for a wrong code: otherwise it would tell that the password was right.
  return verdict.kind === "needs code" ? budgetUsedUp() : refusal;
}

async function fail(call: ConsoleCall, email: string, reason: Failure, refusal: Refusal): Promise<never> {
  const { store, log, address } = call;
  await store.write((tx) => {
    const user = findUserByEmail(tx, email);
    log.warn("sign_in.failed", "Sign-in failed", { address, user: user?.id ?? null, reason });
    // People type passwords into the field for the address, so an address without an account is not kept.
    const subject = user?.email ?? "";
    const entry = { workspaceId: null, action: "sign-in.fail", subject, details: { reason } };
    recordAudit(tx, { userId: null, address }, entry);
  });
  throw refusal;
}

function reasonOf(user: User | undefined): Failure {
  if (user === undefined) return "unknown address";
  return user.disabledAt === null ? "wrong password" : "disabled";
}

function waitText(waitMs: number): string {
  const seconds = Math.ceil(waitMs / 1000);
  return seconds < 120 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`;
}

function wrongCredentials(): Refusal {
  return new Refusal(401, "wrong_credentials", "Incorrect e-mail or password.");
}

function codeRequired(): Refusal {
  return new Refusal(401, "code_required", "Enter the code from your authenticator app.");
}

function wrongCode(): Refusal {
  return new Refusal(401, "wrong_code", "The code is incorrect or has already been used.");
}

function budgetUsedUp(): Refusal {
  const message =
    "There were too many wrong guesses for this account. Sign in on a device where you have signed in before, add the code of your second factor, or ask an operator for a link to choose a new password.";
  return new Refusal(429, "too_many_guesses", message);
}
