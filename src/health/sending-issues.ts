/** Why a number that the network can be asked about cannot send, or not everything. The first one is the cause. */
import { quoted } from "#src/core/foreign-text.ts";
import { findStoredMeaning } from "#src/domain/messages/error-codes.ts";
import { updateToken } from "./access-issues.ts";
import type { Issue, IssueInput } from "./issue.ts";

type Found = Pick<Issue, "id" | "says" | "next"> & Partial<Issue>;

/** Of a token for more accounts, the network's list may have been cut. */
const ACCOUNTS_NAMED_MAX = 20;
const REQUIRED_SCOPES = ["whatsapp_business_messaging", "whatsapp_business_management"];
/** Meta's codes in `health_status`. */
const PAYMENT_CODE = 141006;
const BANNED_CODE = 141014;

export function sendingIssues(input: IssueInput): Issue[] {
  const found = identityIssue(input) ?? scopeIssue(input) ?? stateIssue(input) ?? healthIssue(input);
  return (found === null ? [storedIssue(input) ?? refusedIssue(input), paymentIssue(input)] : [found])
    .filter((one) => one !== null)
    .map((one) => ({ level: "problem", check: "number", command: null, hits: "sending", ...one }));
}

/** Another number, or another account, than was entered. */
function identityIssue({ number, facts }: IssueInput): Found | null {
  const again = `remove the number (waxwing number remove ${number.id}) and add it again with the right id`;
  if (facts.phone !== null && `+${facts.phone}` !== number.phone) {
    return {
      ...{
        id: "wrong_phone_number_id",
        says: `The phone number id ${number.phoneNumberId} belongs to +${facts.phone}, not to ${number.phone}.`,
      },
      next: `copy the phone number id of ${number.phone} from API Setup in Meta's dashboard; ${again}`,
    };
  }
  if (facts.accountFailure?.kind === "number") {
    return {
      ...{ id: "wrong_account_id" },
      says: `The account id ${number.accountId} of ${number.phone} is wrong: WhatsApp knows the number, but not in an account of this id that the token may use. Its templates and callbacks do not arrive.`,
      next: `copy the WhatsApp Business Account ID from API Setup in Meta's dashboard; ${again}`,
    };
  }
  if (facts.accountFailure?.kind !== "permission") return null;
  return {
    ...{ id: "no_account_access", check: "token", hits: null },
    says: `The access token of ${number.phone} may not see the account ${number.accountId}, so its templates do not arrive.`,
    next: `give the system user full control of the account in Meta's business settings, create a new token, then ${updateToken(number.id)}`,
  };
}

function scopeIssue({ number, facts, now }: IssueInput): Found | null {
  if (facts.token === null) return null;
  const { dataAccessEndsAt = null } = facts.token;
  if (dataAccessEndsAt !== null && dataAccessEndsAt <= now) {
    const command = updateToken(number.id);
    return {
      ...{ id: "data_access_expired", check: "token", command },
      says: `The access token of ${number.phone} may no longer read data: Meta ended the access that a person had given the app.`,
      next: `create a token for a system user with the expiry Never in Meta's business settings, then ${command}`,
    };
  }
  const { accountIds = [] } = facts.token;
  const isForAll = accountIds.length === 0 || accountIds.length >= ACCOUNTS_NAMED_MAX || number.accountId === "";
  if (!isForAll && !accountIds.includes(number.accountId)) {
    const command = updateToken(number.id);
    return {
      ...{ id: "token_without_account", check: "token", command },
      says: `The access token of ${number.phone} was made for other accounts than ${number.accountId}, so WhatsApp may refuse what is sent with it.`,
      next: `give the system user full control of the account ${number.accountId} in Meta's business settings, create a new token, then ${command}`,
    };
  }
  const missing = REQUIRED_SCOPES.filter((scope) => facts.token?.scopes.includes(scope) === false);
  if (missing.length === 0) return null;
  const command = updateToken(number.id);
  return {
    ...{ id: "token_lacks_permission", check: "token", command },
    hits: missing.includes("whatsapp_business_messaging") ? "sending" : null,
    says: `The access token of ${number.phone} lacks the permission ${missing.join(" and ")}.`,
    next: `create a token with both WhatsApp permissions for the system user in Meta's business settings, then ${command}`,
  };
}

const ON_PREMISE = "ON_PREMISE";
const DASHBOARD = "Meta's dashboard";

/** Only a connected number sends. What else Meta reports, and how the number becomes connected. */
const STATUSES: Readonly<Record<string, readonly [says: string, next: string]>> = {
  PENDING: [
    "is not registered with the Cloud API",
    `register it with its two-step PIN (API Setup in ${DASHBOARD}, button Register)`,
  ],
  UNVERIFIED: ["is not verified", `have a code sent to it and enter the code in WhatsApp Manager, Phone numbers`],
  DISCONNECTED: [
    "is disconnected from the Cloud API",
    `register it again with its two-step PIN (API Setup in ${DASHBOARD}, button Register); a forgotten PIN is reset in WhatsApp Manager, Phone numbers, Two-step verification`,
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
  ],
};

