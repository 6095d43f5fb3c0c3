/**
 * Imports through the console's routes: upload, a check that writes nothing, one import, and a download of the failed
 * rows.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TestClock } from "#test/support/clock.ts";
import { auditEntries, firstOperator, person, Visitor } from "#test/support/console.ts";
import { putContactOf } from "#test/support/contacts.ts";
import { startTestServer, type TestServer, type TestWorkspace } from "#test/support/server.ts";
import { DAY } from "#test/support/webhooks.ts";

let app: TestServer;
let shop: TestWorkspace;
let member: Visitor;
let newcomer: Visitor;

const FILE = [
  "Handy;Vorname;Ort;Notiz",
  "098765 00001;Asha;Pune;x",
  "12;Nobody;;",
  "+919876500002;Ravi;Delhi;y",
  "+919876500003;Mina;Pune;z",
].join("\n");

beforeAll(async () => {
  app = await startTestServer();
  shop = await app.workspace();
  const other = await app.workspace({ name: "Other", number: "+911244001200" });
  await firstOperator(app);
  member = await person(app, "member@example.com", "member", shop.id);
  newcomer = await person(app, "stranger@example.com", "owner", other.id);
  await putContactOf(app, shop, "+919876500003", { consent: "opted_out" });
});
afterAll(() => app[Symbol.asyncDispose]());

const root = () => `/w/${shop.id}/imports`;

async function give(text: string, headers: Record<string, string> = {}, to = app, by = member) {
  const response = await fetch(`${to.server.url}/console/api${root()}?name=friends.csv`, {
    method: "POST",
    headers: {
      "sec-fetch-site": "same-origin",
      "content-type": "application/octet-stream",
      cookie: by.cookie ?? "",
      ...headers,
    },
    body: text,
  });
  // biome-ignore lint/suspicious/noExplicitAny: as in test/support, a wrong answer fails its assertion.
  return { status: response.status, body: (await response.json()) as any };
}

async function until(path: string, state: string) {
  for (let turn = 0; turn < 200; turn += 1) {
    const { data } = (await member.get(path)).body;
    if (data.state === state) return data;
    expect(data.error).toBeNull();
    await app.clock.advance(10);
  }
  throw new Error(`it never was ${state}`);
}

test("an uploaded file gets suggested columns, a check that writes nothing, one import, and a download of its failed rows", async () => {
  const given = await give(FILE);
  expect([given.status, given.body.data]).toMatchObject([201, { state: "given", name: "friends.csv" }]);
  const path = `${root()}/${given.body.data.id}`;
  const { data } = (await member.get(path)).body;
  expect(data.columns).toEqual([
    { name: "Handy", target: "phone" },
    { name: "Vorname", target: "first_name" },
    { name: "Ort", target: "city" },
    { name: "Notiz", target: "-" },
  ]);
  expect(data.rows[0]).toEqual(["098765 00001", "Asha", "Pune", "x"]);

  // An unchecked file cannot be imported, and a map without a phone column is refused.
  expect((await member.post(`${path}/run`)).body.error.code).toBe("not_checked");
  const wrong = await member.post(`${path}/check`, { map: { Handy: "-" }, opt_in: false, proof: "" });
  expect(wrong.body.error.fields.map).toEqual(["Choose the column with the phone number."]);

  const settings = { map: { "#4": "tags" }, opt_in: true, proof: "Signed at the till" };
  const begun = await member.post(`${path}/check`, settings, { key: "c1" });
  expect([begun.status, begun.body.data.state]).toEqual([202, "checking"]);
  const checked = await until(path, "checked");
  expect(checked.outcome).toMatchObject({ rows: 4, created: 2, failed: 1, opted_in: 2, kept_opted_out: 1 });
  expect(checked.outcome.failures).toEqual([{ line: 3, reason: expect.stringContaining("not a phone number") }]);
  const contacts = async () => (await member.get(`/w/${shop.id}/contacts`)).body;
  expect((await contacts()).meta.total).toBe(1);

  expect((await member.post(`${path}/run`, {}, { key: "r1" })).status).toBe(202);
  const done = await until(path, "done");
  expect(checked.outcome.stored[0]).toEqual({
    line: 2,
    is_repeated: false,
    values: { phone: "+919876500001", first_name: "Asha", city: "Pune", tags: "x", consent: "opted_in" },
    problems: [],
  });
  expect(checked.outcome.stored[1]).toMatchObject({ line: 3, values: null });
  expect(checked.outcome.stored[3].values).toMatchObject({ phone: "+919876500003", consent: "opted_out" });
  expect(done.outcome).toEqual({ ...checked.outcome, stored: [] });
  expect((await contacts()).meta.total).toBe(3);
  const asha = (await member.get(`/w/${shop.id}/contacts/919876500001`)).body.data;
  expect(asha).toMatchObject({ first_name: "Asha", tags: ["x"], consent: { status: "opted_in", source: "import" } });
  const [consent] = (await member.get(`/w/${shop.id}/contacts/919876500001/consent`)).body.data;
  expect(consent.evidence).toMatchObject({ file: "friends.csv", line: 2, proof: "Signed at the till" });
  const mina = (await member.get(`/w/${shop.id}/contacts/919876500003`)).body.data;
  expect(mina.consent.status).toBe("opted_out");

  const errors = await member.get(`${path}/errors`);
  expect(errors.headers.get("content-disposition")).toContain("friends.errors.csv");
  expect(errors.text.split("\r\n").slice(0, 2)).toEqual([
    "line,error,Handy,Vorname,Ort,Notiz",
    expect.stringMatching(/^3,.*,12,Nobody,,$/),
  ]);
  // A check after the import finds nothing to change.
  await member.post(`${path}/check`, settings);
  expect((await until(path, "checked")).outcome).toMatchObject({ created: 0, updated: 0, failed: 1 });
  expect(auditEntries(app).map(({ action }) => action)).toEqual(
    expect.arrayContaining(["import.give", "import.check", "import.run"]),
  );
});

test("an empty file, a form and a cross-site upload are refused, and other workspaces do not find an import", async () => {
  expect((await give("")).body.error.fields.file).toEqual(["The file is empty."]);
  expect((await give("a,b\n", { "content-type": "text/plain" })).status).toBe(400);
  expect((await give("a,b\n", { "sec-fetch-site": "cross-site" })).status).toBe(403);
  const { id } = (await give("phone\n+919876500009")).body.data;
  for (const [method, more] of [
    ["GET", ""],
    ["GET", "/errors"],
    ["DELETE", ""],
    ["POST", "/run"],
  ] as const) {
    expect((await newcomer.ask(method, `${root()}/${id}${more}`)).status).toBe(404);
  }
  expect((await member.ask("DELETE", `${root()}/${id}`)).status).toBe(200);
  expect((await member.get(`${root()}/${id}`)).status).toBe(404);
});

test("an upload that is unused for a week is deleted with its rows, also if no further file is uploaded", async () => {
  const { id } = (await give(FILE)).body.data;
  const files = () => readdirSync(join(app.directory, "imports"));
  expect(files()).toContain(`${id}.csv`);
  await app.clock.pass(DAY);
  expect(files()).toContain(`${id}.csv`);
  app.store.client.exec(`UPDATE imports SET updated_at = updated_at - ${7 * DAY}`);
  await app.clock.pass(DAY);
  expect(files()).toEqual([]);
  expect(app.store.client.prepare("SELECT count(*) FROM imports").pluck().get()).toBe(0);
});

/** A clock that advances while requests are in flight. */
class RestlessClock extends TestClock {
  override rest(): Promise<void> {
    return new Promise((resolve) => setImmediate(resolve));
  }
}

