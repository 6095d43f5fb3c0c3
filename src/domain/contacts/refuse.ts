/** The check that nothing overrides: an opted-out person is not sent to, and others cannot opt that person in. */
import { formatInstant } from "#src/core/instant.ts";
import { Problem } from "#src/core/problem.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import type { Workspace } from "../workspaces/table.ts";
import { findErasedOptOut } from "./erased-opt-outs.ts";
import type { ContactLookup } from "./find.ts";
import type { Contact } from "./table.ts";

/** Throws `opted_out` with the date, also for a person who was erased after opting out. */
export function requireNotOptedOut(
  tx: ReadTx,
  workspace: Workspace,
  { contact, phone, networkUserId }: ContactLookup,
): void {
  const since =
    contact === null
      ? findErasedOptOut(tx, workspace.id, phone, networkUserId)
      : contact.consent === "opted_out"
        ? (contact.consentAt ?? contact.updatedAt)
        : null;
  if (since === null) return;
  throw new Problem(
    "opted_out",
    `This person opted out on ${formatInstant(since, workspace.timezone).slice(0, 10)} and can only opt in again by sending START.`,
    { since, timezone: workspace.timezone },
  );
}

/** Throws `opted_out` with the date while the person may want to stop: no marketing, and no recorded opt-in. */
export function requireNoDoubt(workspace: Workspace, contact: Contact | null): void {
  const since = contact?.mayWantToStopSince ?? null;
  if (since === null) return;
  const { timezone } = workspace;
  throw new Problem(
    "opted_out",
    `What this person wrote on ${formatInstant(since, timezone).slice(0, 10)} may mean that they want to stop. Until a person clears that in the console, marketing waits and no opt-in is recorded.`,
    { since, timezone },
  );
}
