/** Reads what became of one of our messages. Times and order are Meta's: late, twice and backwards are all normal. */
import type { StatusReport } from "#src/domain/messages/status-item.ts";
import type { Report } from "../network.ts";
import { explain, graphErrorOf, scopeOf } from "./errors.ts";
import { personOf, requireId, requirePhoneNumberId, requireText, requireTime, type Surroundings } from "./item.ts";
import { asObject, idOf, type JsonObject, listOf, textOf } from "./json.ts";

/** `played` adds nothing to `read`, and nothing that we send is played; `deleted` and `warning` are history. */
const STATUSES: ReadonlySet<string> = new Set([
  "sent",
  "delivered",
  "read",
  "failed",
] satisfies StatusReport["status"][]);

const NO_REASON = "WhatsApp reported a failure and named no reason.";

export function readStatus(item: JsonObject, surroundings: Surroundings): Report {
  const status = requireText(item, "status");
  if (!isKnown(status)) return { kind: "ignored", about: `status ${status.slice(0, 60)}` };
  // We send to no groups; such a status belongs to another program on the same number.
  if (textOf(item, "recipient_type") === "group") return { kind: "ignored", about: "status in a group" };
  const person = personOf(idOf(item, "recipient_id"), idOf(item, "recipient_user_id"), surroundings);
  return {
    kind: "status",
    phoneNumberId: requirePhoneNumberId(surroundings),
    networkMessageId: requireId(item, "id"),
    reference: idOf(item, "biz_opaque_callback_data"),
    status,
    at: requireTime(item),
    recipientId: person.phone,
    recipientUserId: person.userId,
    error: status === "failed" ? errorOf(item) : null,
  };
}

function isKnown(status: string): status is StatusReport["status"] {
  return STATUSES.has(status);
}

function errorOf(item: JsonObject): NonNullable<StatusReport["error"]> {
  const error = listOf(item, "errors")
    .map((element) => graphErrorOf(asObject(element)))
    .find((element) => element !== null);
  if (error === undefined) return { code: "unknown", message: NO_REASON, scope: "network" };
  return { code: String(error.code), message: explain(error), scope: scopeOf(error) };
}
