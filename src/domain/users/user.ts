/** Rules of people who sign in: their roles, what an e-mail address and a password may be, how long things last. Pure. */

export const roles = [
  /** Everything, on the whole server. */
  "operator",
  /** Of a workspace: everything in it. */
  "owner",
  /** Of a workspace: sends, answers, edits contacts, reads logs. */
  "member",
] as const;
export type Role = (typeof roles)[number];
export type WorkspaceRole = Exclude<Role, "operator">;

/** Higher may do what lower may. */
const RANK: Readonly<Record<Role, number>> = { member: 0, owner: 1, operator: 2 };

export function mayActAs(role: Role, needed: Role): boolean {
  return RANK[role] >= RANK[needed];
}

export const linkKinds = [
  /** Makes the first operator; belongs to nobody yet. */
  "setup",
  /** Somebody who was invited chooses a first password. */
  "join",
  /** Somebody chooses a new password. */
  "reset",
] as const;
export type LinkKind = (typeof linkKinds)[number];

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

export const LINK_LIFETIME_MS: Readonly<Record<LinkKind, number>> = {
  setup: 30 * MINUTE_MS,
  join: 7 * 24 * HOUR_MS,
  reset: 24 * HOUR_MS,
};

/** A session ends after so long without a request, and after so long in any case. */
export const SESSION_IDLE_MS = 12 * HOUR_MS;
export const SESSION_LIFETIME_MS = 30 * 24 * HOUR_MS;

const EMAIL_LENGTH_MAX = 254;
export const PASSWORD_LENGTH_MIN = 10;
const PASSWORD_LENGTH_MAX = 200;

/** What is wrong with an e-mail address, in a sentence; null when nothing is. */
export function findEmailProblem(email: string): string | null {
  if (email.length <= EMAIL_LENGTH_MAX && /^[^\s@]+@[^\s@]+\.[^\s@.]+$/.test(email)) return null;
  if (email.length <= EMAIL_LENGTH_MAX && /^[^\s@]+@localhost$/.test(email)) return null;
  return "This is no e-mail address such as asha@example.com.";
}

/** What is wrong with a new password, in a sentence; null when nothing is. Length is what counts (NIST SP 800-63B). */
export function findPasswordProblem(password: string, email: string): string | null {
  const length = [...password].length;
  if (length < PASSWORD_LENGTH_MIN) return `A password has at least ${PASSWORD_LENGTH_MIN} characters.`;
  if (length > PASSWORD_LENGTH_MAX) return `A password has at most ${PASSWORD_LENGTH_MAX} characters.`;
  if (password.toLowerCase() === email.trim().toLowerCase()) return "The password must not be the e-mail address.";
  if (new Set(password).size < 4) return "A password needs more different characters than this.";
  return null;
}

/** One address has one spelling. */
export function emailKey(email: string): string {
  return email.trim().toLowerCase();
}

/** Wrong guesses that cost nothing; each further one doubles the wait, from the first to the longest. */
export const FREE_ATTEMPTS: Readonly<Record<"account" | "address", number>> = { account: 5, address: 20 };
const FIRST_WAIT_MS = 30_000;
const WAIT_MAX_MS = 15 * MINUTE_MS;
/** After so long without a guess everything is forgiven. */
export const ATTEMPTS_RESET_AFTER_MS = 24 * HOUR_MS;

/** How long the next guess has to wait after `count` wrong ones. */
export function waitAfterAttempts(count: number, free: number): number {
  if (count < free) return 0;
  return Math.min(WAIT_MAX_MS, FIRST_WAIT_MS * 2 ** Math.min(20, count - free));
}
