/**
 * The master key: a rotation beside a running server seals every stored secret again, can be killed at any moment, and
 * loses nothing that was sealed or hashed before.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { accountContext, addAccount, addOrder, certificateContext, moveOrder } from "#src/certificates/rows.ts";
import { sealedColumns } from "#src/cli/reseal.ts";
import { loadKeys } from "#src/core/key-file.ts";
import { systemRandom } from "#src/core/random.ts";
import { createSecretBox } from "#src/core/secret.ts";
import { totpCode } from "#src/core/totp.ts";
import { openClient } from "#src/db/driver.ts";
import { keepEntered } from "#src/receiving/connect-number.ts";
import { firstOperator, PASSWORD, Visitor } from "#test/support/console.ts";
import { contactPath } from "#test/support/contacts.ts";
import { program } from "#test/support/program.ts";
import { startReceiver } from "#test/support/receiver.ts";
import { startTestServer, type TestServer, type TestWorkspace } from "#test/support/server.ts";
import { CallingWorkshop, Workshop } from "./spawn.ts";

/** Opted out, then erased. Each is used once. */
const erased = ["+919876540091", "+919876540092", "+919876540093", "+919876540094"];

let workshop: CallingWorkshop;
let app: TestServer;
let shop: TestWorkspace;
let operator: Visitor;
let totp: string;
let webhookSecret: string;

beforeAll(async () => {
  workshop = new CallingWorkshop();
  app = await startTestServer({ directory: workshop.path("data") });
  shop = await app.workspace();
  operator = await firstOperator(app);
  totp = (await operator.post("/me/second-factor/begin", { password: PASSWORD })).body.data.secret;
  await operator.post("/me/second-factor/confirm", { code: totpCode(totp, app.clock.now()) });
  const other = await app.workspace();
  for (const { id } of [shop, other]) {
    await workshop.json(["webhook", "set", "--workspace", String(id), "--url", "https://example.com/hook"]);
  }
  webhookSecret = (await operator.post(`/w/${shop.id}/webhook/reveal`)).body.data.secret;
  workshop.write("token", "EAAG-token\n");
  workshop.write("secret", "0123456789abcdef0123456789abcdef\n");
  const number = [
    "--phone",
    "+919876543200",
    "--name",
    "Real",
    "--network",
    "whatsapp",
    "--phone-number-id",
    "1234567",
  ];
  const secrets = [
    "--account-id",
    "987654",
    "--token-file",
    workshop.path("token"),
    "--app-secret-file",
    workshop.path("secret"),
  ];
  await workshop.json(["number", "add", "--workspace", String(shop.id), ...number, ...secrets]);
  for (const phone of erased) {
    await app.call("PUT", contactPath(phone), { key: shop.key, body: { consent: "opted_out" } });
    await workshop.json(["contact", "erase", "--workspace", String(shop.id), phone]);
  }
});
afterAll(async () => {
  await app[Symbol.asyncDispose]();
  workshop[Symbol.dispose]();
});

const keyFile = (): string => workshop.path("data/waxwing.key");
const show = () => workshop.json<{ key_id: string; older_key_ids: string[]; secrets: object }>(["key-file", "show"]);
const rotate = () => workshop.json<{ key_id: string; kept: string; resealed: number }>(["key-file", "rotate"]);
const keysInFile = (): string[] => readFileSync(keyFile(), "utf8").trim().split("\n");

/** Every sealed value in the database, by table and column. */
function sealedIn(directory: string): Map<string, string[]> {
  const client = openClient(join(directory, "waxwing.db"), { readonly: true });
  const found = new Map<string, string[]>();
  const tables = client.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all() as string[];
  for (const table of tables) {
    const columns = client.prepare(`SELECT name FROM pragma_table_info('${table}')`).pluck().all() as string[];
    for (const column of columns) {
      const values = client
        .prepare(`SELECT "${column}" FROM "${table}" WHERE "${column}" GLOB 'v1.????????.*'`)
        .pluck()
        .all();
      if (values.length > 0) found.set(`${table}.${column}`, values.map(String));
    }
  }
  client.close();
  return found;
}

/** Uses every kind of stored secret through the running server. */
async function everythingWorks(): Promise<void> {
  expect((await operator.post(`/w/${shop.id}/webhook/reveal`)).body.data.secret).toBe(webhookSecret);
  await app.clock.advance(60_000);
  const visitor = new Visitor(app);
  expect((await visitor.signIn("op@example.com", PASSWORD, totpCode(totp, app.clock.now()))).status).toBe(200);
  await operator.post("/me/confirmation", { password: PASSWORD });
  // A contact who was erased after an opt-out is recognised by a keyed hash.
  const put = await app.call("PUT", contactPath(erased.pop() ?? ""), { key: shop.key, body: { name: "Again" } });
  expect(put.body.data.consent.status).toBe("opted_out");
}

