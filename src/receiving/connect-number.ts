/**
 * What the console asks the network before it adds a number or stores another secret: which accounts and numbers a token
 * shows, and whether a number is among them. Nothing is taken from a browser that the network has not shown; the address
 * that is asked is the configured one. Also sets up the app's webhook and registers a number.
 */
import type { SecretBox } from "#src/core/secret.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { addNumber } from "#src/domain/numbers/add.ts";
import { discardDraft, findDraft, saveDraft } from "#src/domain/numbers/connection-draft.ts";
import { type ConnectionFacts, NO_FACTS } from "#src/domain/numbers/connection-facts.ts";
import { findByPhoneNumberId } from "#src/domain/numbers/read.ts";
import type { ConnectionDraft, SendingNumber } from "#src/domain/numbers/table.ts";
import {
  draftSecretContext,
  draftTokenContext,
  type GivenSecrets,
  sealSecrets,
  secretOf,
  senderOf,
} from "#src/networks/credentials.ts";
import { inspectToken, withProof } from "#src/networks/inspect-connection.ts";
import type { AccountPort, ListedNumber, RequestFailure, Result, Sender } from "#src/networks/network.ts";

/** What the network says of a token and an app secret. `accountIds`: those that the token was made for. */
interface InspectedSecrets {
  facts: ConnectionFacts;
  accountIds: readonly string[];
}

export async function inspectSecrets(port: AccountPort, sender: Sender): Promise<InspectedSecrets> {
  const { accountIds, ...found } = await inspectToken(port, sender);
  return { facts: { ...NO_FACTS, ...found }, accountIds };
}

/** As the network is asked before a number is known. */
export function enteredSender(workspaceId: number, { token, appSecret }: GivenSecrets): Sender {
  return { ...{ phone: "", phoneNumberId: `workspace ${workspaceId}`, accountId: "" }, accessToken: token, appSecret };
}

export function keepEntered(tx: Tx, box: SecretBox, workspaceId: number, { token, appSecret }: GivenSecrets): void {
  saveDraft(tx, workspaceId, {
    accessToken: box.seal(token ?? "", draftTokenContext(workspaceId)),
    appSecret: appSecret === null ? null : box.seal(appSecret, draftSecretContext(workspaceId)),
  });
}

/** Throws `SecretUnreadable`. */
export function openDraft(box: SecretBox, { workspaceId, accessToken, appSecret }: ConnectionDraft): GivenSecrets {
  return {
    token: box.open(accessToken, draftTokenContext(workspaceId)),
    appSecret: appSecret === null ? null : box.open(appSecret, draftSecretContext(workspaceId)),
  };
}

/** The number with both secrets decrypted. Throws `SecretUnreadable`. */
export function openNumber(box: SecretBox, number: SendingNumber): Sender {
  return { ...senderOf(box, number), appSecret: secretOf(box, number) };
}

/** The number with what was given in place of what is stored. Throws `SecretUnreadable`. */
export function renewedSender(box: SecretBox, number: SendingNumber, { token, appSecret }: GivenSecrets): Sender {
  const { phone, phoneNumberId, accountId, provider, apiUrl } = number;
  return {
    ...{ phone, phoneNumberId, accountId, provider, apiUrl },
    accessToken: token ?? senderOf(box, number).accessToken,
    appSecret: appSecret ?? secretOf(box, number),
  };
}

/** What was given, as `updateNumber` stores it. */
export function sealRenewed(box: SecretBox, { phoneNumberId }: SendingNumber, given: GivenSecrets) {
  const { accessToken, appSecret } = sealSecrets(box, phoneNumberId, given);
  return { ...(accessToken === null ? {} : { accessToken }), ...(appSecret === null ? {} : { appSecret }) };
}

/** All secrets of a number, as `moveToAccount` stores them under the id that it has there. */
export function sealMoved(box: SecretBox, { phoneNumberId }: MovedNumber, secrets: GivenSecrets) {
  return sealSecrets(box, phoneNumberId, secrets);
}

interface ShownAccount {
  id: string;
  /** Null: the network does not say. */
  name: string | null;
  numbers: readonly ListedNumber[];
  /** Why the account's numbers are not known; null: they are. */
  failure: RequestFailure | null;
}

