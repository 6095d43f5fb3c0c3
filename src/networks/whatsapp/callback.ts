/**
 * Parses the body of a callback item by item. Never throws: an unreadable item becomes `broken` and the others survive;
 * an item from which nothing follows becomes `ignored`, one that this version does not know `unhandled`. Meta packs up
 * to a thousand updates, for several accounts and numbers, into one body, and adds fields and kinds without notice.
 */
import type { CallbackItem } from "../network.ts";
import {
  readAccountUpdate,
  readAlert,
  readCapability,
  readMisuse,
  readNumberChange,
  readNumberQuality,
  readSecurity,
} from "./account-updates.ts";
import { readCalls } from "./call.ts";
import { readHistory, readPhoneContacts, readPhoneEchoes } from "./coexistence.ts";
import { describeError, graphErrorOf } from "./errors.ts";
import { readInbound, readUserIdUpdate } from "./inbound.ts";
import { type Entry, type ItemContext, readItemContext, requirePhoneNumberId, timeIn } from "./item.ts";
import { asObject, idOf, type JsonObject, listOf, memberOf, objectOf, parseJson, textOf } from "./json.ts";
import {
  readPreference,
  readTemplateCategory,
  readTemplateComponents,
  readTemplateQuality,
  readTemplateUpdate,
} from "./management.ts";
import { broken, brokenItem, readEach, readOne } from "./read-each.ts";
import { readControlPasses, readStandby } from "./standby.ts";
import { readStatus } from "./status.ts";

export function parseCallback(body: string): CallbackItem[] {
  const envelope = parseJson(body);
  if (envelope === undefined) return [brokenItem("the body is not JSON", body)];
  const object = asObject(envelope);
  if (object === null) return [broken("the body is not a JSON object", envelope)];
  const kind = memberOf(object, "object");
  // Other Meta products may be pointed at the same URL. Some providers omit the member.
  if (kind !== undefined && kind !== "whatsapp_business_account")
    return [{ kind: "ignored", about: `object ${label(kind)}` }];
  if (!Array.isArray(memberOf(object, "entry"))) return [broken("the body has no list of entries", envelope)];
  return listOf(object, "entry").flatMap(readEntry);
}

function readEntry(entry: unknown): CallbackItem[] {
  const object = asObject(entry);
  if (object === null || !Array.isArray(memberOf(object, "changes")))
    return [broken("an entry has no list of changes", entry)];
  const entryContext: Entry = { accountId: idOf(object, "id"), at: timeIn(object, "time") };
  return listOf(object, "changes").flatMap((change) => readChange(change, entryContext));
}

/** Readers for updates about an account, its templates or a number, by the change's field. */
const MANAGEMENT: ReadonlyMap<string, (value: JsonObject, entry: Entry) => CallbackItem> = new Map([
  ["message_template_status_update", readTemplateUpdate],
  ["message_template_quality_update", readTemplateQuality],
  ["message_template_components_update", readTemplateComponents],
  ["template_category_update", readTemplateCategory],
  ["template_correct_category_detection", readMisuse],
  ["phone_number_quality_update", readNumberQuality],
  ["phone_number_name_update", readNumberChange],
  ["account_update", readAccountUpdate],
  ["account_review_update", readNumberChange],
  ["business_capability_update", readCapability],
  ["account_alerts", readAlert],
  ["security", readSecurity],
]);

/** Known fields from which nothing follows here: groups, flows, partners' business. Waxwing sends none of these. */
const WITHOUT_EFFECT: ReadonlySet<string> = new Set([
  ...["group_lifecycle_update", "group_participants_update", "group_settings_update", "group_status_update"],
  ...["partner_solutions", "payment_configuration_update", "tracking_events", "automatic_events"],
]);

/** Readers for what people and other senders on a number write beside the field `messages`. */
const OTHER_SENDERS: ReadonlyMap<string, (value: JsonObject) => CallbackItem[]> = new Map([
  ["calls", readCalls],
  ["standby", readStandby],
  ["messaging_handovers", readControlPasses],
  ["smb_message_echoes", readPhoneEchoes],
  ["history", readHistory],
  ["smb_app_state_sync", readPhoneContacts],
]);

function readChange(change: unknown, entry: Entry): CallbackItem[] {
  const object = asObject(change);
  const field = textOf(object, "field");
  const value = objectOf(object, "value");
  if (field === null || value === null) return [broken("a change has no field or no value", change)];
  const items = readField(field, value, entry);
  return items.length > 0 ? items : [{ kind: "ignored", about: `field ${label(field)} without items` }];
}

function readField(field: string, value: JsonObject, entry: Entry): CallbackItem[] {
  switch (field) {
    case "messages":
      return readMessages(value);
    case "user_preferences": {
      const context = readItemContext(value);
      return readEach(value, "user_preferences", (item) => readPreference(item, context));
    }
    case "user_id_update": {
      const context = readItemContext(value);
      return readEach(value, "user_id_update", (item) => readUserIdUpdate(item, context));
    }
    default: {
      const readItems = OTHER_SENDERS.get(field);
      if (readItems !== undefined) return readItems(value);
      const read = MANAGEMENT.get(field);
      if (read === undefined) return [{ kind: unknownKind(field), about: `field ${label(field)}` }];
      return [readOne(value, () => read(value, entry))];
    }
  }
}

function unknownKind(field: string): "ignored" | "unhandled" {
  return WITHOUT_EFFECT.has(field) ? "ignored" : "unhandled";
}

function readMessages(value: JsonObject): CallbackItem[] {
  const context = readItemContext(value);
  return [
    ...readEach(value, "messages", (item) => readInbound(item, context)),
    ...readEach(value, "statuses", (item) => readStatus(item, context)),
    ...readEach(value, "errors", (error) => readNumberError(error, context)),
  ];
}

/** Concerns the app or the number as a whole: there is no message to apply it to. */
function readNumberError(error: JsonObject, context: ItemContext): CallbackItem {
  const read = graphErrorOf(error);
  if (read === null) return { kind: "broken", why: "an error without a code", raw: JSON.stringify(error) };
  const says = `WhatsApp reports an error of the number: ${describeError(read)} (error ${read.code})`;
  return { kind: "number_error", phoneNumberId: requirePhoneNumberId(context), code: String(read.code), says };
}

/** A value from the network, cut to a length suitable as a counter's label. */
function label(word: unknown): string {
  return typeof word === "string" ? word.slice(0, 60) : typeof word;
}
