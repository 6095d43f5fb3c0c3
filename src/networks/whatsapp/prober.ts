/**
 * Proves, before a message is given to fetch, that the host can be reached over TLS: by a HEAD that carries nothing. A
 * handshake that fails under the message itself cannot be told from a message that arrived (see `connection.ts`), so a
 * wrong port or a firewall would turn every recipient of a broadcast into a doubtful one. It costs one request when
 * the process starts and one after a connection broke; its connection stays open for the message.
 */
import type { Clock } from "#src/core/clock.ts";
import { type Exchange, exchange } from "./connection.ts";

export interface Prober {
  /** Null: go on and send. Else nothing was sent, and this is why. Ends within `timeoutMs`. */
  findFailure(timeoutMs: number): Promise<FailedExchange | null>;
  /** Tells what became of a message, so that the next one knows whether to probe. */
  observe(result: Exchange): void;
}

export type FailedExchange = Exclude<Exchange, { kind: "answered" }>;

export function createProber(graphUrl: string, clock: Clock): Prober {
  // Without TLS there is no handshake that could fail: what can be told at all, fetch's code tells.
  let isVerified = !graphUrl.startsWith("https:");
  let running: Promise<FailedExchange | null> | null = null;

  async function probe(timeoutMs: number): Promise<FailedExchange | null> {
    const controller = new AbortController();
    const timer = clock.setTimer(timeoutMs, () => controller.abort());
    const result = await exchange(graphUrl, { method: "HEAD", signal: controller.signal });
    timer.cancel();
    running = null;
    // Any answer will do: it has come through a handshake.
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

/** Whether the host answers a HEAD at all, whatever it says. */
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
