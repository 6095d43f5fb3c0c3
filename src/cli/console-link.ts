/**
 * Builds links to the console that people can open, from the public URL or else from the address the server listens on.
 */
import type { Config } from "#src/config/config.ts";
import { hasTls } from "#src/config/tls.ts";
import { ownAddresses } from "#src/core/own-addresses.ts";
import { bracketed } from "#src/core/plain-address.ts";
import type { CreatedLink } from "#src/domain/users/links.ts";

const PAGES = { setup: "setup", join: "join", reset: "reset", forgot: "forgot", verify: "verify" } as const;

/** `listening`: the URL of the running server, needed if it chose its own port. */
export function linkAddress({ server }: Config, { kind, token }: CreatedLink, listening?: string): string {
  return `${baseAddress(server, listening)}/console/${PAGES[kind]}#${token}`;
}

function baseAddress(server: Config["server"], listening?: string): string {
  const { publicUrl, listen } = server;
  if (publicUrl !== null) return publicUrl.replace(/\/+$/, "");
  const scheme = hasTls(server) ? "https" : "http";
  const port = listening === undefined ? listen.port : new URL(listening).port;
  return `${scheme}://${reachableHost(listen.host)}:${port}`;
}

/** A server that listens on all addresses is reached by one of them; `::` and `0.0.0.0` themselves cannot be opened. */
function reachableHost(host: string): string {
  if (host !== "0.0.0.0" && host !== "::") return bracketed(host);
  const own = ownAddresses()?.find(({ family, internal }) => family === "IPv4" && !internal);
  return own?.address ?? "127.0.0.1";
}

/** Where this machine itself reaches the configured server: `http://127.0.0.1:8080`. */
export function localOrigin({ server }: Config): string {
  const { host, port } = server.listen;
  // A server on `::` answers on IPv4 too, which every machine has.
  const own = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host;
  return `${hasTls(server) ? "https" : "http"}://${bracketed(own)}:${port}`;
}
