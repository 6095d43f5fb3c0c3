/** Why a number that the network can be asked about cannot send, or not everything. The first one is the cause. */
import { quoted } from "#src/core/foreign-text.ts";
import { findStoredMeaning } from "#src/domain/messages/error-codes.ts";
import { ENTER, NEW_TOKEN, syncNumber, updateToken, WRONG_IDS } from "./access-rules.ts";
import { type ConnectionInput, type ConnectionRules, type Finding, findFirst } from "./connection-rule.ts";

/** Of a token for more accounts, the network's list may have been cut. */
const ACCOUNTS_NAMED_MAX = 20;
const REQUIRED_SCOPES = ["whatsapp_business_messaging", "whatsapp_business_management"];
/** Meta's codes in `health_status`. */
const PAYMENT_CODE = 141006;
const BANNED_CODE = 141014;

export const CHECK_AGAIN = "Then check again.";
const REGISTER = "Register it with its two-step PIN under Registration.";
const DASHBOARD = "Meta's dashboard";
const FULL_CONTROL = "Give the system user full control of";

const NUMBER = { level: "problem", check: "number", hits: "sending" } as const;
const SYNCED = { ...NUMBER, command: syncNumber } as const;
const TOKEN = { ...NUMBER, check: "token", command: updateToken } as const;
const PAYMENT = {
  ...{ ...SYNCED, check: "payment" },
  console: `Add or correct the payment method of the account under Billing in Meta's business settings. ${CHECK_AGAIN}`,
} as const;

/** Only a connected number sends. What else Meta reports, and how the number becomes connected. */
const STATUSES: Readonly<Record<string, readonly [says: string, next: string, console?: string]>> = {
  PENDING: [
    "is not registered with the Cloud API",
    `register it with its two-step PIN (API Setup in ${DASHBOARD}, button Register)`,
    REGISTER,
  ],
  UNVERIFIED: [
    "is not verified",
    "have a code sent to it and enter the code in WhatsApp Manager, Phone numbers",
    `Have a code sent to it in WhatsApp Manager, Phone numbers, and enter the code there. ${CHECK_AGAIN}`,
  ],
  DISCONNECTED: [
    "is disconnected from the Cloud API",
    `register it again with its two-step PIN (API Setup in ${DASHBOARD}, button Register); a forgotten PIN is reset in WhatsApp Manager, Phone numbers, Two-step verification`,
    `${REGISTER} A forgotten PIN is reset in WhatsApp Manager, Phone numbers, Two-step verification.`,
  ],
  FLAGGED: ["is flagged for its low quality", "send less for a week, and only to people who want it"],
  RESTRICTED: [
    "is restricted, because its limit was reached at low quality",
    "wait until Meta lifts that, and write to fewer people",
  ],
  RATE_LIMITED: ["is limited for sending too much", "wait until Meta lifts that, and send more slowly"],
  BANNED: ["is banned", "appeal in Meta's Business Support Home"],
  DELETED: ["was deleted at Meta", "add it again in WhatsApp Manager, or remove it here"],
  MIGRATED: [
    "has moved to another WhatsApp account",
    "remove the number here and add it again with the ids of the new account",
    "Create a token for the account that the number is in now. Enter it under Token and app secret: the number moves there with its conversations.",
  ],
};
const OF_REGISTRATION: readonly string[] = ["PENDING", "UNVERIFIED", "DISCONNECTED"];

