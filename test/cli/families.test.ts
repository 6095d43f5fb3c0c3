/**
 * A server on every address: of both families where the machine has both, on IPv4 alone elsewhere, and under what the
 * shipped systemd unit allows.
 */
import { afterAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { freePort, hasPebble, startPebble } from "#test/support/pebble.ts";
import { program } from "#test/support/program.ts";
import { checkout } from "#test/support/source.ts";
import { Workshop } from "./spawn.ts";

const workshop = new Workshop();
afterAll(() => workshop[Symbol.dispose]());

const LIMIT_MS = 60_000;
const launcher = join(checkout, "test/support/allow-families.ts");
const runs = (families: string) =>
  process.platform === "linux" && Bun.spawnSync([process.execPath, launcher, families, "true"]).exitCode === 0;
const hasFilter = runs("AF_UNIX,AF_INET");
const hasIpv6 = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === "::1"));
const shipped = /^RestrictAddressFamilies=(.*)$/m.exec(readFileSync(join(checkout, "install.sh"), "utf8"))?.[1] ?? "";

let used = 0;

/** A server under these families; null: under any. */
async function serve(families: string | null, words: string[], env: Record<string, string> = {}) {
  const before = families === null ? [] : [process.execPath, launcher, families.replaceAll(" ", ",")];
  const child = Bun.spawn([...before, ...program, "serve", "--data", `data-${used++}`, ...words], {
    cwd: workshop.directory,
    env: { PATH: process.env.PATH ?? "", WAXWING_BACKUP_SCHEDULE: "", ...env },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const log: string[] = [];
  const logging = (async () => {
    for await (const chunk of child.stderr) log.push(new TextDecoder().decode(chunk));
  })();
  const reader = child.stdout.getReader();
  let out = "";
  while (!out.includes("\n")) {
    const { done, value } = await reader.read();
    if (done) break;
    out += new TextDecoder().decode(value);
  }
  await Bun.sleep(out === "" ? 0 : 100);
  return {
    says: out.trim(),
    port: Number(/:(\d+)$/.exec(out.trim())?.[1]),
    log: () => log.join(""),
    reload: () => child.kill("SIGHUP"),
    async stop() {
      child.kill("SIGTERM");
      await logging;
      return child.exited;
    },
  };
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; !(await isSo()); tries++) {
    if (tries === 100) throw new Error("it did not happen");
    await Bun.sleep(100);
  }
}

async function reaches(scheme: string, host: string, port: number): Promise<boolean> {
  const answer = fetch(`${scheme}://${host}:${port}/healthz`, { tls: { rejectUnauthorized: false } });
  return answer.then(
    ({ ok }) => ok,
    () => false,
  );
}

const domain = {
  WAXWING_SERVER_DOMAIN: "wa.example.com",
  WAXWING_ACME_HTTP_LISTEN: ":0",
  WAXWING_ACME_DIRECTORY: "https://127.0.0.1:9/directory",
};

test.skipIf(!hasIpv6)(
  "a port alone, and the brackets of no address, are every address of both families",
  async () => {
    for (const [listen, env, scheme] of [
      [":0", {}, "http"],
      ["[::]:0", {}, "http"],
      [":0", domain, "https"],
    ] as const) {
      const server = await serve(null, ["--listen", listen], env);
      expect(server.says).toBe(`listening on ${scheme}://[::]:${server.port}`);
      for (const host of ["127.0.0.1", "[::1]"])
        expect([listen, host, await reaches(scheme, host, server.port)]).toEqual([listen, host, true]);
      expect(await server.stop()).toBe(0);
    }
    const server = await serve(null, ["--listen", "0.0.0.0:0"]);
    expect([await reaches("http", "127.0.0.1", server.port), await reaches("http", "[::1]", server.port)]).toEqual([
      true,
      false,
    ]);
    expect(await server.stop()).toBe(0);
  },
  LIMIT_MS,
);

describe.skipIf(!hasFilter)("restricted", () => {
  test(
    "a machine without IPv6 starts on IPv4, also with a domain",
    async () => {
      for (const [listen, env, scheme] of [
        [":0", {}, "http"],
        ["[::]:0", {}, "http"],
        [":0", domain, "https"],
      ] as const) {
        const server = await serve("AF_UNIX,AF_INET,AF_NETLINK", ["--listen", listen], env);
        expect(server.says).toBe(`listening on ${scheme}://0.0.0.0:${server.port}`);
        expect(await reaches(scheme, "127.0.0.1", server.port)).toBe(true);
        expect(server.log()).not.toContain("certificate.port_closed");
        expect(await server.stop()).toBe(0);
      }
    },
    LIMIT_MS,
  );

  test(
    "the families of the shipped unit are enough, and without netlink too nothing fails but the advice",
    async () => {
      for (const families of [shipped, "AF_UNIX AF_INET AF_INET6"]) {
        for (const env of [{}, domain]) {
          const server = await serve(families, ["--listen", ":0"], env);
          expect([families, server.says]).toEqual([families, expect.stringContaining("listening on ")]);
          expect(server.log()).toContain("setup-link");
          expect(server.log()).not.toContain("step_failed");
          expect(await server.stop()).toBe(0);
        }
      }
    },
    LIMIT_MS,
  );

  test.skipIf(!hasPebble)(
    "a certificate that fails is a condition and follows when DNS is right, also where the system tells no addresses",
    async () => {
      for (const families of [shipped, "AF_UNIX AF_INET AF_INET6"]) {
        const httpPort = freePort();
        await using pebble = await startPebble(httpPort);
        pebble.address = null;
        const data = `data-${used}`;
        const server = await serve(families, ["--listen", ":0"], {
          ...domain,
          WAXWING_ACME_HTTP_LISTEN: `:${httpPort}`,
          WAXWING_ACME_DIRECTORY: pebble.directory,
          WAXWING_ACME_CA_FILE: pebble.caFile,
        });
        // The authority's address is part of what a certificate belongs to.
        const env = { ...domain, WAXWING_ACME_DIRECTORY: pebble.directory };
        const found = async () => {
          const { stdout } = await workshop.run(["status", "--json", "--data", data], { env });
          const { conditions } = JSON.parse(stdout) as { conditions: { id: string }[] };
          return conditions.find(({ id }) => id.startsWith("certificate"));
        };
        await until(async () => (await found())?.id === "certificate_missing");
        expect(server.log()).not.toContain("step_failed");
        expect(server.log().split("event=certificate.failed")).toHaveLength(2);
        pebble.address = "127.0.0.1";
        server.reload();
        await until(async () => (await found()) === undefined);
        expect(server.log()).toContain("certificate.issued");
        expect(await server.stop()).toBe(0);
      }
    },
    LIMIT_MS,
  );
});
