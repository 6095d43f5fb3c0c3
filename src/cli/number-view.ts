/** How a number is shown: what we store about it, and what the network says. */

import type { ReadTx } from "#src/db/transaction.ts";
import { findHistoryImport } from "#src/domain/inbound/history-import.ts";
import type { HistoryImport } from "#src/domain/inbound/table.ts";
import {
  CALLBACK_SECRET_HEADER,
  listCallbackAddresses,
  type NewCallbackAddress,
} from "#src/domain/numbers/callback-address.ts";
import { findState } from "#src/domain/numbers/network-state.ts";
import { findPortfolio } from "#src/domain/numbers/portfolio.ts";
import type { NumberState, SendingNumber } from "#src/domain/numbers/table.ts";
import { getWorkspace } from "#src/domain/workspaces/read.ts";
import type { Workspace } from "#src/domain/workspaces/table.ts";
import { lines, list, type Report, timesIn } from "./output.ts";

export function view(number: SendingNumber, workspace: Workspace) {
  return {
    id: number.id,
    workspace_id: number.workspaceId,
    phone: number.phone,
    name: number.name,
    network: number.network,
    ready: number.ready,
    unready_reason: number.unreadyReason,
    unready_by: number.unreadyBy,
    throughput: number.throughput,
    account_id: number.accountId,
    phone_number_id: number.phoneNumberId,
    provider: number.network === "whatsapp" ? number.provider : null,
    api_url: number.apiUrl,
    has_app_secret: number.appSecret !== null,
    shared_since: number.sharedSince === null ? null : timesIn(workspace)(number.sharedSince),
    shared_with: number.sharedWith,
    created_at: timesIn(workspace)(number.createdAt),
  };
}

export const CALLBACK_PATH = "/networks/whatsapp";

interface Additions {
  /** Where WhatsApp calls, for a number on it. */
  callbackUrl?: string;
  /** A new address for callbacks without a signature: this is the only time that it can be shown. */
  address?: (NewCallbackAddress & { publicUrl: string | null }) | null;
  /** What a comparison with the network has found. */
  problems?: readonly string[];
}

export function reportOf(tx: ReadTx, number: SendingNumber, more: Additions = {}): Report {
  const workspace = getWorkspace(tx, number.workspaceId);
  const shown = view(number, workspace);
  const network = number.network === "whatsapp" ? onWhatsapp(tx, number, timesIn(workspace), more) : null;
  const problems = more.problems ?? [];
  const address = more.address == null ? null : describeAddress(more.address);
  const entries = list({
    id: shown.id,
    workspace: shown.workspace_id,
    phone: shown.phone,
    name: shown.name,
    network: shown.network,
    ready: shown.ready ? "yes" : `no: ${shown.unready_reason}`,
    throughput: `${shown.throughput} messages a second`,
    shared: shown.shared_since === null ? undefined : describeSharing(shown.shared_since, number.sharedWith),
    ...network?.lines,
    added: shown.created_at,
  });
  const text = lines(
    entries,
    problems.length > 0 && [
      "",
      "Reported by WhatsApp:",
      ...problems.map((problem) => `  ${problem}`),
      "  next: waxwing doctor",
    ],
    address?.lines ?? null,
  );
  return { json: { ...shown, ...network?.json, ...address?.json }, text };
}

function describeSharing(since: string, sharedWith: SendingNumber["sharedWith"]): string {
  const who = sharedWith === "agent" ? "Meta's Business Agent" : "another sender";
  return `with ${who} since ${since}`;
}

