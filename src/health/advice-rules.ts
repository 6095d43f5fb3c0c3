/** What does not stop a number, but will, or limits it: name, quality, verification, the token's end, other senders on it. */
import { quoted } from "#src/core/foreign-text.ts";
import { MARKETING_ONBOARDED } from "#src/domain/numbers/account-sync.ts";
import { ENTER, NEW_TOKEN, syncNumber, updateToken } from "./access-rules.ts";
import type { ConnectionInput, ConnectionRules } from "./connection-rule.ts";
import { CHECK_AGAIN } from "./sending-rules.ts";

const DAY_MS = 24 * 60 * 60_000;
const EXPIRES_SOON_MS = 7 * DAY_MS;
const UNVERIFIED_BUSINESS_CODE = 141010;
const LOWEST_LIMIT = "250";
/** Meta ends marketing on the general endpoint on this day. */
const MARKETING_ENDS_AT = Date.UTC(2027, 9, 13);
const MARKETING_ENDS = "13 October 2027";
const MARKETING_REFUSAL_SHOWN_MS = DAY_MS;
/** Software that still sends so is refused again within this time. */
const REFUSAL_SHOWN_MS = 7 * DAY_MS;
const MISUSE_SHOWN_MS = 30 * DAY_MS;
/** The news of a number that is found to be shared is shown for this long. */
const NEWS_MS = 7 * DAY_MS;
/** After two whole days without a message. */
const SILENT_MS = 3 * DAY_MS;
/** Then it is no news any more. */
const SILENT_UNTIL_MS = 14 * DAY_MS;

const NUMBER = { level: "warning", check: "number" } as const;
const MARKETING = { level: "warning", check: "marketing", command: syncNumber } as const;
const DIRECT_SEND = { level: "warning", check: "direct send" } as const;
const PROFILE = "in WhatsApp Manager, Phone numbers, Profile";
const ROUTING = "in Meta Business Suite, under conversation routing";

