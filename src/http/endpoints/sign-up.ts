/**
 * Signing up at the network (Embedded Signup): the browser goes to the network's own page and comes back with a code, which
 * this server exchanges for an access token. From the token on, everything goes the way of a token that was entered. The
 * code is treated as a secret until it is used; no answer, log or audit entry holds the token or the app secret.
 */
import { Type } from "@sinclair/typebox";
import { Form, Nullable } from "#src/core/schema.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { beginSignUp, type SignUpRefusal, takeSignUp } from "#src/domain/numbers/sign-up.ts";
import type { SendingNumber } from "#src/domain/numbers/table.ts";
import { updateNumber } from "#src/domain/numbers/update.ts";
import {
  enteredSender,
  findMoved,
  inspectSecrets,
  inspectShown,
  keepEntered,
  renewedSender,
  sealRenewed,
} from "#src/receiving/connect-number.ts";
import { findUnusable, opened, portOf, refusedByNetwork, returnAddressOf, serverIssue } from "./ask-network.ts";
import { type ChangeResult, change, Refusal, type WorkspaceCall } from "./call.ts";
import { Data, endpoint } from "./endpoint.ts";
import { moveDetails, moveNumber, requireOnMeta } from "./number-access.ts";

/** Where the browser continues: at the set-up of the number, or at the choice of one. */
const Continued = Type.Object({ number_id: Nullable(Type.Integer()) });

export const signUpEndpoints = {
  // Changes nothing but that the answer of the network is awaited.
  "POST /w/{workspace}/connection/sign-up": endpoint({
    session: "manage",
    isSensitive: true,
    body: Form({
      /** The network's page may connect a number that stays in the WhatsApp Business app. */
      keeps_app: Type.Boolean(),
      /** A number whose access is renewed. */
      number_id: Type.Optional(Type.Integer({ minimum: 1 })),
    }),
    output: Data(Type.Object({ address: Type.String() })),
  }).answer(async (call) => {
    const { workspace, session, body } = call;
    const port = requireSignUp(call);
    const returnAddress = requireReturnAddress(call);
    return changed(call, (tx) => {
      const { number_id: id = null } = body;
      const number = id === null ? null : requireOnMeta({ ...call, path: { id } }, tx);
      const state = beginSignUp(tx, {
        ...{ workspaceId: workspace.id, sessionId: session.id },
        numberId: number?.id ?? null,
      });
      const address = port.dialogAddress({ state, returnAddress, keepsApp: body.keeps_app });
      return { status: 200, data: { address }, audit: null };
    });
  }),
  // Not confirmed again: the state proves that this session began the sign-up, and was confirmed then.
  "POST /w/{workspace}/connection/sign-up/finish": endpoint({
    session: "manage",
    takesSecrets: true,
    body: Form({ state: Type.String({ maxLength: 200 }), code: Type.String({ minLength: 1, maxLength: 4_096 }) }),
    output: Data(Continued),
  }).answer(async (call) => {
    const { store, workspace, session, body } = call;
    const port = requireSignUp(call);
    const returnAddress = requireReturnAddress(call);
    // Committed before the code leaves: whatever happens then, the state works no second time.
    const taken = await store.write((tx) =>
      takeSignUp(tx, { workspaceId: workspace.id, sessionId: session.id, state: body.state }),
    );
    if (typeof taken === "string") throw new Refusal(409, `sign_up_${taken}`, REFUSALS[taken]);
    const exchanged = await port.exchangeCode(body.code, returnAddress);
    if (exchanged.kind === "code_refused") throw new Refusal(409, "sign_up_code_refused", CODE_REFUSED);
    if (exchanged.kind === "app_refused") throw new Refusal(409, "sign_up_app_refused", APP_REFUSED);
    if (exchanged.kind === "unknown") throw new Refusal(502, "sign_up_unknown_outcome", UNKNOWN);
    if (exchanged.kind === "later") throw refusedByNetwork(`${exchanged.message} ${START_AGAIN}`);
    const { token } = exchanged;
    return taken.numberId === null ? keepToken(call, token) : renewToken(call, taken.numberId, token);
  }),
};

