/**
 * Which routes ask again for the password or the second factor when the last time is long ago: a person at an
 * unattended screen, or with a stolen session cookie, must not be able to grant or revoke access, or to download
 * everything. Routes that ask for the password in their own form are not among them.
 */
import type { Session } from "#src/domain/users/table.ts";
import { CONFIRMATION_LIFETIME_MS } from "#src/domain/users/user.ts";
import { Refusal } from "./route.ts";

/** Method and path as in the table of routes. */
export const sensitiveRoutes: ReadonlySet<string> = new Set([
  // Access of people.
  "POST /users",
  "POST /users/{id}/reset-password",
  "POST /users/{id}/disable",
  "POST /w/{workspace}/people",
  "DELETE /w/{workspace}/people/{id}",
  // Access of programs, and where events with personal data go.
  "POST /w/{workspace}/keys",
  "POST /w/{workspace}/keys/{id}/revoke",
  "PUT /w/{workspace}/webhook",
  "DELETE /w/{workspace}/webhook",
  "POST /w/{workspace}/webhook/reveal",
  "POST /w/{workspace}/webhook/rotate-secret",
  // Access tokens and app secrets of numbers.
  "POST /w/{workspace}/numbers",
  "PUT /w/{workspace}/numbers/{id}",
  "POST /w/{workspace}/numbers/{id}/callback-address",
  "DELETE /w/{workspace}/numbers/{id}/callback-address",
  // Downloads of everything.
  "GET /w/{workspace}/contacts/export",
  "GET /w/{workspace}/broadcasts/{id}/recipients/export",
  "POST /system/backups",
  "GET /system/backups/{name}/file",
  // Whether the user would be asked now: a page checks it before it starts a download.
  "GET /me/confirmation",
]);

/** Throws `confirmation_required` if the route is sensitive and the session was not confirmed recently. */
export function requireConfirmation(route: { method: string; path: string }, session: Session, now: number): void {
  if (!sensitiveRoutes.has(`${route.method} ${route.path}`) || isConfirmed(session, now)) return;
  const message = "Enter your password or a code of your second factor again to do this.";
  throw new Refusal(403, "confirmation_required", message);
}

/** A confirmation in the future comes from a clock that was set back since. */
function isConfirmed({ confirmedAt }: Session, now: number): boolean {
  return confirmedAt <= now && now - confirmedAt < CONFIRMATION_LIFETIME_MS;
}
