/**
 * Reads Meta's updates about an account and its numbers: restrictions, warnings, limits. An update that is best
 * answered by querying the account becomes `changed`; one that does not affect sending is ignored.
 */
import type { AccountUpdate } from "#src/domain/numbers/account-update.ts";
import type { CallbackItem } from "../network.ts";
import { type Entry, fail, requireText, timeIn } from "./item.ts";
import { asObject, type JsonObject, listOf, memberOf, objectOf, textOf } from "./json.ts";

type Change = AccountUpdate["change"];

/** Restrictions that keep a number from sending. All others limit features that Waxwing does not use. */
const RESTRICTIONS: ReadonlyMap<string, string> = new Map([
  [
    "RESTRICTED_BIZ_INITIATED_MESSAGING",
    "Meta has restricted the account: it may not start conversations. See the account's quality page in Meta's Business Manager.",
  ],
  [
    "RESTRICTED_CUSTOMER_INITIATED_MESSAGING",
    "Meta has restricted the account: it may not answer people. See the account's quality page in Meta's Business Manager.",
  ],
]);

export function readAccountUpdate(value: JsonObject, entry: Entry): CallbackItem {
  const event = requireText(value, "event").toUpperCase();
  const change = readChange(event, value);
  if (change === null) return { kind: "ignored", about: `account ${event.slice(0, 60)}` };
  return { kind: "account_update", ...subjectOf(value, entry), change };
}

function readChange(event: string, value: JsonObject): Change | null {
  switch (event) {
    case "ACCOUNT_RESTRICTION":
      return restrictionIn(value);
    case "ACCOUNT_VIOLATION": {
      const type = textOf(objectOf(value, "violation_info"), "violation_type") ?? "not named";
      return { type: "warned", message: `Meta found a violation of its policy (${type.slice(0, 100)}).` };
    }
    case "DISABLED_UPDATE":
      return banIn(objectOf(value, "ban_info"));
    case "ACCOUNT_DELETED":
      return { type: "restricted", reason: "Meta says that the WhatsApp account was deleted.", until: null };
    case "ACCOUNT_OFFBOARDED":
      return {
        type: "restricted",
        reason: "Meta says that the account was disconnected from the Cloud API. Connect it again.",
        until: null,
      };
    case "ACCOUNT_RECONNECTED":
      return { type: "lifted" };
    default:
      return null;
  }
}

/** A list without any of the restrictions above means that none is in force any more. */
function restrictionIn(value: JsonObject): Change {
  const restrictions = listOf(value, "restriction_info").map(asObject);
  const active = restrictions.flatMap((one) => {
    const reason = RESTRICTIONS.get(textOf(one, "restriction_type")?.toUpperCase() ?? "");
    return reason === undefined ? [] : [{ reason, until: timeIn(one, "expiration") }];
  });
  const [first] = active;
  if (first === undefined) return { type: "changed" };
  // The longest restriction counts; one without an end outlasts all others.
  const ends = active.map(({ until }) => until).filter((until) => until !== null);
  const until = ends.length < active.length ? null : Math.max(...ends);
  return { type: "restricted", reason: first.reason, until };
}

function banIn(ban: JsonObject | null): Change | null {
  const date = textOf(ban, "waba_ban_date")?.slice(0, 60);
  const on = date === undefined ? "" : ` on ${date}`;
  switch (textOf(ban, "waba_ban_state")?.toUpperCase()) {
    case "DISABLE":
      return {
        type: "restricted",
        reason: `Meta has disabled the WhatsApp account${on}. Appeal in Meta's Business Manager.`,
        until: null,
      };
    case "SCHEDULE_FOR_DISABLE":
      return {
        type: "warned",
        message: `Meta will disable the WhatsApp account${on}. Appeal in its Business Manager.`,
      };
    case "REINSTATE":
      return { type: "lifted" };
    default:
      return null;
  }
}

/** Despite its name, this update is about throughput and limits; the quality rating itself must be queried. */
export function readNumberQuality(value: JsonObject, entry: Entry): CallbackItem {
  const limit =
    readLimit(memberOf(value, "max_daily_conversations_per_business")) ?? readLimit(memberOf(value, "current_limit"));
  const change: Change = limit === null ? { type: "changed" } : { type: "limit", messagingLimit: limit };
  return { kind: "account_update", ...subjectOf(value, entry), change };
}

export function readCapability(value: JsonObject, entry: Entry): CallbackItem {
  const limit =
    readLimit(memberOf(value, "max_daily_conversations_per_business")) ??
    readLimit(memberOf(value, "max_daily_conversation_per_phone"));
  const change: Change = limit === null ? { type: "changed" } : { type: "limit", messagingLimit: limit };
  return { kind: "account_update", ...subjectOf(value, entry), change };
}

/** Changes of display names and reviews: query the account to learn what they mean for sending. */
export function readNumberChange(value: JsonObject, entry: Entry): CallbackItem {
  return { kind: "account_update", ...subjectOf(value, entry), change: { type: "changed" } };
}

/** Accepts `TIER_2K`, `TIER_UNLIMITED`, 2000 or -1; null for anything else. */
export function readLimit(value: unknown): string | null {
  if (typeof value === "number" && Number.isSafeInteger(value)) {
    if (value === -1) return "unlimited";
    return value > 0 ? String(value) : null;
  }
  if (typeof value !== "string") return null;
  const word = value.toUpperCase().replace(/^TIER_/, "");
  if (word === "UNLIMITED" || word === "-1") return "unlimited";
  const digits = /^(\d{1,9})(K?)$/.exec(word);
  return digits === null ? null : String(Number(digits[1]) * (digits[2] === "K" ? 1000 : 1));
}

function subjectOf(value: JsonObject, entry: Entry): Pick<AccountUpdate, "accountId" | "phone" | "at"> {
  return {
    accountId: entry.accountId ?? fail("the entry names no account"),
    phone: textOf(value, "display_phone_number")?.replace(/\D/g, "") || null,
    at: entry.at,
  };
}
