/**
 * Stores what the network says about a number, and updates whether the number can send. A restriction that the network
 * reported holds until it ends, is lifted, or a later account sync finds the number able to send. A person's own stop
 * is never ended here.
 */
import { findRow, updateRows, upsertRow } from "#src/db/rows.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { type AccountUpdate, recordMarketingStatus, recordMisuse } from "./account-sync.ts";
import { dropNotices, findConnection } from "./connection.ts";
import type { NumberHealth, NumberSetup } from "./connection-facts.ts";
import { type ChangeSource, recordChange } from "./network-changes.ts";
import { assignPortfolio, reportLimit } from "./portfolio.ts";
import { syncReadiness } from "./readiness.ts";
import { type ChangedProperty, type NumberState, numberStates, numbers, type SendingNumber } from "./table.ts";

/** What an account sync found. Values are the network's own; null if it gave none. */
export interface NumberDetails {
  status: string | null;
  verifiedName: string | null;
  nameStatus: string | null;
  quality: string | null;
  throughputLevel: string | null;
  /** The number is also used in the Business app. */
  isOnBusinessApp: boolean;
  messagingLimit: string | null;
  /** The network's own verdict on whether the number can send, with its reasons. */
  health: NumberHealth | null;
  setup: NumberSetup;
}

/** The network's listing may lag behind its own reports. */
const SYNC_LIFTS_AFTER_MS = 10 * 60_000;

export function findState(tx: ReadTx, numberId: number): NumberState | undefined {
  return findRow(tx, numberStates, { numberId });
}

/** Applies the result of an account sync, made at the network's time `at`. */
export function applyDetails(tx: Tx, number: SendingNumber, details: NumberDetails, at: number): SendingNumber {
  const before = stateOf(tx, number);
  const isLifted =
    details.health !== null &&
    details.health.canSend !== "BLOCKED" &&
    details.status === "CONNECTED" &&
    at >= before.restrictionUpdatedAt + SYNC_LIFTS_AFTER_MS;
  const { health, setup: _, isOnBusinessApp, ...fields } = details;
  const compare = compareWith(tx, number, Math.min(at, tx.now));
  if (isLifted && before.restriction !== null) compare("restriction", before.restriction, null);
  const state = save(tx, {
    ...before,
    ...fields,
    status: compare("status", before.status, fields.status),
    quality: compare("quality", before.quality, fields.quality),
    messagingLimit: compare("limit", before.messagingLimit, fields.messagingLimit ?? before.messagingLimit),
    problem: problemIn(details),
    warning: warningIn(details),
    ...(isLifted ? { restriction: null, restrictedUntil: null } : {}),
    checkedAt: tx.now,
  });
  const paced = applyThroughput(tx, number, details);
  const assigned = assignPortfolio(tx, paced, state.messagingLimit);
  if (fields.messagingLimit !== null && state.messagingLimit !== null) reportLimit(tx, assigned, state.messagingLimit);
  return updateReadiness(tx, assigned, state);
}

/** Records what a comparison found; returns the present value. */
function compareWith(tx: Tx, { id, workspaceId }: SendingNumber, at: number) {
  return (property: ChangedProperty, known: string | null, became: string | null): string | null => {
    // No answer says nothing; an end of a restriction is one.
    if (became === known || (became === null && property !== "restriction")) return became;
    const told = { property, known, became, at, source: "comparison" } as const;
    return recordChange(tx, { workspaceId, numberId: id }, told) ? became : known;
  };
}

/** Messages per second, by the level that the network reports; a level that is not known changes nothing. */
const LEVELS: Readonly<Record<string, number>> = { STANDARD: 80, HIGH: 1_000 };
/** A number that is also in the Business app has a fixed throughput. */
const BUSINESS_APP_THROUGHPUT = 20;

/** A person's choice stands, unless the network never allows it. */
function applyThroughput(
  tx: Tx,
  number: SendingNumber,
  { throughputLevel, isOnBusinessApp }: NumberDetails,
): SendingNumber {
  const reported = isOnBusinessApp ? BUSINESS_APP_THROUGHPUT : LEVELS[throughputLevel ?? ""];
  const isAllowed = !isOnBusinessApp || number.throughput <= BUSINESS_APP_THROUGHPUT;
  if (reported === undefined || reported === number.throughput || (number.throughputGiven && isAllowed)) return number;
  const changes = { throughput: reported, throughputGiven: false };
  updateRows(tx, numbers, { id: number.id }, changes);
  return { ...number, ...changes };
}

