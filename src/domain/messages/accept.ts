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
import { portfolioOf } from "../numbers/portfolio.ts";
import { addRecentRecipient } from "./daily-cap.ts";
import type { MessageOrigin } from "./message.ts";
import { planSend, type SendInput, type SendPlan } from "./plan.ts";
import { insertMessage } from "./statements.ts";
import type { Message } from "./table.ts";

export interface AcceptedMessage {
  message: Message;
  plan: SendPlan;
}

/** Throws the `Problem` that blocks the message; nothing is stored then. */
export function acceptMessage(
  tx: Tx,
  workspaceId: number,
  origin: MessageOrigin,
  input: SendInput,
  { instanceId, idempotencyKey }: { instanceId: string; idempotencyKey: string | null },
): AcceptedMessage {
  const plan = planSend(tx, workspaceId, input);
  const contact = plan.contact ?? createPerson(tx, workspaceId, plan, { networkPortfolio: portfolioOf(plan.sender) });
  const message = insertMessage(tx).only({
    workspaceId,
    numberId: plan.sender.id,
    contactId: contact.id,
    origin,
    type: plan.template === null ? "text" : "template",
    toPhone: nameOfAddress(plan),
    fromPhone: plan.sender.phone,
    templateName: plan.template?.name ?? null,
    templateLanguage: plan.template?.language ?? null,
    templateCategory: plan.template?.category ?? null,
    text: plan.text,
    sendToken: newSendToken(instanceId, tx.now, tx.random),
    reference: input.reference,
    idempotencyKey,
    charged: plan.charged,
    rate: plan.price,
    money: plan.price > 0 ? "held" : "none",
    createdAt: tx.now,
  });
  if (plan.price > 0) hold(tx, workspaceId, message.id, plan.price);
  if (plan.template !== null) addRecentRecipient(tx, plan.workspace, identityOf(contact));
  return { message, plan: { ...plan, contact } };
}
