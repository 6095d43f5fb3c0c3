/** Reports callbacks refused for their signature since the last accepted one. */
import { countQuarantined } from "#src/domain/inbound/callback-list.ts";
import { listRefused, REFUSED_RETENTION_MS, wasAcceptedAfter } from "#src/domain/inbound/refused-callbacks.ts";
import type { RefusedCount } from "#src/domain/inbound/table.ts";
import type { SendingNumber } from "#src/domain/numbers/table.ts";
import type { DoctorContext } from "./doctor-context.ts";
import type { Findings } from "./finding.ts";

export const REFUSED_CHECK = "callback signature";

/**
 * Checks `numbers`. Runs before all other checks: while callbacks are refused, nothing that WhatsApp reports arrives.
 */
export function checkRefused(
  { store, clock }: DoctorContext,
  numbers: readonly SendingNumber[],
  findings: Findings,
): void {
  const now = clock.now();
  const refused = store
    .read((reading) => listRefused(reading, now - REFUSED_RETENTION_MS))
    .filter(({ reason }) => reason === "wrong_signature");
  for (const number of numbers) {
    const counts = refused.filter(({ numberId }) => numberId === number.id);
    const told = describe(counts, now);
    if (told === null || store.read((reading) => wasAcceptedAfter(reading, number, told.lastAt))) continue;
    const isOwn = number.appSecret !== null;
    findings.problem(
      REFUSED_CHECK,
      number.id,
      `WhatsApp's callbacks arrive but their signature does not match the app secret of ${number.phone}: ${told.words}. Received messages and statuses are not recorded.`,
      `copy the app secret from Meta's dashboard (App settings, Basic) into ${
        isOwn
          ? `a file, then waxwing number update ${number.id} --app-secret-file FILE`
          : "[whatsapp] app_secret, then restart the server"
      }`,
    );
  }
  // A warning only: anyone can send these, and nothing in them shows that they come from WhatsApp.
  const told = describe(
    refused.filter(({ numberId }) => numberId === 0),
    now,
  );
  if (told === null || store.read((reading) => wasAcceptedAfter(reading, null, told.lastAt))) return;
  findings.warn(
    REFUSED_CHECK,
    null,
    `Callbacks for no number of this server arrive with a wrong signature: ${told.words}.`,
    "check in Meta's dashboard which app calls this address, and compare its app secret; the calls may also come from a stranger",
  );
}

/** Items that stopped the server three times: a person named by one may have written STOP. */
export function checkQuarantined({ store }: DoctorContext, findings: Findings): void {
  const count = store.read(countQuarantined);
  if (count === 0) return;
  findings.warn(
    "quarantined callbacks",
    null,
    `${count} callbacks have items that stopped the server twice and were put aside.`,
    "waxwing callback list --state quarantined; read each for a STOP, and report it",
  );
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
