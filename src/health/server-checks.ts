/** Checks what all WhatsApp numbers share: the public address, its verification, the last callback, and the clock. */

import type { Clock } from "#src/core/clock.ts";
import { randomText } from "#src/core/id.ts";
import type { Random } from "#src/core/random.ts";
import { lastReceivedAt } from "#src/domain/inbound/callbacks.ts";
import { findUntrustedProxy } from "#src/domain/users/untrusted-proxy.ts";
import type { DoctorContext } from "./doctor-context.ts";
import type { Findings } from "./finding.ts";

const TIMEOUT_MS = 10_000;
const PROXY_REMEMBERED_MS = 7 * 24 * 60 * 60_000;
const CLOCK_WARNING_MS = 30_000;
/** From this offset on, scheduled broadcasts are held. */
const CLOCK_PROBLEM_MS = 5 * 60_000;

/** `isVerified`: the network verifies the address with the verify token before it uses it. */
export async function checkCallback(context: DoctorContext, isVerified: boolean, findings: Findings): Promise<void> {
  const { publicUrl, verifyToken } = context.settings;
  if (publicUrl === null) {
    findings.problem(
      "callback",
      null,
      "The server has no public address, so WhatsApp cannot deliver statuses or received messages.",
      "set [server] public_url to the public https address of this server",
    );
  } else if (!publicUrl.startsWith("https://")) {
    findings.problem(
      "callback",
      null,
      `WhatsApp calls https addresses only, and public_url is ${publicUrl}.`,
      "put TLS in front, or set [server] tls_cert and tls_key",
    );
  } else if (isVerified && verifyToken === null) {
    findings.problem(
      "callback",
      null,
      "There is no verify token, so Meta cannot verify the callback address.",
      "set [whatsapp] verify_token to a word of your choice, and enter the same word in Meta's form",
    );
  }
  if (isVerified && publicUrl !== null && verifyToken !== null)
    await verifyCallbackAddress(publicUrl, verifyToken, context, findings);
  const last = context.store.read((tx) => lastReceivedAt(tx, "whatsapp"));
  if (last === null) {
    findings.warn(
      "callback",
      null,
      "No callback from WhatsApp has arrived yet.",
      "send a message to the number from a phone; if nothing arrives, check the callback address and the subscription",
    );
  } else {
    const minutes = Math.round((context.clock.now() - last) / 60_000);
    findings.ok("callback", null, `WhatsApp last called ${minutes} minutes ago.`);
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

/** The same request that Meta makes when the address is saved in its form. */
async function verifyCallbackAddress(
  publicUrl: string,
  verifyToken: string,
  { clock, random }: { clock: Clock; random: Random },
  findings: Findings,
): Promise<void> {
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
      return;
    }
    findings.problem(
      "callback",
      null,
      `${address} answered HTTP ${response.status} and not the challenge.`,
      "let the proxy forward /networks/ to this server, and check that the server runs with this configuration",
    );
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "no answer";
    findings.problem(
      "callback",
      null,
      `${address} cannot be reached from this machine (${code}).`,
      "check DNS, certificate, firewall and whether the server runs; some networks cannot reach their own public address",
    );
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
