/**
 * What the endpoints that connect a number have in common: asking the network, and saying what is wrong at the field or
 * as a whole, with what to do in the browser.
 */
import { invalidRequest } from "#src/core/problem.ts";
import { ifReadable } from "#src/core/secret.ts";
import { addressRules } from "#src/health/address-rules.ts";
import { type Finding, findFirst } from "#src/health/connection-rule.ts";
import { nextInForm } from "#src/health/console-steps.ts";
import { findEntered } from "#src/health/find-connection.ts";
import { inspectShown } from "#src/receiving/connect-number.ts";
import { Refusal, type WorkspaceCall } from "./call.ts";

export function portOf({ dispatch }: Pick<WorkspaceCall, "dispatch">) {
  const port = dispatch.networks.whatsapp.account;
  if (port === undefined) throw new Error("the connector of WhatsApp has queries about accounts");
  return port;
}

type Facts = Parameters<typeof findEntered>[0]["facts"];
type Sender = Parameters<ReturnType<typeof portOf>["listNumbers"]>[0];

/** Of the address alone: each workspace has a verify token. */
export function serverIssue({ doctor, publicUrl }: WorkspaceCall): Finding | undefined {
  const { verifyToken } = doctor;
  return findFirst(addressRules, { publicUrl, verifyToken, isVerified: false, wasVerified: true })[0];
}

/** What is wrong with the token or the app secret. */
export function findUnusable(
  { doctor, clock }: WorkspaceCall,
  facts: Facts,
  { appSecret }: Sender,
): Finding | undefined {
  const hasSecret = (appSecret ?? null) !== null;
  return findEntered({ facts, hasSecret, settings: doctor, now: clock.now() })[0];
}

const RETURN_PATH = "/console/connect";
/** The network leads back to these without https too, for trying things out. */
const OWN_MACHINE: readonly string[] = ["localhost", "127.0.0.1", "[::1]"];

/**
 * Where the network's page leads back to after a sign-up; it is entered at the network too, to the letter. Null: the
 * server has no public https address.
 */
export function returnAddressOf({ publicUrl }: Pick<WorkspaceCall, "publicUrl">): string | null {
  const url = publicUrl === null ? null : URL.parse(publicUrl);
  if (url === null || (url.protocol !== "https:" && !OWN_MACHINE.includes(url.hostname))) return null;
  return `${publicUrl}${RETURN_PATH}`;
}

/** Throws what is wrong with the token or the app secret, at its field. */
export function requireUsable(call: WorkspaceCall, facts: Facts, sender: Sender): void {
  const issue = findUnusable(call, facts, sender);
  if (issue === undefined) return;
  const text = `${issue.says} ${nextInForm(issue)}`;
  if (issue.check === "token") throw invalidRequest({ token: [text] });
  if (issue.check === "app secret" || issue.check === "callback signature")
    throw invalidRequest({ app_secret: [text] });
  throw refusedByNetwork(text);
}

/**
 * The number as the network shows it with the secrets of `sender`; null if it does not. `field`: where it is said that
 * the account is not one of the token's.
 */
export async function findShownNumber(call: WorkspaceCall, sender: Sender, phoneNumberId: string, field: string) {
  const { facts, shown } = await inspectShown(portOf(call), sender, phoneNumberId);
  requireUsable(call, facts, sender);
  if (shown.ok) return shown.value;
  const text = describeAccount(shown.failure);
  throw shown.failure.kind === "later" ? refusedByNetwork(text) : invalidRequest({ [field]: [text] });
}

const OTHER_ACCOUNT =
  "WhatsApp knows no account with this id that the token may see. Copy the WhatsApp Business Account ID from API Setup in Meta's dashboard, or give the system user full control of the account and create a new token.";

export function describeAccount({ kind, message }: { kind: string; message: string }): string {
  return kind === "number" || kind === "permission" ? OTHER_ACCOUNT : message;
}

export function refusedByNetwork(text: string): Refusal {
  return new Refusal(502, "whatsapp_refused", text);
}

/** Secrets that no key of this server opens are as good as gone. */
export function opened<T>(open: () => T): T {
  const found = ifReadable(open);
  if (found !== null) return found;
  throw new Refusal(409, "key_unreadable", "The stored token cannot be read with this server's key. Enter it again.");
}