/** The network does not let this server see the number; `problem` is the reason in plain text. */
export function applyProblem(tx: Tx, number: SendingNumber, problem: string): SendingNumber {
  return updateReadiness(tx, number, save(tx, { ...stateOf(tx, number), problem, checkedAt: tx.now }));
}

/** Reports of what may have changed back since: they are recorded also if they arrive late. */
const RECORDED: readonly AccountUpdate["change"]["type"][] = [
  ...(["quality", "limit", "restricted", "lifted", "disconnected"] as const),
];

/**
 * Applies a report that the network made at its own time `at`. A report that is older than what is known is recorded,
 * and changes nothing else. `knownAt`: when the last comparison was, if the report is older.
 */
export function applyUpdate(
  tx: Tx,
  number: SendingNumber,
  change: AccountUpdate["change"],
  at: number,
  knownAt = 0,
): SendingNumber {
  if (at < knownAt && !RECORDED.includes(change.type)) return number;
  switch (change.type) {
    case "changed":
    case "notice":
      return number;
    case "misused":
      recordMisuse(tx, number, { at, category: change.category });
      return number;
    case "marketing":
      recordMarketingStatus(tx, number.workspaceId, number.accountId, change.status);
      return number;
    case "disconnected": {
      const appId = findConnection(tx, number.id)?.token?.appId ?? null;
      // Another app of the same account was disconnected.
      if (appId !== null && change.appId !== null && appId !== change.appId) return number;
      return applyUpdate(tx, number, { type: "restricted", reason: change.reason, until: null }, at, knownAt);
    }
    case "quality":
      return applyQuality(tx, number, change.quality, { at, knownAt });
    case "limit":
      return applyLimit(tx, number, change.messagingLimit, { at, knownAt });
    case "warned":
      save(tx, { ...stateOf(tx, number), notice: change.message });
      return number;
    case "restricted":
      return applyRestriction(tx, number, change, { at, knownAt });
    case "lifted":
      return applyRestriction(tx, number, null, { at, knownAt });
  }
}

interface ReportedWhen {
  at: number;
  knownAt: number;
}

function applyQuality(tx: Tx, number: SendingNumber, quality: string, when: ReportedWhen): SendingNumber {
  const before = stateOf(tx, number);
  const told = { property: "quality", known: before.quality, became: quality, ...when } as const;
  if (report(tx, number, told)) save(tx, { ...before, quality });
  return number;
}

function applyLimit(tx: Tx, number: SendingNumber, messagingLimit: string, when: ReportedWhen): SendingNumber {
  const before = stateOf(tx, number);
  const told = { property: "limit", known: before.messagingLimit, became: messagingLimit, ...when } as const;
  if (!report(tx, number, told)) return number;
  save(tx, { ...before, messagingLimit });
  // A number of the simulator has a portfolio from its first limit on.
  const assigned = number.network === "simulator" ? assignPortfolio(tx, number, messagingLimit) : number;
  reportLimit(tx, assigned, messagingLimit);
  return number;
}

/** `restricted` null: the restriction is lifted. */
function applyRestriction(
  tx: Tx,
  number: SendingNumber,
  restricted: { reason: string; until: number | null } | null,
  { at, knownAt }: ReportedWhen,
): SendingNumber {
  const before = stateOf(tx, number);
  const restriction = restricted?.reason ?? null;
  const heldAt = Math.max(before.restrictionUpdatedAt, knownAt);
  reportRestriction(tx, number, before, { became: restriction, at, knownAt: heldAt });
  if (at < heldAt) return number;
  const changes = { restriction, restrictedUntil: restricted?.until ?? null, restrictionUpdatedAt: at };
  const notice = restricted === null ? null : before.notice;
  return updateReadiness(tx, number, save(tx, { ...before, ...changes, notice }));
}

type Told = Omit<Parameters<typeof recordChange>[2], "source">;

/** Records what the network reported; returns whether it is the present value. */
function report(tx: Tx, { id, workspaceId, network }: SendingNumber, told: Told): boolean {
  const source: ChangeSource = network === "simulator" ? "own" : "report";
  return recordChange(tx, { workspaceId, numberId: id }, { ...told, source });
}

