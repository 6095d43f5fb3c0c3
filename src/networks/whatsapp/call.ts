/** Reads calls. Waxwing takes none; a person's call without an answer is shown in the conversation. (Meta: calls.) */
import type { CallbackItem } from "../network.ts";
import { fail, readItemContext, readProfile, requireId, requirePhoneNumberId, requireTime } from "./item.ts";
import { idOf, type JsonObject, textOf } from "./json.ts";
import { readEach } from "./read-each.ts";

export function readCalls(value: JsonObject): CallbackItem[] {
  const context = readItemContext(value);
  const items = readEach(value, "calls", (call): CallbackItem => {
    const event = textOf(call, "event") ?? "without an event";
    const direction = textOf(call, "direction");
    const status = textOf(call, "status");
    const isMissed = event === "terminate" && direction !== "BUSINESS_INITIATED" && status !== "COMPLETED";
    if (!isMissed) return { kind: "ignored", about: `call ${event.slice(0, 60)}` };
    const caller = readProfile(idOf(call, "from"), idOf(call, "from_user_id"), context);
    if (caller.phone === null && caller.networkUserId === null) return fail("the call names no caller");
    return {
      kind: "missed_call",
      phoneNumberId: requirePhoneNumberId(context),
      networkMessageId: requireId(call, "id"),
      from: caller.phone,
      fromNetworkUserId: caller.networkUserId,
      profileName: caller.profileName,
      direction,
      status,
      at: requireTime(call),
    };
  });
  return items.length > 0 ? items : [{ kind: "ignored", about: "field calls without calls" }];
}
