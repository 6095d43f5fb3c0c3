/**
 * Reads a person's message. Every kind that Meta has or adds becomes an inbound item with whatever text it offers;
 * system notices and messages in groups do not. Text that the person wrote or chose may be a command such as STOP.
 */
import { cutText, WRITTEN_LENGTH_MAX } from "#src/core/text-limits.ts";
import type { CallbackItem } from "../network.ts";
import { formFiles, MEDIA_TYPES, readDetails, readReferences } from "./details.ts";
import {
  fail,
  type ItemContext,
  itemId,
  itemTime,
  type NetworkProfile,
  phoneIn,
  readProfile,
  requirePhoneNumberId,
  requireText,
  userIdIn,
} from "./item.ts";
import { asObject, idOf, type JsonObject, listOf, memberOf, objectOf, sentenceOf, textOf, writtenOf } from "./json.ts";

/** Notices from which nothing follows: the person's security code says nothing about consent or the number. */
const KNOWN_NOTICES: ReadonlySet<string> = new Set(["customer_identity_changed", "user_identity_changed"]);

export function readInbound(item: JsonObject, context: ItemContext): CallbackItem {
  const type = requireText(item, "type");
  // The message is not addressed to us: the number is in a group that another program created.
  if (textOf(item, "group_id") !== null) return { kind: "ignored", about: "message in a group" };
  const sender = senderOf(item, context);
  if (type === "system") return readSystemNotice(item, sender, context);
  if (sender.phone === null && sender.networkUserId === null) return fail("the message names no sender");
  const content = readContent(item, type);
  const details = readDetails(item, type);
  const files = formFiles(details);
  return {
    kind: "inbound",
    phoneNumberId: requirePhoneNumberId(context),
    networkMessageId: itemId(item),
    from: sender.phone,
    fromNetworkUserId: sender.networkUserId,
    ...(sender.parentUserId === null ? {} : { parentUserId: sender.parentUserId }),
    ...(sender.username === null ? {} : { username: sender.username }),
    ...sharedPhone(item, type),
    profileName: sender.profileName,
    type,
    text: content.text,
    command: content.command,
    isWritten: content.isWritten,
    payload: content.payload,
    details,
    ...(files.length === 0 ? {} : { files }),
    networkMediaId: MEDIA_TYPES.includes(type) ? idOf(objectOf(item, type), "id") : null,
    references: readReferences(item, type),
    at: itemTime(item),
  };
}

function senderOf(item: JsonObject, context: ItemContext): NetworkProfile {
  const parentUserId = idOf(item, "from_parent_user_id") ?? idOf(item, "parent_from_user_id");
  return readProfile(idOf(item, "from"), idOf(item, "from_user_id"), context, parentUserId);
}

/** A person's own number, from the contact card that they shared because they were asked for it. */
function sharedPhone(item: JsonObject, type: string): { sharedPhone?: string } {
  if (type !== "contacts") return {};
  const card = listOf(item, "contacts")
    .map(asObject)
    .find((one) => textOf(one, "origin") === "contact_request");
  if (card === undefined) return {};
  for (const entry of listOf(card, "phones").map(asObject)) {
    const digits = phoneIn(idOf(entry, "wa_id")) ?? phoneIn(textOf(entry, "phone")?.replace(/[\s().-]/g, "") ?? null);
    if (digits !== null) return { sharedPhone: digits };
  }
  return {};
}

/**
 * The person changed their number, or Meta gave them another id. Meta has used several names for the members
 * (`new_wa_id`, `customer`). Any other notice, such as a new phone behind the same number, changes nothing for us.
 */
function readSystemNotice(item: JsonObject, sender: NetworkProfile, context: ItemContext): CallbackItem {
  const system = objectOf(item, "system");
  const type = textOf(system, "type") ?? "without a type";
  const isMove = type === "user_changed_number" || type === "customer_changed_number";
  if (!isMove && type !== "user_changed_user_id")
    return { kind: KNOWN_NOTICES.has(type) ? "ignored" : "unhandled", about: `system notice ${type.slice(0, 60)}` };

  const from = sender.phone ?? phoneIn(idOf(system, "customer"));
  const namedId = idOf(system, "wa_id") ?? idOf(system, "new_wa_id");
  const newPhone = differingFrom(from, phoneIn(namedId));
  const namedUserId = userIdIn(idOf(system, "user_id")) ?? userIdIn(namedId);
  const fromNetworkUserId = formerUserId(system, namedUserId) ?? sender.networkUserId;
  const newNetworkUserId = differingFrom(fromNetworkUserId, namedUserId);
  const newParentUserId = userIdIn(idOf(system, "parent_user_id"));
  if (from === null && fromNetworkUserId === null) return fail("the notice does not say whose number changed");
  if (newPhone === null && newNetworkUserId === null) return fail("the notice names no new number");
  return {
    kind: "number_change",
    phoneNumberId: requirePhoneNumberId(context),
    networkMessageId: itemId(item),
    from,
    fromNetworkUserId,
    newPhone,
    newNetworkUserId,
    ...(newParentUserId === null ? {} : { newParentUserId }),
    at: itemTime(item),
  };
}

