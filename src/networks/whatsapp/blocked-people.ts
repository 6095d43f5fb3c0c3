/** Whom a number blocks, at Meta: one person a request, and the list in pages. (Meta: block-users.) */
import type { Transport } from "#src/net/transport.ts";
import type { BlockPort } from "../network.ts";
import type { BlockedPerson } from "../profile-request.ts";
import type { Submitted } from "../template-request.ts";
import { unreadable as unreadableList } from "./account-answer.ts";
import { createAsking, later, refused, unreadable } from "./ask-once.ts";
import { describeCode } from "./errors.ts";
import { phoneIn } from "./item.ts";
import { asObject, idOf, integerOf, type JsonObject, listOf, objectOf, stringOf, textOf } from "./json.ts";
import type { WhatsappSettings } from "./settings.ts";

/** Meta's codes of a person who was not blocked, in our words. */
export const BLOCK_WORDS: Readonly<Record<string, string>> = {
  "131047": "WhatsApp blocks only people who wrote to this number within the last 24 hours.",
  "139101": "WhatsApp keeps at most 64,000 blocked people for a number, and this one has them. Unblock a person first.",
  "131021": "A number cannot block itself.",
  "139100": "WhatsApp did not do it, and named no reason.",
};
/** Meta is busy, or its list was just changed: nothing was done. */
const LATER_CODES = new Set(["130429", "139102", "139103"]);

export function createBlockPort(settings: WhatsappSettings, transport: Transport): BlockPort {
  const { post, read } = createAsking(settings, transport);
  return {
    async setBlocked(sender, { phone, userId }, isBlocked) {
      const user = phone === null ? { user_id: userId } : { user: phone };
      const body = { messaging_product: "whatsapp", block_users: [user] };
      const method = isBlocked ? "POST" : "DELETE";
      const answer = await post(sender, sender.phoneNumberId, "block_users", body, { method, readOwn: readFailure });
      if (answer.kind !== "accepted") return answer;
      const done = listOf(objectOf(answer.value, "block_users"), isBlocked ? "added_users" : "removed_users");
      return done.length === 1 ? { ...answer, value: null } : unreadable();
    },

    async listBlocked(sender, after, limit) {
      const query = { limit: String(limit), ...(after === null ? {} : { after }) };
      const answer = await read(sender, "block_users", query);
      if (!answer.ok) return answer;
      if (!Array.isArray(answer.value.data)) return unreadableList();
      const people = listOf(answer.value, "data").flatMap((row) => personIn(asObject(row)) ?? []);
      const paging = objectOf(answer.value, "paging");
      const cursor = stringOf(objectOf(paging, "cursors"), "after");
      // The last page has cursors too; without `next`, only a full page may have one behind it.
      const hasMore = textOf(paging, "next") !== null || people.length >= limit;
      return { ...answer, value: { people, next: hasMore && cursor !== null && cursor !== after ? cursor : null } };
    },
  };
}

/** The reason that stands at the person; null: there is none. */
function readFailure(answer: JsonObject): Submitted<never> | null {
  const failure = asObject(listOf(objectOf(answer, "block_users"), "failed_users")[0]);
  if (failure === null) return null;
  const code = String(integerOf(asObject(listOf(failure, "errors")[0]), "code") ?? 139_100);
  if (LATER_CODES.has(code)) return later("WhatsApp is busy. Try again in a moment.");
  return refused(code, BLOCK_WORDS[code] ?? describeCode(code));
}

function personIn(row: JsonObject | null): BlockedPerson | null {
  const person = { phone: phoneIn(idOf(row, "wa_id")), userId: idOf(row, "user_id") };
  const phone = person.phone === null ? null : `+${person.phone.replace(/^\+/, "")}`;
  return phone === null && person.userId === null ? null : { ...person, phone };
}
