/** Numbers: whether they can send, what the network reports of them, and the doctor's findings. */
import { type Static, Type } from "@sinclair/typebox";
import { invalidRequest, notFound } from "#src/core/problem.ts";
import { Form, Instant, Nullable, OneOf } from "#src/core/schema.ts";
import { trimShown } from "#src/core/shown-text.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { requireNotNeeded } from "#src/domain/broadcasts/blocked.ts";
import { findHistoryImport } from "#src/domain/inbound/history-import.ts";
import { findSync, scheduleSync } from "#src/domain/numbers/account-sync.ts";
import { addNumber, DEFAULT_THROUGHPUT } from "#src/domain/numbers/add.ts";
import {
  CALLBACK_SECRET_HEADER,
  createCallbackAddress,
  listCallbackAddresses,
  removeCallbackAddresses,
} from "#src/domain/numbers/callback-address.ts";
import { findVerifiedAt } from "#src/domain/numbers/callback-verification.ts";
import { clearRestriction, findState } from "#src/domain/numbers/network-state.ts";
import { providers } from "#src/domain/numbers/provider.ts";
import { findNumber, listNumbers } from "#src/domain/numbers/read.ts";
import { markReady, markUnready, removeNumber } from "#src/domain/numbers/readiness.ts";
import type { SendingNumber } from "#src/domain/numbers/table.ts";
import { updateNumber } from "#src/domain/numbers/update.ts";
import type { Workspace } from "#src/domain/workspaces/table.ts";
import { consoleFinding } from "#src/health/console-steps.ts";
import { runDoctor } from "#src/health/doctor.ts";
import type { Reported } from "#src/health/finding.ts";
import { SET_UP } from "#src/health/receiving-rules.ts";
import { timesOf } from "../times.ts";
import { change, Refusal, type WorkspaceCallWith } from "./call.ts";
import { Data, Empty, endpoint, Id } from "./endpoint.ts";
import { Network, OptionalCount, OptionalText, OptionalTime, StepFinding } from "./fragments.ts";
import { show } from "./show.ts";

const NetworkStateView = Type.Object({
  status: OptionalText,
  verified_name: OptionalText,
  name_status: OptionalText,
  quality: OptionalText,
  messaging_limit: OptionalText,
  warning: OptionalText,
  checked_at: OptionalTime,
});

const HistoryView = Type.Object({
  progress: OptionalCount,
  declined: Nullable(Type.Object({ code: Type.String(), reason: OptionalText })),
  updated_at: Instant(),
});

const SyncView = Type.Object({ succeeded_at: OptionalTime, error: OptionalText });

/** Contains neither the access token nor a callback address. */
export const NumberDetail = Type.Object({
  id: Type.Integer(),
  phone: Type.String(),
  name: Type.String(),
  network: Network,
  ready: Type.Boolean(),
  unready_reason: OptionalText,
  unready_by: Nullable(OneOf(["person", "network"])),
  throughput: Type.Integer(),
  account_id: Type.String(),
  phone_number_id: Type.String(),
  /** Null on the simulator. */
  provider: Nullable(OneOf(providers)),
  has_app_secret: Type.Boolean(),
  created_at: Instant(),
  /** What the network says about the number, in its own values. */
  state: Nullable(NetworkStateView),
  /** The history of the phone that shares the number: how much has arrived, or that its owner declined to share it. */
  history: Nullable(HistoryView),
  sync: Nullable(SyncView),
  /** Null: callbacks need a signature. */
  unsigned_callbacks: Nullable(
    Type.Object({
      created_at: Instant(),
      /** To the hour. Null: the address was never called. */
      used_at: OptionalTime,
      /** Whether the provider sends the header, which is required since. */
      needs_header: Type.Boolean(),
      /** Until when the address before it works; null if there is none. */
      old_until: OptionalTime,
    }),
  ),
});

const number = { id: Id("number") };

const ofNumber = { session: "manage", params: number, output: Data(NumberDetail) } as const;