test("a poll that meets the end of a check or an import never reads it as interrupted", async () => {
  await using app = await startTestServer({ clock: new RestlessClock() });
  const { id: workspaceId } = await app.workspace();
  await firstOperator(app);
  const owner = await person(app, "owner@example.com", "owner", workspaceId);
  const { id } = (await give(FILE.replaceAll("\n", `;${"x".repeat(40_000)}\n`), {}, app, owner)).body.data;
  const path = `/w/${workspaceId}/imports/${id}`;
  for (const [begin, form, doing, end] of [
    ["check", { map: {}, opt_in: false, proof: "" }, "checking", "checked"],
    ["run", {}, "importing", "done"],
  ] as const) {
    await owner.post(`${path}/${begin}`, form);
    const seen = new Set<string>();
    const look = async () => {
      while (!seen.has(end)) seen.add((await owner.get(path)).body.data.state);
    };
    const looks = Promise.all(Array.from({ length: 8 }, look));
    while (!seen.has(end)) await app.clock.advance(1);
    await looks;
    expect([...seen].sort()).toEqual([end, doing].sort());
  }
});

test("an import that a shutdown interrupted says so, and a second run finishes it without duplicates", async () => {
  const directory = mkdtempSync(join(tmpdir(), "waxwing-import-"));
  try {
    const first = await startTestServer({ directory });
    const { id } = await first.workspace();
    await firstOperator(first);
    const owner = await person(first, "owner@example.com", "owner", id);
    const root = `/console/api/w/${id}/imports`;
    const response = await fetch(`${first.server.url}${root}`, {
      method: "POST",
      headers: {
        "sec-fetch-site": "same-origin",
        "content-type": "application/octet-stream",
        cookie: owner.cookie ?? "",
      },
      body: "phone\n+919876500001\n+919876500002",
    });
    const { data } = (await response.json()) as { data: { id: number } };
    const path = `/w/${id}/imports/${data.id}`;
    await owner.post(`${path}/check`, { map: {}, opt_in: false, proof: "" });
    const stateAt = async (app: TestServer, visitor: Visitor, state: string) => {
      for (let turn = 0; turn < 100; turn += 1) {
        if ((await visitor.get(path)).body.data.state === state) return;
        await app.clock.advance(10);
      }
      throw new Error(`it never was ${state}`);
    };
    await stateAt(first, owner, "checked");
    expect((await owner.post(`${path}/run`)).status).toBe(202);
    // The clock stands still, so the import has not started its first step.
    await first[Symbol.asyncDispose]();

    await using second = await startTestServer({ directory, clock: first.clock });
    const again = new Visitor(second);
    again.cookie = owner.cookie;
    expect((await again.get(path)).body.data).toMatchObject({ state: "interrupted", rows_done: null });
    expect((await again.post(`${path}/run`)).status).toBe(202);
    await stateAt(second, again, "done");
    expect((await again.get(path)).body.data.outcome).toMatchObject({ rows: 2, failed: 0 });
    expect((await again.get(`/w/${id}/contacts`)).body.meta.total).toBe(2);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});
