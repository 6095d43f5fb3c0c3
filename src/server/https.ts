/**
 * The certificate that the server answers with: none behind a proxy, the operator's files, or one that the server
 * fetches for its domain. It may change while the server runs.
 */
import { AcmeClient } from "#src/certificates/acme.ts";
import { selfSigned } from "#src/certificates/der.ts";
import type { Surroundings } from "#src/certificates/failure.ts";
import { CertificateKeeper } from "#src/certificates/keeper.ts";
import type { Config } from "#src/config/config.ts";
import { readAuthorities, readTls, type Tls } from "#src/config/tls.ts";
import { placeOf } from "#src/config/unusable.ts";
import { Listeners } from "#src/core/listeners.ts";
import { ownAddresses } from "#src/core/own-addresses.ts";
import type { Service } from "#src/core/service-loop.ts";
import { resolveName } from "#src/net/checked-lookup.ts";
import type { Environment, Storage } from "./context.ts";
import { createPlainHttp } from "./plain-http.ts";
import { TlsFiles } from "./tls-files.ts";

export interface Https {
  /** Null: plain HTTP. */
  tls: Tls | null;
  /** Called with each certificate that replaces the previous one. */
  onChange: Listeners<[tls: Tls]>;
  services: readonly Service[];
  /** Browsers may be told to use HTTPS alone: the domain's certificates have been coming for a week. Null: never. */
  isStrict: (() => boolean) | null;
  /** Looks at the operator's files at once. */
  reload(): void;
  /** Begins to stop: what is asked of the authority is given up. */
  close(): void;
}

const STRICT_AFTER_MS = 7 * 24 * 60 * 60_000;

/** What the configuration names, read before anything else is opened. */
interface TlsSources {
  /** The operator's own certificate; null: there is none. */
  files: Tls | null;
  /** Certificates of the authority, beside those of the system. */
  authorities: string | undefined;
}

/** Throws `SettingUnusable`. */
export function readTlsSources({ server, acme }: Config): TlsSources {
  const files = readTls(server);
  const isFetched = files === null && server.domain !== null;
  return { files, authorities: isFetched && acme.caFile !== null ? readAuthorities(acme.caFile) : undefined };
}

export function createHttps(environment: Environment, storage: Storage, sources: TlsSources): Https {
  if (sources.files !== null) return fromFiles(environment, sources.files);
  const { domain } = environment.config.server;
  return domain === null ? withoutTls() : fromAuthority(environment, storage, domain, sources.authorities);
}

function withoutTls(): Https {
  return { tls: null, onChange: new Listeners(), services: [], isStrict: null, reload() {}, close() {} };
}

function fromFiles({ config, log, realClock }: Environment, tls: Tls): Https {
  const onChange = new Listeners<[Tls]>();
  const watch = new TlsFiles({ config, tls, clock: realClock, log, onChange: onChange.emit });
  return { tls, onChange, services: [watch], isStrict: null, reload: () => watch.notify(), close() {} };
}

function fromAuthority(
  { config, log, random, socketClock: clock, lookup }: Environment,
  { store, box }: Storage,
  domain: string,
  ca: string | undefined,
): Https {
  const { directory, email, httpListen } = config.acme;
  const onChange = new Listeners<[Tls]>();
  const stopping = new AbortController();
  const plainHttp = createPlainHttp({ listen: httpListen, setting: placeOf(config, "acme.http_listen"), domain, log });
  const keeper = new CertificateKeeper({
    ...{ store, box, clock, random, log },
    site: { domain, directory },
    authority: new AcmeClient({ directory, email, ca, clock, signal: stopping.signal }),
    challenges: plainHttp,
    surroundings: () => lookAround(domain, lookup ?? resolveName),
    onIssued: onChange.emit,
  });
  // Without it, the redirect would be missing until the first renewal; what prevents it is said by an order.
  plainHttp.open();
  return {
    tls: keeper.issued() ?? selfSigned(domain, clock.now(), random),
    onChange,
    services: [keeper],
    isStrict() {
      const since = keeper.firstIssuedAt();
      return since !== null && clock.now() - since >= STRICT_AFTER_MS;
    },
    reload: () => keeper.retry(),
    close() {
      stopping.abort();
      plainHttp.close();
    },
  };
}

async function lookAround(domain: string, resolve: typeof resolveName): Promise<Surroundings> {
  const outer = ownAddresses()?.filter(({ internal, scopeid }) => !internal && (scopeid ?? 0) === 0);
  const own = outer?.map(({ address }) => address) ?? null;
  try {
    return { domain, resolved: await resolve(domain), own };
  } catch {
    return { domain, resolved: null, own };
  }
}
