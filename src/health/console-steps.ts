/**
 * How the console shows a finding of the doctor: at which step of connecting a number, and with a next step that is done
 * in the browser where the doctor names a command, which an owner cannot run.
 */
import { sentenceOf } from "#src/core/sentence.ts";
import type { Finding } from "./finding.ts";

export const connectionSteps = ["access", "callbacks", "registration", "sending"] as const;

type ConnectionStep = (typeof connectionSteps)[number];

const CHECKS: Readonly<Record<string, ConnectionStep>> = {
  configuration: "access",
  network: "access",
  token: "access",
  "app secret": "access",
  "callback signature": "access",
  subscription: "callbacks",
  webhook: "callbacks",
  "webhook fields": "callbacks",
  callback: "callbacks",
  silence: "callbacks",
  "unsigned callbacks": "callbacks",
};

/** Issues of the check `number` that are mended by registering it, or before. */
const OF_REGISTRATION: readonly string[] = [
  "number_pending",
  "number_unverified",
  "number_disconnected",
  "number_on_premise",
  "pin_missing",
  "name_expired",
];
/** Issues of the check `number` that another token or another choice mends. */
const OF_ACCESS: readonly string[] = ["number_unknown", "wrong_phone_number_id", "wrong_account_id", "refused"];

function stepOf({ check, issue }: Pick<Finding, "check" | "issue">): ConnectionStep {
  if (issue !== null && OF_REGISTRATION.includes(issue)) return "registration";
  if (issue !== null && OF_ACCESS.includes(issue)) return "access";
  return CHECKS[check] ?? "sending";
}

const NEW_TOKEN = "Create a new token for the system user with the expiry Never in Meta's business settings";
const ENTER = "Enter it under Token and app secret.";
const COPY_SECRET = "Copy the app secret from Meta's dashboard (App settings, Basic)";
const CHECK_AGAIN = "Then check again.";
const SET_UP = "Press Set up at Meta under Callbacks.";
const REGISTER = "Register it with its two-step PIN under Registration.";
const WRONG_IDS = "Remove the number and connect it again: with the token, the right ids are found.";

/** By the id of the issue. The next step of the others names no command, or one for the operator. */
const NEXT: Readonly<Record<string, string>> = {
  key_unreadable: `Ask the operator of this server for its own key file, or enter the token again under Token and app secret.`,
  token_expired: `${NEW_TOKEN}. ${ENTER}`,
  token_revoked: `${NEW_TOKEN}. ${ENTER}`,
  token_invalid: `Copy the token again, whole, or create a new one for the system user with the expiry Never. ${ENTER}`,
  token_expires: `${NEW_TOKEN}, which does not expire. ${ENTER}`,
  token_lacks_permission: `Create a token with whatsapp_business_messaging and whatsapp_business_management in Meta's business settings. ${ENTER}`,
  data_access_expired: `${NEW_TOKEN}; a system user's token keeps its access to data. ${ENTER}`,
  provider_refuses: `Settle that with the provider. If the key changed, enter it under Token and app secret.`,
  no_access: `Give the system user both WhatsApp permissions and full control of the account in Meta's business settings, and create a new token. ${ENTER}`,
  token_without_account: `Give the system user full control of this account in Meta's business settings, and create a new token. ${ENTER}`,
  no_account_access: `Give the system user full control of the account in Meta's business settings, and create a new token. ${ENTER}`,
  app_secret_required: `${COPY_SECRET}. ${ENTER}`,
  app_secret_wrong: `${COPY_SECRET} of the app that the token belongs to. ${ENTER}`,
  app_secret_missing: `${COPY_SECRET}. ${ENTER}`,
  number_unknown: WRONG_IDS,
  wrong_phone_number_id: WRONG_IDS,
  wrong_account_id: WRONG_IDS,
  not_subscribed: SET_UP,
  app_without_webhook: SET_UP,
  webhook_inactive: SET_UP,
  app_calls_elsewhere: `Press Set up at Meta under Callbacks to replace that address. What the app sends there now no longer arrives there.`,
  fields_missing: SET_UP,
  callback_unverified: SET_UP,
  number_pending: REGISTER,
  number_on_premise: REGISTER,
  number_disconnected: `${REGISTER} A forgotten PIN is reset in WhatsApp Manager, Phone numbers, Two-step verification.`,
  number_unverified: `Have a code sent to it in WhatsApp Manager, Phone numbers, and enter the code there. ${CHECK_AGAIN}`,
  number_migrated: `Create a token for the account that the number is in now. Enter it under Token and app secret: the number moves there with its conversations.`,
  marketing_not_onboarded: `Accept the terms of the Marketing Messages API in WhatsApp Manager, as an admin of the business. ${CHECK_AGAIN}`,
  marketing_refused: `Compare the category of the template in WhatsApp Manager, and whether the number is set up for calls by SIP. ${CHECK_AGAIN}`,
  direct_send_blocked: `Send templates, and ask Meta's support when the access comes back. ${CHECK_AGAIN}`,
  direct_send_refused: `Have Meta enable Direct Send for the account, or send templates. ${CHECK_AGAIN}`,
  direct_send_misused: `See the generated templates in WhatsApp Manager, and send such messages by a template of the right category.`,
  payment_missing: `Add or correct the payment method of the account under Billing in Meta's business settings. ${CHECK_AGAIN}`,
  app_development_mode: `Set the app to Live with the switch at the top of the app's dashboard. ${CHECK_AGAIN}`,
  health_blocked: `Do what WhatsApp says in Meta's dashboard. ${CHECK_AGAIN}`,
  not_ready: `Correct that in Meta's dashboard, and sync with WhatsApp. ${CHECK_AGAIN}`,
  stopped: "Set it to ready in Numbers when the reason is resolved.",
  network_busy: "Wait a few minutes. It is checked again automatically.",
};

/** Of findings without an issue, by their check. */
const NEXT_OF_CHECK: Readonly<Record<string, string>> = {
  templates: "Sync with WhatsApp in Numbers.",
  number: "Set it to ready in Numbers.",
};

const ANNOUNCED = "Read what WhatsApp says in its dashboard.";
const OPERATOR = "Ask the operator of this server: a command is needed.";

/** The same in the form of the token and the app secret itself. */
export function nextInForm(about: Parameters<typeof consoleNext>[0]): string {
  return consoleNext(about).replace(` ${ENTER}`, "");
}

/** In the words of the console. */
export function consoleNext({ check, issue, next }: { check: string; issue: string | null; next: string }): string {
  const known = issue === null ? undefined : issue.startsWith("announced_") ? ANNOUNCED : NEXT[issue];
  if (known !== undefined) return known;
  if (!next.includes("waxwing ")) return sentenceOf(next);
  return (issue === null ? NEXT_OF_CHECK[check] : undefined) ?? OPERATOR;
}

/** A finding as the console shows it. */
export function consoleFinding({ level, check, message, next, issue }: Finding) {
  return {
    ...{ level, check, message, issue, step: stepOf({ check, issue }) },
    next: next === null ? null : consoleNext({ check, issue, next }),
  };
}
