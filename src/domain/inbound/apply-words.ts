/**
 * Applies what a person wrote or chose to their consent: STOP and START, in every language and in the workspace's own
 * words, and the doubt that words with other meanings and reactions to marketing leave. Only a written text lifts an
 * opt-out, or a button that the workspace marked as its opt-in: any other may be pressed by mistake, and the workspace
 * wrote its title.
 */
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { changeConsent } from "../contacts/change-consent.ts";
import { raiseDoubt } from "../contacts/doubt.ts";
import { listLinkedContacts } from "../contacts/find.ts";
import type { Contact } from "../contacts/table.ts";
import { WINDOW_MS } from "../contacts/window.ts";
import { lastSentBetween } from "../messages/contact-messages.ts";
import { findByNetworkId } from "../messages/network-ids.ts";
import { buttonMarkOf } from "../workspaces/button-marks.ts";
import { readCommand, readRefusal } from "../workspaces/read-command.ts";
import type { Workspace } from "../workspaces/table.ts";
import type { InboundItem } from "./callback-item.ts";
import { lastEchoBetween, templateOfMessage } from "./statements.ts";
import type { Inbound } from "./table.ts";

type Words = Pick<InboundItem, "type" | "text" | "command" | "isWritten" | "payload" | "references">;

export function applyWords(tx: Tx, workspace: Workspace, contact: Contact, words: Words, inbound: Inbound): Contact {
  const meaning =
    words.type === "reaction" ? readReaction(tx, words, inbound) : readMeaning(tx, workspace, contact, words, inbound);
  if (meaning === null) return contact;
  const saidAt = inbound.receivedAt;
  const isHistory = inbound.origin === "history";
  if (isHistory && (meaning === "start" || (meaning === "doubt" && hasOptedInSince(contact, saidAt)))) return contact;
  if (meaning === "doubt") {
    return raiseDoubt(tx, workspace, contact, { saidAt, text: words.command ?? words.text ?? "", isSilent: isHistory });
  }
  const consentEvidence = { source: "inbound_message" as const, evidence: { inbound: inbound.id } };
  return changeConsent(tx, workspace, contact, { kind: meaning, saidAt }, consentEvidence);
}

/** An opt-in is better evidence than a doubt that is older. */
function hasOptedInSince({ consent, consentAt }: Contact, saidAt: number): boolean {
  return consent === "opted_in" && (consentAt ?? 0) > saidAt;
}

/**
 * Applies what a person wrote to another sender on the number, of which only the texts are known, oldest first. A START
 * after a STOP settles it; on its own it changes nothing. Callers pass what the person may also have written to us, so
 * a doubt is raised only if `isNews`.
 */
export function applyReportedWords(
  tx: Tx,
  workspace: Workspace,
  contact: Contact,
  texts: readonly string[],
  { saidAt, isNews, evidence }: { saidAt: number; isNews: boolean; evidence: Record<string, unknown> },
): void {
  const commands = texts.map((text) => readCommand(text, workspace));
  const last = commands.findLast((command) => command === "stop" || command === "start");
  if (last === "stop") {
    changeConsent(tx, workspace, contact, { kind: "stop", saidAt }, { source: "inbound_message", evidence });
    return;
  }
  if (last === "start" || !isNews) return;
  const doubtful = texts.find(
    (text, index) => commands[index] === "ambiguous" || readRefusal(text, workspace) === "doubt",
  );
  if (doubtful !== undefined) raiseDoubt(tx, workspace, contact, { saidAt, text: doubtful });
}

function readMeaning(
  tx: ReadTx,
  workspace: Workspace,
  contact: Contact,
  words: Words,
  inbound: Inbound,
): "stop" | "start" | "doubt" | null {
  const { type, command, isWritten, payload } = words;
  // A payload is not shown to the person, so only an unambiguous one counts.
  if (payload !== null && readCommand(payload, workspace) === "stop") return "stop";
  if (command === null) return null;
  const marked = isWritten ? null : findMark(tx, workspace, words, inbound);
  if (marked !== null) return marked;
  const said = isWritten ? readRefusal(command, workspace) : readCommand(command, workspace);
  if (said === "ambiguous") return answersMarketing(tx, contact, words, inbound) ? "stop" : "doubt";
  if (said === "start" && type !== "text") return null;
  return said;
}

/** A thumbs-down or a stop sign, of any skin colour, below a message of marketing. */
const REFUSING_REACTION = /^[👎🛑🚫]/u;

function readReaction(tx: ReadTx, { text, references }: Words, { numberId }: Inbound): "doubt" | null {
  if (text === null || references.reaction === null || !REFUSING_REACTION.test(text)) return null;
  return templateOf(tx, numberId, references.reaction)?.templateCategory === "MARKETING" ? "doubt" : null;
}

/** What the workspace says that the pressed button of a template means; a title that is an opt-out word is not asked. */
function findMark(tx: ReadTx, workspace: Workspace, words: Words, { numberId }: Inbound): "stop" | "start" | null {
  const { command: title, references } = words;
  const { reply_to: networkMessageId } = references;
  if (title === null || networkMessageId === null || workspace.buttonMarks.length === 0) return null;
  if (readCommand(title, workspace) === "stop" || readCommand(title, workspace) === "ambiguous") return null;
  const { templateName, templateLanguage } = templateOf(tx, numberId, networkMessageId) ?? {};
  if (templateName == null || templateLanguage == null) return null;
  const mark = buttonMarkOf(workspace, templateName, templateLanguage, title);
  return mark?.meaning === "opt_in" ? "start" : mark?.meaning === "opt_out" ? "stop" : null;
}

/** The template of the message to which the network gave this id. */
function templateOf(tx: ReadTx, numberId: number, networkMessageId: string) {
  const message = findByNetworkId(tx, numberId, networkMessageId);
  return message === undefined ? undefined : templateOfMessage(tx).get({ messageId: message.id });
}

/** The network's times are whole seconds. */
const SECOND_MS = 1_000;

/**
 * Whether a word with other meanings is an answer to marketing: to the message whose button was pressed, else to the
 * last message of the previous 24 hours. Without any, there is nothing else that the word could answer.
 */
function answersMarketing(tx: ReadTx, contact: Contact, words: Words, inbound: Inbound): boolean {
  const { numberId, receivedAt } = inbound;
  const { reply_to: networkMessageId } = words.references;
  const answered =
    words.isWritten || networkMessageId === null ? undefined : templateOf(tx, numberId, networkMessageId);
  if (answered !== undefined) return answered.templateCategory === "MARKETING";
  const range = { after: receivedAt - WINDOW_MS, until: receivedAt + SECOND_MS };
  const last = [contact, ...listLinkedContacts(tx, contact)]
    .flatMap((linked) => lastSentBetween(tx, linked, range) ?? [])
    .toSorted((one, other) => other.at - one.at)[0];
  // What others send from the number, on the phone or as an agent, is free text.
  const echoedAt = lastEchoBetween(tx).get({ contactId: contact.id, ...range })?.sentAt ?? 0;
  if (echoedAt > (last?.at ?? 0)) return false;
  return last === undefined || templateOfMessage(tx).get({ messageId: last.id })?.templateCategory === "MARKETING";
}
