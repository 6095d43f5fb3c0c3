/**
 * Decides whether a message may be sent, and exactly what would be sent. Checks everything that depends on stored data,
 * in the order in which errors are reported. It writes nothing, so it serves both the check before waiting for the
 * number's pace and the transaction that accepts the message.
 */

import type { FieldProblems } from "#src/core/fault.ts";
import type { Micros } from "#src/core/money.ts";
import type { E164 } from "#src/core/phone.ts";
import { invalidRequest, noProblems, Problem, quote } from "#src/core/problem.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import { findAccount } from "../billing/account.ts";
import { requireCovered } from "../billing/hold.ts";
import { requireNoDoubt, requireNotOptedOut } from "../contacts/doubt.ts";
import { type ContactLookup, lookUpContact } from "../contacts/find.ts";
import { findUserIdFor } from "../contacts/learn-identity.ts";
import type { Contact } from "../contacts/table.ts";
import { isWindowOpen, WINDOW_MS, type WindowTimes, windowEnd, windowTimesOf } from "../contacts/window.ts";
import { findNamedUpload } from "../media/send-upload.ts";
import { chooseSender } from "../numbers/choose.ts";
import type { SendingNumber } from "../numbers/table.ts";
import { accountsBeside } from "../numbers/user-id-scope.ts";
import type { Template } from "../templates/table.ts";
import { getWorkspace } from "../workspaces/read.ts";
import type { Workspace } from "../workspaces/table.ts";
import { findAbout } from "./about.ts";
import type { Content } from "./content.ts";
import { requireUnderCap } from "./daily-cap.ts";
import { chooseTemplate, fillTemplate, requireSendable, type TemplateInput } from "./fill-template.ts";
import { withHeaderUpload } from "./kinds/interactive.ts";
import { type ServiceContent, textOf } from "./kinds/kinds.ts";
import { withUpload } from "./kinds/media.ts";
import type { About, MessageReference } from "./reference.ts";

export interface SendInput {
  /** As the caller wrote it. */
  to: string;
  from: string | null;
  /** The caller's own id of the message. */
  reference: string | null;
  content: ServiceContent | TemplateInput;
  /** Absent: it is about no other message. */
  about?: About | null;
}

export interface SendPlan {
  workspace: Workspace;
  sender: SendingNumber;
  /** Null: the person is known by a user id alone. */
  phone: E164 | null;
  /** By which the message is sent; null where the phone number is known. */
  networkUserId: string | null;
  /** Null: no contact has this phone number or user id yet. */
  contact: Contact | null;
  content: Content;
  /** The network's id of the message that this one answers or reacts to. */
  about: string | null;
  /** The message that it answers, as the request names it. */
  replyTo: MessageReference | null;
  /** The text that the person will see. */
  text: string;
  template: Template | null;
  /** Whether the message costs something when it is delivered, and its price (0 if it does not). */
  charged: boolean;
  price: Micros;
}

/** Throws the first `Problem` in the order that the API promises. */
export function planSend(tx: ReadTx, workspaceId: number, input: SendInput): SendPlan {
  const workspace = getWorkspace(tx, workspaceId);
  requireActive(workspace);

  const fields: FieldProblems = noProblems();
  const resolved = chooseSender(tx, workspace, input.from);
  if ("fields" in resolved) Object.assign(fields, resolved.fields);
  const sender = "sender" in resolved ? resolved.sender : null;
  const content = findFile(tx, workspace.id, input.content, fields);
  const choice =
    content.type === "template" && sender !== null ? chooseTemplate(tx, workspace.id, sender.accountId, content) : null;
  if (choice !== null) Object.assign(fields, choice.fields);
  const about = findAbout(tx, workspace, sender, input);
  Object.assign(fields, about.fields);
  if (Object.keys(fields).length > 0) throw invalidRequest(fields);

  const recipient = requireRecipient(tx, workspace, input.to);
  requireNotOptedOut(tx, workspace, recipient);
  if (choice?.template?.category === "MARKETING") requireNoDoubt(workspace, recipient.contact);
  const readySender = requireReady(sender);
  const address = requireAddress(tx, recipient, readySender, choice?.template ?? null);

  if (content.type !== "template") {
    requireOpenWindow(tx, recipient.contact);
    const free = plan(workspace, readySender, address, content, textOf(content), null, 0, false);
    return { ...free, about: about.networkMessageId, replyTo: about.replyTo };
  }
  const template = requireSendable(choice, content);
  const filled = fillTemplate(template, content);
  const account = findAccount(tx, workspace.id);
  if (account !== undefined) requireCovered(tx, workspace.id, account.rate);
  requireUnderCap(tx, workspace, recipient.contact);
  return plan(
    workspace,
    readySender,
    address,
    filled.content,
    filled.text,
    template,
    account?.rate ?? 0,
    account !== undefined,
  );
}

