/**
 * Verifies with an empty HEAD request, before fetch gets a message, that the host can be reached over TLS. A handshake
 * that fails during the message itself cannot be told apart from a message that arrived (see `connection.ts`), so a
 * wrong port or a firewall would put every recipient of a broadcast in doubt. The probe costs one request at process
 * start and one after each broken connection; the message reuses its connection.
 */
import type { Clock } from "#src/core/clock.ts";
import { type Exchange, exchange } from "./connection.ts";

export interface Prober {
  /** Null: continue and send. Otherwise nothing was sent, and the result is the reason. Ends within `timeoutMs`. */
  findFailure(timeoutMs: number): Promise<FailedExchange | null>;
  /** Records the result of a message's exchange, which decides whether the next message needs a probe. */
  observe(result: Exchange): void;
}

type FailedExchange = Exclude<Exchange, { kind: "answered" }>;

export function createProber(graphUrl: string, clock: Clock): Prober {
  // Without TLS no handshake can fail, and fetch's error codes are enough.
  let isVerified = !graphUrl.startsWith("https:");
  let running: Promise<FailedExchange | null> | null = null;

  async function probe(timeoutMs: number): Promise<FailedExchange | null> {
    const controller = new AbortController();
    const timer = clock.setTimer(timeoutMs, () => controller.abort());
    const result = await exchange(graphUrl, { method: "HEAD", signal: controller.signal });
    timer.cancel();
    running = null;
    // Any answer will do, because it came through a handshake.
    isVerified = result.kind === "answered";
    if (result.kind === "answered") return null;
    return controller.signal.aborted || result.kind === "unreachable"
      ? result
      : { kind: "unreachable", reason: `the host could not be reached over TLS: ${result.reason}` };
  }

  return {
    findFailure(timeoutMs) {
      if (isVerified) return Promise.resolve(null);
      running ??= probe(timeoutMs);
      return running;
    },
    observe(result) {
      if (!graphUrl.startsWith("https:")) return;
      if (result.kind === "answered") isVerified = true;
      else if (result.kind === "lost" && result.isAmbiguous) isVerified = false;
    },
  };
}

/** Whether the host answers a HEAD request, with any status. */
export async function isReachable(
  graphUrl: string,
  options: { clock: Clock; timeoutMs: number; onTime: ((networkTime: number) => void) | undefined },
): Promise<boolean> {
  const controller = new AbortController();
  const timer = options.clock.setTimer(options.timeoutMs, () => controller.abort());
  const result = await exchange(graphUrl, { method: "HEAD", signal: controller.signal });
  timer.cancel();
  if (result.kind === "answered" && result.at !== null) options.onTime?.(result.at);
  return result.kind === "answered";
}
