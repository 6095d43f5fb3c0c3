/**
 * Values of the configuration that have the right form and cannot be used: a file that is missing, an address of another
 * machine. Each is named with its place in the file, and the table has a row for every key that names a file or an
 * address.
 */
import { afterAll, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { configKeys } from "#src/config/settings.ts";
import { TLS_CERTIFICATE, TLS_KEY } from "#test/support/certificate.ts";
import { Workshop } from "./spawn.ts";

const workshop = new Workshop();
const other = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response() });
afterAll(() => {
  workshop[Symbol.dispose]();
  return other.stop(true);
});

workshop.write("file", "garbage");
workshop.write("cert.pem", TLS_CERTIFICATE);
workshop.write("key.pem", TLS_KEY);
workshop.write("secret", "secret");

const taken = `127.0.0.1:${other.port}`;
const certificate = { "server.tls_cert": "cert.pem", "server.tls_key": "key.pem" };
const domain = {
  "server.domain": "wa.example.com",
  "acme.http_listen": "127.0.0.1:0",
  "acme.directory": "https://127.0.0.1:9/dir",
};
const mail = { "alerts.email_to": ["ops@example.com"] };
const remote = {
  "backup.remote.endpoint": "http://127.0.0.1:9",
  "backup.remote.bucket": "backups",
  "backup.remote.access_key": "access",
  "backup.remote.secret_key_file": "secret",
  "backup.remote.recipient": "age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p",
};

interface Row {
  /** The values that cannot be used. */
  values: readonly string[];
  /** The other keys that it takes. */
  beside?: Readonly<Record<string, string | readonly string[]>>;
  /** Who names the key: a start that is refused, a start that succeeds, or `config check`. */
  by: "refused" | "logged" | "checked";
}

/** Reached over the network, when there is something to ask. */
const asked = { by: "checked" } as const;

const rows: Readonly<Record<string, Row>> = {
  "server.listen": { values: [taken, "203.0.113.9:8080", "nowhere.invalid:8080"], by: "refused" },
  "server.tls_cert": { values: ["none.pem", "file", "."], beside: certificate, by: "refused" },
  "server.tls_key": { values: ["none.pem", "file", "."], beside: certificate, by: "refused" },
  "server.public_url": { values: ["http://127.0.0.1:9"], ...asked },
  "acme.directory": { values: ["https://127.0.0.1:9/dir"], beside: domain, ...asked },
  "acme.http_listen": { values: [taken, "203.0.113.9:80"], beside: domain, by: "logged" },
  "acme.ca_file": { values: ["none.pem", "file", "."], beside: domain, by: "refused" },
  "storage.data": { values: ["file", "file/data"], by: "refused" },
  "storage.path": { values: [".", "file", "file/waxwing.db"], by: "refused" },
  "secrets.key_file": { values: [".", "file", "none/key"], by: "refused" },
  "whatsapp.graph_url": { values: ["http://127.0.0.1:9"], ...asked },
  "media.directory": { values: ["file", "file/media"], by: "refused" },
  "backup.directory": { values: ["file", "file/backups"], by: "logged" },
  "backup.remote.endpoint": { values: ["http://127.0.0.1:9"], beside: remote, ...asked },
  "backup.remote.secret_key_file": { values: ["none", "."], beside: remote, by: "logged" },
  "alerts.webhook": { values: ["http://127.0.0.1:9/"], ...asked },
  "alerts.smtp_url_file": { values: ["none", "file", "."], beside: mail, by: "logged" },
  "alerts.ping_url": { values: ["http://127.0.0.1:9/"], ...asked },
};

/** Writes the configuration, and returns the line of the key. */
function configure(key: string, value: string, beside: Row["beside"]): number {
  const all = { "server.listen": "127.0.0.1:0", "backup.schedule": "0 3 * * *", ...beside, [key]: value };
  const lines = ["# This file belongs to a test."];
  let at = 0;
  for (const [path, one] of Object.entries(all)) {
    const [, section, name] = /^(.+)\.([^.]+)$/.exec(path) ?? [];
    if (path === key) at = lines.length + 1;
    lines.push(`${section}.${name} = ${JSON.stringify(one)}`);
  }
  workshop.write("waxwing.toml", `${lines.join("\n")}\n`);
  return at;
}

