/** Plain HTTP beside a domain of the server's own: answers the certificate authority's check and leads all else to HTTPS. */
import type { Challenges } from "#src/certificates/keeper.ts";
import type { ListenAddress } from "#src/config/kinds.ts";
import type { Log } from "#src/core/log.ts";
import { bracketed } from "#src/core/plain-address.ts";
import { serveHttp } from "#src/core/serve-http.ts";

interface PlainHttpOptions {
  listen: ListenAddress;
  /** The place of that value in the configuration, for the log. */
  setting: string;
  domain: string;
  log: Log;
}

interface PlainHttp extends Challenges {
  /** Null while it does not listen. */
  readonly port: number | null;
  close(): void;
}

const CHALLENGE_PREFIX = "/.well-known/acme-challenge/";

export function createPlainHttp({ listen, setting, domain, log }: PlainHttpOptions): PlainHttp {
  const { hostname, port } = { hostname: listen.host, port: listen.port };
  let server: Bun.Server<undefined> | null = null;
  /** Why it did not listen when it was last tried. */
  let closed: string | null = null;
  let offered: Parameters<Challenges["offer"]>[0] = null;

  const answer = (request: Request): Response => {
    const { pathname, search } = new URL(request.url, "http://localhost");
    if (pathname.startsWith(CHALLENGE_PREFIX)) {
      if (offered === null || pathname !== CHALLENGE_PREFIX + offered.token) return new Response(null, { status: 404 });
      return new Response(offered.keyAuthorization, { headers: { "content-type": "application/octet-stream" } });
    }
    // The method stays: a request that was to change something fails visibly in a client that does not follow.
    return new Response(null, { status: 308, headers: { location: `https://${domain}${pathname}${search}` } });
  };

  return {
    get port() {
      return server?.port ?? null;
    },
    open() {
      if (server !== null) return null;
      try {
        server = serveHttp({ hostname, port, bodyBytesMax: 0, fetch: answer });
        closed = null;
        return null;
      } catch (error) {
        const reason = whyClosed(error, `${bracketed(hostname)}:${port}`);
        if (reason !== closed)
          log.warn("certificate.port_closed", "The server cannot listen for plain HTTP", { setting, reason });
        closed = reason;
        return reason;
      }
    },
    offer(token) {
      offered = token;
    },
    close() {
      server?.stop(true);
      server = null;
    },
  };
}

/** The end of a sentence. */
function whyClosed(error: unknown, address: string): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
  if (code === "EADDRINUSE") return `another program already listens on ${address}`;
  if (code === "EACCES") return `this user may not listen on ${address}`;
  return `${address} cannot be listened on (${code})`;
}
