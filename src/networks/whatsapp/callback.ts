/**
 * Parses the body of a callback item by item. Never throws: an unreadable item becomes `broken` and the others survive;
 * an item that Waxwing does not act on becomes `ignored`, so that the caller can count it. Meta packs up to a thousand
 * updates, for several accounts and numbers, into one body, and adds fields and kinds without notice.
 */
import type { CallbackItem } from "../network.ts";
import { readAccountUpdate, readCapability, readNumberChange, readNumberQuality } from "./account-updates.ts";
import { readCalls } from "./call.ts";
import { readHistory, readPhoneContacts, readPhoneEchoes } from "./coexistence.ts";
import { readInbound } from "./inbound.ts";
import { type Entry, readItemContext, timeIn } from "./item.ts";
import { asObject, idOf, integerOf, type JsonObject, listOf, memberOf, objectOf, parseJson, textOf } from "./json.ts";
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
  ["phone_number_quality_update", readNumberQuality],
  ["phone_number_name_update", readNumberChange],
  ["account_update", readAccountUpdate],
  ["account_review_update", readNumberChange],
  ["business_capability_update", readCapability],
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
  switch (field) {
    case "messages":
      return readMessages(value);
    case "user_preferences": {
      const context = readItemContext(value);
      return readEach(value, "user_preferences", (item) => readPreference(item, context));
    }
    default: {
      const readItems = OTHER_SENDERS.get(field);
      if (readItems !== undefined) return readItems(value);
      const read = MANAGEMENT.get(field);
      if (read === undefined) return [{ kind: "ignored", about: `field ${label(field)}` }];
      return [readOne(value, () => read(value, entry))];
    }
  }
}

function readMessages(value: JsonObject): CallbackItem[] {
  const context = readItemContext(value);
  const items = [
    ...readEach(value, "messages", (item) => readInbound(item, context)),
    ...readEach(value, "statuses", (item) => readStatus(item, context)),
    // These concern the app or the number as a whole, so there is no message to apply them to.
    ...listOf(value, "errors").map((error): CallbackItem => {
      return { kind: "ignored", about: `error ${integerOf(asObject(error), "code") ?? "without a code"}` };
    }),
  ];
  return items.length > 0 ? items : [{ kind: "ignored", about: "field messages without items" }];
}

/** A value from the network, cut to a length suitable as a counter's label. */
function label(word: unknown): string {
  return typeof word === "string" ? word.slice(0, 60) : typeof word;
}
