/** What `waxwing config check` says about automatic HTTPS: the domain, its addresses, and the ports that it needs. */

import type { Config } from "#src/config/config.ts";
import { ownAddresses } from "#src/core/own-addresses.ts";
import { bracketed } from "#src/core/plain-address.ts";
import { resolveName } from "#src/net/checked-lookup.ts";
import { type ConfigFinding, ok, problem, warning } from "./finding.ts";

const HTTPS_PORT = 443;
const LOOPBACK = /^(127\.|::1$|localhost$)/;

export async function checkDomain({ server, acme }: Config): Promise<ConfigFinding[]> {
  const { domain, listen, tlsCert } = server;
  if (domain === null || tlsCert !== null) return [];
  const found = [await checkAddresses(domain)];
  if (LOOPBACK.test(listen.host)) {
    found.push(
      problem(
        "server.listen",
        `listen is ${bracketed(listen.host)}:${listen.port}, which is not reachable from other machines.`,
        `remove listen to serve ${domain} on port 443; behind a proxy, remove domain`,
      ),
    );
  } else if (listen.port !== HTTPS_PORT) {
    found.push(
      warning(
        "server.listen",
        `The server listens on port ${listen.port}; https://${domain} leads to port 443.`,
        "remove listen, or forward port 443 to that port",
      ),
    );
  }
  if (LOOPBACK.test(acme.httpListen.host))
    found.push(
      problem(
        "acme.http_listen",
        "The certificate authority cannot reach a loopback address.",
        'remove http_listen, or set it to ":80"',
      ),
    );
  return found;
}

async function checkAddresses(domain: string): Promise<ConfigFinding> {
  const key = "server.domain";
  const own = ownAddresses()?.map(({ address }) => address) ?? null;
  try {
    const resolved = await resolveName(domain);
    if (resolved.length === 0) throw new Error("no address");
    if (own === null) return ok(key, `DNS leads ${domain} to ${resolved.join(", ")}.`);
    if (resolved.some((address) => own.includes(address))) return ok(key, `DNS leads ${domain} to this machine.`);
    return warning(
      key,
      `${domain} resolves to ${resolved.join(", ")}, which is not an address of this machine.`,
      "that is right behind a router that forwards ports 80 and 443; otherwise correct the DNS record",
    );
  } catch {
    return problem(
      key,
      `DNS has no address for ${domain}.`,
      "create an A record that leads to this machine; a new one may take minutes to be seen",
    );
  }
}