function stateIssue({ number, facts }: IssueInput): Found | null {
  const platform = facts.number?.setup?.platform ?? null;
  if (platform === ON_PREMISE) {
    const command = `waxwing number sync ${number.id}`;
    return {
      ...{ id: "number_on_premise", command },
      says: `${number.phone} is still registered with the On-Premises API, which has ended (WhatsApp says ${quoted(platform)}).`,
      next: `register it with the Cloud API with its two-step PIN (API Setup in ${DASHBOARD}, button Register), then ${command}`,
    };
  }
  const status = facts.number?.status ?? null;
  if (status === null || status === "CONNECTED") return null;
  const [says, next] = STATUSES[status] ?? ["cannot send", `see the number in WhatsApp Manager, Phone numbers`];
  const command = `waxwing number sync ${number.id}`;
  return {
    ...{ id: `number_${status.toLowerCase().replaceAll(/\W+/g, "_")}`, command },
    says: `${number.phone} ${says} (WhatsApp says ${quoted(status)}).`,
    next: `${next}, then ${command}`,
  };
}

function healthIssue({ number, facts }: IssueInput): Found | null {
  const health = facts.number?.health ?? null;
  if (health === null) return null;
  const command = `waxwing number sync ${number.id}`;
  const words = health.reasons.join(" ");
  const said = words === "" ? "" : ` WhatsApp says: ${quoted(words)}`;
  if (health.codes.includes(PAYMENT_CODE)) {
    return {
      ...{ id: "payment_missing", check: "payment", command },
      says: `The account of ${number.phone} has no valid payment method, so WhatsApp does not deliver what is billed.${said}`,
      next: `add a payment method to the account under Billing in Meta's business settings, then ${command}`,
    };
  }
  if (health.isAppLimited) {
    return {
      ...{ id: "app_development_mode", command },
      says: `The Meta app of ${number.phone} is limited, as in development mode: messages may be blocked and callbacks do not arrive.${said}`,
      next: `set the app to Live (the switch at the top of the app's dashboard), then ${command}`,
    };
  }
  if (health.canSend !== "BLOCKED") return null;
  if (health.codes.includes(BANNED_CODE)) {
    const says = `WhatsApp has banned the account of ${number.phone}.${said}`;
    return { id: "account_banned", command, says, next: "appeal in Meta's Business Support Home" };
  }
  return {
    ...{ id: "health_blocked", command },
    says: `WhatsApp blocks sending from ${number.phone}.${said || " It gave no reason."}`,
    next: `do what WhatsApp says in Meta's dashboard, then ${command}`,
  };
}

/** What the account and refused messages say; the number is able to send, and what is billed is not delivered. */
function paymentIssue({ number, hasPaymentMethod, isPaymentRefused }: IssueInput): Found | null {
  if (hasPaymentMethod !== false && !isPaymentRefused) return null;
  const { id, phone } = number;
  const command = `waxwing number sync ${id}`;
  const says = isPaymentRefused
    ? `WhatsApp refused messages of ${phone} because the account's payment is not in order (131042).`
    : `The WhatsApp account of ${phone} has no payment method: templates and billed replies are not delivered.`;
  return {
    ...{ id: "payment_missing", check: "payment", hits: null, says, command },
    next: `add or correct the payment method of the account under Billing in Meta's business settings, then ${command}`,
  };
}

/** What refused messages say of a number with which WhatsApp finds nothing wrong when it is asked. */
function refusedIssue({ number, refusedCode }: IssueInput): Found | null {
  if (refusedCode === null) return null;
  const { id, phone } = number;
  const command = `waxwing number sync ${id}`;
  const description = findStoredMeaning(refusedCode)?.description ?? "";
  return {
    ...{ id: "messages_refused", hits: null, command },
    says: `WhatsApp refuses what ${phone} sends (error ${refusedCode}). ${description}`,
    next: `do that, then ${command}; the next message that is accepted ends this`,
  };
}

/** What is stored about the number, while the network finds nothing wrong with it. */
function storedIssue({ number, state, now }: IssueInput): Found | null {
  const { id, phone } = number;
  if (state?.restriction != null && (state.restrictedUntil === null || state.restrictedUntil > now)) {
    return {
      ...{ id: "restricted", isCritical: true, says: `WhatsApp restricts ${phone}: ${state.restriction}` },
      next: "see in Meta's dashboard what the account is accused of, and ask there for a review",
    };
  }
  if (number.ready) return null;
  if (number.unreadyBy === "person") {
    const command = `waxwing number ready ${id}`;
    const says = `${phone} can't send: ${number.unreadyReason} (a person stopped it).`;
    return {
      id: "stopped",
      level: "warning",
      says,
      command,
      next: `set it to ready when the reason is resolved: ${command}`,
    };
  }
  const command = `waxwing number sync ${id}`;
  const says = `${phone} can't send: ${number.unreadyReason}`;
  return { id: "not_ready", says, command, next: `correct that in Meta's dashboard, then ${command}` };
}
