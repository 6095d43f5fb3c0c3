/** Finds the message that a new one answers or reacts to, and says why it may not. */
import type { Fault, FieldProblems } from "#src/core/fault.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import { getContact, lookUpContact } from "../contacts/find.ts";
import { identityOf } from "../contacts/identity.ts";
import { findNumber } from "../numbers/read.ts";
import type { SendingNumber } from "../numbers/table.ts";
import type { Workspace } from "../workspaces/table.ts";
import type { About, FoundMessage, MessageReference } from "./reference.ts";

/** Meta keeps messages for this long, and takes no reaction to an older one. */
const REACTED_MAX_MS = 30 * 24 * 60 * 60 * 1000;

interface FoundAbout {
  /** Null: the message is about no other one, or not about one that it may be about. */
  networkMessageId: string | null;
  /** The message that it answers, as the request names it. */
  replyTo: MessageReference | null;
  fields: FieldProblems;
}

const NONE: FoundAbout = { networkMessageId: null, replyTo: null, fields: {} };

/** `sender`: null, it is not known which number sends, which is reported on its own. */
export function findAbout(
  tx: ReadTx,
  workspace: Workspace,
  sender: SendingNumber | null,
  { to, about }: { to: string; about?: About | null },
): FoundAbout {
  if (about == null || sender === null) return NONE;
  const { path, reference, find } = about;
  const found = find(tx, workspace.id, reference);
  const fault = findFault(tx, workspace, sender, { to, about }, found);
  if (fault !== null) {
    const [name = ""] = Object.keys(reference);
    return { ...NONE, fields: { [`${path}.${name}`]: [fault] } };
  }
  const replyTo = path === "reply_to" ? reference : null;
  return { networkMessageId: found?.networkMessageId ?? null, replyTo, fields: {} };
}

function findFault(
  tx: ReadTx,
  workspace: Workspace,
  sender: SendingNumber,
  { to, about: { path, reference } }: { to: string; about: About },
  found: FoundMessage | null,
): Fault | null {
  const [what, id] = "inbound" in reference ? ["received", reference.inbound] : ["sent", reference.message];
  if (found === null) return { rule: "not_found", sentence: `There is no ${what} message ${id}.` };
  if (!isOfPerson(tx, workspace, to, found)) {
    return { rule: "not_found", sentence: `The ${what} message ${id} is not one of this person's.` };
  }
  if (found.networkMessageId === null) {
    return { rule: "invalid", sentence: `WhatsApp did not take message ${id}, so nothing can be about it.` };
  }
  if (found.numberId !== sender.id) {
    const other = findNumber(tx, found.numberId)?.phone ?? "another number";
    return { rule: "conflict", sentence: `The ${what} message ${id} belongs to ${other}: send from that number.` };
  }
  return path === "reaction.to" ? findReactionFault(found, tx.now) : null;
}

function findReactionFault({ isReaction, at }: FoundMessage, now: number): Fault | null {
  if (isReaction) return { rule: "invalid", sentence: "A reaction takes no reaction itself." };
  if (now - at <= REACTED_MAX_MS) return null;
  return { rule: "invalid", sentence: "WhatsApp takes no reaction to a message of more than 30 days ago." };
}

/** True as well if it is not clear who is meant, which is reported later. */
function isOfPerson(tx: ReadTx, workspace: Workspace, to: string, { contactId }: FoundMessage): boolean {
  const lookup = lookUpContact(tx, workspace.id, to, workspace.country);
  if (lookup === null) return true;
  if (lookup.contact === null || contactId === null) return false;
  if (lookup.contact.id === contactId) return true;
  return identityOf(lookup.contact) === identityOf(getContact(tx, workspace.id, contactId));
}
