/**
 * Checks the set-up and names the next step for each problem. For every number: token, permissions, readiness,
 * subscription and templates; for the server: callback address and clock. The command line and the console run the same
 * checks.
 */
import type { SendingNumber } from "#src/domain/numbers/table.ts";
import type { DoctorContext } from "./doctor-context.ts";
import { type Finding, Findings } from "./finding.ts";
import { checkNumber } from "./number-checks.ts";
import { checkQuarantined, checkRefused } from "./refused-callbacks.ts";
import { checkCallback, checkClock, checkProxy } from "./server-checks.ts";

/** With `subscribe`, subscribes the app to accounts that it is not subscribed to; otherwise changes nothing. */
export async function runDoctor(
  context: DoctorContext,
  numbers: readonly SendingNumber[],
  subscribe: boolean,
): Promise<Finding[]> {
  const findings = new Findings();
  const real = numbers.filter(({ network }) => network === "whatsapp");
  checkProxy(context, findings);
  checkRefused(context, real, findings);
  checkQuarantined(context, findings);
  for (const number of numbers.filter(({ network }) => network === "simulator")) {
    if (number.ready) findings.ok("number", number.id, `${number.phone} is simulated and ready.`);
    else
      findings.warn(
        "number",
        number.id,
        `${number.phone} is not ready: ${number.unreadyReason}`,
        `waxwing number ready ${number.id}`,
      );
  }
  if (real.length === 0) {
    findings.ok("number", null, "There are no WhatsApp numbers; docs/whatsapp.md explains how to add one.");
    return findings.all;
  }
  const port = await context.port();
  // Providers such as 360dialog neither verify the callback address nor sign callbacks.
  await checkCallback(context, port === undefined || real.some((number) => port.knowsNumbers(number)), findings);
  let clocks: { network: number; own: number } | null = null;
  for (const number of real) {
    if (port === undefined) break;
    const networkTime = await checkNumber({ context, port, number, findings, subscribe, now: context.clock.now() });
    if (networkTime !== null) clocks ??= { network: networkTime, own: context.clock.now() };
  }
  if (clocks !== null) checkClock(clocks.network, clocks.own, findings);
  return findings.all;
}
