/**
 * Decides whether a broadcast may send at this moment: workspace, number, template and circuit breaker, read again for
 * every claim. Building froze the values; eligibility is never frozen.
 */

import { formatMoney } from "#src/core/money.ts";
import { clauseOf } from "#src/core/sentence.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import { findAccount } from "../billing/account.ts";
import { findGroup } from "../groups/read.ts";
import { getCounters } from "../messages/adjust-counters.ts";
import { openReason } from "../messages/breaker.ts";
import { downReason, findNetworkHealth } from "../numbers/network-health.ts";
import { findNumber } from "../numbers/read.ts";
import type { SendingNumber } from "../numbers/table.ts";
import { unlistedReason } from "../numbers/unlisted-refusals.ts";
import { whyNotSendable } from "../templates/network-status.ts";
import { findInAccount } from "../templates/read.ts";
import type { Template } from "../templates/table.ts";
import { shapeOf } from "../templates/view.ts";
import { getWorkspace } from "../workspaces/read.ts";
import type { Workspace } from "../workspaces/table.ts";
import type { PauseCause } from "./broadcast.ts";
import type { Broadcast } from "./table.ts";

export type Blocker =
  | { kind: "temporary"; cause: PauseCause; reason: string }
  /** The blocker is permanent. */
  | { kind: "permanent"; reason: string };

type Eligibility =
  | { isEligible: true; workspace: Workspace; sender: SendingNumber; template: Template }
  | { isEligible: false; blocker: Blocker };

export function readEligibility(tx: ReadTx, broadcast: Broadcast): Eligibility {
  const workspace = getWorkspace(tx, broadcast.workspaceId);
  const sender = findNumber(tx, broadcast.numberId);
  const paused = (cause: PauseCause, reason: string): Eligibility => ({
    isEligible: false,
    blocker: { kind: "temporary", cause, reason },
  });
  if (sender === undefined) return failed(`the number ${broadcast.fromPhone} was removed`);
  const template = findInAccount(
    tx,
    workspace.id,
    sender.accountId,
    broadcast.templateName,
    broadcast.templateLanguage,
  );
  const { templateName } = broadcast;
  const gone = findPermanentReason(tx, broadcast, template);
  if (template === undefined || gone !== null) return failed(gone ?? `the template ${templateName} was deleted`);
  if (workspace.suspendedAt !== null) {
    return paused("workspace", `the workspace is suspended: ${workspace.suspendedReason ?? "no reason was given"}`);
  }
  if (!sender.ready) {
    const why = clauseOf(sender.unreadyReason ?? "the network has not made it ready");
    return paused("number", `${sender.phone} cannot send: ${why}`);
  }
  if (template.status !== "APPROVED") return paused("template", whyNotSendable(template));
  const change = describeChange(tx, broadcast, template);
  if (change !== null) return paused("template_changed", change);
  const blocker = findTrouble(tx, broadcast);
  return blocker === null ? { isEligible: true, workspace, sender, template } : { isEligible: false, blocker };
}

/** What results so far say: the network is down for the number, or the circuit breaker is open. */
function findTrouble(tx: ReadTx, { id, numberId }: Broadcast): Blocker | null {
  const down = downReason(findNetworkHealth(tx, numberId));
  if (down !== null) return { kind: "temporary", cause: "network", reason: `the network is in trouble: ${down}` };
  const broken = openReason(getCounters(tx, id)) ?? unlistedReason(tx, numberId, "template");
  return broken === null ? null : { kind: "temporary", cause: "breaker", reason: broken };
}

/** What blocks the broadcast now; null if nothing does. */
export function findBlocker(tx: ReadTx, broadcast: Broadcast): Blocker | null {
  const eligibility = readEligibility(tx, broadcast);
  return eligibility.isEligible ? null : eligibility.blocker;
}

/** Undefined if the template or the number is gone. */
export function findCurrentTemplate(tx: ReadTx, broadcast: Broadcast): Template | undefined {
  const sender = findNumber(tx, broadcast.numberId);
  if (sender === undefined) return undefined;
  const { workspaceId, templateName, templateLanguage } = broadcast;
  return findInAccount(tx, workspaceId, sender.accountId, templateName, templateLanguage);
}

/** Why the broadcast can never be sent: its template cannot be used any more, or its group is gone. */
function findPermanentReason(
  tx: ReadTx,
  { workspaceId, groupId, isBuilt }: Broadcast,
  template: Template | undefined,
): string | null {
  // The recipients of a group are stored when they are built; before that, the group is needed.
  const isGroupGone = groupId !== null && !isBuilt && findGroup(tx, workspaceId, groupId) === undefined;
  if (isGroupGone) return "its group was removed";
  return template?.status === "REJECTED" || template?.status === "DISABLED" ? whyNotSendable(template) : null;
}

function failed(reason: string): Eligibility {
  return { isEligible: false, blocker: { kind: "permanent", reason } };
}

/** The template's text, or its category, which sets the price, is not what was confirmed. Null: it is. */
function describeChange(tx: ReadTx, broadcast: Broadcast, template: Template): string | null {
  const { name, category } = template;
  const from = broadcast.templateCategory;
  if (category !== from) {
    const cost = describeCost(tx, broadcast.workspaceId);
    return `WhatsApp has moved the template ${name} from ${from} to ${category}, which has another price${cost}; resume the broadcast if it is still wanted`;
  }
  const isSame =
    template.parameterFormat === broadcast.templateFormat &&
    shapeOf(template).unsupported === null &&
    JSON.stringify(template.components) === JSON.stringify(broadcast.templateComponents);
  if (isSame) return null;
  return `the template ${name} has changed since the broadcast was created; resume it if the new text is right`;
}

/** What the workspace pays for each message, which its own rate says, whatever the category. */
function describeCost(tx: ReadTx, workspaceId: number): string {
  const account = findAccount(tx, workspaceId);
  if (account === undefined) return "";
  return ` (the balance is charged ${formatMoney(account.rate)} ${account.currency} a message before and after)`;
}