test("every key that names a file or an address is in the table", () => {
  const naming = configKeys.filter(({ key }) => key.kind.names !== undefined);
  expect(naming.map(({ path }) => path).toSorted()).toEqual(Object.keys(rows).toSorted());
});

let used = 0;

async function startLogs(): Promise<string> {
  const { child } = await workshop.start([
    "serve",
    "--config",
    workshop.path("waxwing.toml"),
    "--data",
    `data-${used++}`,
  ]);
  child.kill("SIGTERM");
  const log = await new Response(child.stderr).text();
  expect(await child.exited).toBe(0);
  return log;
}

for (const [key, { values, beside, by }] of Object.entries(rows)) {
  test(`${key} that cannot be used is named with its line (${by})`, async () => {
    for (const value of values) {
      const line = configure(key, value, beside);
      const place = `${workshop.path("waxwing.toml")}:${line}: ${key}`;
      if (by === "logged") {
        const log = await startLogs();
        expect(
          log.split("\n").filter((one) => one.includes(`setting="${place}"`) && one.includes("WARN")),
        ).toHaveLength(1);
        continue;
      }
      if (by === "checked") {
        const checked = await workshop.run(["config", "check", "--config", workshop.path("waxwing.toml")]);
        expect([value, checked.stdout]).toEqual([value, expect.stringContaining(`  ${place}: `)]);
        continue;
      }
      // `--data` would decide instead of the file.
      const data = key.startsWith("storage.") || key === "media.directory" ? [] : ["--data", `data-${used++}`];
      const ran = await workshop.run(["serve", "--config", workshop.path("waxwing.toml"), ...data]);
      expect(ran).toMatchObject({ code: 1, stdout: "" });
      expect(ran.stderr.split("\n").find((one) => one.startsWith("waxwing: "))).toStartWith(`waxwing: ${place}: `);
      // What a key file must hold is in the sentence itself.
      if (key !== "secrets.key_file") expect(ran.stderr).toContain("\n  next: ");
      if (data[1] !== undefined) expect(existsSync(workshop.path(`${data[1]}/waxwing.db`))).toBe(false);
    }
  }, 60_000);
}

test("config check names a default by its own key, also where it follows from the data directory", async () => {
  const line = configure("storage.data", "data-checked", {});
  const { stdout } = await workshop.run(["config", "check", "--config", workshop.path("waxwing.toml")]);
  expect(stdout).toContain(`  ${workshop.path("waxwing.toml")}:${line}: storage.data: `);
  for (const key of ["secrets.key_file", "backup.directory"])
    expect(stdout).toMatch(new RegExp(`^\\w+ +${key}: `, "m"));
});

test("a value of the environment, of an option and of the defaults is named by where it comes from", async () => {
  configure("log.level", "info", {});
  const serve = (words: string[], env: Record<string, string> = {}) =>
    workshop.run(["serve", "--config", workshop.path("waxwing.toml"), "--data", `data-${used++}`, ...words], { env });
  const variables = { WAXWING_SERVER_TLS_CERT: "none.pem", WAXWING_SERVER_TLS_KEY: "key.pem" };
  expect((await serve([], variables)).stderr).toStartWith("waxwing: WAXWING_SERVER_TLS_CERT: server.tls_cert: ");
  expect((await serve(["--listen", taken])).stderr).toStartWith("waxwing: --listen: server.listen: ");
  const inFile = await workshop.run(["serve", "--config", workshop.path("waxwing.toml"), "--data", "file/data"]);
  expect(inFile.stderr).toStartWith("waxwing: --data: storage.data: ");
  expect((await serve(["--json"], variables)).stdout).toContain("WAXWING_SERVER_TLS_CERT: server.tls_cert: ");
});
