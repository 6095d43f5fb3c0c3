/**
 * What is wrong with the set-up, and the next step: of every number its token, permissions, readiness, subscription and
 * templates; and of the server its callback address and clock. The command line and the console ask the same questions.
 */
import type { SendingNumber } from "#src/domain/numbers/table.ts";
import type { DoctorContext } from "./doctor-context.ts";
import { type Finding, Findings } from "./finding.ts";
import { checkNumber } from "./number-checks.ts";
import { checkRefused } from "./refused-callbacks.ts";
import { checkCallback, checkClock } from "./server-checks.ts";

/** `subscribe`: has the app told of accounts that it is not subscribed to; otherwise nothing is changed. */
export async function runDoctor(
  context: DoctorContext,
  numbers: readonly SendingNumber[],
  subscribe: boolean,
): Promise<Finding[]> {
  const findings = new Findings();
  const real = numbers.filter(({ network }) => network === "whatsapp");
  checkRefused(context, real, findings);
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
    findings.ok("number", null, "There is no number on WhatsApp; docs/whatsapp.md says how to add one.");
    return findings.all;
  }
  const port = await context.port();
  // Providers in the manner of 360dialog neither verify the address nor sign.
  await checkCallback(context, port?.knowsNumbers !== false, findings);
  let clocks: { network: number; own: number } | null = null;
  for (const number of real) {
    if (port === undefined) break;
    const networkTime = await checkNumber({ context, port, number, findings, subscribe, now: context.clock.now() });
    if (networkTime !== null) clocks ??= { network: networkTime, own: context.clock.now() };
  }
  if (clocks !== null) checkClock(clocks.network, clocks.own, findings);
  return findings.all;
}
