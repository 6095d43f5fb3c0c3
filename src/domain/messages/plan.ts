/**
 * Decides whether a message may be sent, and exactly what would be sent. Checks everything that depends on stored data,
 * in the order in which errors are reported. It writes nothing, so it serves both the check before waiting for the
 * number's pace and the transaction that accepts the message.
 */

import type { FieldProblems } from "#src/core/fault.ts";
import type { Micros } from "#src/core/money.ts";
import type { E164 } from "#src/core/phone.ts";
import { invalidRequest, noProblems, Problem, quote } from "#src/core/problem.ts";
import { clauseOf } from "#src/core/sentence.ts";
import { isUserId } from "#src/core/user-id.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import { findAccount } from "../billing/account.ts";
import { requireCovered } from "../billing/hold.ts";
import { requireNoDoubt, requireNotOptedOut } from "../contacts/doubt.ts";
import { addressOf, type ContactLookup, lookUpContact } from "../contacts/find.ts";
import { findUserIdFor } from "../contacts/learn-identity.ts";
import type { Contact } from "../contacts/table.ts";
import { requireOwnThread, type ThreadTaking } from "../contacts/threads.ts";
import { findNamedUpload } from "../media/send-upload.ts";
import { chooseSender } from "../numbers/choose.ts";
import { findNumber } from "../numbers/read.ts";
import type { SendingNumber } from "../numbers/table.ts";
import { accountsBeside } from "../numbers/user-id-scope.ts";
import type { Template } from "../templates/table.ts";
import type { TemplateCategory } from "../templates/template.ts";
import { getWorkspace } from "../workspaces/read.ts";
import type { Workspace } from "../workspaces/table.ts";
import { findAbout } from "./about.ts";
import { type NoticeUse, speakAsAi } from "./ai-notice.ts";
import type { Content } from "./content.ts";
import { requireUnderCap } from "./daily-cap.ts";
import { DIRECT_CATEGORY, requireAllowed } from "./direct-send.ts";
import { chooseTemplate, fillTemplate, requireSendable, type TemplateInput } from "./fill-template.ts";
import { withHeaderUpload } from "./kinds/interactive.ts";
import { type ServiceContent, textOf } from "./kinds/kinds.ts";
import { withUpload } from "./kinds/media.ts";
import { findWrongTime, type Later } from "./later.ts";
import { findFiles } from "./named-files.ts";
import { requireOpenWindow } from "./open-window.ts";
import type { About, MessageReference } from "./reference.ts";
import { choosePath, type SendPath } from "./send-path.ts";

export interface SendInput {
  /** As the caller wrote it. */
  to: string;
  from: string | null;
  /** The caller's own id of the message. */
  reference: string | null;
  content: ServiceContent | TemplateInput;
  /** A free message that is sent as a utility template is: see `direct-send.ts`. */
  isDirect?: boolean;
  /** Absent: it is about no other message. */
  about?: About | null;
  /** When it is to be sent. Absent: at once. */
  later?: Later | null;
  /**
   * Whether a free message may take the thread from another sender: true always, false never, null (or absent) where the
   * network gives it to the sender of the message.
   */
  take?: boolean | null;
  /** The message is of an AI's key: the first one of a window carries the workspace's notice. */
  byAi?: boolean;
}

/** A scheduled message that is due: whom it was made for, and from which number. */
interface ScheduledPlan {
  contact: Contact;
  /** As the message was made for them. */
  toPhone: string;
  numberId: number;
  /** Its price has been held since an earlier try. */
  isHeld: boolean;
  fellBack: boolean;
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
  /** Another sender has the thread: the message takes it, or needs a thread call first. */
  takes: ThreadTaking;
  /** The text that the person will see. */
  text: string;
  template: Template | null;
  /** Of the template, or without one of Direct Send; null for a free message. */
  category: TemplateCategory | null;
  /** The endpoint of the network that takes it. */
  path: SendPath;
  /** Whether the message costs something when it is delivered, and its price (0 if it does not). */
  charged: boolean;
  price: Micros;
  /** What the message means for the workspace's AI notice. Null: nothing. */
  notice: NoticeUse | null;
}