/**
 * The same change as a field of its own. The ids are pairs of the former and the present one; a form without pairs is read,
 * too.
 */
export function readUserIdUpdate(item: JsonObject, context: ItemContext): CallbackItem {
  const pair = objectOf(item, "user_id");
  const former = userIdIn(idOf(pair, "previous")) ?? userIdIn(idOf(item, "previous_user_id"));
  const next = userIdIn(idOf(pair, "current")) ?? userIdIn(idOf(item, "user_id"));
  const parent = userIdIn(idOf(objectOf(item, "parent_user_id"), "current"));
  if (former === null || next === null || former === next) return fail("the update names no former and new user id");
  const phoneNumberId = requirePhoneNumberId(context);
  const at = itemTime(item);
  return {
    kind: "number_change",
    phoneNumberId,
    // It has no id of its own: the same change is the same notice, whichever number it came by.
    networkMessageId: `user_id_update:${former}:${next}`,
    from: phoneIn(idOf(item, "wa_id")),
    fromNetworkUserId: former,
    newPhone: null,
    newNetworkUserId: next,
    ...(parent === null ? {} : { newParentUserId: parent }),
    at,
  };
}

/** Until August 2026 the former id stood in the notice's sentence alone: "User A changed from US.1 to US.2". */
function formerUserId(system: JsonObject | null, newUserId: string | null): string | null {
  const named = userIdIn(idOf(system, "previous_user_id"));
  if (named !== null) return named;
  const words = textOf(system, "body")?.split(/[\s,;]+/) ?? [];
  return words.map((word) => userIdIn(word.replace(/\.$/, ""))).find((id) => id !== null && id !== newUserId) ?? null;
}

function differingFrom(old: string | null, next: string | null): string | null {
  return next === old ? null : next;
}

interface ItemContent {
  text: string | null;
  /** The text to check for STOP or START. */
  command: string | null;
  isWritten: boolean;
  payload: string | null;
}

export function readContent(item: JsonObject, type: string): ItemContent {
  const content = objectOf(item, type);
  switch (type) {
    case "text":
      return withCommand(writtenOf(content, "body"));
    case "button":
      return chosen(writtenOf(content, "text"), sentenceOf(content, "payload"));
    case "interactive":
      return interactiveReply(content);
    case "reaction":
      return withoutCommand(textOf(content, "emoji"));
    case "document": {
      const caption = writtenOf(content, "caption");
      return caption === null ? withoutCommand(textOf(content, "filename")) : withCommand(caption);
    }
    case "location":
      return withoutCommand(place(content));
    case "contacts":
      return withoutCommand(contactNames(listOf(item, "contacts")));
    case "order":
      return withoutCommand(writtenOf(content, "text"));
    case "edit":
      return withCommand(editedText(objectOf(content, "message")));
    default:
      // Images and videos have captions; audio, stickers, revocations and unknown kinds have no text.
      return withCommand(writtenOf(content, "caption"));
  }
}

function withCommand(text: string | null): ItemContent {
  return { text, command: text, isWritten: true, payload: null };
}

function withoutCommand(text: string | null): ItemContent {
  return { text, command: null, isWritten: false, payload: null };
}

/** The title that the person saw, and the payload or id behind it. */
function chosen(title: string | null, payload: string | null): ItemContent {
  return { text: title, command: title, isWritten: false, payload };
}

function interactiveReply(content: JsonObject | null): ItemContent {
  const choice = objectOf(content, "button_reply") ?? objectOf(content, "list_reply");
  if (choice !== null) return chosen(writtenOf(choice, "title"), sentenceOf(choice, "id"));
  // A completed form: keep its summary, never its answers.
  return withoutCommand(writtenOf(objectOf(content, "nfm_reply"), "body"));
}

function place(content: JsonObject | null): string | null {
  const named = [textOf(content, "name"), textOf(content, "address")].filter((part) => part !== null);
  if (named.length > 0) return named.join(", ");
  const coordinates = [coordinateOf(content, "latitude"), coordinateOf(content, "longitude")];
  return coordinates.every((part) => part !== null) ? coordinates.join(", ") : null;
}

function coordinateOf(content: JsonObject | null, name: string): string | null {
  const value = memberOf(content, name);
  return typeof value === "number" ? String(value) : textOf(content, name);
}

function contactNames(cards: readonly unknown[]): string | null {
  const names = cards.map((card) => {
    const object = asObject(card);
    const phone = textOf(asObject(listOf(object, "phones")[0]), "phone");
    return textOf(objectOf(object, "name"), "formatted_name") ?? phone;
  });
  const known = names.filter((name) => name !== null);
  return known.length > 0 ? cutText(known.join(", "), WRITTEN_LENGTH_MAX) : null;
}

/** The text after the edit. */
function editedText(message: JsonObject | null): string | null {
  const type = textOf(message, "type");
  const edited = type === null ? null : objectOf(message, type);
  return writtenOf(edited, "body") ?? writtenOf(edited, "caption");
}
