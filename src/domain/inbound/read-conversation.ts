/**
 * The conversation between a workspace and one person, newest first: dispatched messages (sent alone or in a broadcast),
 * what the person wrote, and what others sent from the workspace's numbers. Reads the ends of three indexes, one page at
 * a time.
 */
import type { ReadTx } from "#src/db/transaction.ts";
import { confirmedShape, getBroadcast } from "../broadcasts/read.ts";
import type { Broadcast } from "../broadcasts/table.ts";
import type { Contact } from "../contacts/table.ts";
import { WINDOW_MS, windowEnd, windowTimesOf } from "../contacts/window.ts";
import { findMediaOfInbound, type MediumWithFile } from "../media/read.ts";
import { ANSWER_SPAN_MS } from "../messages/answers.ts";
import { type ContactKey, listAnswerIds, listDispatchedPlaces } from "../messages/contact-messages.ts";
import { findByNetworkId } from "../messages/network-ids.ts";
import { findWholeMessage } from "../messages/read.ts";
import type { MessageRow } from "../messages/table.ts";
import type { TemplateComponent } from "../templates/component.ts";
import { findTemplate } from "../templates/read.ts";
import { renderText } from "../templates/template.ts";
import { echoById, echoesBefore, inboundById, inboundsBefore } from "./statements.ts";
import type { Echo, Inbound } from "./table.ts";

export type ConversationItem =
  | { kind: "inbound"; at: number; inbound: Inbound; medium: MediumWithFile | null }
  | { kind: "echo"; at: number; echo: Echo }
  | { kind: "message"; at: number; message: MessageRow; text: string; broadcast: Broadcast | null; buttons: Button[] };

/** A button of a template. Only a quick reply can be pressed as an answer. */
interface Button {
  text: string;
  isReply: boolean;
}

/** A place between two items: the next page holds everything older than these, and all else is newer. */
export interface ConversationCursor {
  inboundAt: number;
  inboundId: number;
  messageAt: number;
  messageId: number;
  echoAt: number;
  echoId: number;
}

interface ConversationPage {
  items: ConversationItem[];
  /** Null: no older items. */
  next: ConversationCursor | null;
}

export const NEWEST: ConversationCursor = {
  inboundAt: Number.MAX_SAFE_INTEGER,
  inboundId: Number.MAX_SAFE_INTEGER,
  messageAt: Number.MAX_SAFE_INTEGER,
  messageId: Number.MAX_SAFE_INTEGER,
  echoAt: Number.MAX_SAFE_INTEGER,
  echoId: Number.MAX_SAFE_INTEGER,
};

/** Where an item stands. What people write may be long, so the page is found without reading it. */
export interface ConversationPlace {
  kind: ConversationItem["kind"];
  at: number;
  id: number;
}

interface PageOfPlaces extends Pick<ConversationPage, "next"> {
  places: ConversationPlace[];
}

/** `hasButtons`: also look up each template's buttons. */
export function readConversation(
  tx: ReadTx,
  contact: ContactKey,
  from: ConversationCursor | null,
  limit: number,
  { hasButtons = false } = {},
): ConversationPage {
  const { places, next } = readConversationPlaces(tx, contact, from, limit);
  return { items: places.flatMap((place) => readItem(tx, contact.workspaceId, place, hasButtons) ?? []), next };
}

/** The same without the items, which `readItem` reads one by one. */
export function readConversationPlaces(
  tx: ReadTx,
  contact: ContactKey,
  from: ConversationCursor | null,
  limit: number,
): PageOfPlaces {
  const start = from ?? NEWEST;
  const contactId = contact.id;
  const all = newestFirst(
    listDispatchedPlaces(tx, contact, { at: start.messageAt, id: start.messageId }, limit + 1),
    listEchoesOfOthers(tx, contactId, start, limit + 1),
    inboundsBefore(tx).all({ contactId, at: start.inboundAt, id: start.inboundId, limit: limit + 1 }),
  );
  const places = all.slice(0, limit);
  return { places, next: all.length > places.length ? placesTaken(start, places) : null };
}