/** The numbers that the token shows, by account. `accountId`: one that the token was not made for by name. */
export async function listShown(
  port: AccountPort,
  sender: Sender,
  { facts, accountIds }: InspectedSecrets,
  accountId: string | null,
): Promise<ShownAccount[]> {
  const ids = [...new Set([...accountIds, ...(accountId === null ? [] : [accountId])])];
  return Promise.all(
    ids.map(async (id) => {
      const asked = withProof({ ...sender, accountId: id }, facts.proof);
      const [numbers, account] = [await port.listNumbers(asked), await port.fetchAccount(asked)];
      return {
        id,
        name: account.ok ? account.value.name : null,
        numbers: numbers.ok ? numbers.value : [],
        failure: numbers.ok ? null : numbers.failure,
      };
    }),
  );
}

/** Asks the network whether the token of `sender` shows the number in its account. */
async function findShown(
  port: AccountPort,
  sender: Sender,
  phoneNumberId: string,
): Promise<Result<ListedNumber | null>> {
  const listed = await port.listNumbers(sender);
  if (!listed.ok) return listed;
  return { ...listed, value: listed.value.find((one) => one.phoneNumberId === phoneNumberId) ?? null };
}

/** The same, with what the network says of the secrets; `shown` is asked with the proof that it accepts. */
export async function inspectShown(
  port: AccountPort,
  sender: Sender,
  phoneNumberId: string,
): Promise<InspectedSecrets & { shown: Awaited<ReturnType<typeof findShown>> }> {
  const inspected = await inspectSecrets(port, sender);
  const shown = await findShown(port, withProof(sender, inspected.facts.proof), phoneNumberId);
  return { ...inspected, shown };
}

/** The number where it is now at the network: in another account that the token was made for. */
export interface MovedNumber {
  accountId: string;
  phoneNumberId: string;
}

/** The same phone number in another account of the token; null: the token shows it in none. */
export async function findMoved(
  port: AccountPort,
  sender: Sender,
  inspected: InspectedSecrets,
): Promise<MovedNumber | null> {
  const accounts = await listShown(port, sender, inspected, null);
  const places = accounts.flatMap(({ id, numbers }) =>
    numbers
      .filter(({ phone }) => phone !== null && `+${phone}` === sender.phone)
      .map(({ phoneNumberId }) => ({ accountId: id, phoneNumberId })),
  );
  return places.find(({ accountId }) => accountId !== sender.accountId) ?? null;
}

/** Where a number that the network shows is connected already; null: nowhere on this server. */
export function ownerOf(tx: ReadTx, workspaceId: number, phoneNumberId: string): "here" | "elsewhere" | null {
  const number = findByPhoneNumberId(tx, phoneNumberId);
  if (number === undefined) return null;
  return number.workspaceId === workspaceId ? "here" : "elsewhere";
}

/** Adds a number that the network has shown with the draft's token, and ends the draft. */
export function addShown(
  tx: Tx,
  box: SecretBox,
  workspaceId: number,
  shown: { accountId: string; number: ListedNumber; name: string; secrets: GivenSecrets },
): SendingNumber {
  const { accountId, number, name, secrets } = shown;
  const { phoneNumberId, phone } = number;
  const { accessToken, appSecret } = sealSecrets(box, phoneNumberId, secrets);
  const added = addNumber(tx, workspaceId, {
    ...{ phone: `+${phone ?? ""}`, name, throughput: null },
    route: { network: "whatsapp", phoneNumberId, accountId, accessToken: accessToken ?? "", appSecret },
  });
  discardDraft(tx, workspaceId);
  return added;
}

/** The outcome of setting up the app's webhook. */
type WebhookSetUp =
  | { done: true }
  /** The app's callbacks go to another address, and replacing it was not asked for. */
  | { done: false; goesTo: string }
  /** The app is another one's, and its callbacks do not come here. */
  | { done: false; isForeignApp: true }
  | { done: false; failure: Pick<RequestFailure, "message"> };

interface WantedWebhook {
  callbackUrl: string;
  verifyToken: string;
  /** Fields that the app must receive, and those that are good to have. */
  fields: readonly string[];
  moreFields: readonly string[];
  /** Also if the app's callbacks go elsewhere now. */
  replaces: boolean;
  /** False: the app is not the number's own, so that others receive by it too. */
  mayChangeApp: boolean;
}

