/** Sensitive endpoints ask again for the password or the second factor when the last time is long ago. */
import type { Session } from "#src/domain/users/table.ts";
import { CONFIRMATION_LIFETIME_MS } from "#src/domain/users/user.ts";
import { Refusal } from "../endpoints/call.ts";
import type { Declaration } from "../endpoints/endpoint.ts";

/** Throws `confirmation_required` if the endpoint is sensitive and the session was not confirmed recently. */
export function requireConfirmation({ isSensitive }: Declaration, session: Session, now: number): void {
  if (isSensitive !== true || isConfirmed(session, now)) return;
  const message = "Enter your password or a code of your second factor again to do this.";
  throw new Refusal(403, "confirmation_required", message);
}

/** A confirmation in the future comes from a clock that was set back since. */
function isConfirmed({ confirmedAt }: Session, now: number): boolean {
  return confirmedAt <= now && now - confirmedAt < CONFIRMATION_LIFETIME_MS;
}
