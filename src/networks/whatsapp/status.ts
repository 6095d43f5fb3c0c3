/** Reads a status of one of our messages. Meta's statuses may arrive late, twice and out of order. */
import type { Pricing, StatusItem } from "#src/domain/messages/status-item.ts";
import type { CallbackItem } from "../network.ts";
import { failureOf, graphErrorOf } from "./errors.ts";
import { fail, type ItemContext, itemId, itemTime, readProfile, requirePhoneNumberId, requireText } from "./item.ts";
import { asObject, idOf, type JsonObject, listOf, memberOf, objectOf, textOf } from "./json.ts";

/** `played` adds nothing to `read`, and Waxwing sends nothing that is played; `deleted` and `warning` are obsolete. */
const WITHOUT_EFFECT: ReadonlySet<string> = new Set(["played", "deleted", "warning"]);
const STATUSES: ReadonlySet<string> = new Set(["sent", "delivered", "read", "failed"] satisfies StatusItem["status"][]);

/** Meta has the message and waits before it sends it, or drops it. `paused` is not explained anywhere, and treated alike. */
export const HELD_BACK: ReadonlySet<string> = new Set(["held_for_quality_assessment", "paused"]);

const NO_REASON = "WhatsApp reported a failure and named no reason.";

export function readStatus(item: JsonObject, context: ItemContext): CallbackItem {
  const word = requireText(item, "status");
  const isHeldBack = HELD_BACK.has(word);
  // Held back means accepted, too.
  const status = isHeldBack ? "sent" : word;
  if (!isKnown(status)) {
    return { kind: WITHOUT_EFFECT.has(status) ? "ignored" : "unhandled", about: `status ${status.slice(0, 60)}` };
  }
  // Waxwing does not send to groups; such a status belongs to another program on the same number.
  if (textOf(item, "recipient_type") === "group") return { kind: "ignored", about: "status in a group" };
  const sendToken = idOf(item, "biz_opaque_callback_data");
  if (idOf(item, "id") === null && sendToken === null) return fail("the status names no message");
  // Meta's page and its own library name the parent company's id differently.
  const parentUserId = idOf(item, "parent_recipient_user_id") ?? idOf(item, "recipient_parent_user_id");
  const profile = readProfile(idOf(item, "recipient_id"), idOf(item, "recipient_user_id"), context, parentUserId);
  return {
    kind: "status",
    phoneNumberId: requirePhoneNumberId(context),
    networkMessageId: itemId(item),
    sendToken,
    status,
    ...(isHeldBack ? { isHeldBack } : {}),
    at: itemTime(item),
    recipientId: profile.phone,
    recipientNetworkUserId: profile.networkUserId,
    ...(profile.parentUserId === null ? {} : { recipientParentUserId: profile.parentUserId }),
    ...(profile.username === null ? {} : { recipientUsername: profile.username }),
    error: status === "failed" ? errorOf(item) : null,
    pricing: pricingIn(objectOf(item, "pricing")),
  };
}

/** The network's words, as names: `authentication-international` is also written with an underscore. */
function pricingIn(pricing: JsonObject | null): Pricing | null {
  const category = wordIn(pricing, "category");
  if (pricing === null || category === null) return null;
  const type = wordIn(pricing, "type") ?? "regular";
  const billable = memberOf(pricing, "billable");
  return {
    billable: typeof billable === "boolean" ? billable : type === "regular",
    category,
    type,
    model: textOf(pricing, "pricing_model")?.slice(0, 40) ?? null,
  };
}

function wordIn(pricing: JsonObject | null, name: string): string | null {
  const word = textOf(pricing, name)?.toLowerCase().replaceAll("-", "_") ?? "";
  return /^[a-z0-9_]{1,60}$/.test(word) ? word : null;
}

function isKnown(status: string): status is StatusItem["status"] {
  return STATUSES.has(status);
}

function errorOf(item: JsonObject): NonNullable<StatusItem["error"]> {
  const error = listOf(item, "errors")
    .map((element) => graphErrorOf(asObject(element)))
    .find((element) => element !== null);
  if (error === undefined) return { code: "unknown", message: NO_REASON, scope: "network" };
  return failureOf(error);
}
