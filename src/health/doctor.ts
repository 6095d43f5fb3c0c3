/**
 * Checks the set-up and names the next step for each problem. For every number: the way to the network, token, ids,
 * readiness, callbacks, templates; for the server: callback address and clock. The command line and the console run the
 * same checks, and stored answers to the same questions are the conditions of `status`.
 */
import { quoted } from "#src/core/foreign-text.ts";
import { countKept } from "#src/domain/inbound/callback-list.ts";
import type { SendingNumber } from "#src/domain/numbers/table.ts";
import { findKept } from "./address-rules.ts";
import { readConnectionInputs } from "./connection-input.ts";
import type { DoctorContext } from "./doctor-context.ts";
import { Findings, type Reported } from "./finding.ts";
import { checkNumbers } from "./number-checks.ts";
import { checkStrangers, describeUnused } from "./refused-callbacks.ts";
import { checkAlarms, checkCallback, checkClock, checkProxy } from "./server-checks.ts";

/** With `subscribe`, subscribes the app to accounts that it is not subscribed to; otherwise changes nothing. */
export async function runDoctor(
  context: DoctorContext,
  numbers: readonly SendingNumber[],
  subscribe: boolean,
): Promise<Reported[]> {
  const { store, clock, settings } = context;
  const findings = new Findings();
  const real = numbers.filter(({ network }) => network === "whatsapp");
  const query = async (text: string) => store.read((tx) => tx.db.all<Record<string, unknown>>(text));
  const inputs = await readConnectionInputs({ query, store, now: clock.now(), settings });
  const { networkTime, receives } = await checkNumbers(
    { context, findings, subscribe, now: clock.now() },
    real,
    inputs,
  );
  for (const number of numbers.filter(({ network }) => network === "simulator")) checkSimulated(number, findings);
  for (const number of numbers) checkSharing(number, findings);
  if (real.length === 0)
    findings.ok("number", null, "There are no WhatsApp numbers; docs/whatsapp.md explains how to add one.");
  // Providers such as 360dialog neither verify the callback address nor sign callbacks.
  else await checkCallback(context, real, receives, findings);
  if (networkTime !== null) checkClock(networkTime.network, networkTime.own, findings);
  for (const finding of findKept(store.read(countKept))) findings.add(finding, null);
  checkStrangers(context, findings);
  checkProxy(context, findings);
  checkAlarms(settings, findings);
  const unused = store.read(describeUnused);
  if (unused !== null) findings.ok("callbacks without effect", null, unused);
  return findings.all;
}

/** That it is shared stays true after the finding about it is gone. */
function checkSharing({ id, phone, sharedSince, sharedWith, standbySince }: SendingNumber, findings: Findings): void {
  if (sharedSince === null) return;
  const who = sharedWith === "agent" ? "Meta's Business Agent" : "another sender";
  const heard = standbySince === null ? "" : " Copies of what people write to it arrive, so their opt-outs are heard.";
  findings.ok(
    "number",
    id,
    `${phone} is shared with ${who} since ${new Date(sharedSince).toISOString().slice(0, 10)}.${heard}`,
  );
}

function checkSimulated({ id, phone, ready, unreadyReason }: SendingNumber, findings: Findings): void {
  if (ready) findings.ok("number", id, `${phone} is simulated and ready.`);
  else
    findings.warn("number", id, `${phone} is not ready: ${quoted(unreadyReason ?? "")}`, `waxwing number ready ${id}`);
}
