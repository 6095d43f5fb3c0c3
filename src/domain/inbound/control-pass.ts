/**
 * One sender on a number passed a conversation to another, such as Meta's Business Agent to this server. The
 * conversation shows it. A pass to this server opens the window. What the person wrote before may come with it: a STOP
 * among it counts.
 */
import type { Tx } from "#src/db/transaction.ts";
import { noteActivity } from "../contacts/conversation-statements.ts";
import { getContact } from "../contacts/find.ts";
import { openWindow, WINDOW_MS } from "../contacts/window.ts";
import type { SendingNumber } from "../numbers/table.ts";
import { portfolioOf } from "../numbers/user-id-scope.ts";
import { getWorkspace } from "../workspaces/read.ts";
import { applyReportedWords } from "./apply-words.ts";
import type { ControlPassItem } from "./callback-item.ts";
import { findOrCreateSender } from "./find-sender.ts";
import { echoByNetworkId, insertEcho } from "./statements.ts";
import { reportHandover, reportOther } from "./thread-owner.ts";

export function applyControlPass(tx: Tx, number: SendingNumber, item: ControlPassItem): void {
  const workspace = getWorkspace(tx, number.workspaceId);
  const identity = { from: item.from, networkUserId: item.fromNetworkUserId, profileName: null };
  const contact = findOrCreateSender(tx, workspace, identity, portfolioOf(tx, number));
  const at = Math.min(item.at, tx.now);
  // The network gives a pass of control no id of its own.
  const networkMessageId = `control-pass-${contact.id}-${item.at}-${item.newOwner ?? ""}`;
  const added = insertEcho(tx).get({
    workspaceId: workspace.id,
    numberId: number.id,
    contactId: contact.id,
    networkMessageId,
    origin: "control_pass",
    type: "control_pass",
    text: item.summary,
    details: { control_pass: { from: item.previousOwner, to: item.newOwner } },
    status: null,
    sentAt: at,
    createdAt: tx.now,
  });
  // Two passes of one second may look the same and bring other words. A repeat changes nothing, but for a doubt, which a
  // user may have cleared.
  const controlPass = added ?? echoByNetworkId(tx).get({ workspaceId: workspace.id, networkMessageId });
  // Each message on `standby` has been read already.
  const isNews = added !== undefined && (contact.lastMessageAt === null || contact.lastMessageAt < at - WINDOW_MS);
  applyReportedWords(tx, workspace, contact, item.written, {
    saidAt: at,
    isNews,
    evidence: { control_pass: controlPass?.id ?? null },
  });
  if (item.isOurs) reportHandover(tx, number, contact.id, at);
  else reportOther(tx, number, contact.id, { sign: "handover", role: item.newOwner, at });
  // The network may say that the person has not written for long: then nothing can be answered.
  if (!item.isOurs || (item.writtenAt !== null && item.writtenAt <= at - WINDOW_MS)) return;
  openWindow(tx, getContact(tx, workspace.id, contact.id), at);
  noteActivity(tx).run({ contactId: contact.id, numberId: number.id, wroteAt: at });
}