const START_AGAIN = "Nothing was changed. Start again.";
const REFUSALS: Readonly<Record<SignUpRefusal, string>> = {
  unknown: `This server did not begin this sign-up at Meta. ${START_AGAIN}`,
  other_session: `This sign-up was begun in another session or browser. ${START_AGAIN}`,
  used: `This answer of Meta's was used already. If the token is not stored, start again.`,
  expired: `More than ten minutes have passed since you left for Meta. ${START_AGAIN}`,
};
const CODE_REFUSED = `Meta no longer takes the code that it gave: it was used, is too old, or belongs to another address. ${START_AGAIN}`;
const APP_REFUSED =
  "Meta does not accept this server's app ID and app secret. Ask the operator to compare [whatsapp] app_id and app_secret with the app at Meta, then start again.";
const UNKNOWN = `Meta did not answer in time, and its code works only once. ${START_AGAIN}`;

/** As an entered token is kept, until a number is chosen. The server's own app secret signs for it. */
async function keepToken(call: WorkspaceCall, token: string) {
  const { workspace, box } = call;
  const secrets = { token, appSecret: null };
  const sender = enteredSender(workspace.id, secrets);
  const { facts } = await inspectSecrets(portOf(call), sender);
  requireGranted(call, facts, sender);
  return changed(call, (tx) => {
    keepEntered(tx, box, workspace.id, secrets);
    const audit = { action: "connection.sign-up", subject: "whatsapp" };
    return { status: 200, data: { number_id: null }, audit };
  });
}

/** The number now belongs to the server's app, so an app secret of its own would be another app's. */
async function renewToken(call: WorkspaceCall, numberId: number, token: string) {
  const { store, box } = call;
  const find = (tx: ReadTx): SendingNumber => requireOnMeta({ ...call, path: { id: numberId } }, tx);
  const number = store.read(find);
  const given = { token, appSecret: null };
  const sender = opened(() => renewedSender(box, { ...number, appSecret: null }, given));
  const inspected = await inspectShown(portOf(call), sender, number.phoneNumberId);
  requireGranted(call, inspected.facts, sender);
  const { shown } = inspected;
  if (!shown.ok && shown.failure.kind === "later") throw refusedByNetwork(`${shown.failure.message} ${START_AGAIN}`);
  const isThere = shown.ok && shown.value !== null;
  const moved = isThere ? null : await findMoved(portOf(call), sender, inspected);
  if (!isThere && moved === null) {
    const text = `The account that you chose at Meta does not have ${number.phone}. ${START_AGAIN}`;
    throw new Refusal(409, "sign_up_other_number", text);
  }
  return changed(call, (tx) => {
    // The owner chose the account on Meta's page.
    if (moved !== null) {
      moveNumber(tx, call, find(tx), moved, given);
      const audit = { action: "number.move", subject: number.phone, details: moveDetails(number, moved) };
      return { status: 200, data: { number_id: numberId }, audit };
    }
    updateNumber(tx, find(tx), { ...sealRenewed(box, number, given), appSecret: null });
    const audit = { action: "number.renew-access", subject: number.phone };
    return { status: 200, data: { number_id: numberId }, audit };
  });
}

/** Without a form's key: an address leaves once, and a state lets its answer act once. */
function changed<Result>(call: WorkspaceCall, act: (tx: Tx) => ChangeResult<Result>) {
  return change({ ...call, form: null }, act);
}

function requireSignUp({ dispatch }: WorkspaceCall) {
  const { signUp } = dispatch.networks.whatsapp;
  if (signUp !== undefined) return signUp;
  const text = "The operator of this server has not set up signing up at Meta. Enter a token instead.";
  throw new Refusal(409, "no_sign_up", text);
}

function requireReturnAddress(call: WorkspaceCall): string {
  const address = returnAddressOf(call);
  if (address !== null) return address;
  const { says = "", next = "" } = serverIssue(call) ?? {};
  throw new Refusal(409, "no_public_url", `${says} For the operator: ${next}.`);
}

/** Throws what the token that Meta gave lacks. */
function requireGranted(
  call: WorkspaceCall,
  facts: Parameters<typeof findUnusable>[1],
  sender: Parameters<typeof findUnusable>[2],
): void {
  const issue = findUnusable(call, facts, sender);
  if (issue === undefined) return;
  const isOfApp = issue.check === "app secret" || issue.check === "callback signature";
  if (isOfApp) throw new Refusal(409, "sign_up_app_refused", APP_REFUSED);
  if (issue.check !== "token") throw refusedByNetwork(`${issue.says} ${START_AGAIN}`);
  const text = `${issue.says} Start again, and on Meta's page grant everything that it asks for.`;
  throw new Refusal(409, "sign_up_not_granted", text);
}
