/** JSON of users, sessions and workspaces for the console. */

import type { Static } from "@sinclair/typebox";
import { formatInstant } from "#src/core/instant.ts";
import { version } from "#src/core/version.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import { findAccount } from "#src/domain/billing/account.ts";
import { listNumbers } from "#src/domain/numbers/read.ts";
import { viewWorkspace } from "#src/domain/numbers/view.ts";
import { type KnownAccount, listWorkspaceAccess, type WorkspaceAccess } from "#src/domain/users/read.ts";
import { countRecoveryCodes } from "#src/domain/users/second-factor.ts";
import type { Session, User } from "#src/domain/users/table.ts";
import type { SessionView, SignedInView } from "./contract/account.ts";
import type { KnownAccount as KnownAccountView } from "./contract/fragments.ts";
import type { EnteredView } from "./contract/workspaces.ts";

/** In UTC: sessions and users belong to no workspace, so the browser shows these times in its own timezone. */
export function whenUtc(ms: number): string;
export function whenUtc(ms: number | null): string | null;
export function whenUtc(ms: number | null): string | null {
  return ms === null ? null : formatInstant(ms, "UTC");
}

/** What is known of an account before an invitation to its address is passed on or accepted. */
export function viewAccount(account: KnownAccount | null): Static<typeof KnownAccountView> | null {
  if (account === null) return null;
  return { since: whenUtc(account.since), first_invited_by: account.firstInvitedBy?.name ?? null };
}

/** The signed-in user and the workspaces that they may enter. */
export function viewSignedIn(tx: ReadTx, user: User): Static<typeof SignedInView> {
  return {
    user: {
      id: user.id,
      email: user.email,
      is_operator: user.isOperator,
      second_factor: user.totpSecret !== null,
      recovery_codes: user.totpSecret === null ? 0 : countRecoveryCodes(tx, user.id),
    },
    workspaces: listWorkspaceAccess(tx, user).map(viewEntry),
    version,
  };
}

function viewEntry({ workspace, role }: WorkspaceAccess) {
  return { id: workspace.id, name: workspace.name, timezone: workspace.timezone, role };
}

/** A workspace with everything that the console's shell shows of it. */
export function viewEntered(tx: ReadTx, { workspace, role }: WorkspaceAccess): Static<typeof EnteredView> {
  const numbers = listNumbers(tx, workspace.id);
  return {
    ...viewWorkspace(workspace, numbers, findAccount(tx, workspace.id)),
    role,
    api_enabled: workspace.apiEnabled,
    suspended: workspace.suspendedAt === null ? null : (workspace.suspendedReason ?? ""),
    has_simulator: numbers.some(({ network }) => network === "simulator"),
  };
}

export function viewSession(session: Session, currentId: number): Static<typeof SessionView> {
  return {
    id: session.id,
    is_current: session.id === currentId,
    address: session.address,
    agent: session.agent,
    created_at: whenUtc(session.createdAt),
    seen_at: whenUtc(session.seenAt),
  };
}
