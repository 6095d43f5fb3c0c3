/**
 * Reads the fields of a number on which another sender, such as Meta's Business Agent, holds some conversations: what
 * people write to it, what it answers, and who holds a conversation. (Meta: webhooks/reference/standby. The form of `messaging_handovers` is as
 * integrators recorded it in 2026; Meta has no reference page of it.)
 */
import type { ControlPassItem } from "#src/domain/inbound/callback-item.ts";
import type { CallbackItem } from "../network.ts";
import { ownDigits } from "./coexistence.ts";
import { readEcho } from "./echo.ts";
import { readInbound } from "./inbound.ts";
import { fail, itemTime, phoneIn, readItemContext, readProfile, timeIn } from "./item.ts";
import { asObject, idOf, type JsonObject, listOf, memberOf, objectOf, sentenceOf, textOf, writtenOf } from "./json.ts";
import { readEach, readOne } from "./read-each.ts";
import { readStatus } from "./status.ts";

export function readStandby(value: JsonObject): CallbackItem[] {
  // Meta nests the lists; its first examples did not.
  const lists = objectOf(value, "standby") ?? value;
  const context = readItemContext({ contacts: memberOf(value, "contacts"), ...lists, metadata: value.metadata });
  const own = ownDigits(value);
  const items = [
    ...readEach(lists, "messages", (item) => {
      if (own !== null && phoneIn(idOf(item, "from")) === own) return readEcho(item, context, "standby");
      const read = readInbound(item, context);
      return read.kind === "inbound" ? { ...read, origin: "standby" } : read;
    }),
    ...readEach(lists, "message_echoes", (item) => readEcho(item, context, "standby")),
    ...readEach(lists, "statuses", (item) => readStatus(item, context)),
  ];
  return items.length > 0 ? items : [{ kind: "ignored", about: "field standby without items" }];
}

export function readControlPasses(value: JsonObject): CallbackItem[] {
  if (!Array.isArray(memberOf(value, "messaging_handovers")))
    return [readOne(value, () => readControlPass(value, value))];
  return readEach(value, "messaging_handovers", (item) => readControlPass(item, value));
}

/** The longest part of a conversation that is examined. */
const WRITTEN_MAX = 100;

function readControlPass(item: JsonObject, value: JsonObject): CallbackItem {
  const context = readItemContext(value);
  const sender = objectOf(item, "sender");
  const id = idOf(sender, "phone_number") ?? idOf(sender, "wa_id");
  const { phone, networkUserId } = readProfile(id, idOf(sender, "user_id"), context);
  if (phone === null && networkUserId === null) return fail("the change of control names no person");
  const phoneNumberId = idOf(objectOf(item, "recipient"), "phone_number_id") ?? context.phoneNumberId;
  const type = textOf(item, "type");
  const passed = type === null ? null : objectOf(item, type);
  const previous = objectOf(passed, "previous_owner");
  const conversation = objectOf(passed, "conversation_context") ?? objectOf(item, "conversation_context");
  return {
    kind: "control_pass",
    phoneNumberId: phoneNumberId ?? fail("the change of control names no phone_number_id"),
    from: phone,
    fromNetworkUserId: networkUserId,
    previousOwner:
      textOf(passed, "previous_owner_role") ??
      textOf(passed, "previous_owner_app_role") ??
      textOf(previous, "app_role") ??
      textOf(passed, "previous_owner_app_id"),
    newOwner: textOf(passed, "new_owner_role") ?? textOf(passed, "new_owner_app_id"),
    summary: sentenceOf(objectOf(conversation, "summary"), "text"),
    // Meta also reports that the conversation went to the agent as a pass.
    isOurs: type === "control_passed" && !isAgent(textOf(passed, "new_owner_role")),
    ...writtenByPerson(conversation, phone),
    at: itemTime(item),
  };
}

const PERSON_ROLES: ReadonlySet<string> = new Set(["user", "consumer", "customer"]);

function writtenByPerson(
  conversation: JsonObject | null,
  phone: string | null,
): Pick<ControlPassItem, "written" | "writtenAt"> {
  const items = listOf(objectOf(conversation, "history"), "items").slice(-WRITTEN_MAX).map(asObject);
  const ofPerson = items.filter((item) => {
    const from = phoneIn(idOf(item, "from"));
    const role = textOf(item, "role") ?? textOf(item, "sender_type");
    return (from !== null && from === phone) || (role !== null && PERSON_ROLES.has(role.toLowerCase()));
  });
  const times = ofPerson.map((item) => timeIn(item, "timestamp")).filter((at) => at !== null);
  return {
    written: ofPerson.flatMap((item) => writtenOf(objectOf(item, "text"), "body") ?? []),
    writtenAt: times.length === 0 ? null : Math.max(...times),
  };
}

/** Meta's Business Agent, in the words that Meta uses for its role. */
function isAgent(role: string | null): boolean {
  return role === "ai_agent" || role === "meta_business_agent";
}
