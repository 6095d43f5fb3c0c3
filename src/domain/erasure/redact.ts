/**
 * Removes a person from public JSON and keeps its shape: a program that reads an emptied event or answer again finds
 * every member with the type that the reference promises.
 */
import { profileNames } from "../contacts/profile-fields.ts";
import { ERASED } from "../messages/message.ts";

/** Members whose texts never say who the person is. */
const HARMLESS: ReadonlySet<string> = new Set([
  ...["type", "status", "source", "code", "whatsapp_code", "language", "retry_key", "outcome"],
  ...["created_at", "updated_at", "sent_at", "delivered_at", "read_at", "received_at", "at", "since", "reason"],
]);
/** Members that are null if nothing is known. */
const NULLABLE: ReadonlySet<string> = new Set([
  ...["reference", "last_message_from_them_at", "user_id", "username"],
  ...profileNames.filter((name) => name !== "name"),
]);

/** The same JSON without the person. `name`: the member that holds `value`. */
export function redact(value: unknown, name = ""): unknown {
  if (name === "media" && typeof value === "object" && value !== null) return redactMedia(value);
  if (NULLABLE.has(name)) return null;
  if (typeof value === "string") return HARMLESS.has(name) ? value : ERASED;
  if (Array.isArray(value)) return [];
  if (typeof value !== "object" || value === null) return value;
  // A template belongs to the workspace; custom fields may hold anything.
  if (name === "template") return value;
  if (name === "fields") return {};
  return Object.fromEntries(Object.entries(value).map(([member, inner]) => [member, redact(inner, member)]));
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
