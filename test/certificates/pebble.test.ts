/** Automatic HTTPS, against Let's Encrypt's test authority: fetched, used, kept, renewed, and what is said when it fails. */
import { expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "node:tls";
import { loadConfig } from "#src/config/config.ts";
import { systemClock } from "#src/core/clock.ts";
import { createLog } from "#src/core/log.ts";
import type { Server } from "#src/server/context.ts";
import { startServer } from "#src/server/server.ts";
import { freePort, hasPebble, type Pebble, startPebble } from "#test/support/pebble.ts";

setDefaultTimeout(60_000);

const DOMAIN = "wa.example.com";
const DAY_MS = 24 * 60 * 60_000;

interface Site extends AsyncDisposable {
  server: Server;
  httpPort: number;
  logged: string[];
  /** Starts another server on the same data. */
  restart(): Promise<void>;
  offsetMs: number;
}

async function startSite(pebble: Pebble, httpPort: number): Promise<Site> {
  const data = mkdtempSync(join(tmpdir(), "waxwing-https-"));
  const logged: string[] = [];
  const site = { offsetMs: 0 };
  const clock = { ...systemClock, now: () => Date.now() + site.offsetMs };
  const config = loadConfig({
    ...{ searchPaths: [], data, listen: "127.0.0.1:0" },
    env: {
      WAXWING_SERVER_DOMAIN: DOMAIN,
      WAXWING_ACME_DIRECTORY: pebble.directory,
      WAXWING_ACME_CA_FILE: pebble.caFile,
      WAXWING_ACME_HTTP_LISTEN: `127.0.0.1:${httpPort}`,
      WAXWING_ACME_EMAIL: "ops@example.com",
      WAXWING_BACKUP_SCHEDULE: "",
    },
  });
  const start = (): Promise<Server> =>
    startServer({
      ...{ config, clock, lookup: async () => ["203.0.113.9"] },
      log: createLog({ level: "info", format: "text", now: clock.now, write: (line) => logged.push(line) }),
    });
  let server = await start();
  return {
    get server() {
      return server;
    },
    ...{ httpPort, logged },
    async restart() {
      await server.stop();
      server = await start();
    },
    get offsetMs() {
      return site.offsetMs;
    },
    set offsetMs(ms) {
      site.offsetMs = ms;
    },
    async [Symbol.asyncDispose]() {
      await server.stop();
      rmSync(data, { recursive: true, force: true });
    },
  };
}

/** The serial number of the certificate that the server shows, if `ca` vouches for it. */
function serialOf({ server }: Site, ca?: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(
      {
        host: "127.0.0.1",
        port: Number(new URL(server.url).port),
        servername: DOMAIN,
        ca,
        rejectUnauthorized: ca !== undefined,
      },
      () => {
        resolve(socket.getPeerCertificate().serialNumber);
        socket.destroy();
      },
    );
    socket.on("error", reject);
  });
}

async function until(isDone: () => boolean | Promise<boolean>, site: Site): Promise<void> {
  const end = performance.now() + 15_000;
  while (!(await isDone())) {
    if (performance.now() > end) throw new Error(`it did not happen:\n${site.logged.join("")}`);
    await Bun.sleep(10);
  }
}

function rows({ server }: Site, sql: string): Record<string, unknown>[] {
  return server.store.client.prepare(sql).all() as Record<string, unknown>[];
}

const issuedTimes = ({ logged }: Site): number => logged.filter((line) => line.includes("certificate.issued")).length;

