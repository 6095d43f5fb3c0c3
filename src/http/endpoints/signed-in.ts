/** The signed-in user, and what is known of an account, as the console shows them. */
import { type Static, Type } from "@sinclair/typebox";
import { Instant } from "#src/core/schema.ts";
import { version } from "#src/core/version.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import { type KnownAccount, listWorkspaceAccess } from "#src/domain/users/read.ts";
import { countRecoveryCodes } from "#src/domain/users/second-factor.ts";
import type { User } from "#src/domain/users/table.ts";
import { whenUtc } from "../times.ts";
import { RoleName } from "./fragments.ts";

/** What is known of an account before an invitation to its address is passed on or accepted. */
export const KnownAccountView = Type.Object({ since: Instant(), is_in_use: Type.Boolean() });

const WorkspaceEntry = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  timezone: Type.String(),
  role: RoleName,
});

/** The signed-in user and the workspaces that they may enter. */
export const SignedInView = Type.Object({
  user: Type.Object({
    id: Type.Integer(),
    email: Type.String(),
    is_operator: Type.Boolean(),
    /** The user showed to receive what is sent to the address. */
    email_verified: Type.Boolean(),
    second_factor: Type.Boolean(),
    recovery_codes: Type.Integer(),
  }),
  workspaces: Type.Array(WorkspaceEntry),
  version: Type.String(),
});

/** What is known of an account before an invitation to its address is passed on or accepted. */
export function viewAccount(account: KnownAccount | null): Static<typeof KnownAccountView> | null {
  if (account === null) return null;
  return { since: whenUtc(account.since), is_in_use: account.isInUse };
}

/** The signed-in user and the workspaces that they may enter. */
export function viewSignedIn(tx: ReadTx, user: User): Static<typeof SignedInView> {
  return {
    user: {
      id: user.id,
      email: user.email,
      is_operator: user.isOperator,
      email_verified: user.emailVerifiedAt !== null,
      second_factor: user.totpSecret !== null,
      recovery_codes: user.totpSecret === null ? 0 : countRecoveryCodes(tx, user.id),
    },
    workspaces: listWorkspaceAccess(tx, user).map(({ workspace: { id, name, timezone }, role }) => ({
      ...{ id, name, timezone },
      role,
    })),
    version,
  };
}
