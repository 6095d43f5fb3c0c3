/** What a person agreed to travels with their consent: by API, by file, and from one installation to another. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "#src/core/clock.ts";
import { updateWorkspace } from "#src/domain/workspaces/update.ts";
import { importContacts } from "#src/transfer/import-contacts.ts";
import { CallingWorkshop } from "#test/cli/spawn.ts";
import { firstOperator, person, type Visitor } from "#test/support/console.ts";
import { getContactOf, putContactOf } from "#test/support/contacts.ts";
import { startTestServer, type TestServer, type TestWorkspace } from "#test/support/server.ts";

let app: TestServer;
let shop: TestWorkspace;
let member: Visitor;
const workshops: CallingWorkshop[] = [];

beforeAll(async () => {
  app = await startTestServer();
  shop = await app.workspace();
  await firstOperator(app);
  member = await person(app, "member@example.com", "member", shop.id);
});
afterAll(async () => {
  await app[Symbol.asyncDispose]();
  for (const workshop of workshops) workshop[Symbol.dispose]();
});

async function installation() {
  const workshop = new CallingWorkshop();
  workshops.push(workshop);
  const create = ["workspace", "create", "--name", "Shop", "--country", "IN", "--timezone", "Asia/Kolkata"];
  const shop = async () => String((await workshop.json<{ id: number }>(create)).id);
  const bring = (id: string, text: string, ...options: string[]) => {
    writeFileSync(workshop.path("people.csv"), text);
    return workshop.json(["contact", "import", "--workspace", id, workshop.path("people.csv"), ...options]);
  };
  const take = async (id: string) => (await workshop.run(["contact", "export", "--workspace", id])).stdout;
  return { workshop, shop, bring, take };
}

/** By number: what the export says about consent, without source and time. */
function consents(csv: string): Record<string, string[]> {
  const [header = [], ...rows] = csv
    .trim()
    .split(/\r?\n/)
    .map((line) => line.split(","));
  const cell = (row: string[], name: string) => row[header.indexOf(name)] ?? "";
  const columns = ["consent", "consent_purpose", "consent_notice"];
  return Object.fromEntries(rows.map((row) => [cell(row, "phone"), columns.map((name) => cell(row, name))]));
}

const FILE = [
  "name,phone,consent,consent_purpose,consent_notice",
  "Asha,+919812340001,opted_in,Offers,v3",
  "Ravi,+919812340002,opted_out,,",
  "Mina,+919812340003,unknown,,",
  "Tara,+919812340004,opted_in,,",
].join("\n");

test("an export gives the same consent in another workspace and in another installation, with every option of consent", async () => {
  const first = await installation();
  const origin = await first.shop();
  await first.bring(origin, FILE);
  const exported = await first.take(origin);
  expect(Object.values(consents(exported))).toEqual([
    ["opted_in", "Offers", "v3"],
    ["opted_out", "", ""],
    ["unknown", "", ""],
    ["opted_in", "", ""],
  ]);
  const second = await installation();
  for (const { shop, bring, take } of [first, second]) {
    const plain = await shop();
    await bring(plain, exported);
    expect(consents(await take(plain))).toEqual(consents(exported));
    // A second round changes nothing.
    expect(await bring(plain, await take(plain))).toMatchObject({
      unchanged: 4,
      updated: 0,
      opted_in: 0,
      opted_out: 0,
    });
  }
});

test("--purpose and --notice hold for those whom the import opts in, and a column says it better", async () => {
  const { workshop, shop, bring, take } = await installation();
  const id = await shop();
  const options = ["--consent", "opted_in", "--purpose", "Birthday offers", "--notice", "till 2026"];
  await bring(id, `${FILE}\nNoor,+919812340005,,,`, ...options);
  expect(Object.values(consents(await take(id)))).toEqual([
    ["opted_in", "Offers", "v3"],
    ["opted_out", "", ""],
    ["opted_in", "Birthday offers", "till 2026"],
    ["opted_in", "Birthday offers", "till 2026"],
    ["opted_in", "Birthday offers", "till 2026"],
  ]);
  const refused = await workshop.run([
    "contact",
    "import",
    "--workspace",
    id,
    workshop.path("people.csv"),
    "--purpose",
    " ",
  ]);
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("--purpose is a text of 1 to 191")]);
});

test("an opt-in that is imported keeps its first source and date as evidence", async () => {
  const path = join(tmpdir(), `evidence-${process.pid}.csv`);
  const row = "+919812340009,opted_in,inbound_message,2024-03-01T10:00:00+05:30,Offers,v1";
  writeFileSync(path, `phone,consent,consent_source,consent_at,consent_purpose,consent_notice\n${row}\n`);
  try {
    await importContacts({
      store: app.store,
      clock: systemClock,
      workspaceId: shop.id,
      path,
      map: new Map(),
      optIn: false,
      isDryRun: false,
      isServerRunning: () => false,
      onFound: () => undefined,
      onProgress: () => undefined,
      onFailure: () => undefined,
    });
  } finally {
    rmSync(path);
  }
  const { data } = (await member.get(`/w/${shop.id}/contacts/+919812340009/consent`)).body;
  expect(data).toMatchObject([
    {
      became: "opted_in",
      source: "import",
      evidence: { source: "inbound_message", at: "2024-03-01T10:00:00+05:30", purpose: "Offers", notice: "v1" },
    },
  ]);
  const { consent } = (await getContactOf(app, shop, "+919812340009")).body.data;
  expect(consent).toMatchObject({ status: "opted_in", source: "import", purpose: "Offers", notice: "v1" });
});

