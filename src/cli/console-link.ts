/** The address of the console that a person can open: the public one, or the one that the server listens on. */
import { networkInterfaces } from "node:os";
import type { Config } from "#src/config/config.ts";
import type { CreatedLink } from "#src/domain/users/links.ts";

const PAGES = { setup: "setup", join: "join", reset: "reset" } as const;

/** `listening`: the address of a running server, where the port is only known then. */
export function linkAddress({ server }: Config, { kind, token }: CreatedLink, listening?: string): string {
  return `${baseAddress(server, listening)}/console/${PAGES[kind]}#${token}`;
}

function baseAddress({ publicUrl, listen, tlsCert }: Config["server"], listening?: string): string {
  if (publicUrl !== null) return publicUrl.replace(/\/+$/, "");
  const scheme = tlsCert === null ? "http" : "https";
  const port = listening === undefined ? listen.port : new URL(listening).port;
  return `${scheme}://${reachableHost(listen.host)}:${port}`;
}

/** What listens on every address is reached by one of them: `0.0.0.0` opens nowhere. */
function reachableHost(host: string): string {
  if (host !== "0.0.0.0" && host !== "::") return host.includes(":") ? `[${host}]` : host;
  const own = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find(({ family, internal }) => family === "IPv4" && !internal);
  return own?.address ?? "127.0.0.1";
}
