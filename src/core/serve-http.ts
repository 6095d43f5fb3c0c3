/**
 * The one way to listen for HTTP: every port has the same limits, the same check of the `Host` header, and error pages
 * without a source or a path of ours.
 */
import { plainAddress } from "./plain-address.ts";

type Fetch = (request: Request, server: Bun.Server<undefined>) => Response | Promise<Response>;

interface Listening {
  hostname: string;
  port: number;
  fetch: Fetch;
  /** By path, before `fetch`. */
  routes?: Readonly<Record<string, Fetch>>;
  /** Larger bodies end the connection. */
  bodyBytesMax: number;
  tls?: Bun.TLSOptions;
  /** Others may listen on the same port. */
  reusePort?: boolean;
  /** Answers a request whose `Host` is malformed. */
  refuseHost?: (request: Request) => Response;
}

/** Of both families. */
const EVERY_ADDRESS = "::";
const EVERY_IPV4_ADDRESS = "0.0.0.0";
/** A connection that sends and takes nothing for so long is closed. */
const IDLE_SECONDS = 60;
/** A name or an address, with or without a port. Two `Host` headers arrive as one, joined by a comma. */
const HOST = /^(?:[A-Za-z0-9._-]{1,255}|\[[0-9A-Fa-f:.]{2,45}\])(?::(\d{0,5}))?$/;
const PORT_MAX = 65_535;
const PLAIN = { "content-type": "text/plain; charset=utf-8" };

/**
 * Throws when the address is taken. `::` listens on IPv4 too, and on IPv4 alone where the machine has no IPv6; `hostname`
 * of what is returned says which. The address of a peer is never an IPv4 address that is written as one of IPv6.
 */
export function serveHttp({ hostname, ...rest }: Listening): Bun.Server<undefined> {
  const server = listenOn(hostname, rest);
  const ask = server.requestIP.bind(server);
  server.requestIP = (request) => {
    const peer = ask(request);
    return peer === null ? null : { ...peer, address: plainAddress(peer.address) };
  };
  return server;
}

function listenOn(hostname: string, listening: Omit<Listening, "hostname">): Bun.Server<undefined> {
  try {
    return serve(hostname, listening);
  } catch (error) {
    if (hostname !== EVERY_ADDRESS || !(error instanceof Error && "code" in error && error.code === "EAFNOSUPPORT"))
      throw error;
    return serve(EVERY_IPV4_ADDRESS, listening);
  }
}

function serve(
  hostname: string,
  { fetch, routes = {}, bodyBytesMax, refuseHost = refuse, ...rest }: Omit<Listening, "hostname">,
): Bun.Server<undefined> {
  const guard =
    (answer: Fetch): Fetch =>
    (request, server) =>
      isValidHost(request.headers.get("host")) ? answer(request, server) : refuseHost(request);
  return Bun.serve({
    hostname,
    ...rest,
    idleTimeout: IDLE_SECONDS,
    maxRequestBodySize: bodyBytesMax,
    // In development, the runtime answers an exception with a page that shows the source.
    development: false,
    error: () => new Response("The server failed.\n", { status: 500, headers: PLAIN }),
    routes: Object.fromEntries(Object.entries(routes).map(([path, answer]) => [path, guard(answer)])),
    fetch: guard(fetch),
  });
}

/** The last valid one: nearly every request has the same. */
let knownHost: string | null = null;

/** HTTP/1.0 has no such header; the runtime refuses HTTP/1.1 without one. */
function isValidHost(host: string | null): boolean {
  if (host === null || host === knownHost) return true;
  const match = HOST.exec(host);
  if (match === null || Number(match[1] ?? 0) > PORT_MAX) return false;
  // `256.1` and `xn--a` have the shape of a host and are none: the address of their request cannot be read.
  if (!URL.canParse(`http://${host}`)) return false;
  knownHost = host;
  return true;
}

function refuse(): Response {
  return new Response("Send one Host header with a host name or address.\n", { status: 400, headers: PLAIN });
}
