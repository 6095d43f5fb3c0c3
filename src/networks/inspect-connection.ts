/**
 * Asks the network about the connection of a number with this server. Numbers of one account that share a token share
 * the questions, because the network limits them. Asks nothing more after an answer that makes the rest pointless.
 */
import type { ConnectionFacts } from "#src/domain/numbers/connection-facts.ts";
import type { AppSubscription, NumberCallbackUrls, SubscribedApp, TokenDetails } from "./account-facts.ts";
import type { AccountPort, ListedNumber, RequestFailure, Result, Sender } from "./network.ts";

/** What the numbers of an account with one token have in common. */
export interface AccountInspection {
  /** With the proof of the app secret, if the network accepts it. */
  proof: ConnectionFacts["proof"];
  numbers: Result<ListedNumber[]>;
  token: Result<TokenDetails> | null;
  apps: Result<SubscribedApp[]> | null;
  app: Result<AppSubscription | null> | null;
  callbackUrls: readonly NumberCallbackUrls[];
}

/** Nothing more is asked if the token is unusable or the network cannot be reached. */
const FINAL: readonly RequestFailure["kind"][] = ["token", "proof", "later", "foreign"];
/** Meta's codes for an app's own token that it does not accept: the secret in it is wrong. */
const WRONG_SECRET: readonly string[] = ["1", "101", "190"];

export async function inspectAccount(port: AccountPort, sender: Sender): Promise<AccountInspection> {
  const { proof, numbers } = await listWithProof(port, sender);
  const found = { proof, numbers, token: null, apps: null, app: null, callbackUrls: [] };
  if (!numbers.ok && FINAL.includes(numbers.failure.kind)) return found;
  const asked = withProof(sender, proof);
  const token = await port.inspectToken(asked);
  const apps = await port.listSubscribedApps(asked);
  const appId = token.ok ? token.value.appId : null;
  const app = appId === null || !port.hasSecret(asked) ? null : await port.fetchAppSubscription(asked, appId);
  const urls = numbers.ok ? await port.listCallbackUrls(asked) : null;
  return { ...found, token, apps, app, callbackUrls: urls?.ok === true ? urls.value : [] };
}

/** As the requests of this sender are to be made. */
export function withProof(sender: Sender, proof: ConnectionFacts["proof"]): Sender {
  return proof === null ? sender : { ...sender, sendsProof: proof === "accepted" };
}

/** A proof that is not accepted is omitted: the number may be able to send without it. */
async function listWithProof(port: AccountPort, sender: Sender): Promise<Pick<AccountInspection, "proof" | "numbers">> {
  const { proof, answer } = await askWithProof(port, sender, (asked) => port.listNumbers(asked));
  return { proof, numbers: answer };
}

/** Asks with the proof of the app secret, and once more without it where the network does not accept it. */
async function askWithProof<T>(
  port: AccountPort,
  sender: Sender,
  ask: (sender: Sender) => Promise<Result<T>>,
): Promise<{ proof: ConnectionFacts["proof"]; answer: Result<T> }> {
  const hasSecret = port.hasSecret(sender);
  if (hasSecret) {
    const answer = await ask({ ...sender, sendsProof: true });
    if (answer.ok || !FINAL.includes(answer.failure.kind)) return { proof: "accepted", answer };
    // The network did not come to look at the proof.
    if (answer.failure.kind !== "proof") return { proof: null, answer };
  }
  const answer = await ask({ ...sender, sendsProof: false });
  const isDemanded = !answer.ok && answer.failure.kind === "proof";
  return { proof: hasSecret ? "refused" : isDemanded ? "missing" : null, answer };
}

/** What the network says of a token and an app secret before any number is known. */
interface TokenInspection extends Pick<ConnectionFacts, "proof" | "failure" | "token" | "app"> {
  /** The accounts that the token was made for; empty if the network does not name them. */
  accountIds: readonly string[];
}

export async function inspectToken(port: AccountPort, sender: Sender): Promise<TokenInspection> {
  const { proof, answer } = await askWithProof(port, sender, (asked) => port.inspectToken(asked));
  if (!answer.ok) return { proof, failure: answer.failure, token: null, app: null, accountIds: [] };
  const { appId, accountIds } = answer.value;
  const app = appId === null || !port.hasSecret(sender) ? null : await port.fetchAppSubscription(sender, appId);
  return { proof, failure: null, token: answer.value, app: appOf(app), accountIds };
}

/** What `inspected` says about one number. `fetched`: the answer about the number itself, where it was needed. */
export function factsOf(
  inspected: AccountInspection,
  { phoneNumberId }: Pick<Sender, "phoneNumberId">,
  fetched: Result<ListedNumber> | null,
): ConnectionFacts {
  const { proof, numbers, token, apps, app, callbackUrls } = inspected;
  const listed = numbers.ok ? numbers.value.find((one) => one.phoneNumberId === phoneNumberId) : undefined;
  const seen = listed ?? (fetched?.ok === true ? fetched.value : undefined);
  const accountFailure = numbers.ok ? (listed === undefined ? NOT_IN_ACCOUNT : null) : numbers.failure;
  const appId = token?.ok === true ? token.value.appId : null;
  return {
    failure: seen === undefined ? (failureOf(fetched) ?? accountFailure) : null,
    accountFailure: seen === undefined ? null : accountFailure,
    phone: seen?.phone ?? null,
    proof,
    token: token?.ok === true ? token.value : null,
    number: seen === undefined ? null : detailsOf(seen),
    subscription: apps?.ok === true ? subscriptionOf(apps.value, appId) : null,
    app: appOf(app),
    callbackUrl: urlOf(callbackUrls.find((one) => one.phoneNumberId === phoneNumberId)),
  };
}

/** The account answers, and the number is not among its numbers. */
const NOT_IN_ACCOUNT: RequestFailure = {
  code: "not_in_account",
  message: "The WhatsApp account has no number with this id.",
  kind: "number",
};

function failureOf(result: Result<unknown> | null): RequestFailure | null {
  return result === null || result.ok ? null : result.failure;
}

function detailsOf(listed: ListedNumber): NonNullable<ConnectionFacts["number"]> {
  const { status, nameStatus, quality, messagingLimit, throughputLevel, health, setup } = listed;
  return { status, nameStatus, quality, messagingLimit, throughputLevel, health, setup };
}

/** Without the app's id, any subscribed app may be ours. */
function subscriptionOf(
  apps: readonly SubscribedApp[],
  appId: string | null,
): NonNullable<ConnectionFacts["subscription"]> {
  const own = appId === null ? apps[0] : apps.find(({ id }) => id === appId);
  return { isSubscribed: own !== undefined, overrideUrl: own?.overrideUrl ?? null };
}

function appOf(app: AccountInspection["app"]): ConnectionFacts["app"] {
  if (app === null) return null;
  if (app.ok) return app.value ?? "none";
  return WRONG_SECRET.includes(app.failure.code) ? "wrong_secret" : null;
}

function urlOf(urls: NumberCallbackUrls | undefined): string | null {
  return urls?.number ?? urls?.account ?? null;
}
