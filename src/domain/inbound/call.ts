/**
 * A call of a person is a line in the conversation, and unread. It opens the window, answered or not. It is no message:
 * it says nothing about consent and publishes no event.
 */
import type { Tx } from "#src/db/transaction.ts";
import { openWindow } from "../contacts/window.ts";
import type { SendingNumber } from "../numbers/table.ts";
import { portfolioOf } from "../numbers/user-id-scope.ts";
import { getWorkspace } from "../workspaces/read.ts";
import type { CallItem } from "./callback-item.ts";
import { findOrCreateSender } from "./find-sender.ts";
import { isKnownInbound, recordInbound } from "./receive.ts";

export function applyCall(tx: Tx, number: SendingNumber, item: CallItem): void {
  const { from, fromNetworkUserId: networkUserId, profileName, direction, status, isOver } = item;
  const workspace = getWorkspace(tx, number.workspaceId);
  const contact = findOrCreateSender(tx, workspace, { from, networkUserId, profileName }, portfolioOf(tx, number));
  openWindow(tx, contact, item.at);
  if (isOver && !isKnownInbound(tx, workspace.id, item.networkMessageId))
    recordInbound(tx, number, contact, { ...item, type: "call", text: null }, { call: { direction, status } });
}