export const adviceRules: ConnectionRules = {
  token_expires: {
    ...{ ...NUMBER, check: "token", command: updateToken },
    evaluate({ number, facts, now }) {
      const expiresAt = facts.token?.expiresAt ?? null;
      if (expiresAt === null || expiresAt > now + EXPIRES_SOON_MS) return null;
      return `The access token of ${number.phone} expires on ${dayOf(expiresAt)}.`;
    },
    next: "create one for a system user, which does not expire, then COMMAND",
    console: `${NEW_TOKEN}, which does not expire. ${ENTER}`,
  },
  number_sandbox: {
    ...NUMBER,
    evaluate: ({ number, facts }) =>
      facts.number?.setup?.mode === "SANDBOX" &&
      `${number.phone} is one of Meta's test numbers (SANDBOX): it reaches only the people who are listed in Meta's dashboard, five at most.`,
    next: "list the people under API Setup in Meta's dashboard, or add a real number in WhatsApp Manager, Phone numbers",
  },
  /** A person who registers the number elsewhere takes it from this server. */
  pin_missing: {
    ...{ ...NUMBER, step: "registration" },
    evaluate: ({ number, facts }) =>
      facts.number?.setup?.hasPin === false &&
      `${number.phone} has no two-step PIN, so it cannot be registered again if it is disconnected, and others could register it.`,
    next: "set a PIN in WhatsApp Manager, Phone numbers, Two-step verification, and keep it in a safe place",
  },
  name_declined: {
    ...NUMBER,
    evaluate: ({ number, facts }) =>
      facts.number?.nameStatus === "DECLINED" &&
      `Meta declined the display name of ${number.phone}. People see the number only, and its limit does not rise.`,
    next: `enter another name that matches the business ${PROFILE}`,
  },
  name_expired: {
    ...{ ...NUMBER, step: "registration" },
    evaluate: ({ number, facts }) =>
      facts.number?.nameStatus === "EXPIRED" && `The approval of the display name of ${number.phone} has expired.`,
    next: `register the number again with its two-step PIN, or ask for the name again ${PROFILE}`,
  },
  quality_red: {
    ...NUMBER,
    evaluate: (input) => input.facts.number?.messagingLimit !== LOWEST_LIMIT && lowQuality(input),
    next: "send less for a week, and only to people who opted in; see in WhatsApp Manager which templates people block",
  },
  quality_red_at_lowest_limit: {
    ...NUMBER,
    evaluate(input) {
      const says = input.facts.number?.messagingLimit === LOWEST_LIMIT && lowQuality(input);
      return says && `${says} Its limit is the lowest, 250 people in 24 hours, and cannot rise meanwhile.`;
    },
    next: "stop marketing from this number for a week, and write only to people who asked for it; the limit rises once the quality does",
  },
  business_unverified: {
    ...NUMBER,
    evaluate({ number: { phone }, facts }) {
      const limited = limitedBy(facts);
      if (limited?.codes.includes(UNVERIFIED_BUSINESS_CODE) !== true) return null;
      return `WhatsApp limits ${phone}: the business is not verified. ${limited.words}`;
    },
    next: "start the verification under Security Centre in Meta's business settings",
  },
  health_limited: {
    ...NUMBER,
    evaluate({ number: { phone }, facts }) {
      const limited = limitedBy(facts);
      if (limited === null || limited.codes.includes(UNVERIFIED_BUSINESS_CODE)) return null;
      return `WhatsApp limits sending from ${phone}. ${limited.words}`;
    },
    next: "do what WhatsApp says in Meta's dashboard",
  },
  /** A sender who learns the address of such a number can write its conversations and statuses. */
  unsigned_callbacks: {
    ...{ ...NUMBER, check: "unsigned callbacks" },
    command: ({ number }) => `waxwing number update ${number.id} --no-unsigned-callbacks`,
    evaluate: ({ number, unsigned }) =>
      unsigned !== null &&
      `${number.phone} accepts callbacks that are not signed, ${unsigned.hasSecretHeader ? "with" : "without"} a secret header.`,
    next: "if the provider signs its callbacks: COMMAND",
  },
  marketing_not_onboarded: {
    ...MARKETING,
    evaluate({ number, marketing, now }) {
      if (marketing?.hasTemplates !== true || marketing.status === MARKETING_ONBOARDED) return null;
      const until =
        now < MARKETING_ENDS_AT
          ? `Meta accepts them there until ${MARKETING_ENDS}`
          : `Meta has ended marketing there on ${MARKETING_ENDS}`;
      return {
        says: `Marketing templates of ${number.phone} go to WhatsApp's general endpoint (/messages), not to the one for marketing: ${whyGeneral(marketing.status)}. ${until}.`,
        next:
          marketing.status === "INELIGIBLE"
            ? "ask Meta's support why the account is not eligible for the Marketing Messages API; until then, nothing has to be done here"
            : `accept the terms of the Marketing Messages API in WhatsApp Manager, as an admin of the business, then ${syncNumber({ number })}`,
      };
    },
    console: `Accept the terms of the Marketing Messages API in WhatsApp Manager, as an admin of the business. ${CHECK_AGAIN}`,
  },
  /** The messages were sent all the same; a template of another category, or a number for calls, keeps causing it. */
  marketing_refused: {
    ...MARKETING,
    evaluate({ number, marketing, now }) {
      const refusal = marketing?.hasTemplates === true ? marketing.refusal : null;
      if (refusal === null || refusal.at < now - MARKETING_REFUSAL_SHOWN_MS) return null;
      return `WhatsApp's endpoint for marketing answered that messages of the account of ${number.phone} are not its own (${refusal.code}); they were sent through the general endpoint.`;
    },
    next: "compare the category of the template in WhatsApp Manager, and whether the number is set up for calls by SIP, then COMMAND",
    console: `Compare the category of the template in WhatsApp Manager, and whether the number is set up for calls by SIP. ${CHECK_AGAIN}`,
  },
  direct_send_blocked: {
    ...DIRECT_SEND,
    evaluate: ({ number: { phone }, directSend, now }) =>
      directSend?.state === "blocked" &&
      directSend.at >= now - REFUSAL_SHOWN_MS &&
      `WhatsApp has revoked the access of ${phone} to messages without a template (Direct Send, 139200): messages with a category are refused.`,
    next: "read in WhatsApp Manager which messages were not utility, send templates until then, and ask Meta's support when the access comes back",
    console: `Send templates, and ask Meta's support when the access comes back. ${CHECK_AGAIN}`,
  },
  direct_send_refused: {
    ...DIRECT_SEND,
    evaluate: ({ number: { phone }, directSend, now }) =>
      directSend?.state === "refused" &&
      directSend.at >= now - REFUSAL_SHOWN_MS &&
      `WhatsApp does not let the account of ${phone} send messages without a template (Direct Send, 100): messages with a category are refused.`,
    next: "have Meta enable Direct Send for the account, or send templates",
    console: `Have Meta enable Direct Send for the account, or send templates. ${CHECK_AGAIN}`,
  },
  direct_send_misused: {
    ...DIRECT_SEND,
    evaluate({ number: { phone }, directSend, now }) {
      const misuse = directSend?.misuse;
      if (misuse === undefined || misuse.at < now - MISUSE_SHOWN_MS) return null;
      return `WhatsApp found on ${dayOf(misuse.at)} that a message of ${phone} without a template is none of the category utility but ${quoted(misuse.category)}. If this happens again, it revokes the access.`;
    },
    next: "see the generated templates in WhatsApp Manager, and send such messages by a template of the right category",
    console: `See the generated templates in WhatsApp Manager, and send such messages by a template of the right category.`,
  },
  /** Free messages go into threads of ours alone. */
  number_shared: {
    ...NUMBER,
    command: ({ number }) => `waxwing number update ${number.id} --shared no`,
    evaluate: ({ number, sharing, now }) =>
      sharing !== null &&
      !sharing.isSaid &&
      now < sharing.since + NEWS_MS &&
      `${number.phone} is shared: another sender has answered on it since ${dayOf(sharing.since)}. Free messages can be sent only in conversations that are yours.`,
    next: `if no other sender is meant to be on it, look ${ROUTING}; once it is yours alone: COMMAND`,
  },
  /** An answer on the business's own phone takes no thread away: everything that people write still arrives. */
  standby_missing: {
    ...NUMBER,
    evaluate: ({ number, sharing }) =>
      sharing?.isRouted === true &&
      !sharing.hasStandby &&
      `Of conversations that another sender has on ${number.phone}, nothing arrives here: a STOP in one of them is not heard. Meta sends copies only where the business has accepted the Meta Business Agents terms.`,
    next: `accept the terms and give this app standby ${ROUTING}, and subscribe the app to the field standby`,
  },
  number_silent: {
    ...{ ...NUMBER, hits: "receiving" },
    evaluate({ number, silentSince, now }) {
      if (silentSince === null || now < silentSince + SILENT_MS || now >= silentSince + SILENT_UNTIL_MS) return null;
      return `${number.phone} got messages every day until ${dayOf(silentSince)}, and none since.`;
    },
    next: `look ${ROUTING} whether another sender got the number's messages, then write to it from a phone`,
  },
};

function lowQuality({ number, facts }: ConnectionInput): string | false {
  return (
    facts.number?.quality === "RED" &&
    `The quality of ${number.phone} is low (RED): people block or report its messages.`
  );
}

/** Why WhatsApp limits the number; null: it does not. */
function limitedBy({ number }: ConnectionInput["facts"]): { codes: readonly number[]; words: string } | null {
  const health = number?.health ?? null;
  if (health?.canSend !== "LIMITED" || health.isAppLimited) return null;
  const reasons = health.reasons.join(" ");
  return { codes: health.codes, words: reasons === "" ? "It gave no reason." : quoted(reasons) };
}

function whyGeneral(status: string | null): string {
  if (status === null) return "WhatsApp does not say whether the account is onboarded to it";
  if (status === "INELIGIBLE") return "Meta says that the account is not eligible for it";
  return "the account is not onboarded to it";
}

function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}
