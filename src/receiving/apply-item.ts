/**
 * Applies one item of a callback: to the number or account that it names, and only where whoever signed the body may
 * speak for it. News that are older than our last look at the account change nothing and cause another look.
 */

import type { Tx } from "#src/db/transaction.ts";
import { MARKETING_REFUSED } from "#src/domain/contacts/opt-out.ts";
import { changeNumber } from "#src/domain/inbound/change-number.ts";
import { obeyControl } from "#src/domain/inbound/marketing-preference.ts";
import { receive } from "#src/domain/inbound/receive.ts";
import type { Callback as Stored } from "#src/domain/inbound/table.ts";
import { applyStatus } from "#src/domain/messages/apply-status.ts";
import type { Tally } from "#src/domain/messages/counter-deltas.ts";
import type { StatusReport } from "#src/domain/messages/status-item.ts";
import { askForSync, findSync } from "#src/domain/numbers/account-sync.ts";
import type { NumberNews } from "#src/domain/numbers/account-update.ts";
import { applyNews, findState } from "#src/domain/numbers/network-state.ts";
import { findByPhoneNumberId, listOfAccount } from "#src/domain/numbers/read.ts";
import type { SendingNumber } from "#src/domain/numbers/table.ts";
import { hearTemplate } from "#src/domain/templates/sync.ts";
import type { TemplateNews, TemplateReport } from "#src/domain/templates/template-update.ts";
import type { Report } from "#src/networks/network.ts";

/** What is noted of a status whose message nobody here has ever handed over. */
export const NOT_OURS = "a status of a message that is not ours";

export interface Applied {
  /** What could not be applied, in words; null: nothing. */
  note: string | null;
  /** The message that changed. */
  messageId: number | null;
  /** It speaks of somebody who was erased: its body must not stay. */
  isOfErased?: boolean;
}

/** Where it came from and whose word it is; the body has been taken apart. */
type Callback = Omit<Stored, "body">;

type Applicable = Exclude<Report, { kind: "broken" | "ignored" }>;

/** Several updates come together: one look serves all of them. */
const LOOK_SOON_MS = 5_000;
/** The network's clock and ours differ, and a look takes its time. */
const NEWS_TOLERANCE_MS = 5 * 60_000;

/** What the items of one write have in common. */
export interface ReportBatch {
  instanceId: string;
  tally: Tally;
  /** Whom statuses were for: of a number only what never changes is used, so it is looked up once. */
  numbers: Map<string, SendingNumber | undefined>;
}

export function applyReport(tx: Tx, callback: Callback, report: Applicable, batch: ReportBatch): Applied {
  // Whatever is no status may look at figures, or write them.
  if (report.kind !== "status") batch.tally.flush();
  if (report.kind === "template" || report.kind === "template_news" || report.kind === "number_news") {
    return noted(applyOfAccount(tx, callback, report));
  }
  const number = report.kind === "status" ? numberOf(tx, report, batch) : findByPhoneNumberId(tx, report.phoneNumberId);
  if (number === undefined || number.network !== callback.network) {
    return noted(`${report.kind} for a number that is not on this server`);
  }
  if (!speaksFor(callback, number)) return noted(`${report.kind} for a number whose secret did not sign it`);
  switch (report.kind) {
    case "status":
      return applyOne(tx, number, report, batch);
    case "inbound":
      receive(tx, number, report);
      return noted(null);
    case "number_change":
      changeNumber(tx, number, report);
      return noted(null);
    case "preference":
      obeyControl(tx, number, report);
      return noted(null);
  }
}

/** A forged body may name anybody's number: whoever signed it speaks for the numbers under that secret alone. */
function speaksFor({ network, trust }: Callback, number: SendingNumber): boolean {
  if (trust === null) return network === "simulator";
  return trust.numbers.includes(number.id) || (trust.configuration && number.appSecret === null);
}

function numberOf(tx: Tx, { phoneNumberId }: StatusReport, { numbers }: ReportBatch): SendingNumber | undefined {
  if (!numbers.has(phoneNumberId)) numbers.set(phoneNumberId, findByPhoneNumberId(tx, phoneNumberId));
  return numbers.get(phoneNumberId);
}

function applyOne(tx: Tx, number: SendingNumber, report: StatusReport, { instanceId, tally }: ReportBatch): Applied {
  const applied = applyStatus(tx, number, report, instanceId, tally);
  if (report.error?.code === MARKETING_REFUSED) {
    tally.flush();
    const { phoneNumberId, recipientId: waId, recipientUserId: userId, at } = report;
    obeyControl(tx, number, { kind: "preference", phoneNumberId, waId, userId, value: "stop", at });
  }
  if (applied.kind === "applied") return { note: null, messageId: applied.messageId, isOfErased: applied.isOfErased };
  return noted(applied.kind === "dropped" ? NOT_OURS : null);
}

/** Once for each workspace that has numbers of the account under the secret that signed. */
function applyOfAccount(tx: Tx, callback: Callback, report: TemplateReport | TemplateNews | NumberNews): string | null {
  const all = listOfAccount(tx, callback.network, report.accountId);
  if (all.length === 0) return `${report.kind} for an account that is not on this server`;
  const signed = all.filter((number) => speaksFor(callback, number));
  if (signed.length === 0) return `${report.kind} for an account whose secret did not sign it`;
  const at = Math.min(report.at ?? callback.receivedAt, tx.now);
  if (report.kind === "number_news") {
    hearNumbers(tx, signed, report, at);
    return null;
  }
  for (const number of onePerWorkspace(signed)) {
    const seenAt = findSync(tx, number.workspaceId, number.accountId)?.succeededAt ?? 0;
    if (!isOld(at, seenAt)) hearTemplate(tx, number, report, at);
    askForSync(tx, number, LOOK_SOON_MS);
  }
  return null;
}

function hearNumbers(tx: Tx, signed: SendingNumber[], report: NumberNews, at: number): void {
  const meant = signed.filter(({ phone }) => report.phone === null || phone === `+${report.phone}`);
  for (const number of meant) {
    if (!isOld(at, findState(tx, number.id)?.checkedAt ?? 0)) applyNews(tx, number, report.news, at);
  }
  for (const number of onePerWorkspace(signed)) askForSync(tx, number, LOOK_SOON_MS);
}

function isOld(at: number, seenAt: number): boolean {
  return at < seenAt - NEWS_TOLERANCE_MS;
}

function onePerWorkspace(numbers: SendingNumber[]): SendingNumber[] {
  return [...new Map(numbers.map((number) => [number.workspaceId, number])).values()];
}

function noted(note: string | null): Applied {
  return { note, messageId: null };
}
