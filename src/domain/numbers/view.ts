/** The public JSON of a workspace and its numbers, which are one resource in the API. */
import type { Static } from "@sinclair/typebox";
import { formatMoney } from "#src/core/money.ts";
import { available } from "../billing/account.ts";
import type { BillingAccount } from "../billing/table.ts";
import type { Workspace } from "../workspaces/table.ts";
import type { WorkspaceView } from "./schema.ts";
import type { SendingNumber } from "./table.ts";

export function viewWorkspace(
  workspace: Workspace,
  owned: readonly SendingNumber[],
  account: BillingAccount | undefined,
): Static<typeof WorkspaceView> {
  return {
    id: workspace.id,
    name: workspace.name,
    country: workspace.country,
    timezone: workspace.timezone,
    numbers: owned.map(({ phone, name, ready }) => ({ phone, name, ready })),
    billing:
      account === undefined
        ? null
        : {
            currency: account.currency,
            available: formatMoney(available(account)),
            rate: formatMoney(account.rate),
          },
  };
}