/** Where a page continues that began at `start` and has these places. */
export function placesTaken(start: ConversationCursor, places: readonly ConversationPlace[]): ConversationCursor {
  const lastInbound = places.findLast(({ kind }) => kind === "inbound");
  const lastMessage = places.findLast(({ kind }) => kind === "message");
  const lastEcho = places.findLast(({ kind }) => kind === "echo");
  return {
    inboundAt: lastInbound?.at ?? start.inboundAt,
    inboundId: lastInbound?.id ?? start.inboundId,
    messageAt: lastMessage?.at ?? start.messageAt,
    messageId: lastMessage?.id ?? start.messageId,
    echoAt: lastEcho?.at ?? start.echoAt,
    echoId: lastEcho?.id ?? start.echoId,
  };
}

/**
 * The last thing that the person said, or that answered them: the line of the inbox. `examined` says how many of each kind
 * are examined for one on a number that is seen.
 */
export function readLastWord(
  tx: ReadTx,
  contact: Contact,
  seesNumber: (numberId: number) => boolean,
  examined: number,
): ConversationItem | null {
  const isSeen = ({ numberId }: { numberId: number }): boolean => seesNumber(numberId);
  const start = { contactId: contact.id, at: NEWEST.inboundAt, id: NEWEST.inboundId, limit: examined };
  const inbounds = inboundsBefore(tx).all(start).filter(isSeen).slice(0, 1);
  const textsUntil = (windowEnd(windowTimesOf(tx, contact)) ?? 0) + ANSWER_SPAN_MS - WINDOW_MS;
  const range = { since: inbounds[0]?.at ?? 0, textsUntil };
  const answer = firstSeen(listAnswerIds(tx, contact, range, examined), (id) => {
    const message = findWholeMessage(tx, contact.workspaceId, id);
    return message !== undefined && isSeen(message) ? message : null;
  });
  const answers = answer === null ? [] : [{ id: answer.id, at: answer.dispatchedAt ?? answer.createdAt }];
  const echoes = listEchoesOfOthers(tx, contact.id, NEWEST, examined);
  const last = newestFirst(answers, echoes.filter(isSeen), inbounds)[0];
  return last === undefined ? null : readItem(tx, contact.workspaceId, last, false);
}

/** Each is read only while none was seen. */
function firstSeen<T>(ids: readonly number[], see: (id: number) => T | null): T | null {
  for (const id of ids) {
    const seen = see(id);
    if (seen !== null) return seen;
  }
  return null;
}

/** Of the same moment, what was sent is shown as the answer to what was received. */
export function newestFirst(
  ...[messages, echoes, received]: [readonly Standing[], readonly Standing[], readonly Standing[]]
): ConversationPlace[] {
  const items = [
    ...messages.map(({ at, id }) => ({ kind: "message" as const, at, id })),
    ...echoes.map(({ at, id }) => ({ kind: "echo" as const, at, id })),
    ...received.map(({ at, id }) => ({ kind: "inbound" as const, at, id })),
  ];
  return items.toSorted((one, other) => other.at - one.at);
}

type Standing = Omit<ConversationPlace, "kind">;

/** Null: it is gone by now. */
export function readItem(
  tx: ReadTx,
  workspaceId: number,
  { kind, at, id }: ConversationPlace,
  hasButtons = false,
): ConversationItem | null {
  switch (kind) {
    case "message": {
      const message = findWholeMessage(tx, workspaceId, id);
      return message === undefined ? null : viewOf(tx, message, hasButtons);
    }
    case "echo": {
      const echo = echoById(tx).get({ id });
      return echo === undefined ? null : { kind, at, echo };
    }
    case "inbound": {
      const inbound = inboundById(tx).get({ id });
      return inbound === undefined ? null : { kind, at, inbound, medium: mediumOf(tx, inbound) };
    }
  }
}

