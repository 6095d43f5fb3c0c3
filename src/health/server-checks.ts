/** Checks what all WhatsApp numbers share: the public address, its verification, the last callback, and the clock. */

import type { Clock } from "#src/core/clock.ts";
import { randomText } from "#src/core/id.ts";
import type { Random } from "#src/core/random.ts";
import { lastReceivedAt } from "#src/domain/inbound/callbacks.ts";
import { wasVerified } from "#src/domain/numbers/callback-verification.ts";
import type { SendingNumber } from "#src/domain/numbers/table.ts";
import { findUntrustedProxy } from "#src/domain/users/untrusted-proxy.ts";
import { addressRules } from "./address-rules.ts";
import { condition } from "./conditions.ts";
import { findFirst } from "./connection-rule.ts";
import type { DoctorContext } from "./doctor-context.ts";
import type { Findings } from "./finding.ts";
import { serverRules } from "./server-rules.ts";

const TIMEOUT_MS = 10_000;
const PROXY_REMEMBERED_MS = 7 * 24 * 60 * 60_000;
const CLOCK_WARNING_MS = 30_000;
/** From this offset on, scheduled broadcasts are held. */
const CLOCK_PROBLEM_MS = 5 * 60_000;

/** `receives`: no finding about a number explains why nothing would arrive. */
export async function checkCallback(
  context: DoctorContext,
  numbers: readonly Pick<SendingNumber, "provider">[],
  receives: boolean,
  findings: Findings,
): Promise<void> {
  const { publicUrl, verifyToken } = context.settings;
  // Providers such as 360dialog do not verify the address.
  const isVerified = numbers.some(({ provider }) => provider === "graph");
  const address = { publicUrl, verifyToken, isVerified, wasVerified: context.store.read(wasVerified) };
  const found = findFirst(addressRules, address);
  for (const one of found) findings.add(one, null);
  const isReached =
    !isVerified ||
    publicUrl === null ||
    verifyToken === null ||
    (await verifyCallbackAddress(publicUrl, verifyToken, context, findings));
  const last = context.store.read((tx) => lastReceivedAt(tx, "whatsapp"));
  if (last !== null) {
    const minutes = Math.round((context.clock.now() - last) / 60_000);
    findings.ok("callback", null, `WhatsApp last called ${minutes} minutes ago.`);
  } else if (receives && isReached && found.length === 0) {
    findings.warn(
      "callback",
      null,
      "No callback from WhatsApp has arrived yet.",
      "send a message to the number from a phone; if nothing arrives, set the app to Live and save the callback address in Meta's form again",
    );
  }
}

/** Whether a proxy forwards requests without being trusted, so that everyone behind it counts as one client. */
export function checkProxy({ store, clock, settings }: DoctorContext, findings: Findings): void {
  const proxy = store.read(findUntrustedProxy);
  if (proxy === undefined || clock.now() - proxy.seenAt > PROXY_REMEMBERED_MS) return;
  if (settings.isTrustedProxy(proxy.address)) return;
  findings.warn(
    "proxy",
    null,
    `${proxy.address} forwards requests but is not in [server] trusted_proxies, so all users behind it count as one client: wrong guesses of one slow down the sign-ins of all.`,
    `if it is your proxy, set [server] trusted_proxies = ["${proxy.address}"] and restart; otherwise ignore this`,
  );
}

export function checkAlarms(settings: DoctorContext["settings"], findings: Findings): void {
  const found = serverRules.alarms_off.evaluate(settings);
  if (found !== null) findings.addCondition("alarms", condition("alarms_off", found));
}

/** The same request that Meta makes when the address is saved in its form. */
async function verifyCallbackAddress(
  publicUrl: string,
  verifyToken: string,
  { clock, random }: { clock: Clock; random: Random },
  findings: Findings,
): Promise<boolean> {
  const address = `${publicUrl}/networks/whatsapp`;
  const challenge = randomText(random, 20);
  const query = new URLSearchParams({
    "hub.mode": "subscribe",
    "hub.verify_token": verifyToken,
    "hub.challenge": challenge,
  });
  const timeout = new AbortController();
  const timer = clock.setTimer(TIMEOUT_MS, () => timeout.abort());
  try {
    const response = await fetch(`${address}?${query}`, { redirect: "manual", signal: timeout.signal });
    const text = await response.text();
    if (response.ok && text === challenge) {
      findings.ok("callback", null, `${address} answers as Meta expects, seen from this machine.`);
      return true;
    }
    findings.problem(
      "callback",
      null,
      `${address} answered HTTP ${response.status} and not the challenge.`,
      "let the proxy forward /networks/ to this server, and check that the server runs with this configuration",
    );
    return false;
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "no answer";
    findings.problem(
      "callback",
      null,
      `${address} cannot be reached from this machine (${code}).`,
      "check DNS, certificate, firewall and whether the server runs; some networks cannot reach their own public address",
    );
    return false;
  } finally {
    timer.cancel();
  }
}

/**
 * `networkTime` comes from the answer's `Date` header: it has a resolution of one second and is as old as the answer.
 */
export function checkClock(networkTime: number, now: number, findings: Findings): void {
  const offsetMs = Math.abs(now - networkTime);
  const seconds = Math.round(offsetMs / 1000);
  const next = "synchronize the clock by NTP (timedatectl set-ntp true)";
  if (offsetMs >= CLOCK_PROBLEM_MS)
    findings.problem("clock", null, `This machine's clock is ${seconds} seconds off WhatsApp's.`, next);
  else if (offsetMs >= CLOCK_WARNING_MS)
    findings.warn("clock", null, `This machine's clock is ${seconds} seconds off WhatsApp's.`, next);
  else findings.ok("clock", null, "The clock is right.");
}