function reportRestriction(
  tx: Tx,
  number: SendingNumber,
  { restriction: known, restrictedUntil }: NumberState,
  told: { became: string | null; at: number; knownAt: number },
): void {
  const property = "restriction";
  // One that had an end is over since then.
  const endedAt = known !== null && restrictedUntil !== null && restrictedUntil <= told.at ? restrictedUntil : null;
  if (endedAt !== null) report(tx, number, { property, known, became: null, at: endedAt });
  report(tx, number, { ...told, property, known: endedAt === null ? known : null });
}

/** A person says that the number can send: drops what the network reported, until it reports it again. */
export function clearRestriction(tx: Tx, number: SendingNumber): void {
  const { id: numberId, workspaceId } = number;
  const known = findState(tx, numberId)?.restriction ?? null;
  const told = { property: "restriction", known, became: null, at: tx.now, source: "own" } as const;
  if (known !== null) recordChange(tx, { workspaceId, numberId }, told);
  updateRows(tx, numberStates, { numberId }, { problem: null, restriction: null, restrictedUntil: null, notice: null });
  dropNotices(tx, numberId);
}

function updateReadiness(tx: Tx, number: SendingNumber, state: NumberState): SendingNumber {
  const isOver = state.restrictedUntil !== null && state.restrictedUntil <= tx.now;
  const restriction = isOver ? null : state.restriction;
  // No sync has run yet, so the end of a restriction does not prove that the number can send.
  if (restriction === null && state.problem === null && state.checkedAt === null) return number;
  return syncReadiness(tx, number, restriction ?? state.problem);
}

function stateOf(tx: Tx, { id }: SendingNumber): NumberState {
  return (
    findState(tx, id) ?? {
      numberId: id,
      status: null,
      verifiedName: null,
      nameStatus: null,
      quality: null,
      throughputLevel: null,
      messagingLimit: null,
      problem: null,
      warning: null,
      notice: null,
      restriction: null,
      restrictedUntil: null,
      restrictionUpdatedAt: 0,
      checkedAt: null,
    }
  );
}

function save(tx: Tx, state: NumberState): NumberState {
  upsertRow(tx, numberStates, ["numberId"], state);
  return state;
}

/** Only a connected number sends (Meta: phone number status). The texts say how it becomes connected. */
export const STATUS_DESCRIPTIONS: Readonly<Record<string, string>> = {
  PENDING: "it is not registered with the Cloud API yet: register it in Meta's dashboard",
  UNVERIFIED: "it is not verified yet: verify it in Meta's dashboard",
  DISCONNECTED: "it is disconnected from the Cloud API: register it again in Meta's dashboard",
  FLAGGED: "its quality is so low that Meta has flagged it: send less, and only to people who want it",
  RESTRICTED: "Meta has restricted it because its limit was reached at low quality: wait until Meta lifts that",
  RATE_LIMITED: "Meta has limited it for sending too much: wait until Meta lifts that",
  BANNED: "Meta has banned it",
  DELETED: "it was deleted at Meta",
  MIGRATED: "it has moved to another WhatsApp account",
};

function problemIn({ status, health }: NumberDetails): string | null {
  if (status !== null && status !== "CONNECTED") {
    return `WhatsApp says ${status}: ${STATUS_DESCRIPTIONS[status] ?? "the number cannot send; see Meta's dashboard"}.`;
  }
  if (health?.canSend !== "BLOCKED") return null;
  return `WhatsApp blocks sending: ${health.reasons.join(" ") || "it gave no reason; see Meta's dashboard."}`;
}

function warningIn({ quality, nameStatus, health }: NumberDetails): string | null {
  const warnings = [
    quality === "RED" ? "The quality is low: people block or report its messages." : null,
    nameStatus === "DECLINED" ? "The display name was declined." : null,
    nameStatus === "EXPIRED" ? "The approval of the display name has expired." : null,
    health?.canSend === "LIMITED" ? `WhatsApp limits sending: ${health.reasons.join(" ") || "no reason given."}` : null,
  ].filter((warning) => warning !== null);
  return warnings.length === 0 ? null : warnings.join(" ");
}
