/**
 * Reads what was sent from one of our numbers, but not by this server. Meta names such messages on several fields and in
 * two forms: as a received message, or with the request's body under `message`.
 */
import type { EchoItem } from "#src/domain/inbound/callback-item.ts";
import type { CallbackItem } from "../network.ts";
import { readDetails, readReferences } from "./details.ts";
import { readContent } from "./inbound.ts";
import { fail, type ItemContext, itemId, itemTime, readProfile, requirePhoneNumberId, requireText } from "./item.ts";
import { idOf, type JsonObject, objectOf, textOf, writtenOf } from "./json.ts";

export function readEcho(
  echo: JsonObject,
  context: ItemContext,
  origin: EchoItem["origin"],
  status: EchoItem["status"] = null,
): CallbackItem {
  const sent = objectOf(echo, "message");
  const item = sent === null ? echo : { ...sent, ...echo };
  if (textOf(item, "group_id") !== null || textOf(item, "recipient_type") === "group")
    return { kind: "ignored", about: "echo in a group" };
  const type = requireText(item, "type");
  const to = idOf(item, "to") ?? idOf(item, "recipient");
  const person = readProfile(to, idOf(item, "to_user_id") ?? idOf(item, "recipient_user_id"), context);
  if (person.phone === null && person.networkUserId === null) return fail("the echo names no recipient");
  return {
    kind: "echo",
    phoneNumberId: requirePhoneNumberId(context),
    networkMessageId: itemId(item),
    to: person.phone,
    toNetworkUserId: person.networkUserId,
    origin,
    type,
    text: sentText(item, type),
    details: readDetails(item, type),
    references: readReferences(item, type),
    status,
    at: itemTime(item),
  };
}

/** A template or a message with buttons has its text elsewhere than a person's message. */
function sentText(item: JsonObject, type: string): string | null {
  const content = objectOf(item, type);
  return (
    readContent(item, type).text ?? writtenOf(objectOf(content, "body"), "text") ?? writtenOf(content, "name") ?? null
  );
}