export const numberEndpoints = {
  "GET /w/{workspace}/numbers": endpoint({ session: "overview", output: Data(Type.Array(NumberDetail)) }).read(
    (tx, { workspace }) => listNumbers(tx, workspace.id).map((number) => viewNumber(tx, number, workspace)),
  ),
  // Simulator numbers only: `connect.ts` adds those that the network has shown.
  "POST /w/{workspace}/numbers": endpoint({
    session: "manage",
    isSensitive: true,
    body: Form({ phone: Type.String({ maxLength: 64 }), name: Type.String({ maxLength: 1_000 }) }),
    output: Data(NumberDetail),
  }).change((tx, call) => {
    const { phone, name } = call.body;
    const route = { network: "simulator" } as const;
    const number = addNumber(tx, call.workspace.id, { phone, name, throughput: DEFAULT_THROUGHPUT, route });
    const audit = { action: "number.add", subject: number.phone };
    return { status: 201, data: viewNumber(tx, number, call.workspace), audit };
  }),
  "PUT /w/{workspace}/numbers/{id}": endpoint({
    ...ofNumber,
    isSensitive: true,
    body: Form({ name: Type.String({ maxLength: 1_000 }), throughput: Type.Integer() }),
  }).answer((call) =>
    changeNumber(call, "number.change", (tx, number) => {
      const { name, throughput } = call.body;
      return updateNumber(tx, number, { name, throughput });
    }),
  ),
  "DELETE /w/{workspace}/numbers/{id}": endpoint({
    session: "manage",
    isSensitive: true,
    params: number,
    output: Data(Empty),
  }).change((tx, call) => {
    const { id, phone } = requireNumber(call, tx);
    requireNotNeeded(tx, call.workspace.id, { numberId: id }, null);
    removeNumber(tx, id);
    return { status: 200, data: {}, audit: { action: "number.remove", subject: phone } };
  }),
  "POST /w/{workspace}/numbers/{id}/ready": endpoint(ofNumber).answer((call) =>
    changeNumber(call, "number.ready", (tx, number) => {
      clearRestriction(tx, number);
      return markReady(tx, number.id);
    }),
  ),
  "POST /w/{workspace}/numbers/{id}/unready": endpoint({
    ...ofNumber,
    body: Form({ reason: Type.String({ maxLength: 300 }) }),
  }).answer((call) => {
    const reason = trimShown(call.body.reason);
    if (reason === "")
      throw invalidRequest({ reason: ["Enter a reason. It is returned to API calls that try to send."] });
    return changeNumber(call, "number.unready", (tx, { id }) => markUnready(tx, id, reason), { reason });
  }),
  "POST /w/{workspace}/numbers/{id}/sync": endpoint(ofNumber).answer((call) =>
    changeNumber(call, "number.sync", (tx, number) => {
      scheduleSync(tx, number, 0);
      return number;
    }),
  ),
  // Operators only: who knows the address can report messages as failed, which releases their cost.
  "POST /w/{workspace}/numbers/{id}/callback-address": endpoint({
    session: "operate",
    isSensitive: true,
    params: number,
    /** Shown once: a repeated form gets neither. `address`: without a host if the server does not know its own. */
    output: Data(Type.Object({ address: OptionalText, header: Type.String(), secret: OptionalText })),
  }).change((tx, call) => {
    const number = requireUnsigned(call, tx);
    const { token, secret } = createCallbackAddress(tx, number);
    const data = { address: `${call.publicUrl ?? ""}/networks/whatsapp/${token}`, header: CALLBACK_SECRET_HEADER };
    return {
      status: 201,
      data: { ...data, secret },
      replayData: { ...data, address: null, secret: null },
      audit: { action: "number.rotate-callback", subject: number.phone },
    };
  }),
  "DELETE /w/{workspace}/numbers/{id}/callback-address": endpoint({
    session: "operate",
    isSensitive: true,
    params: number,
    output: Data(NumberDetail),
  }).answer((call) =>
    changeNumber(call, "number.require-signature", (tx, number) => {
      removeCallbackAddresses(tx, number.id);
      return number;
    }),
  ),
  // Asks the network, so it may take a while; changes nothing.
  "GET /w/{workspace}/numbers/{id}/findings": endpoint({
    session: "manage",
    params: number,
    output: Data(Type.Array(StepFinding)),
  }).load(async (call) => {
    const { store, clock, random, box, doctor: settings, dispatch, workspace } = call;
    const number = store.read((tx) => requireNumber(call, tx));
    const port = async () => dispatch.networks.whatsapp.account;
    const findings = await runDoctor({ store, clock, random, box: () => box, port, settings }, [number], false);
    const verifiedAt = store.read((tx) => findVerifiedAt(tx, workspace.id));
    return (
      findings
        // Drop the finding that no WhatsApp number exists: it says nothing about a number on the simulator.
        .filter(({ numberId, check }) => numberId !== null || check !== "number")
        .flatMap((finding) => (finding.kind === NO_VERIFY_TOKEN ? unverified(verifiedAt) : [finding]))
        .map(consoleFinding)
    );
  }),
};

