/**
 * What an owner does at Meta for a number that is connected, without leaving the console: another token or app secret,
 * the app's webhook, the registration. Each is asked of the network first; token, app secret and PIN are in no answer,
 * log or audit entry.
 */
import { Type } from "@sinclair/typebox";
import { quoted } from "#src/core/foreign-text.ts";
import { invalidRequest } from "#src/core/problem.ts";
import { Form } from "#src/core/schema.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { requireNotNeeded } from "#src/domain/broadcasts/blocked.ts";
import { findStoredMeaning } from "#src/domain/messages/error-codes.ts";
import { scheduleSync } from "#src/domain/numbers/account-sync.ts";
import { verifyTokenOf } from "#src/domain/numbers/callback-verification.ts";
import type { SendingNumber } from "#src/domain/numbers/table.ts";
import { moveToAccount, updateNumber } from "#src/domain/numbers/update.ts";
import { hasRight } from "#src/domain/users/roles.ts";
import { consoleNext } from "#src/health/console-steps.ts";
import { wantedFields } from "#src/health/receiving-rules.ts";
import {
  findMoved,
  inspectShown,
  isPin,
  type MovedNumber,
  ON_BUSINESS_APP,
  openNumber,
  ownerOf,
  register,
  renewedSender,
  sealMoved,
  sealRenewed,
  setUpWebhook,
  syncPhone,
} from "#src/receiving/connect-number.ts";
import { describeAccount, opened, portOf, refusedByNetwork, requireUsable, serverIssue } from "./ask-network.ts";
import { Refusal, type WorkspaceCall, type WorkspaceCallWith } from "./call.ts";
import { Data, endpoint, Id } from "./endpoint.ts";
import { changeNumber, NumberDetail, requireNumber } from "./numbers.ts";

const Secret = Type.Optional(Type.String({ maxLength: 4_096 }));
const ofNumber = {
  session: "manage",
  isSensitive: true,
  params: { id: Id("number") },
  output: Data(NumberDetail),
} as const;

export const numberAccessEndpoints = {
  // Another token, another app secret, or both.
  "PUT /w/{workspace}/numbers/{id}/access": endpoint({
    ...ofNumber,
    takesSecrets: true,
    /** `move`: the owner has agreed that the number is in another account from now on. */
    body: Form({ token: Secret, app_secret: Secret, move: Type.Optional(Type.Boolean()) }),
  }).answer(async (call) => {
    const { store, box, body } = call;
    const number = store.read((tx) => requireNumber(call, tx));
    if (number.network !== "whatsapp") throw new Refusal(409, "simulated", "A number on the simulator has no token.");
    const given = { token: body.token?.trim() || null, appSecret: body.app_secret?.trim() || null };
    if (given.token === null && given.appSecret === null)
      throw invalidRequest({ token: ["Enter a token, an app secret, or both."] });
    const sender = opened(() => renewedSender(box, number, given));
    const moved = await requireAccess(call, sender);
    if (moved !== null) {
      if (body.move !== true) throw new Refusal(409, "number_moved", describeMove(number, moved));
      return changeNumber(
        call,
        "number.move",
        (tx) => moveNumber(tx, call, number, moved, { token: sender.accessToken, appSecret: sender.appSecret ?? null }),
        moveDetails(number, moved),
      );
    }
    return changeNumber(call, "number.renew-access", (tx) =>
      updateNumber(tx, requireNumber(call, tx), sealRenewed(box, number, given)),
    );
  }),
  // Sets the app's callback address and fields, and subscribes the app to the account.
  "POST /w/{workspace}/numbers/{id}/webhook": endpoint({
    ...ofNumber,
    body: Form({ replace: Type.Optional(Type.Boolean()) }),
  }).answer(async (call) => {
    const { store, box, publicUrl, workspace } = call;
    const number = store.read((tx) => requireOnMeta(call, tx));
    if (publicUrl === null) throw new Refusal(409, "no_public_url", describeAddress(call));
    const sender = opened(() => openNumber(box, number));
    const result = await setUpWebhook(portOf(call), sender, {
      callbackUrl: `${publicUrl}/networks/whatsapp`,
      verifyToken: store.read((tx) => verifyTokenOf(tx, workspace.id)),
      ...wantedFields,
      replaces: call.body.replace === true,
      // With the server's own app secret, other workspaces may receive by the same app.
      mayChangeApp: number.appSecret !== null || hasRight(call.role, "operate"),
    });
    if (!result.done && "isForeignApp" in result) throw new Refusal(409, "app_of_operator", APP_OF_OPERATOR);
    if (!result.done && "goesTo" in result) {
      const address = quoted(result.goesTo);
      const message = `The app sends its callbacks to ${address}. If they come here, they no longer go there.`;
      throw new Refusal(409, "webhook_elsewhere", message);
    }
    if (!result.done) throw refusedByNetwork(result.failure.message);
    return changeNumber(call, "number.set-webhook", syncSoon);
  }),
  "POST /w/{workspace}/numbers/{id}/register": endpoint({
    ...ofNumber,
    takesSecrets: true,
    body: Form({ pin: Type.String({ maxLength: 64 }) }),
  }).answer(async (call) => {
    const { store, box, body } = call;
    const number = store.read((tx) => requireOnMeta(call, tx));
    const pin = body.pin.trim();
    if (!isPin(pin)) throw invalidRequest({ pin: ["The PIN has six digits."] });
    const sender = opened(() => openNumber(box, number));
    const registered = await register(portOf(call), sender, pin);
    if (!registered.done) {
      const { failure } = registered;
      if (failure === null) throw new Refusal(409, "on_business_app", ON_BUSINESS_APP);
      throw findStoredMeaning(failure.code)?.asked === "pin"
        ? invalidRequest({ pin: [failure.message] })
        : refusedByNetwork(failure.message);
    }
    // The hash of a form with six digits in a kept answer would give the PIN away.
    return changeNumber({ ...call, form: null }, "number.register", syncSoon);
  }),
  // The contacts and the history of the app on the phone, which arrive by callbacks.
  "POST /w/{workspace}/numbers/{id}/phone-data": endpoint(ofNumber).answer(async (call) => {
    const { store, box } = call;
    const number = store.read((tx) => requireOnMeta(call, tx));
    const asked = await syncPhone(
      portOf(call),
      opened(() => openNumber(box, number)),
    );
    if (asked === null)
      throw new Refusal(409, "not_on_business_app", "This number is not in the WhatsApp Business app.");
    // One that was asked for before does not hide that the other was taken.
    const failure = asked.failures.find(({ code }) => code !== DONE_BEFORE) ?? asked.failures[1];
    if (failure !== undefined) throw refusedByNetwork(failure.message);
    return changeNumber(call, "number.sync-phone", syncSoon);
  }),
};

