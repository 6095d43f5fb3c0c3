/**
 * Checks one WhatsApp number: token, permissions, readiness, subscription, templates. Changes nothing in the database.
 */

import { SecretUnreadable } from "#src/core/secret.ts";
import { hasPaymentRefusal } from "#src/domain/messages/network-usage.ts";
import { findSync } from "#src/domain/numbers/account-sync.ts";
import { listCallbackAddresses } from "#src/domain/numbers/callback-address.ts";
import type { SendingNumber } from "#src/domain/numbers/table.ts";
import { senderOf } from "#src/networks/credentials.ts";
import type { AccountPort, Result, Sender } from "#src/networks/network.ts";
import type { DoctorContext } from "./doctor-context.ts";
import type { Findings } from "./finding.ts";

interface NumberCheck {
  context: DoctorContext;
  port: AccountPort;
  number: SendingNumber;
  findings: Findings;
  /** Subscribe the app to the account if it is not subscribed. */
  subscribe: boolean;
  now: number;
}

const REQUIRED_SCOPES = ["whatsapp_business_messaging", "whatsapp_business_management"];
const EXPIRES_SOON_MS = 7 * 24 * 60 * 60_000;

/** Returns the network's own time, or null if its answer had none. */
export async function checkNumber(check: NumberCheck): Promise<number | null> {
  const { number, findings } = check;
  const sender = openSender(check);
  checkSecret(check);
  checkUnsigned(check);
  checkFreshness(check);
  if (sender === null) return null;
  const { appId } = await checkToken(check, sender);
  checkPayment(check);
  const networkTime = await checkReadiness(check, sender);
  if (check.port.knowsNumbers(sender)) await checkSubscription(check, sender, appId);
  else
    findings.ok("subscription", number.id, "This provider manages the subscription; set the callback address there.");
  return networkTime;
}

/** A sender who learns the address of such a number can write its conversations and statuses. */
function checkUnsigned({ context, number, findings }: NumberCheck): void {
  const addresses = context.store.read((tx) => listCallbackAddresses(tx, number.id));
  if (addresses.length === 0) return;
  const isProtected = addresses.every(({ needsSecret }) => needsSecret);
  const says = isProtected ? "with a secret header" : "without a secret header";
  findings.warn(
    "unsigned callbacks",
    number.id,
    `${number.phone} accepts callbacks that are not signed, ${says}.`,
    `waxwing number update ${number.id} --no-unsigned-callbacks, if the provider signs its callbacks`,
  );
}

function updateTokenCommand({ number }: NumberCheck): string {
  return `waxwing number update ${number.id} --token-file FILE`;
}

function openSender(check: NumberCheck): Sender | null {
  const { context, number, findings } = check;
  try {
    return senderOf(context.box(), number);
  } catch (error) {
    if (!(error instanceof SecretUnreadable)) throw error;
    findings.problem(
      "token",
      number.id,
      `The access token of ${number.phone} cannot be read with the key at ${context.settings.keyFile}.`,
      `put this installation's own key file back, or store the token again: ${updateTokenCommand(check)}`,
    );
    return null;
  }
}

function checkSecret({ context, port, number, findings }: NumberCheck): void {
  if (number.appSecret !== null || context.settings.hasAppSecret) return;
  if (!port.knowsNumbers(number)) {
    const isAllowed = context.store.read((tx) => listCallbackAddresses(tx, number.id)).length > 0;
    if (isAllowed) findings.ok("app secret", number.id, "Its callbacks need no signature.");
    else {
      findings.problem(
        "app secret",
        number.id,
        `${number.phone} accepts no callbacks: this provider does not sign them.`,
        `waxwing number update ${number.id} --unsigned-callbacks, and enter the address that it prints at the provider`,
      );
    }
    return;
  }
  findings.problem(
    "app secret",
    number.id,
    `There is no app secret for ${number.phone}, so its callbacks are refused.`,
    `set [whatsapp] app_secret, or waxwing number update ${number.id} --app-secret-file FILE (for a provider that does not sign: --unsigned-callbacks)`,
  );
}

function checkFreshness({ context, number, findings, now }: NumberCheck): void {
  const { store, settings } = context;
  const sync = store.read((tx) => findSync(tx, number.workspaceId, number.accountId));
  const next = `waxwing template sync --workspace ${number.workspaceId}`;
  if (sync?.error != null) {
    findings.warn("templates", number.id, `The last synchronization with WhatsApp failed: ${sync.error}`, next);
  } else if (sync?.succeededAt == null) {
    findings.warn("templates", number.id, "The templates were never synchronized with WhatsApp.", next);
  } else if (sync.succeededAt < now - 2 * settings.syncEveryMs) {
    const hours = Math.round((now - sync.succeededAt) / 3_600_000);
    findings.warn(
      "templates",
      number.id,
      `The templates were last synchronized with WhatsApp ${hours} hours ago.`,
      `${next}, and see whether the server runs`,
    );
  } else {
    findings.ok("templates", number.id, "The templates are up to date.");
  }
}