/** The content with the file that it names by the id of an upload. */
function findFile(
  tx: ReadTx,
  workspaceId: number,
  content: SendInput["content"],
  fields: FieldProblems,
): SendInput["content"] {
  switch (content.type) {
    case "media": {
      const upload = findNamedUpload(tx, workspaceId, content.media.id, "media.id", fields);
      return upload === null ? content : withUpload(content, upload, fields);
    }
    case "interactive": {
      const { header } = content.interactive;
      const id = typeof header === "object" ? header.id : undefined;
      const upload = findNamedUpload(tx, workspaceId, id, "interactive.header.id", fields);
      return upload === null ? content : withHeaderUpload(content, upload, fields);
    }
    case "template": {
      const { media } = content;
      const upload = findNamedUpload(tx, workspaceId, media?.id, "media.id", fields);
      return media === null || upload === null ? content : { ...content, media: { ...media, upload } };
    }
    default:
      return content;
  }
}

/** Throws `workspace_suspended`. */
export function requireActive(workspace: Workspace): void {
  if (workspace.suspendedAt === null) return;
  throw new Problem("workspace_suspended", `Sending is stopped for this workspace: ${workspace.suspendedReason}`);
}

/** Throws `number_not_ready`. */
export function requireReady(sender: SendingNumber | null): SendingNumber {
  if (sender === null) {
    throw new Problem("number_not_ready", "This workspace has no sending number yet.");
  }
  if (sender.ready) return sender;
  throw new Problem(
    "number_not_ready",
    `${sender.phone} cannot send yet: ${sender.unreadyReason ?? "the network has not made it ready"}.`,
  );
}

function requireRecipient(tx: ReadTx, workspace: Workspace, to: string): ContactLookup {
  const recipient = lookUpContact(tx, workspace.id, to, workspace.country);
  if (recipient !== null) return recipient;
  throw new Problem(
    "invalid_number",
    `${quote(to)} is not a phone number. Numbers without a country code are read in ${workspace.country}.`,
  );
}

/** Throws `invalid_number` where only a user id is known and it does not do. */
export function requireAddress(
  tx: ReadTx,
  lookup: ContactLookup,
  sender: SendingNumber,
  template: Pick<Template, "category"> | null,
): ContactLookup {
  const { phone, contact } = lookup;
  if (phone !== null) return { phone, networkUserId: null, contact };
  const problem = findAddressProblem(tx, lookup, sender, template);
  if (problem !== null) throw new Problem("invalid_number", problem);
  return { phone, networkUserId: findValidUserId(tx, lookup, sender), contact };
}

/**
 * Why nothing can be sent to a person whose phone number is not known, in words: the sending number belongs to another
 * portfolio, or the template needs a phone number. Null: it can.
 */
export function findAddressProblem(
  tx: ReadTx,
  lookup: ContactLookup,
  sender: SendingNumber,
  template: Pick<Template, "category"> | null,
): string | null {
  if (lookup.phone !== null) return null;
  if (template?.category === "AUTHENTICATION") {
    return "An authentication template needs the person's phone number, and only a user id is known (131062). Ask the person for the number.";
  }
  if (findValidUserId(tx, lookup, sender) !== null) return null;
  return `The person's user id belongs to another portfolio than ${sender.phone}. Send from the number that the person wrote to.`;
}

function findValidUserId(tx: ReadTx, { networkUserId, contact }: ContactLookup, sender: SendingNumber): string | null {
  return contact === null ? networkUserId : findUserIdFor(tx, contact, accountsBeside(tx, sender));
}

function requireOpenWindow(tx: ReadTx, contact: Contact | null): void {
  const times = contact === null ? null : windowTimesOf(tx, contact);
  if (times !== null && isWindowOpen(tx.now, times)) return;
  throw new Problem("window_closed", `${whyClosed(times)}, so only a template can be sent.`);
}

function whyClosed(times: WindowTimes | null): string {
  if (times === null || windowEnd(times) === null) return "This person has not written yet";
  const { lastMessageAt, windowOpenedAt } = times;
  if ((windowEnd(times) ?? 0) < Math.max(lastMessageAt ?? 0, windowOpenedAt ?? 0) + WINDOW_MS)
    return "WhatsApp refused a message to this person because 24 hours have passed";
  return (windowOpenedAt ?? 0) > (lastMessageAt ?? 0)
    ? "This person last wrote or called over 24 hours ago"
    : "This person last wrote over 24 hours ago";
}

function plan(
  workspace: Workspace,
  sender: SendingNumber,
  { phone, networkUserId, contact }: ContactLookup,
  content: Content,
  text: string,
  template: Template | null,
  price: Micros,
  charged: boolean,
): SendPlan {
  const addressed = { workspace, sender, phone, networkUserId, contact };
  return { ...addressed, content, about: null, replyTo: null, text, template, price, charged };
}
