/**
 * Where a request comes from. Only the console's own pages may change anything: browsers report in `Sec-Fetch-Site` where a request
 * comes from; for browsers that are too old for it, `Origin` must be ours.
 */
import type { Clock } from "#src/core/clock.ts";
import type { Log } from "#src/core/log.ts";
import type { Store } from "#src/db/store.ts";
import { noteUntrustedProxy } from "#src/domain/users/untrusted-proxy.ts";
import { Refusal } from "../endpoints/call.ts";

const WARNING_INTERVAL_MS = 60 * 60_000;

/** Throws a refusal for a change that another site made the browser send. */
export function requireOwnPage(request: Request, publicUrl: string | null): void {
  const site = request.headers.get("sec-fetch-site");
  if (site === "same-origin") return;
  if (site === null && isOwnOrigin(request.headers.get("origin"), request.headers.get("host"), publicUrl)) return;
  throw new Refusal(403, "cross_site", "This request did not come from this console.");
}

function isOwnOrigin(origin: string | null, host: string | null, publicUrl: string | null): boolean {
  if (origin === null || !URL.canParse(origin)) return false;
  if (publicUrl !== null && new URL(publicUrl).origin === origin) return true;
  return host !== null && new URL(origin).host === host;
}

const LOOPBACK = /^(?:127(?:\.\d{1,3}){3}|::1|::ffff:127(?:\.\d{1,3}){3})$/;
const LOOPBACK_HOSTS: readonly string[] = ["localhost", "127.0.0.1", "[::1]"];

/**
 * Throws a refusal for secrets that came over plain http from another machine. `isSecure`: browsers reach this server
 * over https only. `address`: of the client. Behind a proxy, the page's own address shows what the browser uses.
 */
export function requirePrivateWay({ headers }: Request, isSecure: boolean, address: string): void {
  const origin = headers.get("origin");
  const isForwarded = headers.has("x-forwarded-for") || headers.has("forwarded");
  const isOwnPage = origin === null || LOOPBACK_HOSTS.includes(URL.parse(origin)?.hostname ?? "");
  if (isSecure || (LOOPBACK.test(address) && !isForwarded && isOwnPage)) return;
  throw new Refusal(
    403,
    "not_encrypted",
    "This connection is not encrypted, so no secrets are accepted over it. Open the console over https, at the address in [server] public_url, or on the server itself.",
  );
}

interface WatchOptions {
  store: Store;
  clock: Clock;
  log: Log;
  isTrusted: (address: string) => boolean;
}

/**
 * Notices requests that a peer forwards without being a trusted proxy: then all users behind it count as one client.
 * Says so in the log, and keeps it for the doctor, at most once an hour.
 */
export class UntrustedProxyWatch {
  readonly #options: WatchOptions;
  #nextAt = 0;

  constructor(options: WatchOptions) {
    this.#options = options;
  }

  note({ headers }: Request, address: string): void {
    const { store, clock, log, isTrusted } = this.#options;
    const isForwarded = headers.has("x-forwarded-for") || headers.has("forwarded");
    if (!isForwarded || clock.now() < this.#nextAt || isTrusted(address)) return;
    this.#nextAt = clock.now() + WARNING_INTERVAL_MS;
    log.warn("proxy.untrusted", "Peer forwards requests but is not in [server] trusted_proxies", { address });
    store.write((tx) => noteUntrustedProxy(tx, address)).catch(() => undefined);
  }
}