/** What an owner entered to connect a number. */
async function keepDraft(): Promise<void> {
  const box = createSecretBox(loadKeys({ keyFile: keyFile(), env: {}, random: systemRandom }, false), systemRandom);
  await app.store.write((tx) =>
    keepEntered(tx, box, shop.id, { token: "EAAG-draft", appSecret: "secret of the draft" }),
  );
}

/** What automatic HTTPS keeps. */
async function keepCertificate(): Promise<void> {
  const site = { domain: "wa.example.com", directory: "https://authority.test/directory" };
  const box = createSecretBox(loadKeys({ keyFile: keyFile(), env: {}, random: systemRandom }, false), systemRandom);
  await app.store.write((tx) => {
    addAccount(tx, site.directory, box.seal("account", accountContext(site.directory)));
    const id = addOrder(tx, site);
    moveOrder(tx, id, "validating");
    moveOrder(tx, id, "finalizing", { privateKey: box.seal("key", certificateContext(id)) });
  });
}

test("every column with sealed values is among those that a rotation seals again", async () => {
  await rotate();
  await operator.post("/me/second-factor/begin", { password: PASSWORD });
  await keepCertificate();
  // The secret before the present one signs too, for a day.
  await using receiver = startReceiver();
  await operator.ask("PUT", `/w/${shop.id}/webhook`, { url: receiver.url });
  expect((await operator.post(`/w/${shop.id}/webhooks/1/rotate-secret`, { overlap: "24h" })).status).toBe(200);
  webhookSecret = (await operator.post(`/w/${shop.id}/webhook/reveal`)).body.data.secret;
  const further = ["--workspace", String(shop.id), "--url", receiver.url];
  const { id } = await workshop.json(["webhook", "add", ...further]);
  const overlap = ["--workspace", String(shop.id), "--id", String(id), "--overlap", "24h"];
  await workshop.json(["webhook", "rotate-secret", ...overlap]);
  await keepDraft();
  await rotate();
  const known = sealedColumns.map(({ table, column }) => `${table}.${column}`);
  const found = [...sealedIn(workshop.path("data")).keys()];
  expect(found.filter((name) => !known.includes(name))).toEqual([]);
  expect(known.filter((name) => !found.includes(name))).toEqual(["users.totp_pending"]);
  expect(found.length).toBeGreaterThanOrEqual(5);
});

describe("a rotation beside a running server", () => {
  test("seals everything with a new key, keeps the old one aside, and the server continues with the new one", async () => {
    const before = await show();
    const rotated = await rotate();
    expect(rotated.key_id).not.toBe(before.key_id);
    const after = await show();
    expect(after).toMatchObject({
      key_id: rotated.key_id,
      older_key_ids: [],
      secrets: { [rotated.key_id]: rotated.resealed },
    });
    expect(keysInFile()).toHaveLength(1);
    expect([statSync(keyFile()).mode & 0o777, statSync(rotated.kept).mode & 0o777]).toEqual([0o600, 0o600]);
    expect(rotated.kept).toEndWith(`waxwing.key.old-${before.key_id}`);
    await everythingWorks();
    const renewed = (await operator.post(`/w/${shop.id}/webhooks/1/rotate-secret`)).body.data.secret;
    webhookSecret = renewed;
    expect(new Set([...sealedIn(workshop.path("data")).values()].flat().map((value) => value.split(".")[1]))).toEqual(
      new Set([rotated.key_id]),
    );
  });

  test("is completed by the next one from any state in which it was interrupted, without another key", async () => {
    const [old = ""] = keysInFile();
    const { key_id } = await show();
    const fresh = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64");
    // Killed after the new key was written: nothing, or a part, is sealed with it.
    writeFileSync(keyFile(), `${fresh}\n${old}\n`);
    writeFileSync(`${keyFile()}.abcdefgh.new`, "half a k");
    await everythingWorks();
    await operator.post(`/w/${shop.id}/webhooks/1/rotate-secret`);
    webhookSecret = (await operator.post(`/w/${shop.id}/webhook/reveal`)).body.data.secret;
    const ids = new Set([...sealedIn(workshop.path("data")).values()].flat().map((value) => value.split(".")[1]));
    expect(ids.size).toBe(2);
    // Killed between keeping the old key and dropping it.
    writeFileSync(`${keyFile()}.old-${key_id}`, `${old}\n`, { mode: 0o600 });
    const rotated = await rotate();
    expect(rotated).toMatchObject({ resumed: true, older_key_ids: [key_id], unreadable: [] });
    expect(keysInFile()).toEqual([fresh]);
    expect(readFileSync(rotated.kept, "utf8").trim()).toBe(old);
    expect(readdirSync(workshop.path("data")).filter((name) => name.endsWith(".new"))).toEqual([]);
    await everythingWorks();
  });

  test("survives being killed at random moments", async () => {
    let killed = 0;
    for (let round = 0; round < 10; round++) {
      const child = Bun.spawn([...program, "key-file", "rotate"], {
        cwd: workshop.directory,
        stdout: "ignore",
        stderr: "ignore",
      });
      const before = readFileSync(keyFile(), "utf8");
      const limit = Date.now() + 20_000;
      // From the moment at which the file changes, a rotation takes some milliseconds.
      while (child.exitCode === null && Date.now() < limit && readFileSync(keyFile(), "utf8") === before) {
        await Bun.sleep(0);
      }
      await Bun.sleep(round * 2);
      child.kill("SIGKILL");
      await child.exited;
      if (child.signalCode === "SIGKILL") killed += 1;
      expect((await operator.post(`/w/${shop.id}/webhook/reveal`)).body.data.secret).toBe(webhookSecret);
    }
    expect(killed).toBeGreaterThan(0);
    expect(await rotate()).toMatchObject({ unreadable: [] });
    expect(keysInFile()).toHaveLength(1);
    await everythingWorks();
  }, 120_000);
});

