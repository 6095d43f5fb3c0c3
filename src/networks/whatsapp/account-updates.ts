/**
 * Reads Meta's updates about an account and its numbers: restrictions, warnings, limits. An update that is best
 * answered by querying the account becomes `changed`; one that does not affect sending is ignored.
 */
import type { AccountUpdate } from "#src/domain/numbers/account-sync.ts";
import type { CallbackItem } from "../network.ts";
import { type Entry, fail, requireText, timeIn } from "./item.ts";
import { asObject, integerOf, type JsonObject, listOf, memberOf, objectOf, sentenceOf, textOf } from "./json.ts";

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
  const about = `account ${event.slice(0, 60)}`;
  if (change === null) return { kind: WITHOUT_EFFECT.has(event) ? "ignored" : "unhandled", about };
  const subject = subjectOf(value, entry);
  // Updates about partners come in an entry of the business.
  const accountId = textOf(objectOf(value, "waba_info"), "waba_id") ?? subject.accountId;
  return { kind: "account_update", ...subject, accountId, change };
}

/** Prices, terms, partners that were added: nothing about sending follows from these. */
const WITHOUT_EFFECT: ReadonlySet<string> = new Set([
  ...["PARTNER_ADDED", "PARTNER_APP_INSTALLED", "PARTNER_CLIENT_CERTIFICATION_STATUS_UPDATE"],
  ...["VOLUME_BASED_PRICING_TIER_UPDATE", "BUSINESS_PRIMARY_LOCATION_COUNTRY_UPDATE"],
  ...["AUTH_INTL_PRICE_ELIGIBILITY_UPDATE", "AD_ACCOUNT_LINKED", "VERIFIED_ACCOUNT"],
]);

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
    case "PARTNER_REMOVED":
    case "PARTNER_APP_UNINSTALLED":
      return {
        type: "disconnected",
        appId: idIn(objectOf(value, "waba_info"), "partner_app_id"),
        reason: `Meta says that the app was disconnected from the WhatsApp account (${event}${causeIn(value)}): it can no longer send. Connect it again in Meta's Business Manager.`,
      };
    // A provider that can be asked nothing about its accounts passes this on, too.
    case "MM_LITE_TERMS_SIGNED":
      return { type: "marketing", status: "ONBOARDED" };
    case "ACCOUNT_RECONNECTED":
      return { type: "lifted" };
    default:
      return null;
  }
}

/** Why a number that is also in the Business app was disconnected. Meta names no cause for others. */
const DISCONNECTIONS: Readonly<Record<string, string>> = {
  PRIMARY_INACTIVITY: "the phone with the Business app was not used for too long",
  COMPANION_INACTIVITY: "the connection to the Business app was not used for too long",
  BUSINESS_DOWNGRADE: "the business went back to the app alone",
};

function causeIn(value: JsonObject): string {
  const info = objectOf(value, "disconnection_info");
  const word = textOf(info, "reason")?.toUpperCase().slice(0, 60);
  if (word === undefined) return "";
  const says = Object.hasOwn(DISCONNECTIONS, word) ? `, ${DISCONNECTIONS[word]}` : "";
  return `, ${word}${says}`;
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

/**
 * Despite its name, this update is about throughput and limits: Meta's rating of the quality must be queried. The
 * simulator, which cannot be queried, adds it under the name that it has in an answer.
 */
export function readNumberQuality(value: JsonObject, entry: Entry): CallbackItem {
  const limit =
    readLimit(memberOf(value, "max_daily_conversations_per_business")) ?? readLimit(memberOf(value, "current_limit"));
  const quality = textOf(value, "quality_rating")?.toUpperCase().slice(0, 30) ?? null;
  return { kind: "account_update", ...subjectOf(value, entry), change: ratedChange(limit, quality) };
}

function ratedChange(messagingLimit: string | null, quality: string | null): Change {
  if (messagingLimit !== null) return { type: "limit", messagingLimit };
  return quality === null ? { type: "changed" } : { type: "quality", quality };
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

/** Meta's alerts about an account or its business, in Meta's own words. */
export function readAlert(value: JsonObject, entry: Entry): CallbackItem {
  const info = objectOf(value, "alert_info") ?? value;
  const type = (textOf(info, "alert_type") ?? fail("the alert has no type")).slice(0, 60);
  const words = sentenceOf(info, "alert_description");
  const isOver = ["NONE", "INACTIVE", "RESOLVED"].includes(textOf(info, "alert_status")?.toUpperCase() ?? "ACTIVE");
  const severity = (textOf(info, "alert_severity") ?? "of no named severity").slice(0, 30);
  const says = `Meta reports ${type} (${severity})${words === null ? "." : `: ${words}`}`;
  return noticeItem(value, entry, `alert ${type}`, isOver ? null : says);
}

/** Meta found that a message which was sent without a template is none of its category. (Meta: Direct Send.) */
export function readMisuse(value: JsonObject, entry: Entry): CallbackItem {
  const category = requireText(value, "correct_category").toUpperCase().slice(0, 40);
  return { kind: "account_update", ...subjectOf(value, entry), change: { type: "misused", category } };
}

/** A change of the two-step verification of a number: a PIN that another person sets stops the number. */
export function readSecurity(value: JsonObject, entry: Entry): CallbackItem {
  const event = requireText(value, "event").toUpperCase().slice(0, 60);
  const by = textOf(value, "requester");
  const who = by === null ? "" : ` by user ${by.slice(0, 40)}`;
  const says = `Meta reports a change of the number's two-step PIN${who} (${event}).`;
  return noticeItem(value, entry, "security", event === "PIN_RESET_SUCCESS" ? null : says);
}

function noticeItem(value: JsonObject, entry: Entry, kind: string, says: string | null): CallbackItem {
  return { kind: "account_update", ...subjectOf(value, entry), change: { type: "notice", kind, says } };
}

/** Meta writes ids of apps as texts or numbers. */
function idIn(owner: JsonObject | null, name: string): string | null {
  return textOf(owner, name) ?? integerOf(owner, name)?.toString() ?? null;
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
