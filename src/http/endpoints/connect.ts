/**
 * Connecting a number of WhatsApp in the console: what the owner entered is kept, sealed, as a draft; a number is added
 * only after the network has shown it with the given token. Token and app secret are in no answer, log or audit entry.
 * The network is asked at the configured address alone.
 */
import { Type } from "@sinclair/typebox";
import { invalidRequest } from "#src/core/problem.ts";
import { Form, Nullable, OneOf } from "#src/core/schema.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import { findVerifiedAt, verifyTokenOf } from "#src/domain/numbers/callback-verification.ts";
import { discardDraft, findDraft } from "#src/domain/numbers/connection-draft.ts";
import { consoleNext } from "#src/health/console-steps.ts";
import {
  addShown,
  enteredSender,
  inspectSecrets,
  isSameDraft,
  keepEntered,
  listShown,
  openDraft,
  ownerOf,
} from "#src/receiving/connect-number.ts";
import { timesOf } from "../times.ts";
import {
  describeAccount,
  findShownNumber,
  opened,
  portOf,
  requireUsable,
  returnAddressOf,
  serverIssue,
} from "./ask-network.ts";
import { change, Refusal, type WorkspaceCall } from "./call.ts";
import { Data, Empty, endpoint } from "./endpoint.ts";
import { OptionalText, OptionalTime } from "./fragments.ts";
import { NumberDetail, viewNumber } from "./numbers.ts";

/** A token of Meta's has some 200 characters. */
const Secret = Type.String({ maxLength: 4_096 });
const ID_PATTERN = /^\d{5,30}$/;

const ConnectionView = Type.Object({
  /** Where the network calls; null: the server does not know its public address. */
  callback_address: OptionalText,
  /** Of the workspace: the network repeats it when it verifies the address. */
  verify_token: Type.String(),
  verified_at: OptionalTime,
  /** When a verification with an unknown token was last refused. */
  refused_at: OptionalTime,
  /** What keeps the network from calling this server; null: nothing that is known. */
  server_issue: Nullable(Type.Object({ message: Type.String(), next: Type.String() })),
  /** The server has an app secret for numbers without their own. */
  has_configured_secret: Type.Boolean(),
  /** The operator set up signing up at the network. `is_possible`: its page can lead back to this server. */
  sign_up: Nullable(Type.Object({ is_possible: Type.Boolean() })),
  draft: Nullable(Type.Object({ has_app_secret: Type.Boolean(), updated_at: OptionalTime })),
});

const OfferedNumber = Type.Object({
  phone_number_id: Type.String(),
  phone: Type.String(),
  name: OptionalText,
  /** In the network's own word. */
  status: OptionalText,
  is_on_business_app: Type.Boolean(),
  /** Where it is connected already. */
  connected: Nullable(OneOf(["here", "elsewhere"])),
});

const OfferedAccount = Type.Object({
  id: Type.String(),
  name: OptionalText,
  /** Why its numbers are not known. */
  problem: OptionalText,
  numbers: Type.Array(OfferedNumber),
});