test("a secret that no key opens is named, left as it is, and keeps the old key in place", async () => {
  using own = new CallingWorkshop();
  await own.json(["workspace", "create", "--name", "A", "--country", "IN", "--timezone", "Asia/Kolkata"]);
  await own.json(["webhook", "set", "--workspace", "1", "--url", "https://example.com/hook"]);
  const client = openClient(own.path("data/waxwing.db"), {});
  client.exec("UPDATE webhooks SET secret = 'v1.00000000.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'");
  client.close();
  expect(await own.json(["key-file", "rotate"])).toMatchObject({ unreadable: ["webhooks.secret 1"], kept: null });
  expect(readFileSync(own.path("data/waxwing.key"), "utf8").trim().split("\n")).toHaveLength(2);
  const shown = await own.run(["webhook", "show", "--workspace", "1"]);
  expect([shown.code, shown.stderr]).toEqual([
    1,
    expect.stringContaining("its key 00000000 is not among the keys given"),
  ]);
});

test("the key may lie outside the data directory, and the first start says where and which it is", async () => {
  using own = new Workshop('[secrets]\nkey_file = "keys/master.key"\n');
  mkdirSync(own.path("keys"));
  const made = await own.run(["workspace", "create", "--name", "A", "--country", "IN", "--timezone", "Asia/Kolkata"]);
  expect(made.stderr).toMatch(/new key \([0-9a-f]{8}\) in .*keys\/master\.key\. Keep a copy/);
  expect([existsSync(own.path("keys/master.key")), existsSync(own.path("data/waxwing.key"))]).toEqual([true, false]);
  const shown = JSON.parse((await own.run(["key-file", "show", "--json"])).stdout);
  expect(shown).toMatchObject({ source: "file", file: own.path("keys/master.key") });
});

test("a key from the environment is rotated by giving both, and the command says how", async () => {
  using own = new Workshop();
  const [first = "", second = ""] = [1, 2].map((byte) => Buffer.alloc(32, byte).toString("base64"));
  const run = (key: string, ...words: string[]) => own.run(words, { env: { WAXWING_SECRETS_KEY: key } });
  await run(first, "workspace", "create", "--name", "A", "--country", "IN", "--timezone", "Asia/Kolkata");
  await run(first, "webhook", "set", "--workspace", "1", "--url", "https://example.com/hook");
  const refused = await run(first, "key-file", "rotate");
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("a space, and the present key")]);
  const rotated = await run(`${second} ${first}`, "key-file", "rotate");
  expect([rotated.code, rotated.stdout]).toEqual([
    0,
    expect.stringContaining("leave the old key out of WAXWING_SECRETS_KEY"),
  ]);
  expect((await run(second, "webhook", "show", "--workspace", "1", "--json")).stdout).toContain("whsec_");
  expect((await run(first, "webhook", "show", "--workspace", "1")).code).toBe(1);
});
