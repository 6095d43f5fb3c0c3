/**
 * The thread with a person on one of our numbers, and who owns it: the only one who may send free messages in it. It
 * matters on a number that others answer too, such as Meta's Business Agent or the phone; of what they and the network
 * report, the latest by the network's time decides.
 */
import { Problem } from "#src/core/problem.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { listNumbers } from "../numbers/read.ts";
import type { SendingNumber } from "../numbers/table.ts";
import { ACTION_RANK, conversationOn, setThreadOwner, sharedThreads } from "./conversation-statements.ts";
import { listLinkedContacts } from "./find.ts";
import type { Contact, Conversation } from "./table.ts";
import type { ThreadOwner } from "./thread-owners.ts";

interface Thread {
  owner: ThreadOwner;
  /** The other sender's role in the network's words; null: the network does not say it, or there is none. */
  role: string | null;
  since: number;
}

/** Without a word of the person for this long the thread has no owner: the network routes the next message again. */
const IDLE_MS = 24 * 60 * 60 * 1000;

/** Of two reports with the same time the higher one decides: a handover is later than the words that led to it. */
const RANKS = { message: 1, action: ACTION_RANK, handover: 3 } as const;

export interface OwnerReport {
  by: keyof typeof RANKS;
  owner: ThreadOwner;
  role: string | null;
  /** The network's time, milliseconds. */
  at: number;
}

/** The roles of Meta's Business Agent. */
const AGENT_ROLE = "ai_agent";
const AGENT_ROLES: readonly (string | null)[] = [AGENT_ROLE, "meta_business_agent"];

type OwnerColumns = Pick<Conversation, "owner" | "ownerRole" | "ownerAt" | "wroteAt">;

function threadOf({ owner, ownerRole, ownerAt, wroteAt }: OwnerColumns, now: number): Thread {
  const idleAt = wroteAt + IDLE_MS;
  // Nothing was reported: so far every message of the person came to us.
  if (owner === null || ownerAt === null) {
    return now < idleAt ? { owner: "us", role: null, since: wroteAt } : { owner: "nobody", role: null, since: idleAt };
  }
  if (owner === "nobody") return { owner, role: null, since: ownerAt };
  if (now >= idleAt) return { owner: "nobody", role: null, since: Math.max(idleAt, ownerAt) };
  return { owner, role: owner === "other" ? ownerRole : null, since: ownerAt };
}

/** While this sender has the thread, a message of ours takes it. */
export function isAgentRole(role: string | null): boolean {
  return AGENT_ROLES.includes(role);
}

/** Who owns the thread, with what an operator said of the other sender where the network does not name it. */
export function threadOn(
  conversation: Conversation,
  { sharedSince, sharedWith }: Pick<SendingNumber, "sharedSince" | "sharedWith">,
  now: number,
): Thread {
  // Without another sender on the number every thread is ours.
  if (sharedSince === null) return { owner: "us", role: null, since: conversation.wroteAt };
  const thread = threadOf(conversation, now);
  const isUnnamed = thread.owner === "other" && thread.role === null;
  return isUnnamed && sharedWith === "agent" ? { ...thread, role: AGENT_ROLE } : thread;
}

/** Linked contacts are one person: their thread is the one with the latest report. */
export function findConversationOn(
  tx: ReadTx,
  number: Pick<SendingNumber, "id">,
  contact: Contact | null,
): Conversation | undefined {
  const people = contact === null ? [] : [contact, ...listLinkedContacts(tx, contact)];
  const rows = people.flatMap(({ id: contactId }) => conversationOn(tx).get({ contactId, numberId: number.id }) ?? []);
  return rows.toSorted((one, other) => (other.ownerAt ?? 0) - (one.ownerAt ?? 0))[0];
}

/** Who owns the thread with this person on a number; null: no other sender is on the number. */
function findThread(tx: ReadTx, number: SharedNumber, contact: Contact | null): Thread | null {
  if (number.sharedSince === null) return null;
  const latest = findConversationOn(tx, number, contact);
  return latest === undefined ? { owner: "nobody", role: null, since: tx.now } : threadOn(latest, number, tx.now);
}

type SharedNumber = Pick<SendingNumber, "id" | "phone" | "sharedSince" | "sharedWith">;

/** The threads of a contact on numbers that others answer too. */
export function listThreads(
  tx: ReadTx,
  { id, workspaceId }: Pick<Contact, "id" | "workspaceId">,
): (Thread & { number: string })[] {
  // The view of every contact asks, and hardly any workspace has such a number.
  if (listNumbers(tx, workspaceId).every(({ sharedSince }) => sharedSince === null)) return [];
  return sharedThreads(tx)
    .all({ contactId: id })
    .map(({ number, ...row }) => ({ number, ...threadOf(row, tx.now) }));
}

/** How a message comes by a thread that another sender has. */
export type ThreadTaking = "nothing" | "by_message" | "by_call";

/**
 * Whether a free message may go into the thread, and whether it takes the thread. Throws `thread_owned_elsewhere`.
 * `take`: true sends whatever the owner; false sends only where no other sender has it.
 */
export function requireOwnThread(
  tx: ReadTx,
  number: SharedNumber,
  contact: Contact | null,
  take: boolean | null,
): ThreadTaking {
  const thread = findThread(tx, number, contact);
  if (thread?.owner !== "other") return "nothing";
  // Meta's agent steps back when the business writes.
  if (isAgentRole(thread.role) && take !== false) return "by_message";
  if (take === true) return "by_call";
  throw new Problem("thread_owned_elsewhere", sayOwner(number, thread));
}

function sayOwner({ phone }: Pick<SendingNumber, "phone">, thread: Thread): string {
  const who = isAgentRole(thread.role) ? "Meta's Business Agent" : "Another sender";
  return `${who} has this conversation on ${phone}, so only a template can be sent. Take it over first, or send with \`take: true\`.`;
}

/** Stores what was reported of the owner. Returns the conversation if its owner is another one now. */
export function recordOwner(
  tx: Tx,
  { contactId, numberId }: { contactId: number; numberId: number },
  { by, owner, role, at }: OwnerReport,
): Conversation | null {
  const before = conversationOn(tx).get({ contactId, numberId });
  const ownerAt = Math.min(at, tx.now);
  const after = setThreadOwner(tx).get({ contactId, numberId, owner, ownerRole: role, ownerAt, ownerRank: RANKS[by] });
  if (before === undefined || after === undefined) return null;
  return threadOf(before, tx.now).owner === threadOf(after, tx.now).owner ? null : after;
}