const askedRules: ConnectionRules = {
  wrong_phone_number_id: {
    ...{ ...NUMBER, step: "access" },
    evaluate: ({ number, facts }) =>
      facts.phone !== null &&
      `+${facts.phone}` !== number.phone && {
        says: `The phone number id ${number.phoneNumberId} belongs to +${facts.phone}, not to ${number.phone}.`,
        next: `copy the phone number id of ${number.phone} from API Setup in Meta's dashboard; ${addAgain(number)}`,
      },
    console: WRONG_IDS,
  },
  wrong_account_id: {
    ...{ ...NUMBER, step: "access" },
    evaluate: ({ number, facts }) =>
      facts.accountFailure?.kind === "number" && {
        says: `The account id ${number.accountId} of ${number.phone} is wrong: WhatsApp knows the number, but not in an account of this id that the token may use. Its templates and callbacks do not arrive.`,
        next: `copy the WhatsApp Business Account ID from API Setup in Meta's dashboard; ${addAgain(number)}`,
      },
    console: WRONG_IDS,
  },
  no_account_access: {
    ...{ ...NUMBER, check: "token", hits: null },
    evaluate: ({ number, facts }) =>
      facts.accountFailure?.kind === "permission" && {
        says: `The access token of ${number.phone} may not see the account ${number.accountId}, so its templates do not arrive.`,
        next: `give the system user full control of the account in Meta's business settings, create a new token, then ${updateToken({ number })}`,
      },
    console: `${FULL_CONTROL} the account in Meta's business settings, and create a new token. ${ENTER}`,
  },
  data_access_expired: {
    ...TOKEN,
    evaluate({ number, facts, now }) {
      const endsAt = facts.token?.dataAccessEndsAt ?? null;
      if (endsAt === null || endsAt > now) return null;
      return `The access token of ${number.phone} may no longer read data: Meta ended the access that a person had given the app.`;
    },
    next: "create a token for a system user with the expiry Never in Meta's business settings, then COMMAND",
    console: `${NEW_TOKEN}; a system user's token keeps its access to data. ${ENTER}`,
  },
  token_without_account: {
    ...TOKEN,
    evaluate({ number, facts }) {
      const { accountIds = [] } = facts.token ?? {};
      const isForAll = accountIds.length === 0 || accountIds.length >= ACCOUNTS_NAMED_MAX || number.accountId === "";
      if (isForAll || accountIds.includes(number.accountId)) return null;
      return {
        says: `The access token of ${number.phone} was made for other accounts than ${number.accountId}, so WhatsApp may refuse what is sent with it.`,
        next: `give the system user full control of the account ${number.accountId} in Meta's business settings, create a new token, then ${updateToken({ number })}`,
      };
    },
    console: `${FULL_CONTROL} this account in Meta's business settings, and create a new token. ${ENTER}`,
  },
  token_lacks_permission: {
    ...TOKEN,
    evaluate({ number, facts }) {
      const missing = REQUIRED_SCOPES.filter((scope) => facts.token?.scopes.includes(scope) === false);
      if (missing.length === 0) return null;
      return {
        hits: missing.includes("whatsapp_business_messaging") ? "sending" : null,
        says: `The access token of ${number.phone} lacks the permission ${missing.join(" and ")}.`,
      };
    },
    next: "create a token with both WhatsApp permissions for the system user in Meta's business settings, then COMMAND",
    console: `Create a token with whatsapp_business_messaging and whatsapp_business_management in Meta's business settings. ${ENTER}`,
  },
  number_on_premise: {
    ...{ ...SYNCED, step: "registration" },
    evaluate: ({ number, facts }) =>
      facts.number?.setup?.platform === "ON_PREMISE" &&
      `${number.phone} is still registered with the On-Premises API, which has ended (WhatsApp says ${quoted("ON_PREMISE")}).`,
    next: `register it with the Cloud API with its two-step PIN (API Setup in ${DASHBOARD}, button Register), then COMMAND`,
    console: REGISTER,
  },
  number_status: {
    ...SYNCED,
    evaluate({ number, facts }) {
      const status = facts.number?.status ?? "CONNECTED";
      if (status === "CONNECTED") return null;
      const [says, next, console] = STATUSES[status] ?? [
        "cannot send",
        "see the number in WhatsApp Manager, Phone numbers",
      ];
      return {
        kind: `number_${status.toLowerCase().replaceAll(/\W+/g, "_")}`,
        says: `${number.phone} ${says} (WhatsApp says ${quoted(status)}).`,
        next: `${next}, then ${syncNumber({ number })}`,
        ...(console === undefined ? {} : { console }),
        ...(OF_REGISTRATION.includes(status) ? { step: "registration" } : {}),
      };
    },
  },
  payment_missing: {
    ...PAYMENT,
    evaluate: ({ number, facts }) =>
      facts.number?.health?.codes.includes(PAYMENT_CODE) === true &&
      `The account of ${number.phone} has no valid payment method, so WhatsApp does not deliver what is billed.${reasons(facts)}`,
    next: "add a payment method to the account under Billing in Meta's business settings, then COMMAND",
  },
  app_development_mode: {
    ...SYNCED,
    evaluate: ({ number, facts }) =>
      facts.number?.health?.isAppLimited === true &&
      `The Meta app of ${number.phone} is limited, as in development mode: messages may be blocked and callbacks do not arrive.${reasons(facts)}`,
    next: "set the app to Live (the switch at the top of the app's dashboard), then COMMAND",
    console: `Set the app to Live with the switch at the top of the app's dashboard. ${CHECK_AGAIN}`,
  },
  account_banned: {
    ...SYNCED,
    evaluate: ({ number, facts }) =>
      isBlocked(facts) &&
      facts.number?.health?.codes.includes(BANNED_CODE) === true &&
      `WhatsApp has banned the account of ${number.phone}.${reasons(facts)}`,
    next: "appeal in Meta's Business Support Home",
  },
  health_blocked: {
    ...SYNCED,
    evaluate: ({ number, facts }) =>
      isBlocked(facts) && `WhatsApp blocks sending from ${number.phone}.${reasons(facts) || " It gave no reason."}`,
    next: "do what WhatsApp says in Meta's dashboard, then COMMAND",
    console: `Do what WhatsApp says in Meta's dashboard. ${CHECK_AGAIN}`,
  },
};