/**
 * Throws the first `Problem` in the order that the API promises. With `input.later`, everything is evaluated but what may be
 * different by then: window, balance, cap and readiness. `due`: the message was accepted before.
 */
export function planSend(
  tx: ReadTx,
  workspaceId: number,
  input: SendInput,
  due: ScheduledPlan | null = null,
): SendPlan {
  const workspace = getWorkspace(tx, workspaceId);
  requireActive(workspace);

  const fields: FieldProblems = noProblems();
  const later = due === null ? (input.later ?? null) : null;
  Object.assign(fields, findWrongTime(tx, workspace, later));
  const resolved = due === null ? chooseSender(tx, workspace, input.from) : ownNumber(tx, due);
  if ("fields" in resolved) Object.assign(fields, resolved.fields);
  const sender = "sender" in resolved ? resolved.sender : null;
  const content = findFile(tx, workspace.id, input.content, fields);
  const choice = findTemplate(tx, workspace.id, sender, content, later);
  if (choice !== null) Object.assign(fields, choice.fields);
  const about = findAbout(tx, workspace, sender, input);
  Object.assign(fields, about.fields);
  if (Object.keys(fields).length > 0) throw invalidRequest(fields);

  const recipient = due === null ? requireRecipient(tx, workspace, input.to) : requireSameAddress(tx, due);
  requireNotOptedOut(tx, workspace, recipient);
  if (choice?.template?.category === "MARKETING") requireNoDoubt(workspace, recipient.contact);
  const takes = requireThread(tx, sender, recipient.contact, input);
  const readySender = later === null ? requireReady(sender) : requireSender(sender);
  const address = requireAddress(tx, recipient, readySender, choice?.template ?? null);

  if (content.type !== "template") {
    const free = planFree(tx, { workspace, sender: readySender, address }, content, { input, isLater: later !== null });
    if (input.isDirect === true) return planDirect(tx, free, { later, due });
    return { ...free, about: about.networkMessageId, replyTo: about.replyTo, takes };
  }
  const template = requireSendable(choice, content);
  const filled = fillTemplate(template, content);
  const planned = plan(workspace, readySender, address, filled.content, filled.text);
  const charges = requireAffordable(tx, planned, { later, due });
  const { category } = template;
  const path = choosePath(tx, readySender, category, fellBack(due));
  return { ...planned, ...charges, template, category, path };
}

/** Of a message other than a template. Throws `window_closed`, or `invalid_request` for what the AI notice does not allow. */
function planFree(
  tx: ReadTx,
  { workspace, sender, address }: { workspace: Workspace; sender: SendingNumber; address: ContactLookup },
  content: ServiceContent,
  { input, isLater }: { input: SendInput; isLater: boolean },
): SendPlan {
  const { isDirect = false, byAi = false } = input;
  if (!isDirect) requireOpenWindow(tx, address.contact, isLater);
  // Whether a scheduled message is the first one of a window is known when it is due.
  if (!byAi || isLater || workspace.aiNotice === "") return plan(workspace, sender, address, content, textOf(content));
  const spoken = speakAsAi(tx, { workspace, sender, contact: address.contact }, content, isDirect);
  return { ...plan(workspace, sender, address, spoken.content, textOf(spoken.content)), notice: spoken.notice };
}

function findTemplate(
  tx: ReadTx,
  workspaceId: number,
  sender: SendingNumber | null,
  content: SendInput["content"],
  later: Later | null,
): ReturnType<typeof chooseTemplate> | null {
  if (content.type !== "template" || sender === null) return null;
  return chooseTemplate(tx, workspaceId, sender.accountId, content, later?.sendAt);
}

function fellBack(due: ScheduledPlan | null): boolean {
  return due?.fellBack ?? false;
}

