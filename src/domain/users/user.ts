/** Rules for console users: valid e-mail addresses and passwords, lifetimes of sessions and links. Pure. */
import { isLonger } from "#src/core/text-limits.ts";

export const linkKinds = [
  /** Creates the first operator; belongs to no user yet. */
  "setup",
  /** An invitee chooses a first password. */
  "join",
  /** A user chooses a new password: an operator passes the link on. */
  "reset",
  /** The same by a link that was sent to the verified address of the account. */
  "forgot",
  /** A user shows to receive what is sent to the address. */
  "verify",
] as const;
export type LinkKind = (typeof linkKinds)[number];
/** Links that the server sends by e-mail; the others are passed on by a person. */
export type MailedKind = Extract<LinkKind, "forgot" | "verify">;
export type PassedKind = Exclude<LinkKind, MailedKind>;

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

export const LINK_LIFETIME_MS: Readonly<Record<LinkKind, number>> = {
  setup: 30 * MINUTE_MS,
  join: 7 * 24 * HOUR_MS,
  reset: 24 * HOUR_MS,
  forgot: HOUR_MS,
  verify: 24 * HOUR_MS,
};

/** A session ends after this long without a request, and after its lifetime in any case. */
export const SESSION_IDLE_MS = 12 * HOUR_MS;
export const SESSION_LIFETIME_MS = 30 * 24 * HOUR_MS;

/** For this long after the user proved who they are, a session may do what is sensitive. */
export const CONFIRMATION_LIFETIME_MS = 15 * MINUTE_MS;

export const EMAIL_LENGTH_MAX = 254;
const PASSWORD_LENGTH_MIN = 10;
const PASSWORD_LENGTH_MAX = 200;

/** As it is stored: without surrounding spaces, and one form for what looks alike (NFKC). */
export function readEmail(email: string): string {
  return email.normalize("NFKC").trim();
}

/** Control, format (also those that turn the direction of writing), private and unassigned characters. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/u;

/** Describes in a sentence what is wrong with an e-mail address; null if it is valid. */
export function findEmailProblem(email: string): string | null {
  if (UNSEEN.test(email)) return "An e-mail address has no control or invisible characters.";
  if (email.length <= EMAIL_LENGTH_MAX && /^[^\s@]+@[^\s@]+\.[^\s@.]+$/.test(email)) return null;
  if (email.length <= EMAIL_LENGTH_MAX && /^[^\s@]+@localhost$/.test(email)) return null;
  return "This is not an e-mail address such as asha@example.com.";
}

/**
 * Describes in a sentence what is wrong with a new password; null if it is valid. Length matters most (NIST SP
 * 800-63B).
 */
export function findPasswordProblem(password: string, email: string): string | null {
  if (isLonger(password, PASSWORD_LENGTH_MAX)) {
    return `A password has at most ${PASSWORD_LENGTH_MAX} characters.`;
  }
  if ([...password].length < PASSWORD_LENGTH_MIN) return `A password has at least ${PASSWORD_LENGTH_MIN} characters.`;
  if (password.toLowerCase() === email.trim().toLowerCase()) return "The password must not be the e-mail address.";
  if (new Set(password).size < 4) return "The password has too few different characters.";
  return null;
}

/** Addresses that differ only in case, in surrounding spaces or in the form of their characters are the same. */
export function emailKey(email: string): string {
  return readEmail(email).toLowerCase();
}

/** A device is no longer known this long after its last sign-in. */
export const DEVICE_LIFETIME_MS = 180 * 24 * HOUR_MS;

/**
 * What wrong guesses are counted for. `pair` is an account and a client's network together; `network` is all guesses
 * from a network, for any account; `device` is a known device, `session` a signed-in one, and both have only themselves
 * to answer for.
 */
export type GuessSubject = "pair" | "network" | "device" | "session";
/** Failed attempts without a wait; each further one doubles the wait, from `FIRST_WAIT_MS` to `WAIT_MAX_MS`. */
export const FREE_ATTEMPTS: Readonly<Record<GuessSubject, number>> = { pair: 5, network: 20, device: 5, session: 5 };
/** The same for requests of a link by e-mail, to an address and from a network. */
export const FREE_MAIL_REQUESTS = { "mail to": 3, "mail from": 20 } as const;
const FIRST_WAIT_MS = 30_000;
const WAIT_MAX_MS = 15 * MINUTE_MS;

/**
 * Wrong guesses for an account from all unknown devices together, whatever their networks. When they are used up, an
 * unknown device needs the second factor until no guess was counted for `BUDGET_RESET_AFTER_MS`.
 */
export const ACCOUNT_GUESSES_MAX = 100;
export const BUDGET_RESET_AFTER_MS = HOUR_MS;

/** How long the next attempt has to wait after `count` failed ones, in milliseconds. */
export function waitAfterAttempts(count: number, free: number): number {
  if (count < free) return 0;
  return Math.min(WAIT_MAX_MS, FIRST_WAIT_MS * 2 ** Math.min(20, count - free));
}