/** Each workspace has a verify token of its own, so the configured one is not needed. */
const NO_VERIFY_TOKEN = "no_verify_token";

function unverified(verifiedAt: number | null): Reported[] {
  if (verifiedAt !== null) return [];
  return [
    {
      ...{ level: "problem", check: "callback", numberId: null, conditionId: null, kind: "callback_unverified" },
      ...{ says: "Meta has not verified the callback address yet.", next: "verify it", console: SET_UP },
    },
  ];
}

export function changeNumber(
  call: WorkspaceCallWith<{ id: number }>,
  action: string,
  act: (tx: Tx, number: SendingNumber) => SendingNumber,
  details: Record<string, unknown> = {},
) {
  return change(call, (tx) => {
    const number = act(tx, requireNumber(call, tx));
    const audit = { action, subject: number.phone, details };
    return { status: 200, data: viewNumber(tx, number, call.workspace), audit };
  });
}

/** Throws `not_found`, also for a number of another workspace. */
export function requireNumber({ workspace, path }: WorkspaceCallWith<{ id: number }>, tx: ReadTx): SendingNumber {
  const number = findNumber(tx, path.id);
  if (number?.workspaceId !== workspace.id) throw notFound("number");
  return number;
}

/** Throws `not_found`, or a refusal for a number that accepts signed callbacks only. */
function requireUnsigned(call: WorkspaceCallWith<{ id: number }>, tx: ReadTx): SendingNumber {
  const number = requireNumber(call, tx);
  if (listCallbackAddresses(tx, number.id).length > 0) return number;
  const command = `waxwing number update ${number.id} --unsigned-callbacks`;
  throw new Refusal(409, "no_callback_address", `Callbacks of this number need a signature. ${command} changes that.`);
}

/** Contains neither the access token nor a callback address. */
export function viewNumber(tx: ReadTx, number: SendingNumber, workspace: Workspace): Static<typeof NumberDetail> {
  const when = timesOf(workspace);
  const state = number.network === "whatsapp" ? findState(tx, number.id) : undefined;
  const sync = number.network === "whatsapp" ? findSync(tx, workspace.id, number.accountId) : undefined;
  const history = findHistoryImport(tx, number.id);
  return show(NumberDetail, number, when, {
    state:
      state === undefined
        ? null
        : show(NetworkStateView, state, when, {
            warning: [state.notice, state.warning].filter(Boolean).join(" ") || null,
          }),
    history:
      history === undefined
        ? null
        : show(HistoryView, history, when, {
            declined:
              history.declinedCode === null ? null : { code: history.declinedCode, reason: history.declinedReason },
          }),
    sync: sync === undefined ? null : show(SyncView, sync, when, {}),
    unsigned_callbacks: viewUnsigned(tx, number, workspace),
    provider: number.network === "whatsapp" ? number.provider : null,
    has_app_secret: number.appSecret !== null,
  });
}

function viewUnsigned(
  tx: ReadTx,
  number: SendingNumber,
  workspace: Workspace,
): Static<typeof NumberDetail>["unsigned_callbacks"] {
  const when = timesOf(workspace);
  const [newest, old] = number.network === "whatsapp" ? listCallbackAddresses(tx, number.id) : [];
  if (newest === undefined) return null;
  return {
    created_at: when(newest.createdAt),
    used_at: when(newest.usedAt),
    needs_header: newest.needsSecret,
    old_until: when(old?.expiresAt ?? null),
  };
}
