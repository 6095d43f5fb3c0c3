/**
 * Reads calls. Waxwing takes none; a person's call is shown in the conversation and opens the window, whether or not
 * another program or the phone answered it. (Meta: calls.)
 */
import type { CallbackItem } from "../network.ts";
import { fail, itemId, itemTime, readItemContext, readProfile, requirePhoneNumberId, timeIn } from "./item.ts";
import { idOf, type JsonObject, textOf } from "./json.ts";
import { readEach } from "./read-each.ts";

/** A call rings, and ends. */
const EVENTS: ReadonlySet<string> = new Set(["connect", "terminate"]);

export function readCalls(value: JsonObject): CallbackItem[] {
  const context = readItemContext(value);
  const items = readEach(value, "calls", (call): CallbackItem => {
    const event = textOf(call, "event") ?? "without an event";
    const direction = textOf(call, "direction");
    if (!EVENTS.has(event) || direction === "BUSINESS_INITIATED")
      return { kind: "ignored", about: `call ${event.slice(0, 60)}` };
    const caller = readProfile(idOf(call, "from"), idOf(call, "from_user_id"), context);
    if (caller.phone === null && caller.networkUserId === null) return fail("the call names no caller");
    return {
      kind: "call",
      isOver: event === "terminate",
      phoneNumberId: requirePhoneNumberId(context),
      networkMessageId: itemId(call),
      from: caller.phone,
      fromNetworkUserId: caller.networkUserId,
      profileName: caller.profileName,
      direction,
      status: textOf(call, "status"),
      at: timeIn(call, "start_time") ?? itemTime(call),
    };
  });
  return items.length > 0 ? items : [{ kind: "ignored", about: "field calls without calls" }];
}
