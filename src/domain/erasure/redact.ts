/**
 * Removes a person from public JSON and keeps its shape: a program that reads an emptied event or answer again finds
 * every member with the type that the reference promises.
 */
import { profileNames } from "../contacts/profile-fields.ts";
import { ERASED } from "../messages/message.ts";

/** Members whose texts never say who the person is. */
const HARMLESS: ReadonlySet<string> = new Set([
  ...["type", "status", "source", "code", "whatsapp_code", "language", "retry_key", "outcome"],
  ...[
    "created_at",
    "updated_at",
    "send_at",
    "sent_at",
    "delivered_at",
    "read_at",
    "received_at",
    "at",
    "since",
    "reason",
  ],
]);
/** Members that are null if nothing is known. */
const NULLABLE: ReadonlySet<string> = new Set([
  ...["reference", "content", "last_message_from_them_at", "window_ends_at", "user_id", "username"],
  ...profileNames.filter((name) => name !== "name"),
]);

/** The same JSON without the person. `name`: the member that holds `value`. */
export function redact(value: unknown, name = ""): unknown {
  if (name === "media" && typeof value === "object" && value !== null) return redactMedia(value);
  if (name === "details" && typeof value === "object" && value !== null) return redactDetails(value);
  if (NULLABLE.has(name)) return null;
  if (typeof value === "string") return HARMLESS.has(name) ? value : ERASED;
  if (Array.isArray(value)) return [];
  if (typeof value !== "object" || value === null) return value;
  // A template belongs to the workspace; custom fields may hold anything.
  if (name === "template") return value;
  if (name === "fields") return {};
  return Object.fromEntries(Object.entries(value).map(([member, inner]) => [member, redact(inner, member)]));
}

/** Which message a detail refers to, and how a message was forwarded. */
const HARMLESS_DETAILS: ReadonlySet<string> = new Set(["message_id", "direction", "inbound", "message", "often"]);
/** Their members too are the choice of the person or of the network. */
const FREE_DETAILS: ReadonlySet<string> = new Set(["raw", "values"]);

/**
 * What the message brought, or what the network said about it: no member is harmless because of its name alone, and a
 * number can be a place.
 */
function redactDetails(details: object): unknown {
  const members = Object.entries(details).map(([name, value]: [string, unknown]) => {
    if (HARMLESS_DETAILS.has(name)) return [name, value];
    if (Array.isArray(value)) return [name, []];
    if (typeof value !== "object" || value === null || FREE_DETAILS.has(name))
      return [name, typeof value === "string" ? ERASED : null];
    return [name, name === "media" ? redactMedia(value) : redactDetails(value)];
  });
  return Object.fromEntries(members);
}

/** `id`: a number. */
function redactMedia(media: object): unknown {
  const nothing = { mime_type: null, bytes: null, sha256: null, filename: null, url: null, expires_at: null };
  return { ...("id" in media ? { id: media.id } : {}), ...nothing, state: "erased" };
}

/** Redacts the text of a kept answer. */
export function redactAnswer(body: string): string {
  return JSON.stringify(redact(JSON.parse(body)));
}
