/** `waxwing config check` and `waxwing backup recovery-sheet`: what an operator looks at before something breaks. */
import { expect, test } from "bun:test";
import { generateKeyPairSync } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { newRecoveryKey } from "#src/backup/remote/encryption.ts";
import { TLS_CERTIFICATE, TLS_KEY } from "#test/support/certificate.ts";
import { FakeObjectStore } from "#test/support/object-store.ts";
import { CallingWorkshop, SHOP } from "./spawn.ts";

interface Finding {
  level: string;
  key: string;
  message: string;
}

async function check(
  workshop: CallingWorkshop,
): Promise<{ code: number; findings: Record<string, string>; all: string }> {
  const { code, stdout } = await workshop.run(["config", "check", "--json"]);
  const { findings } = JSON.parse(stdout) as { findings: Finding[] };
  const wrong = findings.filter(({ level }) => level !== "ok").map(({ level, key }) => [key, level]);
  return { code, findings: Object.fromEntries(wrong), all: stdout };
}

test("config check looks at directories, certificates and addresses, names each problem, and changes nothing", async () => {
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response("ok") });
  const graph = `[whatsapp]\ngraph_url = "http://127.0.0.1:${server.port}"\n`;
  using workshop = new CallingWorkshop(graph);
  const before = readdirSync(workshop.directory);
  expect(await check(workshop)).toMatchObject({ code: 0, findings: { "backup.directory": "warning" } });
  expect(readdirSync(workshop.directory)).toEqual(before);

  workshop.write("a-file", "in the way");
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const other = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  const [certificate, key] = [workshop.write("cert.pem", TLS_CERTIFICATE), workshop.write("key.pem", other)];
  workshop.write(
    "waxwing.toml",
    [
      graph,
      `[server]\ntls_cert = "${certificate}"\ntls_key = "${key}"`,
      `[backup]\ndirectory = "${workshop.path("a-file/backups")}"`,
      `[alerts]\nwebhook = "http://127.0.0.1:9/secret-token"\nping_url = "http://127.0.0.1:${server.port}/ping"`,
      `email_to = ["ops@example.com"]\nsmtp_url_file = "${workshop.write("smtp", "not-an-address hunter2")}"`,
    ].join("\n"),
  );
  const broken = await check(workshop);
  expect(broken).toMatchObject({
    code: 1,
    findings: {
      "server.tls_key": "problem",
      "backup.directory": "warning",
      "alerts.webhook": "problem",
      "alerts.smtp_url_file": "problem",
    },
  });
  expect(broken.all).toContain("is not a directory");
  workshop.write("key.pem", TLS_KEY);
  expect((await check(workshop)).findings["server.tls_key"]).toBeUndefined();
  for (const secret of ["secret-token", "hunter2"]) expect(broken.all).not.toContain(secret);
  expect(existsSync(workshop.path("data"))).toBe(false);

  workshop.write("waxwing.toml", "[alerts]\nemail_to = ['ops@example.com']\n");
  const invalid = await workshop.run(["config", "check"]);
  expect([invalid.code, invalid.stderr]).toEqual([1, expect.stringContaining("alerts.smtp_url_file")]);
  await server.stop(true);
});

test("config check asks the store of backups for a list, and says what is wrong with it", async () => {
  await using store = new FakeObjectStore();
  const { recipient } = await newRecoveryKey();
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response("ok") });
  using workshop = new CallingWorkshop();
  const graph = `[whatsapp]\ngraph_url = "http://127.0.0.1:${server.port}"\n`;
  const secret = workshop.write("secret", store.secret);
  workshop.write("waxwing.toml", graph + store.configuration(secret, recipient));
  const sound = await check(workshop);
  // The directory may be on the disk of the database: the backups are elsewhere too.
  expect(sound).toMatchObject({ code: 0, findings: {} });
  expect(sound.all).toContain("s3://backups/shop/ can be listed.");
  workshop.write("secret", "wrong");
  expect((await check(workshop)).all).toContain("refuses the credentials (SignatureDoesNotMatch)");
  workshop.write("secret", "two words");
  expect((await check(workshop)).all).toContain("does not hold the secret of an access key");
  workshop.write("secret", store.secret);
  workshop.write(
    "waxwing.toml",
    `${graph}${store.configuration(secret, recipient).replace('"backups"', '"other"')}[backup]\nschedule = ""\n`,
  );
  const other = await check(workshop);
  expect(other).toMatchObject({
    code: 1,
    findings: { "backup.remote.endpoint": "problem", "backup.schedule": "warning" },
  });
  expect(other.all).toContain("has no bucket other");
  await store.stop();
  expect((await check(workshop)).all).toContain("cannot be reached");
  expect(existsSync(workshop.path("data"))).toBe(false);
  await server.stop(true);
});

test("config check reports a key file that is missing although there is a database", async () => {
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response("ok") });
  using workshop = new CallingWorkshop(`[whatsapp]\ngraph_url = "http://127.0.0.1:${server.port}"\n`);
  mkdirSync(workshop.path("data"), { mode: 0o700 });
  writeFileSync(workshop.path("data/waxwing.db"), "");
  expect(await check(workshop)).toMatchObject({ code: 1, findings: { "secrets.key_file": "problem" } });
  await server.stop(true);
});

test("the recovery sheet names what to keep and how to restore, and contains no secret", async () => {
  using workshop = new CallingWorkshop();
  expect((await workshop.run(["backup", "recovery-sheet"])).code).toBe(1);
  await workshop.json(["workspace", "create", ...SHOP]);
  const { stdout } = await workshop.run(["backup", "recovery-sheet"]);
  for (const words of [workshop.path("data/waxwing.key"), workshop.path("data/backups"), "waxwing restore BACKUP"])
    expect(stdout).toContain(words);
  const key = await Bun.file(workshop.path("data/waxwing.key")).text();
  expect(stdout).not.toContain(key.trim());
  expect(stdout.split("\n").length).toBeLessThan(60);
  expect(await workshop.json(["backup", "recovery-sheet"])).toMatchObject({
    database: workshop.path("data/waxwing.db"),
    keep: 7,
    newest_backup: null,
  });
  // The name of a file all the same, where it has a path.
  expect(await workshop.json(["backup", workshop.path("recovery-sheet")])).toMatchObject({ verified: true });
});
