/**
 * The AI notice of a workspace: the first message that an AI's key sends in a window begins with it. A message counts as
 * the one that told the person once the network has accepted it: before that, after a failure, and while its outcome is unknown, the next
 * message carries the notice too, so that no order of events leaves the person without it. Of two messages that are sent at
 * the same time both may carry it.
 *
 * A window that the person kept open by writing is one window, whatever its length. Templates say it in their own words.
 */
import { invalidRequest } from "#src/core/problem.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { listLinkedContacts } from "../contacts/find.ts";
import type { Contact } from "../contacts/table.ts";
import { isWindowOpen, WINDOW_MS, type WindowTimes, windowEnd, windowTimesOf } from "../contacts/window.ts";
import type { SendingNumber } from "../numbers/table.ts";
import type { Workspace } from "../workspaces/table.ts";
import { DIRECT_BODY_MAX } from "./direct-send.ts";
import { type ServiceContent, typeOf, wordsOf } from "./kinds/kinds.ts";
import { aiNoticeOn, lastWrittenUntil, messageById, setAiNotice } from "./statements.ts";
import type { AiNotice, Message } from "./table.ts";

/** What is stored about a message of an AI's key. */
export interface NoticeUse {
  /** When the window ends, as it is known now. */
  windowUntil: number;
  /** The notice that the person has read in this window; null: the message carries one. */
  told: AiNotice | null;
}

interface Conversation {
  workspace: Workspace;
  sender: SendingNumber;
  /** Null: no contact has this address yet. */
  contact: Contact | null;
}

/** Above the words of the message. */
const BETWEEN = "\n\n";

/**
 * The content as it is sent, which begins with the notice unless the person has been told in this window. Throws
 * `invalid_request`: it has no words, or they are too long with the notice.
 */
export function speakAsAi(
  tx: ReadTx,
  conversation: Conversation,
  content: ServiceContent,
  isDirect: boolean,
): { content: ServiceContent; notice: NoticeUse | null } {
  const { workspace, contact } = conversation;
  const times = contact === null ? null : windowTimesOf(tx, contact);
  // A message outside the window, which Direct Send allows, has no window to be the first one of.
  const isOpen = times !== null && isWindowOpen(tx.now, times);
  const windowUntil = isOpen ? (windowEnd(times) ?? tx.now) : tx.now;
  const told = isOpen ? findTold(tx, conversation, times) : null;
  if (told !== null) return { content, notice: windowUntil > told.windowUntil ? { windowUntil, told } : null };
  return { content: withNotice(workspace.aiNotice, content, isDirect), notice: { windowUntil, told } };
}

/** In the transaction that stores or dispatches the message. */
export function storeNotice(
  tx: Tx,
  { windowUntil, told }: NoticeUse,
  { id: messageId, contactId, numberId, workspaceId }: Message,
): void {
  if (told !== null) setAiNotice(tx).run({ ...told, windowUntil });
  else if (contactId !== null)
    setAiNotice(tx).run({ contactId, numberId, workspaceId, messageId, carriedAt: tx.now, windowUntil });
}

/** The notice that the person was told in the present window. Linked contacts are one person. */
function findTold(tx: ReadTx, { sender, contact }: Conversation, times: WindowTimes): AiNotice | null {
  if (contact === null) return null;
  const people = [contact, ...listLinkedContacts(tx, contact)];
  for (const { id: contactId } of people) {
    const notice = aiNoticeOn(tx).get({ contactId, numberId: sender.id });
    if (notice === undefined || !isAccepted(messageById(tx).get({ id: notice.messageId }))) continue;
    if (isSameWindow(tx, people, times, notice)) return notice;
  }
  return null;
}

function isAccepted(message: Message | undefined): boolean {
  return message?.status === "sent" || message?.status === "delivered" || message?.status === "read";
}

/** Whether the window has been open since the notice. Where what opened it has been deleted, it counts as a new one. */
function isSameWindow(
  tx: ReadTx,
  people: readonly Contact[],
  times: WindowTimes,
  { carriedAt, windowUntil }: AiNotice,
): boolean {
  if ((times.windowClosedAt ?? 0) >= carriedAt) return false;
  let until = windowUntil;
  while (until <= tx.now) {
    const known = [times.lastMessageAt, times.windowOpenedAt].filter((at) => at !== null && at <= until);
    const written = people.map(({ id: contactId }) => lastWrittenUntil(tx).get({ contactId, until })?.at);
    const next = Math.max(0, ...[...known, ...written].map((at) => at ?? 0)) + WINDOW_MS;
    if (next <= until) return false;
    until = next;
  }
  return true;
}

function withNotice(notice: string, content: ServiceContent, isDirect: boolean): ServiceContent {
  const words = wordsOf(content);
  if (words === null) {
    const sentence = `The first message of an AI in a window begins with the workspace's AI notice, and a message of the type ${typeOf(content)} has no words. Send a text first.`;
    throw invalidRequest({ [content.type]: [{ rule: "conflict", sentence }] });
  }
  const { field, text, replaced } = words;
  const max = isDirect ? Math.min(words.max, DIRECT_BODY_MAX) : words.max;
  const whole = text === "" ? notice : `${notice}${BETWEEN}${text}`;
  if (whole.length <= max) return replaced(whole);
  const own = max - notice.length - BETWEEN.length;
  const sentence = `The workspace's AI notice counts: it is the first paragraph of this message, and leaves ${own} of ${max} characters. This has ${text.length}.`;
  throw invalidRequest({ [field]: [{ rule: "too_long", sentence, limit: own }] });
}
