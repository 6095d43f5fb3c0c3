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
import { noteUploadSent } from "../media/send-upload.ts";
import { portfolioOf } from "../numbers/user-id-scope.ts";
import { noteAccepted } from "./contact-messages.ts";
import { uploadOf } from "./content.ts";
import { addRecentRecipient } from "./daily-cap.ts";
import { keptOf, typeOf } from "./kinds/kinds.ts";
import type { MessageOrigin } from "./message.ts";
import type { SendPlan } from "./plan.ts";
import { addPerson } from "./portfolio-limit.ts";
import { insertMessage } from "./statements.ts";
import type { Message } from "./table.ts";

/** What every accepted message begins with: see `insertMessage`. */
const NEW_MESSAGE = {
  broadcastId: null,
  status: "sending",
  outcomeUnknown: false,
  networkMessageId: null,
  errorCode: null,
  errorMessage: null,
  notBefore: null,
  throttledSince: null,
  networkRefusals: 0,
  heldBack: null,
  sentAt: null,
  deliveredAt: null,
  readAt: null,
  failedAt: null,
  pricing: null,
} as const;

export interface AcceptedMessage {
  message: Message;
  plan: SendPlan;
}

interface AcceptOptions {
  origin: MessageOrigin;
  /** The caller's own id of the message. */
  reference: string | null;
  instanceId: string;
  idempotencyKey: string | null;
}

/** `plan` was made in this transaction, so nothing blocks the message any more. */
export function acceptMessage(tx: Tx, plan: SendPlan, options: AcceptOptions): AcceptedMessage {
  const { origin, reference, instanceId, idempotencyKey } = options;
  const workspaceId = plan.workspace.id;
  const contact =
    plan.contact ?? createPerson(tx, workspaceId, plan, { networkPortfolio: portfolioOf(tx, plan.sender) });
  const row = {
    ...NEW_MESSAGE,
    workspaceId,
    numberId: plan.sender.id,
    contactId: contact.id,
    origin,
    type: plan.template === null ? "text" : "template",
    ...storedContent(plan),
    replyTo: plan.replyTo,
    toPhone: nameOfAddress(plan),
    fromPhone: plan.sender.phone,
    templateName: plan.template?.name ?? null,
    templateLanguage: plan.template?.language ?? null,
    templateCategory: plan.template?.category ?? null,
    text: plan.text,
    sendToken: newSendToken(instanceId, tx.now, tx.random),
    reference,
    idempotencyKey,
    charged: plan.charged,
    rate: plan.price,
    money: plan.price > 0 ? "held" : "none",
    createdAt: tx.now,
    dispatchedAt: tx.now,
  } as const;
  const message: Message = { ...row, id: insertMessage(tx).insert(row) };
  noteAccepted(tx, message);
  const uploadId = uploadOf(plan.content);
  if (uploadId !== null) noteUploadSent(tx, uploadId, contact.id);
  if (plan.price > 0) hold(tx, workspaceId, message.id, plan.price);
  if (plan.template !== null) {
    addRecentRecipient(tx, plan.workspace, identityOf(contact));
    addPerson(tx, plan.sender, message.toPhone, plan.contact);
  }
  return { message, plan: { ...plan, contact } };
}

function storedContent({ content }: SendPlan): Pick<Message, "networkType" | "content"> {
  if (content.type === "template") return { networkType: null, content: null };
  const type = typeOf(content);
  return { networkType: type === "text" ? null : type, content: keptOf(content) };
}