function mediumOf(tx: ReadTx, { id, details }: Inbound): MediumWithFile | null {
  return details?.media === undefined ? null : (findMediaOfInbound(tx, id) ?? null);
}

/** An echo of a message that this server sent may arrive before the answer that names the message: it is skipped. */
function listEchoesOfOthers(tx: ReadTx, contactId: number, start: ConversationCursor, limit: number) {
  const found: { id: number; at: number; numberId: number }[] = [];
  for (let at = start.echoAt, id = start.echoId; ; ) {
    const page = echoesBefore(tx).all({ contactId, at, id, limit });
    found.push(...page.filter((echo) => findByNetworkId(tx, echo.numberId, echo.networkMessageId) === undefined));
    const last = page.at(-1);
    if (last === undefined || page.length < limit || found.length >= limit) return found.slice(0, limit);
    ({ at, id } = last);
  }
}

/** Messages dispatched to a contact, newest first. */
export function listDispatched(
  tx: ReadTx,
  contact: ContactKey,
  { messageAt, messageId }: Pick<ConversationCursor, "messageAt" | "messageId">,
  limit: number,
): MessageRow[] {
  return listDispatchedPlaces(tx, contact, { at: messageAt, id: messageId }, limit).flatMap(
    ({ id }) => findWholeMessage(tx, contact.workspaceId, id) ?? [],
  );
}

function viewOf(tx: ReadTx, message: MessageRow, hasButtons: boolean): ConversationItem {
  const broadcast = message.broadcastId === null ? null : getBroadcast(tx, message.broadcastId);
  return {
    kind: "message",
    at: message.dispatchedAt ?? message.createdAt,
    message,
    text: textOf(message, broadcast),
    broadcast,
    buttons: hasButtons ? [...choicesOf(message), ...buttonsOf(componentsOf(tx, message, broadcast))] : [],
  };
}

/**
 * The text that the person sees. A recipient's text is rendered from the broadcast's template and the recipient's
 * values.
 */
export function textOf(message: MessageRow, broadcast: Broadcast | null): string {
  if (message.text !== null || broadcast === null) return message.text ?? "";
  const shape = confirmedShape(broadcast);
  return renderText(shape, message.variables?.header ?? [], message.variables?.body ?? []);
}

/** For a broadcast, the template as confirmed; for a message sent alone, the template as it is now. */
function componentsOf(tx: ReadTx, message: MessageRow, broadcast: Broadcast | null): TemplateComponent[] {
  if (broadcast !== null) return broadcast.templateComponents;
  const { workspaceId, templateName, templateLanguage } = message;
  if (templateName === null || templateLanguage === null) return [];
  return findTemplate(tx, workspaceId, templateName, templateLanguage)?.components ?? [];
}

/** What an interactive message offers to press or to choose. */
function choicesOf({ content }: MessageRow): Button[] {
  if (content === null || !("interactive" in content)) return [];
  const { buttons = [], list, link, flow } = content.interactive;
  const rows = list?.sections.flatMap((section) => section.rows) ?? [];
  return [
    ...[...buttons, ...rows].map(({ title }) => ({ text: title, isReply: true })),
    ...[link?.title, flow?.cta].flatMap((text) => (text === undefined ? [] : [{ text, isReply: false }])),
  ];
}

function buttonsOf(components: readonly TemplateComponent[]): Button[] {
  return components.flatMap((component) => {
    const buttons: unknown = (component as { buttons?: unknown }).buttons;
    if (!Array.isArray(buttons)) return [];
    return buttons.flatMap((button: { type?: unknown; text?: unknown } | null) =>
      typeof button?.text === "string" ? [{ text: button.text, isReply: button.type === "QUICK_REPLY" }] : [],
    );
  });
}