export const connectEndpoints = {
  "GET /w/{workspace}/connection": endpoint({ session: "manage", output: Data(ConnectionView) }).read((tx, call) =>
    viewConnection(tx, call),
  ),
  "PUT /w/{workspace}/connection": endpoint({
    session: "manage",
    isSensitive: true,
    takesSecrets: true,
    body: Form({ token: Secret, app_secret: Type.Optional(Secret) }),
    output: Data(ConnectionView),
  }).answer(async (call) => {
    const { workspace, box, body } = call;
    const secrets = { token: body.token.trim(), appSecret: body.app_secret?.trim() || null };
    if (secrets.token === "") throw invalidRequest({ token: ["Enter the access token."] });
    const sender = enteredSender(workspace.id, secrets);
    const { facts } = await inspectSecrets(portOf(call), sender);
    requireUsable(call, facts, sender);
    return change(call, (tx) => {
      keepEntered(tx, box, workspace.id, secrets);
      const audit = { action: "connection.enter", subject: "whatsapp" };
      return { status: 200, data: viewConnection(tx, call), audit };
    });
  }),
  "DELETE /w/{workspace}/connection": endpoint({ session: "manage", output: Data(Empty) }).change(
    (tx, { workspace }) => {
      const isDiscarded = discardDraft(tx, workspace.id);
      const audit = isDiscarded ? { action: "connection.discard", subject: "whatsapp" } : null;
      return { status: 200, data: {}, audit };
    },
  ),
  // Asks the network, so it may take a while; changes nothing.
  "GET /w/{workspace}/connection/numbers": endpoint({
    session: "manage",
    /** An account that the token does not name itself. */
    query: { account: Type.String() },
    output: Data(Type.Array(OfferedAccount)),
  }).load(async (call) => {
    const { store, workspace, query } = call;
    const account = query.get("account") || null;
    if (account !== null) requireAccountId(account);
    const draft = store.read((tx) => findDraft(tx, workspace.id));
    if (draft === undefined) throw noDraft();
    const sender = enteredSender(
      workspace.id,
      opened(() => openDraft(call.box, draft)),
    );
    const inspected = await inspectSecrets(portOf(call), sender);
    requireUsable(call, inspected.facts, sender);
    const shown = await listShown(portOf(call), sender, inspected, account);
    return store.read((tx) =>
      shown.map(({ id, name, failure, numbers }) => ({
        ...{ id, name, problem: failure === null ? null : describeAccount(failure) },
        numbers: numbers.flatMap(({ phoneNumberId, phone, verifiedName, status, isOnBusinessApp }) => {
          const connected = ownerOf(tx, workspace.id, phoneNumberId);
          const view = { status, is_on_business_app: isOnBusinessApp, connected, name: verifiedName };
          return phone === null ? [] : [{ phone_number_id: phoneNumberId, phone: `+${phone}`, ...view }];
        }),
      })),
    );
  }),
  "POST /w/{workspace}/connection/number": endpoint({
    session: "manage",
    isSensitive: true,
    body: Form({
      account_id: Type.String({ maxLength: 64 }),
      phone_number_id: Type.String({ maxLength: 64 }),
      name: Type.Optional(Type.String({ maxLength: 1_000 })),
    }),
    output: Data(NumberDetail),
  }).answer(async (call) => {
    const { store, workspace, box } = call;
    const { account_id: accountId, phone_number_id: phoneNumberId } = call.body;
    requireAccountId(accountId, "account_id");
    const draft = store.read((tx) => findDraft(tx, workspace.id));
    // A form that was sent before has no draft any more, and gets its answer again.
    const shown = draft === undefined ? null : await requireShown(call, draft, accountId, phoneNumberId);
    return change(call, (tx) => {
      if (draft === undefined || shown === null || !isSameDraft(tx, draft)) throw noDraft();
      if (ownerOf(tx, workspace.id, phoneNumberId) === "elsewhere") {
        throw invalidRequest({ phone_number_id: ["This number is already connected on this server."] });
      }
      const name = call.body.name?.trim() || shown.number.verifiedName || shown.number.phone || "";
      const number = addShown(tx, box, workspace.id, { ...shown, accountId, name });
      const audit = { action: "number.add", subject: number.phone, details: { network: "whatsapp" } };
      return { status: 201, data: viewNumber(tx, number, workspace), audit };
    });
  }),
};

function viewConnection(tx: ReadTx, call: WorkspaceCall) {
  const { workspace, publicUrl, verification, doctor, dispatch } = call;
  const when = timesOf(workspace);
  const draft = findDraft(tx, workspace.id);
  const issue = serverIssue(call);
  return {
    callback_address: publicUrl === null ? null : `${publicUrl}/networks/whatsapp`,
    verify_token: verifyTokenOf(tx, workspace.id),
    verified_at: when(findVerifiedAt(tx, workspace.id)),
    refused_at: when(verification.refusedAt),
    server_issue: issue === undefined ? null : { message: issue.says, next: consoleNext(issue) },
    has_configured_secret: doctor.hasAppSecret,
    sign_up: dispatch.networks.whatsapp.signUp === undefined ? null : { is_possible: returnAddressOf(call) !== null },
    draft: draft === undefined ? null : { has_app_secret: draft.appSecret !== null, updated_at: when(draft.updatedAt) },
  };
}

/** Throws unless the network shows the number in the account with the draft's token. */
async function requireShown(
  call: WorkspaceCall,
  draft: Parameters<typeof openDraft>[1],
  accountId: string,
  phoneNumberId: string,
) {
  const secrets = opened(() => openDraft(call.box, draft));
  const sender = { ...enteredSender(call.workspace.id, secrets), accountId };
  const number = await findShownNumber(call, sender, phoneNumberId, "account_id");
  if (number?.phone != null) return { number, secrets };
  throw invalidRequest({ phone_number_id: ["WhatsApp does not show this number in the account."] });
}

function requireAccountId(id: string, field = "account"): void {
  if (!ID_PATTERN.test(id)) throw invalidRequest({ [field]: ["The account ID consists of 5 to 30 digits."] });
}

function noDraft(): Refusal {
  return new Refusal(409, "no_connection", "The token is no longer stored. Enter it again.");
}
