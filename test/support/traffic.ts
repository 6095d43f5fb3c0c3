/**
 * Requests in transit to or from a fake host of this process: they arrive without a timer, however slow the machine is,
 * so a clock that is moved by hand must not move meanwhile. A request that the host has read and not answered is not in
 * transit.
 */

interface Host {
  /** Requests that the host has read and not answered. */
  held: () => number;
  /** Requests that our side has started and that have not ended. */
  begun: number;
}

const hosts = new Map<string, Host>();
const fetchAlone = globalThis.fetch;

/** Follows requests to this origin from now on. Returns a function that stops following them. */
export function followTraffic(origin: string, held: () => number): () => void {
  hosts.set(origin, { held, begun: 0 });
  globalThis.fetch = Object.assign(followedFetch, { preconnect: fetchAlone.preconnect });
  return () => {
    hosts.delete(origin);
    if (hosts.size === 0) globalThis.fetch = fetchAlone;
  };
}

export function isInTransit(): boolean {
  return [...hosts.values()].some(({ begun, held }) => begun > held());
}

async function followedFetch(...given: Parameters<typeof fetch>): Promise<Response> {
  const [input] = given;
  const host = hosts.get(new URL(input instanceof Request ? input.url : input).origin);
  if (host === undefined) return fetchAlone(...given);
  host.begun += 1;
  try {
    return await fetchAlone(...given);
  } finally {
    host.begun -= 1;
  }
}