test("PUT records purpose and notice, other ones later in the log, and repeats of them change nothing", async () => {
  const phone = "+919812340010";
  const put = (body: unknown) => putContactOf(app, shop, phone, body);
  const first = await put({ consent: "opted_in", consent_purpose: " Offers ", consent_notice: "v1" });
  expect([first.status, first.body.data.consent]).toMatchObject([201, { purpose: "Offers", notice: "v1" }]);
  await app.clock.advance(1_000);
  for (const same of [
    { consent: "opted_in", consent_purpose: "Offers", consent_notice: "v1" },
    { consent: "opted_in" },
  ]) {
    expect((await put(same)).body.data).toEqual(first.body.data);
  }
  const other = (await put({ consent: "opted_in", consent_purpose: "News" })).body.data;
  expect(other.consent).toEqual({ ...first.body.data.consent, purpose: "News", notice: null });
  expect(other.updated_at).not.toBe(first.body.data.updated_at);
  const { data } = (await member.get(`/w/${shop.id}/contacts/${phone}/consent`)).body;
  expect(data.map((one: { evidence: object }) => one.evidence)).toMatchObject([
    { purpose: "News" },
    { purpose: "Offers", notice: "v1" },
  ]);
  const stopped = (await put({ consent: "opted_out" })).body.data;
  expect(stopped.consent).toMatchObject({ status: "opted_out", purpose: null, notice: null });
});

test.each([
  [{ consent_purpose: "Offers" }, "consent_purpose", "opted_in"],
  [{ consent: "opted_out", consent_notice: "v1" }, "consent_notice", "opted_in"],
  [{ consent: "opted_in", consent_purpose: " " }, "consent_purpose", "blank"],
  [{ consent: "opted_in", consent_purpose: "x".repeat(192) }, "consent_purpose", "191"],
  [{ consent: "opted_in", consent_notice: null }, "consent_notice", ""],
])("PUT %j is refused and names %s", async (body, path, word) => {
  const { status, body: answer } = await putContactOf(app, shop, "+919812340011", body);
  expect(status).toBe(400);
  expect(JSON.stringify(answer.error.fields[path])).toContain(word);
  expect((await getContactOf(app, shop, "+919812340011")).status).toBe(404);
});

test("a new opt-in that names neither gets the workspace's purpose and notice; a repeated one, one of sending and one of an export do not", async () => {
  const own = await app.workspace({ number: "+911244001177" });
  const terms = async (phone: string) => {
    const { purpose, notice } = (await getContactOf(app, own, phone)).body.data.consent;
    return [purpose, notice];
  };
  const optIn = (phone: string, more: object = {}) => putContactOf(app, own, phone, { consent: "opted_in", ...more });
  const bring = async (lines: string) => {
    const path = join(tmpdir(), `own-terms-${own.id}.csv`);
    writeFileSync(path, lines);
    await importContacts({
      ...{ store: app.store, clock: systemClock, workspaceId: own.id, path, map: new Map(), optIn: true },
      ...{ isDryRun: false, isServerRunning: () => false },
      ...{ onFound: () => undefined, onProgress: () => undefined, onFailure: () => undefined },
    });
    rmSync(path);
  };
  await optIn("+919812340100");
  await app.store.write((tx) => updateWorkspace(tx, own.id, { purpose: "Offers", notice: "v1" }));
  expect(await terms("+919812340100")).toEqual([null, null]);
  await optIn("+919812340100");
  expect(await terms("+919812340100")).toEqual([null, null]);
  await optIn("+919812340101");
  await optIn("+919812340102", { consent_purpose: "Orders" });
  await bring("phone,name\n+919812340103,Asha\n+919812340100,Ravi");
  await bring("phone,consent,consent_source,consent_at\n+919812340104,opted_in,api,2026-01-01T10:00:00Z");
  expect(await Promise.all(["1", "2", "3", "0", "4"].map((end) => terms(`+91981234010${end}`)))).toEqual([
    ["Offers", "v1"],
    ["Orders", null],
    ["Offers", "v1"],
    [null, null],
    [null, null],
  ]);
  // A notice of later is not what these people were shown.
  await app.store.write((tx) => updateWorkspace(tx, own.id, { notice: "v2" }));
  await optIn("+919812340101");
  expect(await terms("+919812340101")).toEqual(["Offers", "v1"]);
});
