/**
 * Accepts a message for sending: stores the contact, the message (`sending`) and the hold in one transaction, so that
 * the intent is on disk before the request leaves. The caller dispatches the message right after the commit.
 */
import { newSendToken } from "#src/core/id.ts";
import type { Tx } from "#src/db/transaction.ts";
import { hold } from "../billing/hold.ts";
import { createPerson } from "../contacts/create.ts";
import { nameOfAddress } from "../contacts/find.ts";
import { identityOf } from "../contacts/identity.ts";
import type { Contact } from "../contacts/table.ts";
import { noteUploadSent } from "../media/send-upload.ts";
import { portfolioOf } from "../numbers/user-id-scope.ts";
import { inboxTopic } from "../workspaces/inbox-topic.ts";
import { storeNotice } from "./ai-notice.ts";
import { noteAccepted } from "./contact-messages.ts";
import { uploadsOf } from "./content.ts";
import { addRecentRecipient } from "./daily-cap.ts";
import { keptOf, typeOf } from "./kinds/kinds.ts";
import type { MessageOrigin } from "./message.ts";
import type { SendPlan } from "./plan.ts";
import { addPerson } from "./portfolio-limit.ts";
import { insertMessage } from "./statements.ts";
import type { Message } from "./table.ts";

export interface AcceptedMessage {
  message: Message;
  plan: SendPlan;
}

/** Who sends a single message, as the message keeps it. */
export interface SentBy {
  /** Of the API key, or the user's e-mail address; null: the server itself. */
  senderName: string | null;
  automated: boolean;
  byAi: boolean;
}

export interface AcceptOptions {
  origin: MessageOrigin;
  sentBy: SentBy;
  /** The caller's own id of the message. */
  reference: string | null;
  instanceId: string;
  idempotencyKey: string | null;
}

/** `plan` was made in this transaction, so nothing blocks the message any more. */
export function acceptMessage(tx: Tx, plan: SendPlan, options: AcceptOptions): AcceptedMessage {
  const workspaceId = plan.workspace.id;
  const contact = contactOfPlan(tx, plan);
  const message = newMessage(tx, plan, contact, options);
  message.status = "sending";
  message.rate = plan.price;
  if (plan.price > 0) message.money = "held";
  message.dispatchedAt = tx.now;
  message.id = insertMessage(tx).insert(message);
  tx.notify(inboxTopic(message.workspaceId));
  noteAccepted(tx, message);
  for (const uploadId of uploadsOf(plan.content)) noteUploadSent(tx, uploadId, contact.id);
  if (plan.price > 0) hold(tx, workspaceId, message.id, plan.price);
  countUnderLimits(tx, plan, message, contact);
  if (plan.notice !== null) storeNotice(tx, plan.notice, message);
  return { message, plan: { ...plan, contact } };
}

/** Creates the contact if the plan found none. */
export function contactOfPlan(tx: Tx, plan: SendPlan): Contact {
  return plan.contact ?? createPerson(tx, plan.workspace.id, plan, { networkPortfolio: portfolioOf(tx, plan.sender) });
}

/**
 * The message as it is before it is stored: without an id, `pending`, without money. One literal that is then changed,
 * because copying forty columns from several objects shows in the profile of a send.
 */
export function newMessage(
  tx: Tx,
  plan: SendPlan,
  contact: Contact,
  { origin, sentBy, reference, instanceId, idempotencyKey }: AcceptOptions,
): Message {
  const { networkType, content } = storedContent(plan);
  return {
    id: 0,
    workspaceId: plan.workspace.id,
    numberId: plan.sender.id,
    contactId: contact.id,
    origin,
    broadcastId: null,
    senderName: sentBy.senderName,
    automated: sentBy.automated,
    byAi: sentBy.byAi,
    type: plan.template === null ? "text" : "template",
    networkType,
    content,
    replyTo: plan.replyTo,
    toPhone: nameOfAddress(plan),
    fromPhone: plan.sender.phone,
    templateName: plan.template?.name ?? null,
    templateLanguage: plan.template?.language ?? null,
    templateCategory: plan.category,
    text: plan.text,
    status: "pending",
    outcomeUnknown: false,
    sendToken: newSendToken(instanceId, tx.now, tx.random),
    reference,
    idempotencyKey,
    networkMessageId: null,
    errorCode: null,
    errorMessage: null,
    charged: plan.charged,
    rate: 0,
    money: "none",
    createdAt: tx.now,
    sendAt: null,
    notBefore: null,
    throttledSince: null,
    networkRefusals: 0,
    fellBack: false,
    heldBack: null,
    dispatchedAt: null,
    sentAt: null,
    deliveredAt: null,
    readAt: null,
    failedAt: null,
    pricing: null,
  };
}

/** A template counts for the workspace's cap and the network's limit when it is dispatched. */
export function countUnderLimits(tx: Tx, plan: SendPlan, { toPhone }: Message, contact: Contact): void {
  if (plan.category === null) return;
  addRecentRecipient(tx, plan.workspace, identityOf(contact));
  addPerson(tx, plan.sender, toPhone, plan.contact);
}

export function storedContent({ content }: SendPlan): Pick<Message, "networkType" | "content"> {
  if (content.type === "template") return { networkType: null, content: null };
  const type = typeOf(content);
  return { networkType: type === "text" ? null : type, content: keptOf(content) };
}