/** Sets the app's callback address and fields, and subscribes the app to the account. Fields that it has stay. */
export async function setUpWebhook(port: AccountPort, sender: Sender, wanted: WantedWebhook): Promise<WebhookSetUp> {
  const { proof, failure, token } = await inspectToken(port, sender);
  const asked = withProof(sender, proof);
  const appId = token?.appId ?? null;
  if (failure !== null) return { done: false, failure };
  if (appId === null) return { done: false, failure: NO_APP };
  const current = await port.fetchAppSubscription(asked, appId);
  if (!current.ok) return { done: false, failure: current.failure };
  const goesTo = current.value?.callbackUrl ?? null;
  if (wanted.mayChangeApp) {
    if (goesTo !== null && goesTo !== wanted.callbackUrl && !wanted.replaces) return { done: false, goesTo };
    const set = await subscribeFields(port, asked, appId, current.value?.fields ?? [], wanted);
    if (!set.ok) return { done: false, failure: set.failure };
  } else if (goesTo !== wanted.callbackUrl) {
    return { done: false, isForeignApp: true };
  }
  const subscribed = await port.subscribeApp(asked);
  return subscribed.ok ? { done: true } : { done: false, failure: subscribed.failure };
}

/** A version of the interface, or an app, that does not know one of the further fields refuses all. */
async function subscribeFields(
  port: AccountPort,
  sender: Sender,
  appId: string,
  present: readonly string[],
  { callbackUrl, verifyToken, ...wanted }: WantedWebhook,
): Promise<Result<null>> {
  const fields = [...new Set([...present, ...wanted.fields])];
  const all = [...new Set([...fields, ...wanted.moreFields])];
  const set = await port.subscribeAppFields(sender, appId, { callbackUrl, verifyToken, fields: all });
  if (set.ok || set.failure.code !== UNKNOWN_FIELD_CODE) return set;
  return port.subscribeAppFields(sender, appId, { callbackUrl, verifyToken, fields });
}

const UNKNOWN_FIELD_CODE = "100";
const NO_APP: RequestFailure = { code: "no_app", message: "WhatsApp does not say whose token it is.", kind: "other" };

/** Of the two-step verification of a number. */
export function isPin(text: string): boolean {
  return /^\d{6}$/.test(text);
}

/** `failure` null: the number is in the WhatsApp Business app too. */
type Registered = { done: true } | { done: false; failure: Pick<RequestFailure, "code" | "message"> | null };

export const ON_BUSINESS_APP =
  "This number is also used in the WhatsApp Business app. Registering it here would sign the phone out, so it is not done. It needs no registration.";

/** Registers the number with the Cloud API, unless that would take it from a phone. */
export async function register(port: AccountPort, sender: Sender, pin: string): Promise<Registered> {
  const shown = await findShown(port, sender, sender.phoneNumberId);
  if (!shown.ok) return { done: false, failure: shown.failure };
  if (shown.value?.isOnBusinessApp === true) return { done: false, failure: null };
  const registered = await port.registerNumber(sender, pin);
  return registered.ok ? { done: true } : { done: false, failure: registered.failure };
}

const PHONE_DATA = ["contacts", "history"] as const;

/**
 * Asks for the contacts and the history of the app on the phone. The network does each once, so what it refuses for the
 * second time does not keep the other from being asked for. Null: the number is not in the app.
 */
export async function syncPhone(port: AccountPort, sender: Sender): Promise<{ failures: RequestFailure[] } | null> {
  const shown = await findShown(port, sender, sender.phoneNumberId);
  if (!shown.ok) return { failures: PHONE_DATA.map(() => shown.failure) };
  if (shown.value?.isOnBusinessApp !== true) return null;
  const failures: RequestFailure[] = [];
  for (const kind of PHONE_DATA) {
    const asked = await port.syncPhone(sender, kind);
    if (!asked.ok) failures.push(asked.failure);
  }
  return { failures };
}

/** Whether there is a draft, and whether it is still the one that was read. */
export function isSameDraft(tx: ReadTx, { workspaceId, accessToken }: ConnectionDraft): boolean {
  return findDraft(tx, workspaceId)?.accessToken === accessToken;
}
