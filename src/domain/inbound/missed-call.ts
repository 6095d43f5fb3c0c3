/**
 * A call without an answer is a line in the conversation, and unread. It is no message: it opens no window here, says
 * nothing about consent and publishes no event.
 */
import type { Tx } from "#src/db/transaction.ts";
import type { SendingNumber } from "../numbers/table.ts";
import { portfolioOf } from "../numbers/user-id-scope.ts";
import { getWorkspace } from "../workspaces/read.ts";
import type { MissedCallItem } from "./callback-item.ts";
import { findOrCreateSender } from "./find-sender.ts";
import { recordInbound } from "./receive.ts";

export function recordMissedCall(tx: Tx, number: SendingNumber, item: MissedCallItem): void {
  const { from, fromNetworkUserId: networkUserId, profileName, direction, status } = item;
  const workspace = getWorkspace(tx, number.workspaceId);
  const contact = findOrCreateSender(tx, workspace, { from, networkUserId, profileName }, portfolioOf(tx, number));
  recordInbound(tx, number, contact, { ...item, type: "call", text: null }, { call: { direction, status } });
}
