/**
 * Requests in transit to or from a fake host of this process: they arrive without a timer, however slow the machine is,
 * so a clock that is moved by hand must not move meanwhile. A request that the host has read and not answered is not in
 * transit.
 */
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { ClientRequest } from "node:http";

interface Host {
  /** Requests that the host has read and not answered. */
  held: () => number;
  /** Requests that our side has started and that have not ended. */
  begun: number;
}

const REQUESTS = "http.client.request.created";
const hosts = new Map<string, Host>();

/** Follows requests to this origin from now on. Returns a function that stops following them. */
export function followTraffic(origin: string, held: () => number): () => void {
  const { host } = new URL(origin);
  if (hosts.size === 0) subscribe(REQUESTS, follow);
  hosts.set(host, { held, begun: 0 });
  return () => {
    hosts.delete(host);
    if (hosts.size === 0) unsubscribe(REQUESTS, follow);
  };
}

export function isInTransit(): boolean {
  return [...hosts.values()].some(({ begun, held }) => begun > held());
}

function follow(message: unknown): void {
  const { request } = message as { request: ClientRequest };
  const host = hosts.get(String(request.getHeader("host")));
  if (host === undefined) return;
  host.begun += 1;
  request.once("close", () => {
    host.begun -= 1;
  });
}
