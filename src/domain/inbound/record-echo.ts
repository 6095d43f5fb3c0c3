/**
 * Stores what was sent from one of our numbers, but not by this server: on the phone, by another sender on the number,
 * or before the number was connected. It is shown in the conversation. It is never an opt-out or a consent, because the
 * person did not write it, and it publishes no event.
 */
import type { Tx } from "#src/db/transaction.ts";
import type { Contact } from "../contacts/table.ts";
import { lastSentBetween } from "../messages/contact-messages.ts";
import { findByNetworkId } from "../messages/network-ids.ts";
import { findMessageById } from "../messages/read.ts";
import { deleteParked, parkedForMessage } from "../messages/statements.ts";
import type { StatusItem } from "../messages/status-item.ts";
import type { SendingNumber } from "../numbers/table.ts";
import { portfolioOf } from "../numbers/user-id-scope.ts";
import { inboxTopic } from "../workspaces/inbox-topic.ts";
import { getWorkspace } from "../workspaces/read.ts";
import type { EchoItem } from "./callback-item.ts";
import { findOrCreateSender } from "./find-sender.ts";
import { isPlaceholder } from "./receive.ts";
import { resolveReferences } from "./resolve-references.ts";
import { completeEcho, echoByNetworkId, insertEcho, setEchoStatus } from "./statements.ts";
import type { Echo } from "./table.ts";
import { PHONE_ROLE, reportOther } from "./thread-owner.ts";

/** Longer than any request to the network lasts. */
const IN_FLIGHT_MS = 60_000;

/** Stores an echo exactly once. A message that this server sent is none. */
export function recordEcho(tx: Tx, number: SendingNumber, item: EchoItem): void {
  const { networkMessageId, type, text, origin, status } = item;
  if (findByNetworkId(tx, number.id, networkMessageId) !== undefined) return;
  const stored = echoByNetworkId(tx).get({ workspaceId: number.workspaceId, networkMessageId });
  if (stored !== undefined && !isPlaceholder(stored, item)) return;
  const details = resolveReferences(tx, number, item.details, item.references);
  if (stored !== undefined) {
    completeEcho(tx).run({ id: stored.id, type, text, details });
    return;
  }
  const workspace = getWorkspace(tx, number.workspaceId);
  const identity = { from: item.to, networkUserId: item.toNetworkUserId, profileName: null };
  const contact = findOrCreateSender(tx, workspace, identity, portfolioOf(tx, number));
  const echo = insertEcho(tx).get({
    workspaceId: workspace.id,
    numberId: number.id,
    contactId: contact.id,
    networkMessageId,
    origin,
    type,
    text,
    details,
    status,
    sentAt: Math.min(item.at, tx.now),
    createdAt: tx.now,
  });
  if (echo === undefined || origin === "history") return;
  tx.notify(inboxTopic(workspace.id));
  applyParked(tx, echo);
  const [role, sign] = origin === "phone" ? ([PHONE_ROLE, "echo"] as const) : ([null, "standby"] as const);
  if (!mayBeOurs(tx, contact)) reportOther(tx, number, contact.id, { sign, role, at: echo.sentAt });
}

/** The echo of a message that is still being sent may arrive before the answer that names it. */
function mayBeOurs(tx: Tx, contact: Contact): boolean {
  const last = lastSentBetween(tx, contact, { after: tx.now - IN_FLIGHT_MS, until: tx.now + 1 });
  return last !== undefined && findMessageById(tx, last.id)?.status === "sending";
}

/** Applies a status that was parked because its message is not ours. */
export function applyStatusToEcho(tx: Tx, number: SendingNumber, { networkMessageId, sendToken }: StatusItem): void {
  // A message with a send token was sent through this server.
  if (sendToken !== null) return;
  const echo = echoByNetworkId(tx).get({ workspaceId: number.workspaceId, networkMessageId });
  if (echo !== undefined) applyParked(tx, echo);
}

/** Statuses arrive in any order: the furthest one stays. */
function applyParked(tx: Tx, echo: Echo): void {
  const { networkMessageId, numberId } = echo;
  const parked = parkedForMessage(tx).all({ networkMessageId, numberId });
  if (parked.length === 0) return;
  for (const { id } of parked) deleteParked(tx).run({ id });
  const known = [echo.status, ...parked.map(({ item }) => item.status)];
  const furthest = (["read", "delivered", "failed", "sent"] as const).find((status) => known.includes(status));
  if (furthest !== undefined && furthest !== echo.status) setEchoStatus(tx).run({ id: echo.id, status: furthest });
}