/** The network's code for data that it was asked for before. */
const DONE_BEFORE = "2593107";
const APP_OF_OPERATOR =
  "The Meta app belongs to this server's operator, and its callbacks do not come here. Ask the operator to set it up, or enter the secret of your own app.";

function syncSoon(tx: Tx, number: SendingNumber): SendingNumber {
  scheduleSync(tx, number, 0);
  return number;
}

/**
 * Throws unless the network shows the number with these secrets. Null: where it was; otherwise the account of the token that
 * it is in now.
 */
async function requireAccess(call: WorkspaceCall, sender: Sender): Promise<MovedNumber | null> {
  const port = portOf(call);
  if (!port.knowsNumbers(sender)) {
    const listed = await port.listTemplates(sender);
    if (!listed.ok) throw invalidRequest({ token: [listed.failure.message] });
    return null;
  }
  const inspected = await inspectShown(port, sender, sender.phoneNumberId);
  requireUsable(call, inspected.facts, sender);
  const { shown } = inspected;
  if (shown.ok && shown.value !== null) return null;
  const moved = await findMoved(port, sender, inspected);
  if (moved !== null) return moved;
  if (shown.ok) {
    throw invalidRequest({ token: [`This token does not show ${sender.phone} in the account ${sender.accountId}.`] });
  }
  const text = describeAccount(shown.failure);
  throw shown.failure.kind === "later" ? refusedByNetwork(text) : invalidRequest({ token: [text] });
}

type Sender = Parameters<typeof inspectShown>[1];

function describeMove({ phone, accountId }: SendingNumber, moved: MovedNumber): string {
  return `The token shows ${phone} in the account ${moved.accountId}, and no longer in ${accountId}.`;
}

export function moveDetails({ accountId }: SendingNumber, moved: MovedNumber) {
  return { was: { account: accountId }, became: { account: moved.accountId } };
}

/** Throws while a broadcast needs the number: its template is the account's. `secrets`: all that the number has then. */
export function moveNumber(
  tx: Tx,
  { box, workspace }: WorkspaceCall,
  number: SendingNumber,
  moved: MovedNumber,
  secrets: Parameters<typeof sealMoved>[2],
): SendingNumber {
  requireNotNeeded(tx, workspace.id, { numberId: number.id }, null);
  if (ownerOf(tx, workspace.id, moved.phoneNumberId) !== null) {
    throw new Refusal(409, "already_connected", "This number is already connected on this server.");
  }
  return moveToAccount(tx, number, { ...moved, ...sealMoved(box, moved, secrets) });
}

function describeAddress(call: WorkspaceCall): string {
  const issue = serverIssue(call);
  return issue === undefined ? "" : `${issue.says} ${consoleNext(issue)}`;
}

/** Throws a refusal for a number that Meta does not serve itself. */
export function requireOnMeta(call: WorkspaceCallWith<{ id: number }>, tx: ReadTx) {
  const number = requireNumber(call, tx);
  if (number.network === "whatsapp" && number.provider === "graph") return number;
  throw new Refusal(409, "not_at_meta", "This is done at the provider of the number, not here.");
}
