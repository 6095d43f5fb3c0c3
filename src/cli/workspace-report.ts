/** A workspace as commands show it: with its settings and its balance. */

import { formatMoney } from "#src/core/money.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import { available, findAccount } from "#src/domain/billing/account.ts";
import type { BillingAccount } from "#src/domain/billing/table.ts";
import type { Workspace } from "#src/domain/workspaces/table.ts";
import {
  type SettingName,
  settingKey,
  settingNames,
  type WorkspaceSettings,
} from "#src/domain/workspaces/workspace.ts";
import { list, type Report } from "./output.ts";
import { timesIn } from "./workspace-option.ts";

export function reportOf(tx: ReadTx, workspace: Workspace): Report {
  const shown = viewWithBilling(workspace, findAccount(tx, workspace.id));
  const { billing } = shown;
  const text = list({
    id: shown.id,
    ...Object.fromEntries(
      settingNames.map((name) => [settingKey(name).replaceAll("_", " "), showSetting(workspace[name])]),
    ),
    api: shown.api_enabled ? "on" : "off",
    suspended: shown.suspended ? `since ${shown.suspended_at}: ${shown.suspended_reason}` : "no",
    charged: billing === null ? "no" : `${billing.rate} ${billing.currency} a delivered template message`,
    available: billing?.available,
    held: billing?.held,
    spent: billing?.charged,
    "paid in": billing?.credited,
    created: shown.created_at,
  });
  return { json: shown, text };
}

function showSetting(value: WorkspaceSettings[SettingName]): string | number {
  return Array.isArray(value) ? value.join(", ") : (value ?? "none");
}

export function viewWithBilling(workspace: Workspace, account: BillingAccount | undefined) {
  const when = timesIn(workspace);
  return {
    id: workspace.id,
    ...Object.fromEntries(settingNames.map((name) => [settingKey(name), workspace[name]])),
    api_enabled: workspace.apiEnabled,
    suspended: workspace.suspendedAt !== null,
    suspended_reason: workspace.suspendedReason,
    suspended_at: when(workspace.suspendedAt),
    billing:
      account === undefined
        ? null
        : {
            currency: account.currency,
            rate: formatMoney(account.rate),
            available: formatMoney(available(account)),
            held: formatMoney(account.held),
            charged: formatMoney(account.charged),
            credited: formatMoney(account.credited),
          },
    created_at: when(workspace.createdAt),
    updated_at: when(workspace.updatedAt),
  };
}