function onWhatsapp(tx: ReadTx, number: SendingNumber, when: Times, { callbackUrl, problems = [] }: Additions) {
  const unsigned = readUnsigned(tx, number, when);
  const state = findState(tx, number.id);
  const history = findHistoryImport(tx, number.id);
  const portfolio = findPortfolio(tx, number)?.name;
  const lines = {
    "account id": number.accountId,
    "phone number id": number.phoneNumberId,
    provider: number.provider,
    "api url": number.apiUrl ?? undefined,
    "app secret": number.appSecret !== null ? "of this number" : "from the configuration",
    portfolio,
    ...stateLines(state, when),
    history: describeHistory(history),
    callback: callbackUrl,
    "unsigned callbacks": unsigned.isAllowed ? `accepted; last ${unsigned.usedAt ?? "never"}` : undefined,
  };
  const json = {
    portfolio: portfolio ?? null,
    network_state: stateJson(state, when),
    problems,
    history: historyJson(history, when),
    unsigned_callbacks: unsigned.isAllowed,
    unsigned_callbacks_used_at: unsigned.usedAt,
  };
  return { lines, json };
}

function describeAddress({ token, secret, publicUrl }: NonNullable<Additions["address"]>) {
  const path = `${CALLBACK_PATH}/${token}`;
  const lines = [
    "",
    "Enter this address for callbacks at the provider. It is shown once, and as good as a password:",
    "",
    `  address  ${publicUrl ?? ""}${path}`,
    `  header   ${CALLBACK_SECRET_HEADER}: ${secret}`,
    "",
    "Enter the header too where the provider allows it. Once it has arrived, callbacks without it are refused.",
  ];
  const json = {
    callback_path: path,
    callback_url: publicUrl === null ? null : publicUrl + path,
    callback_header: CALLBACK_SECRET_HEADER,
    callback_secret: secret,
  };
  return { json, lines };
}

type Times = (at: number) => string;

function readUnsigned(tx: ReadTx, { id }: SendingNumber, when: Times): { isAllowed: boolean; usedAt: string | null } {
  const addresses = listCallbackAddresses(tx, id);
  const usedAt = addresses.find((address) => address.usedAt !== null)?.usedAt ?? null;
  return { isAllowed: addresses.length > 0, usedAt: usedAt === null ? null : when(usedAt) };
}

function stateLines(state: NumberState | undefined, when: Times): Record<string, string | undefined> {
  if (state === undefined) return {};
  return {
    "verified name": state.verifiedName ?? undefined,
    quality: state.quality ?? undefined,
    "messaging limit": describeLimit(state.messagingLimit),
    "network's status": state.status ?? undefined,
    warning: [state.notice, state.warning].filter(Boolean).join(" ") || undefined,
    checked: state.checkedAt === null ? undefined : when(state.checkedAt),
  };
}

function describeLimit(limit: string | null): string | undefined {
  if (limit === null) return undefined;
  return limit === "unlimited" ? "none" : `${limit} different people in 24 hours, over all numbers of the business`;
}

/** The history of the phone that shares the number. */
function describeHistory(history: HistoryImport | undefined): string | undefined {
  if (history === undefined) return undefined;
  if (history.declinedCode !== null) return `not shared: ${history.declinedReason} (${history.declinedCode})`;
  return history.progress === null ? "arriving" : `${history.progress} % arrived`;
}

function historyJson(history: HistoryImport | undefined, when: Times) {
  if (history === undefined) return null;
  const { phase, progress, chunks, declinedCode, declinedReason, startedAt, updatedAt } = history;
  return {
    phase,
    progress,
    chunks,
    declined: declinedCode === null ? null : { code: declinedCode, reason: declinedReason },
    started_at: when(startedAt),
    updated_at: when(updatedAt),
  };
}

function stateJson(state: NumberState | undefined, when: Times) {
  if (state === undefined) return null;
  return {
    status: state.status,
    verified_name: state.verifiedName,
    name_status: state.nameStatus,
    quality: state.quality,
    throughput_level: state.throughputLevel,
    messaging_limit: state.messagingLimit,
    warning: [state.notice, state.warning].filter(Boolean).join(" ") || null,
    restriction: state.restriction,
    restricted_until: state.restrictedUntil === null ? null : when(state.restrictedUntil),
    checked_at: state.checkedAt === null ? null : when(state.checkedAt),
  };
}