async function checkToken(check: NumberCheck, sender: Sender): Promise<{ appId: string | null }> {
  const { port, number, findings, now } = check;
  if (!port.knowsNumbers(sender)) return { appId: null };
  const result = await port.inspectToken(sender);
  if (!result.ok) {
    const { kind, message } = result.failure;
    if (kind === "token")
      findings.problem(
        "token",
        number.id,
        message,
        `create a new one in Meta's Business Manager, then ${updateTokenCommand(check)}`,
      );
    else
      findings.warn(
        "token",
        number.id,
        `The token's permissions could not be checked: ${message}`,
        "nothing to do if the number below is ready",
      );
    return { appId: null };
  }
  const { isValid, scopes, appId, expiresAt } = result.value;
  const missing = REQUIRED_SCOPES.filter((scope) => !scopes.includes(scope));
  if (!isValid) {
    findings.problem(
      "token",
      number.id,
      "WhatsApp says that the access token is not valid.",
      `create a new one in Meta's Business Manager, then ${updateTokenCommand(check)}`,
    );
  } else if (missing.length > 0) {
    findings.problem(
      "token",
      number.id,
      `The access token lacks the permission ${missing.join(" and ")}.`,
      `create a token with both WhatsApp permissions for the system user, then ${updateTokenCommand(check)}`,
    );
  } else if (expiresAt !== null && expiresAt < now + EXPIRES_SOON_MS) {
    findings.warn(
      "token",
      number.id,
      `The access token expires on ${new Date(expiresAt).toISOString().slice(0, 10)}.`,
      `create one for a system user, which does not expire, then ${updateTokenCommand(check)}`,
    );
  } else {
    findings.ok("token", number.id, "The access token is valid and has both permissions.");
  }
  return { appId };
}

/** Without one, Meta accepts messages that it then does not deliver. */
function checkPayment({ context, number, findings }: NumberCheck): void {
  const { hasPaymentMethod, isRefused } = context.store.read((tx) => ({
    hasPaymentMethod: findSync(tx, number.workspaceId, number.accountId)?.hasPaymentMethod ?? null,
    isRefused: hasPaymentRefusal(tx, number.id),
  }));
  const next = "add or correct the payment method of the WhatsApp account in Meta's Business Manager";
  if (isRefused) {
    const says = `WhatsApp refused messages of ${number.phone} because the account's payment is not in order (131042).`;
    findings.problem("payment", number.id, says, next);
  } else if (hasPaymentMethod === false) {
    const says = `The WhatsApp account of ${number.phone} has no payment method: templates and billed replies are not delivered.`;
    findings.problem("payment", number.id, says, next);
  } else if (hasPaymentMethod === true) {
    findings.ok("payment", number.id, "The account has a payment method.");
  }
}

async function checkReadiness(check: NumberCheck, sender: Sender): Promise<number | null> {
  const { port, number, findings } = check;
  const result: Result<unknown> = port.knowsNumbers(sender)
    ? await port.fetchNumber(sender)
    : await port.listTemplates(sender);
  if (!result.ok) {
    findings.problem("number", number.id, result.failure.message, nextStep(result.failure.kind, check));
    return null;
  }
  if (number.ready) {
    findings.ok("number", number.id, `${number.phone} is ready to send.`);
  } else if (number.unreadyBy === "person") {
    findings.warn(
      "number",
      number.id,
      `${number.phone} was stopped by hand: ${number.unreadyReason}`,
      `waxwing number ready ${number.id}`,
    );
  } else {
    findings.problem(
      "number",
      number.id,
      `${number.phone} cannot send: ${number.unreadyReason}`,
      `correct that in Meta's dashboard, then waxwing number sync ${number.id}`,
    );
  }
  return result.at;
}

function nextStep(kind: Extract<Result<unknown>, { ok: false }>["failure"]["kind"], check: NumberCheck): string {
  switch (kind) {
    case "token":
      return `create a new token in Meta's Business Manager, then ${updateTokenCommand(check)}`;
    case "number":
      return "compare phone number id and account id with Meta's dashboard, and give the system user access to the account";
    case "permission":
      return "give the system user both WhatsApp permissions and full control of the account in Meta's Business Manager";
    case "later":
      return "check whether this machine can reach WhatsApp, then try again";
    case "other":
      return "look the code up in Meta's list of error codes";
  }
}

async function checkSubscription(check: NumberCheck, sender: Sender, appId: string | null): Promise<void> {
  const { port, number, findings, subscribe } = check;
  const result = await port.listSubscribedApps(sender);
  if (!result.ok) {
    findings.warn(
      "subscription",
      number.id,
      `The app's subscription could not be checked: ${result.failure.message}`,
      nextStep(result.failure.kind, check),
    );
    return;
  }
  const isSubscribed = appId === null ? result.value.length > 0 : result.value.some(({ id }) => id === appId);
  if (isSubscribed) return findings.ok("subscription", number.id, "The app is subscribed to the account.");
  if (!subscribe) {
    findings.problem(
      "subscription",
      number.id,
      `No app of this token is subscribed to the account ${number.accountId}, so WhatsApp sends no callbacks to this server.`,
      "run waxwing doctor --subscribe",
    );
    return;
  }
  const done = await port.subscribeApp(sender);
  if (done.ok) findings.ok("subscription", number.id, `The app is subscribed to the account ${number.accountId} now.`);
  else
    findings.problem(
      "subscription",
      number.id,
      `The app could not be subscribed: ${done.failure.message}`,
      nextStep(done.failure.kind, check),
    );
}