/** What is stored about the number, or what refused messages say of it, while the network finds nothing wrong with it. */
const storedRules: ConnectionRules = {
  restricted: {
    ...{ ...NUMBER, isCritical: true },
    evaluate: ({ number, state, now }) =>
      state?.restriction != null &&
      (state.restrictedUntil === null || state.restrictedUntil > now) &&
      `WhatsApp restricts ${number.phone}: ${state.restriction}`,
    next: "see in Meta's dashboard what the account is accused of, and ask there for a review",
  },
  stopped: {
    ...{ ...NUMBER, level: "warning" },
    command: ({ number }) => `waxwing number ready ${number.id}`,
    evaluate: ({ number: { phone, ready, unreadyBy, unreadyReason } }) =>
      !ready && unreadyBy === "person" && `${phone} can't send: ${unreadyReason} (a person stopped it).`,
    next: "set it to ready when the reason is resolved: COMMAND",
    console: "Set it to ready in Numbers when the reason is resolved.",
  },
  not_ready: {
    ...SYNCED,
    evaluate: ({ number: { phone, ready, unreadyReason } }) => !ready && `${phone} can't send: ${unreadyReason}`,
    next: "correct that in Meta's dashboard, then COMMAND",
    console: `Correct that in Meta's dashboard, and sync with WhatsApp. ${CHECK_AGAIN}`,
  },
  messages_refused: {
    ...{ ...SYNCED, hits: null },
    evaluate: ({ number, refusedCode: code }) =>
      code !== null &&
      `WhatsApp refuses what ${number.phone} sends (error ${code}). ${findStoredMeaning(code)?.description ?? ""}`,
    next: "do that, then COMMAND; the next message that is accepted ends this",
  },
};

/** What the account and refused messages say; the number is able to send, and what is billed is not delivered. */
const paymentRules: ConnectionRules = {
  payment_missing: {
    ...{ ...PAYMENT, hits: null },
    evaluate({ number: { phone }, hasPaymentMethod, isPaymentRefused }) {
      if (hasPaymentMethod !== false && !isPaymentRefused) return null;
      return isPaymentRefused
        ? `WhatsApp refused messages of ${phone} because the account's payment is not in order (131042).`
        : `The WhatsApp account of ${phone} has no payment method: templates and billed replies are not delivered.`;
    },
    next: "add or correct the payment method of the account under Billing in Meta's business settings, then COMMAND",
  },
};

export function findSending(input: ConnectionInput): Finding[] {
  const found = findFirst(askedRules, input);
  return found.length > 0 ? found : [...findFirst(storedRules, input), ...findFirst(paymentRules, input)];
}

function addAgain({ id }: ConnectionInput["number"]): string {
  return `remove the number (waxwing number remove ${id}) and add it again with the right id`;
}

function isBlocked({ number }: ConnectionInput["facts"]): boolean {
  return number?.health?.canSend === "BLOCKED";
}

/** What WhatsApp says of the number's health, if anything. */
function reasons({ number }: ConnectionInput["facts"]): string {
  const words = number?.health?.reasons.join(" ") ?? "";
  return words === "" ? "" : ` WhatsApp says: ${quoted(words)}`;
}
