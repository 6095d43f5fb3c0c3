/**
 * The away message: answers a person who writes outside the opening hours, at most once on a day of the workspace's timezone.
 * It is scheduled for now in the transaction that stores the inbound, so a crash neither loses nor repeats it. It answers
 * nothing: the conversation waits for a person of the staff.
 */
import { formatInstant } from "#src/core/instant.ts";
import { Problem } from "#src/core/problem.ts";
import type { Tx } from "#src/db/transaction.ts";
import { addressOf, listLinkedContacts, nameOfAddress } from "../contacts/find.ts";
import type { Contact } from "../contacts/table.ts";
import { planSend, type SendInput, type SendPlan } from "../messages/plan.ts";
import { scheduleMessage } from "../messages/scheduled.ts";
import type { SendingNumber } from "../numbers/table.ts";
import { isAway } from "../workspaces/opening-hours.ts";
import type { Workspace } from "../workspaces/table.ts";
import { awayDayOf, insertAwayDay, ownInstance } from "./statements.ts";
import type { Inbound } from "./table.ts";

/** What arrives later is answered by a person. */
const AGE_MAX_MS = 10 * 60_000;

const AWAY_MESSAGE = { senderName: null, automated: true, byAi: false } as const;

/** They ask nothing. */
const UNANSWERED_TYPES: readonly string[] = ["reaction", "edit", "revoke"];

/** `contact`: as the words of the inbound have left their consent. */
export function sendAwayMessage(
  tx: Tx,
  workspace: Workspace,
  number: SendingNumber,
  contact: Contact,
  { type, receivedAt, origin }: Pick<Inbound, "type" | "receivedAt" | "origin">,
): void {
  // The first condition is all that a workspace without an away message costs.
  if (!isAway(workspace, receivedAt) || !isAway(workspace, tx.now)) return;
  if (origin !== "messages" || UNANSWERED_TYPES.includes(type) || tx.now - receivedAt >= AGE_MAX_MS) return;
  if (contact.consent === "opted_out" || contact.mayWantToStopSince !== null) return;
  const day = formatInstant(receivedAt, workspace.timezone).slice(0, 10);
  const person = [contact, ...listLinkedContacts(tx, contact)];
  if (person.some(({ id }) => awayDayOf(tx).get({ contactId: id, day }) !== undefined)) return;
  const toPhone = nameOfAddress(addressOf(tx, contact));
  const content = { type: "text", body: workspace.awayMessage } as const;
  const input: SendInput = { to: toPhone, from: null, reference: null, content, take: false };
  const plan = findPlan(tx, workspace, input, { contact, toPhone, numberId: number.id });
  if (plan === null) return;
  insertAwayDay(tx).run({ contactId: contact.id, day, workspaceId: workspace.id, createdAt: tx.now });
  scheduleMessage(
    tx,
    plan,
    { content, take: false, later: { sendAt: tx.now, cancelOnReply: false } },
    {
      ...{ origin: "console", sentBy: AWAY_MESSAGE, instanceId: ownInstance(tx).only().id },
      ...{ reference: null, idempotencyKey: null, keyId: null },
    },
  );
}

/** Null: it could not be sent, such as by a suspended workspace, or into the thread of another sender. */
function findPlan(
  tx: Tx,
  workspace: Workspace,
  input: SendInput,
  to: { contact: Contact; toPhone: string; numberId: number },
): SendPlan | null {
  try {
    return planSend(tx, workspace.id, input, { ...to, isHeld: false, fellBack: false });
  } catch (error) {
    if (error instanceof Problem) return null;
    throw error;
  }
}
