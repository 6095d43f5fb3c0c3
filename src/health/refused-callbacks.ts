/** Reports callbacks that were refused, and items of accepted ones that had no effect. */
import { quoted } from "#src/core/foreign-text.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import { listRefused, REFUSED_RETENTION_MS, wasAcceptedAfter } from "#src/domain/inbound/refused-callbacks.ts";
import type { RefusedCount } from "#src/domain/inbound/table.ts";
import { listUnused } from "#src/domain/inbound/unused-items.ts";
import type { DoctorContext } from "./doctor-context.ts";
import type { Findings } from "./finding.ts";

/** The bodies name no number of ours. A warning only: anyone can send these. */
export function checkStrangers({ store, clock }: DoctorContext, findings: Findings): void {
  const now = clock.now();
  const refused = store
    .read((reading) => listRefused(reading, now - REFUSED_RETENTION_MS))
    .filter(({ reason, numberId }) => reason === "wrong_signature" && numberId === 0);
  const told = describe(refused, now);
  if (told === null || store.read((reading) => wasAcceptedAfter(reading, null, told.lastAt))) return;
  findings.warn(
    "callback signature",
    null,
    `Callbacks for no number of this server arrive with a wrong signature: ${told.words}.`,
    "check in Meta's dashboard which app calls this address, and compare its app secret; the calls may also come from a stranger",
  );
}

const DAY_MS = 24 * 60 * 60_000;
const SHOWN_MAX = 8;

/** What arrived within a day and had no effect, in one sentence; null if there was nothing. */
export function describeUnused(tx: ReadTx): string | null {
  const all = listUnused(tx, tx.now - DAY_MS);
  if (all.length === 0) return null;
  const shown = all.slice(0, SHOWN_MAX).map(({ reason, about, count }) => `${count} × ${quoted(about)} (${reason})`);
  const rest = all.length - shown.length;
  return `Items of callbacks in the last 24 hours that had no effect: ${shown.join("; ")}${rest > 0 ? `; ${rest} further kinds` : ""}.`;
}

/** Null if there are none. */
function describe(counts: readonly RefusedCount[], now: number): { words: string; lastAt: number } | null {
  const [first] = counts;
  if (first === undefined) return null;
  const total = counts.reduce((sum, { count }) => sum + count, 0);
  const lastAt = Math.max(...counts.map((one) => one.lastAt));
  const since = new Date(first.hour).toISOString().slice(0, 16).replace("T", " ");
  const minutes = Math.max(0, Math.round((now - lastAt) / 60_000));
  return { words: `${total} refused since ${since} UTC, the last ${minutes} minutes ago`, lastAt };
}
