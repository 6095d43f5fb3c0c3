/**
 * Reads the fields of a number that is also in the WhatsApp Business app: answers given on the phone, the history of its
 * conversations, and its address book. (Meta: webhooks/reference/history, smb_message_echoes, smb_app_state_sync.)
 */
import type { EchoItem } from "#src/domain/inbound/callback-item.ts";
import type { CallbackItem } from "../network.ts";
import { readEcho } from "./echo.ts";
import { readInbound } from "./inbound.ts";
import { fail, type ItemContext, phoneIn, readItemContext, readProfile, requirePhoneNumberId, timeIn } from "./item.ts";
import {
  asObject,
  idOf,
  integerOf,
  type JsonObject,
  listOf,
  objectOf,
  profileNameOf,
  sentenceOf,
  textOf,
} from "./json.ts";
import { broken, readEach, readOne } from "./read-each.ts";

export function readPhoneEchoes(value: JsonObject): CallbackItem[] {
  const context = readItemContext(value);
  return readEach(value, "message_echoes", (item) => readEcho(item, context, "phone"));
}

/** Messages, oldest first in each thread, then the progress of the chunk that brought them. */
export function readHistory(value: JsonObject): CallbackItem[] {
  const context = readItemContext(value);
  const own = ownDigits(value);
  const chunks = listOf(value, "history").flatMap((chunk) => readChunk(chunk, context, own));
  // The files behind placeholders arrive later, without a chunk.
  const files = readEach(value, "messages", (item) => readMessage(item, context, own, null));
  const declined = listOf(value, "errors").map((error) => readDeclined(error, context));
  const items = [...chunks, ...files, ...declined];
  return items.length > 0 ? items : [{ kind: "ignored", about: "field history without items" }];
}

function readChunk(chunk: unknown, context: ItemContext, own: string | null): CallbackItem[] {
  const object = asObject(chunk);
  if (object === null) return [broken("an element of history is not an object", chunk)];
  const errors = listOf(object, "errors");
  if (errors.length > 0) return errors.map((error) => readDeclined(error, context));
  const messages = listOf(object, "threads").flatMap((thread) => readThread(thread, context, own));
  const metadata = objectOf(object, "metadata");
  const progress = readOne(object, () => ({
    kind: "history_progress",
    phoneNumberId: requirePhoneNumberId(context),
    phase: integerOf(metadata, "phase"),
    progress: integerOf(metadata, "progress"),
    declined: null,
  }));
  return [...messages, progress];
}

function readDeclined(error: unknown, context: ItemContext): CallbackItem {
  const object = asObject(error);
  return readOne(object ?? {}, () => ({
    kind: "history_progress",
    phoneNumberId: requirePhoneNumberId(context),
    phase: null,
    progress: null,
    declined: {
      code: String(integerOf(object, "code") ?? "unknown"),
      reason:
        sentenceOf(objectOf(object, "error_data"), "details") ??
        sentenceOf(object, "message") ??
        sentenceOf(object, "title") ??
        "WhatsApp named no reason.",
    },
  }));
}

function readThread(thread: unknown, context: ItemContext, own: string | null): CallbackItem[] {
  const object = asObject(thread);
  if (object === null) return [broken("an element of threads is not an object", thread)];
  const person = { id: idOf(object, "id"), userId: idOf(objectOf(object, "context"), "user_id") };
  const items = readEach(object, "messages", (item) => readMessage(item, context, own, person));
  // Whether a word is an opt-out depends on what was sent before it.
  return items.toSorted((one, other) => timeOf(one) - timeOf(other));
}

function timeOf(item: CallbackItem): number {
  return "at" in item ? (item.at ?? 0) : 0;
}

interface ThreadPerson {
  id: string | null;
  userId: string | null;
}

function readMessage(
  item: JsonObject,
  context: ItemContext,
  own: string | null,
  person: ThreadPerson | null,
): CallbackItem {
  // The notice of a number that changed long ago must not move a contact today.
  if (textOf(item, "type") === "system") return { kind: "ignored", about: "system notice in a history" };
  if (isOwn(item, own, person)) {
    const to = idOf(item, "to") ?? person?.id ?? null;
    const addressed = { ...item, to, to_user_id: idOf(item, "to_user_id") ?? person?.userId ?? null };
    return readEcho(addressed, context, "history", readHistoryStatus(item));
  }
  const userId = idOf(item, "from_user_id") ?? person?.userId ?? null;
  const read = readInbound({ ...item, ...(userId === null ? {} : { from_user_id: userId }) }, context);
  return read.kind === "inbound" ? { ...read, origin: "history" } : read;
}

/** A status in the words of the phone's history. */
const STATUSES: ReadonlyMap<string, EchoItem["status"]> = new Map([
  ["SENT", "sent"],
  ["DELIVERED", "delivered"],
  ["READ", "read"],
  ["PLAYED", "read"],
  ["ERROR", "failed"],
]);

/** Null for a status that says nothing of the delivery, such as `PENDING`. */
function readHistoryStatus(item: JsonObject): EchoItem["status"] {
  return STATUSES.get(textOf(objectOf(item, "history_context"), "status")?.toUpperCase() ?? "") ?? null;
}

/**
 * Whether the business wrote it. Meta names the recipient only then. The number alone does not decide: Meta may spell
 * ours in two ways (Mexico, Brazil).
 */
function isOwn(item: JsonObject, own: string | null, person: ThreadPerson | null): boolean {
  const from = phoneIn(idOf(item, "from"));
  if (from !== null && from === own) return true;
  const known = phoneIn(person?.id ?? null);
  const to = phoneIn(idOf(item, "to"));
  return to !== null && to !== own && (known === null || (to === known && from !== known));
}

/** Our number's digits. Meta writes it as it is displayed, with spaces and signs. */
export function ownDigits(value: JsonObject): string | null {
  const displayed = textOf(objectOf(value, "metadata"), "display_phone_number");
  return phoneIn(displayed === null ? null : displayed.replaceAll(/[^0-9]/g, ""));
}

export function readPhoneContacts(value: JsonObject): CallbackItem[] {
  const context = readItemContext(value);
  return readEach(value, "state_sync", (item) => readPhoneContact(item, context));
}

function readPhoneContact(item: JsonObject, context: ItemContext): CallbackItem {
  const type = textOf(item, "type") ?? "without a type";
  if (type !== "contact") return { kind: "ignored", about: `state of the phone ${type.slice(0, 60)}` };
  const contact = objectOf(item, "contact");
  const { phone, networkUserId } = readProfile(idOf(contact, "phone_number"), idOf(contact, "user_id"), context);
  if (phone === null && networkUserId === null) return fail("the contact has no phone number");
  const action = textOf(item, "action");
  // Meta's page names `add` for a new and for a changed contact.
  if (action === null || !["add", "edit", "update", "remove", "delete"].includes(action))
    return { kind: "ignored", about: `contact of the phone: ${(action ?? "no action").slice(0, 60)}` };
  return {
    kind: "phone_contact",
    phoneNumberId: requirePhoneNumberId(context),
    phone,
    networkUserId,
    names:
      action === "remove" || action === "delete"
        ? null
        : {
            name: profileNameOf(contact, "full_name") ?? profileNameOf(contact, "first_name"),
            firstName: profileNameOf(contact, "first_name"),
          },
    at: timeIn(objectOf(item, "metadata"), "timestamp") ?? fail("timestamp is not a time in seconds"),
  };
}