/** Throws `window_closed` where the network does not let the account send so. */
function planDirect(tx: ReadTx, free: SendPlan, when: Parameters<typeof requireAffordable>[2]): SendPlan {
  if (when.later === null) requireAllowed(tx, free.sender);
  return { ...free, ...requireAffordable(tx, free, when), category: DIRECT_CATEGORY };
}

/** What a template message costs. Throws `insufficient_balance` or `rate_limited`. */
function requireAffordable(
  tx: ReadTx,
  { workspace, contact }: Pick<SendPlan, "workspace" | "contact">,
  { later, due }: { later: Later | null; due: ScheduledPlan | null },
): Pick<SendPlan, "price" | "charged"> {
  const account = findAccount(tx, workspace.id);
  const charges = { price: account?.rate ?? 0, charged: account !== undefined };
  if (later !== null) return charges;
  if (account !== undefined && due?.isHeld !== true) requireCovered(tx, workspace.id, account.rate);
  requireUnderCap(tx, workspace, contact);
  return charges;
}

/** Throws `number_not_ready`: the number was removed since the message was accepted. */
function ownNumber(tx: ReadTx, { numberId }: ScheduledPlan): { sender: SendingNumber } {
  const sender = findNumber(tx, numberId);
  if (sender !== undefined) return { sender };
  throw new Problem("number_not_ready", "The sending number was removed before the message was due.");
}

/** Throws `invalid_number`: another person may have the number by now. A user id never passes to another. */
function requireSameAddress(tx: ReadTx, { contact, toPhone }: ScheduledPlan): ContactLookup {
  const address = addressOf(tx, contact);
  if (address.phone === toPhone || isUserId(toPhone)) return address;
  throw new Problem("invalid_number", "The person changed their number before the message was due.");
}

/** A template can be sent whatever the owner of the thread. */
function requireThread(
  tx: ReadTx,
  sender: SendingNumber | null,
  contact: Contact | null,
  { content, take = null, isDirect = false }: SendInput,
): ThreadTaking {
  if (sender === null || content.type === "template" || isDirect) return "nothing";
  return requireOwnThread(tx, sender, contact, take);
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
      const found = findNamedUpload(tx, workspaceId, content.media.id, "media.id", fields);
      return found === null ? content : withUpload(content, { ...found.named, mimeType: found.mimeType }, fields);
    }
    case "interactive": {
      const { header } = content.interactive;
      const id = typeof header === "object" ? header.id : undefined;
      const found = findNamedUpload(tx, workspaceId, id, "interactive.header.id", fields);
      return found === null ? content : withHeaderUpload(content, found.named, fields);
    }
    case "template":
      return findFiles(tx, workspaceId, content, fields);
    default:
      return content;
  }
}

/** Throws `workspace_suspended`. */
export function requireActive(workspace: Workspace): void {
  if (workspace.suspendedAt === null) return;
  throw new Problem("workspace_suspended", `Sending is stopped for this workspace: ${workspace.suspendedReason}`);
}

/** Throws `number_not_ready` where there is none. One that is not ready yet may be ready later. */
function requireSender(sender: SendingNumber | null): SendingNumber {
  if (sender !== null) return sender;
  throw new Problem("number_not_ready", "This workspace has no sending number yet.");
}

/** Throws `number_not_ready`. */
export function requireReady(given: SendingNumber | null): SendingNumber {
  const sender = requireSender(given);
  if (sender.ready) return sender;
  throw new Problem(
    "number_not_ready",
    `${sender.phone} cannot send yet: ${clauseOf(sender.unreadyReason ?? "the network has not made it ready")}.`,
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

/** Of a free message, which costs nothing. */
function plan(
  workspace: Workspace,
  sender: SendingNumber,
  { phone, networkUserId, contact }: ContactLookup,
  content: Content,
  text: string,
): SendPlan {
  const bare = {
    about: null,
    replyTo: null,
    takes: "nothing",
    template: null,
    category: null,
    path: "general",
    notice: null,
  } as const;
  return { ...bare, workspace, sender, phone, networkUserId, contact, content, text, price: 0, charged: false };
}