test.skipIf(!hasPebble)(
  "a domain alone is enough: fetched, used, kept over a restart, renewed while requests run",
  async () => {
    const httpPort = freePort();
    await using pebble = await startPebble(httpPort);
    await using site = await startSite(pebble, httpPort);
    expect(site.server.url).toStartWith("https://");
    const placeholder = await serialOf(site);
    await until(() => issuedTimes(site) === 1, site);

    const root = await pebble.root();
    const first = await serialOf(site, root);
    expect(first).not.toBe(placeholder);
    // The account and the key are sealed.
    const kept = rows(site, "SELECT private_key FROM acme_accounts UNION SELECT private_key FROM certificates");
    for (const { private_key } of kept) expect(private_key).toStartWith("v1.");
    expect(kept).toHaveLength(2);

    const plain = await fetch(`http://127.0.0.1:${httpPort}/console?a=1`, { redirect: "manual" });
    expect([plain.status, plain.headers.get("location")]).toEqual([308, `https://${DOMAIN}/console?a=1`]);
    const challenge = await fetch(`http://127.0.0.1:${httpPort}/.well-known/acme-challenge/none`);
    expect(challenge.status).toBe(404);

    await site.restart();
    expect(await serialOf(site, root)).toBe(first);
    expect(rows(site, "SELECT status FROM certificates")).toEqual([{ status: "valid" }]);

    // A third of its life before its end, and not before.
    const [times] = rows(site, "SELECT starts_at, ends_at, renew_at FROM certificates");
    const [startsAt, endsAt, renewAt] = [Number(times?.starts_at), Number(times?.ends_at), Number(times?.renew_at)];
    const life = endsAt - startsAt;
    expect(renewAt).toBeGreaterThanOrEqual(endsAt - life * 0.367);
    expect(renewAt).toBeLessThanOrEqual(endsAt - life / 3);
    const ask = () =>
      fetch(`${site.server.url}/healthz`, { tls: { rejectUnauthorized: false }, headers: { connection: "close" } });
    expect((await ask()).headers.get("strict-transport-security")).toBeNull();

    let asked = 0;
    let isRenewed = false;
    const asking = Promise.all(
      Array.from({ length: 4 }, async () => {
        for (; !isRenewed || asked < 100; asked++) expect((await ask()).status).toBe(200);
      }),
    );
    site.offsetMs = renewAt - Date.now() + DAY_MS;
    site.server.reload();
    await until(() => issuedTimes(site) === 2, site);
    isRenewed = true;
    await asking;
    expect(await serialOf(site, root)).not.toBe(first);
    await site.restart();
    expect((await ask()).headers.get("strict-transport-security")).toContain("max-age=");
  },
);

test.skipIf(!hasPebble)(
  "what prevents a certificate is a condition in plain words, and the next order waits",
  async () => {
    const httpPort = freePort();
    await using pebble = await startPebble(httpPort);
    // No server listens there: the port is closed, or DNS leads elsewhere.
    pebble.address = "127.0.0.2";
    await using site = await startSite(pebble, httpPort);
    const failures = () =>
      rows(
        site,
        "SELECT failure_kind AS kind, failure, retry_at - ordered_at AS wait FROM certificates WHERE status = 'failed'",
      );
    await until(() => failures().length === 1, site);
    expect(failures()[0]?.kind).toBe("closed");
    expect(String(failures()[0]?.failure)).toStartWith(
      `The certificate authority cannot reach http://${DOMAIN}/ at port 80. DNS leads ${DOMAIN} to 203.0.113.9; this machine itself has`,
    );
    // A restart orders nothing early.
    await site.restart();
    await Bun.sleep(100);
    expect(failures()).toHaveLength(1);

    pebble.address = null;
    site.offsetMs += 3 * 60_000;
    site.server.reload();
    await until(() => failures().length === 2, site);
    expect(["dns", "closed"]).toContain(String(failures()[1]?.kind));
    expect(Number(failures()[1]?.wait)).toBeGreaterThanOrEqual(10 * 60_000);

    await pebble.kill();
    site.offsetMs += 20 * 60_000;
    site.server.reload();
    await until(() => failures().length === 3, site);
    expect(failures()[2]?.kind).toBe("unreachable");
    expect(String(failures()[2]?.failure)).toContain("The certificate authority localhost:");
  },
);
