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
  findObstacle(timeoutMs: number): Promise<Obstacle | null>;
  /** Tells what became of a message, so that the next one knows whether to probe. */
  learn(result: Exchange): void;
}

export type Obstacle = Exclude<Exchange, { kind: "answered" }>;

export function createProber(graphUrl: string, clock: Clock): Prober {
  // Without TLS there is no handshake that could fail: what can be told at all, fetch's code tells.
  let isProven = !graphUrl.startsWith("https:");
  let running: Promise<Obstacle | null> | null = null;

  async function probe(timeoutMs: number): Promise<Obstacle | null> {
    const limit = new AbortController();
    const timer = clock.setTimer(timeoutMs, () => limit.abort());
    const result = await exchange(graphUrl, { method: "HEAD", signal: limit.signal });
    timer.cancel();
    running = null;
    // Any answer will do: it has come through a handshake.
    isProven = result.kind === "answered";
    if (result.kind === "answered") return null;
    return limit.signal.aborted || result.kind === "unreachable"
      ? result
      : { kind: "unreachable", reason: `the host could not be reached over TLS: ${result.reason}` };
  }

  return {
    findObstacle(timeoutMs) {
      if (isProven) return Promise.resolve(null);
      running ??= probe(timeoutMs);
      return running;
    },
    learn(result) {
      if (!graphUrl.startsWith("https:")) return;
      if (result.kind === "answered") isProven = true;
      else if (result.kind === "lost" && result.isAmbiguous) isProven = false;
    },
  };
}

/** Whether the host answers a HEAD at all, whatever it says. */
export async function isReachable(
  graphUrl: string,
  asked: { clock: Clock; timeoutMs: number; onTime: ((networkTime: number) => void) | undefined },
): Promise<boolean> {
  const limit = new AbortController();
  const timer = asked.clock.setTimer(asked.timeoutMs, () => limit.abort());
  const result = await exchange(graphUrl, { method: "HEAD", signal: limit.signal });
  timer.cancel();
  if (result.kind === "answered" && result.at !== null) asked.onTime?.(result.at);
  return result.kind === "answered";
}
