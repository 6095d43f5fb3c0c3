/**
 * The limits of handing out a person's data and of forgetting a person, in the console. `erasure-marks.test.ts` shows that both
 * are complete, `test/crash/person.test.ts` that a crash interrupts neither.
 */
import { expect, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { findOpenErasure } from "#src/domain/contacts/being-erased.ts";
import { beginErasure } from "#src/domain/erasure/erasures.ts";
import { previewErasure } from "#src/domain/erasure/preview.ts";
import { COMMAND_LINE } from "#src/domain/users/audit-log.ts";
import { HandOutFiles } from "#src/transfer/person-data/hand-out-files.ts";
import { makeHandOut } from "#src/transfer/person-data/make-hand-out.ts";
import { auditEntries, firstOperator, PASSWORD, person, type Visitor } from "#test/support/console.ts";
import { contactOf } from "#test/support/rows.ts";
import { startTestServer, type TestServer, type TestWorkspace } from "#test/support/server.ts";
import { rows } from "#test/support/whatsapp.ts";

const ASHA = "+919876543210";
const RAVI = "+919876543211";
const DAY = 24 * 3_600_000;

interface World extends AsyncDisposable {
  app: TestServer;
  shop: TestWorkspace;
  owner: Visitor;
  base: string;
}

async function start(): Promise<World> {
  const app = await startTestServer();
  const shop = await app.workspace();
  await firstOperator(app);
  const owner = await person(app, "owner@example.com", "owner", shop.id);
  for (const phone of [ASHA, RAVI]) await app.inbound(shop, phone, "Hello!");
  return { app, shop, owner, base: `/w/${shop.id}`, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() };
}

const archives = ({ app }: World): string[] => {
  const directory = join(app.directory, "hand-outs");
  return existsSync(directory) ? readdirSync(directory) : [];
};

async function untilMade({ app, owner, base }: World, phone: string): Promise<Record<string, unknown>> {
  for (;;) {
    await app.clock.advance(100);
    const { data } = (await owner.get(`${base}/contacts/${phone}/hand-out`)).body;
    if (data.state !== "making") return data;
  }
}

async function untilDone({ app, owner, base }: World, id: number): Promise<void> {
  while ((await owner.get(`${base}/erasures/${id}`)).body.data.state === "running") await app.clock.advance(100);
}

test("a workspace makes one archive at a time, and a new one replaces the person's last one", async () => {
  await using world = await start();
  const { owner, base } = world;
  expect((await owner.get(`${base}/contacts/${ASHA}/hand-out`)).body.data).toBeNull();
  const [first, second] = await Promise.all([
    owner.post(`${base}/contacts/${ASHA}/hand-out`),
    owner.post(`${base}/contacts/${RAVI}/hand-out`),
  ]);
  expect([first.status, second.status, second.body.error.code]).toEqual([202, 409, "running"]);
  const made = await untilMade(world, ASHA);
  expect(made).toMatchObject({ state: "ready", reason: null, report: { entries: 1, files: 0, missing: [] } });
  expect(archives(world)).toEqual([`${made.id}.zip`]);
  expect((await owner.post(`${base}/contacts/${ASHA}/hand-out`)).status).toBe(202);
  const again = await untilMade(world, ASHA);
  expect(again.id).not.toBe(made.id);
  expect(archives(world)).toEqual([`${again.id}.zip`]);
});

test("an archive is offered for 24 hours, to an owner who has confirmed who they are, and each download is on record", async () => {
  await using world = await start();
  const { app, owner, base } = world;
  expect((await owner.post(`${base}/contacts/${ASHA}/hand-out`)).status).toBe(202);
  const { id } = await untilMade(world, ASHA);
  const file = `${base}/hand-outs/${id}/file`;
  expect((await owner.get(file)).status).toBe(200);
  await app.clock.advance(2 * 3_600_000);
  expect((await owner.get(file)).body.error.code).toBe("confirmation_required");
  expect((await owner.post(`${base}/contacts/${ASHA}/hand-out`)).body.error.code).toBe("confirmation_required");
  await app.clock.advance(DAY - 2 * 3_600_000 - 60_000);
  expect((await owner.signIn("owner@example.com", PASSWORD)).status).toBe(200);
  expect((await owner.get(file)).status).toBe(200);
  await app.clock.advance(60_000);
  expect((await owner.get(file)).status).toBe(404);
  expect([archives(world), rows(app.store, "SELECT id FROM hand_outs")]).toEqual([[], []]);
  const actions = auditEntries(app).flatMap(({ action }) => (action.startsWith("contact.data") ? [action] : []));
  expect(actions).toEqual(["contact.data-download", "contact.data-download", "contact.data"]);
});

test("only the number of the person confirms that they are forgotten, and their archive goes with them", async () => {
  await using world = await start();
  const { app, shop, owner, base } = world;
  await owner.post(`${base}/contacts/${ASHA}/hand-out`);
  const { id } = await untilMade(world, ASHA);
  const path = `${base}/contacts/${ASHA}/forget`;
  for (const typed of ["", RAVI, "Asha"])
    expect((await owner.post(path, { typed })).body.error.fields.typed).toHaveLength(1);
  expect((await owner.post(path, {})).status).toBe(400);
  const begun = await owner.post(path, { typed: "98765 43210" }, { key: "once" });
  const repeated = await owner.post(path, { typed: "98765 43210" }, { key: "once" });
  expect([begun.status, repeated.status, repeated.body.data.id]).toEqual([202, 202, begun.body.data.id]);
  expect((await owner.get(`${base}/hand-outs/${id}/file`)).status).toBe(404);
  await untilDone(world, begun.body.data.id);
  expect(archives(world)).toEqual([]);
  const other = await app.workspace();
  expect((await owner.get(`/w/${other.id}/erasures/${begun.body.data.id}`)).status).toBe(404);
  expect((await app.call("GET", `/api/v1/contacts/${RAVI}`, { key: shop.key })).status).toBe(200);
});

test("what an erasure would erase is counted of a person of many linked contacts, each row once", async () => {
  await using world = await start();
  const { app, shop, owner, base } = world;
  const preview = async () => {
    const { status, body } = await owner.get(`${base}/contacts/${ASHA}/forget`);
    return { status, counts: body.data?.counts };
  };
  const { counts: alone } = await preview();
  expect(alone).toMatchObject({ received: 1 });
  // More than SQLite takes as the terms of a compound SELECT (500), and, with their names, as the depth of an expression (1,000).
  app.store.client
    .prepare(
      `WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 1200)
      INSERT INTO contacts (workspace_id, phone, consent, created_at, updated_at)
      SELECT ?, '+9198700' || (10000 + n), 'unknown', 0, 0 FROM numbers`,
    )
    .run(shop.id);
  await app.inbound(shop, "+919870010700", "Hello!");
  app.store.client
    .prepare("UPDATE contacts SET identity_id = ? WHERE workspace_id = ? AND phone <> ?")
    .run(contactOf(app, ASHA).id, shop.id, RAVI);
  const { status, counts } = await preview();
  expect([status, counts]).toEqual([200, { ...alone, received: 2, events: alone.events + 1 }]);
});

test("the count of what an erasure would erase finds all rows by indexes of the schema", async () => {
  await using world = await start();
  const { app } = world;
  const { sql, parameters } = app.store.read((tx) => previewErasure(tx, contactOf(app, ASHA)));
  // The function of the reader's budget is not on this connection, and changes no plan.
  const plan = app.store.client
    .prepare(`EXPLAIN QUERY PLAN ${sql.replaceAll("within_budget()", "random() <> 0")}`)
    .all(...parameters) as { detail: string }[];
  const details = plan.map(({ detail }) => detail);
  expect(details.some((detail) => detail.includes("messages_contact"))).toBe(true);
  expect(
    details.filter((detail) =>
      /AUTOMATIC|SCAN (messages|contact_messages|inbounds|media|echoes|events|broadcast_drafts)\b/.test(detail),
    ),
  ).toEqual([]);
});

test("while a person is being erased, no request creates them again, and what they write makes a new contact", async () => {
  await using world = await start();
  const { app, shop } = world;
  const components = [{ type: "BODY", text: "Hello." }];
  await app.template(shop, { name: "greeting", language: "en", category: "UTILITY", components });
  const contact = contactOf(app, ASHA);
  // A command that was killed: the server takes it over in a minute.
  const { id } = await app.store.write((tx) => beginErasure(tx, contact, COMMAND_LINE, tx.now + 60_000));
  const { key } = shop;
  const asked = [
    await app.call("PUT", `/api/v1/contacts/${ASHA}`, { key, body: { name: "Asha" } }),
    await app.send("POST", "/api/v1/messages", { key, body: { to: ASHA, template: "greeting" } }),
    await app.send("POST", "/api/v1/broadcasts", { key, body: { name: "B", template: "greeting", to: [ASHA] } }),
  ];
  expect(asked.map(({ status, body }) => [status, body.error?.code])).toEqual(asked.map(() => [503, "unavailable"]));
  expect((await app.call("GET", `/api/v1/contacts/${ASHA}`, { key })).status).toBe(404);
  const name = { phone: ASHA, networkUserId: null };
  expect(app.store.read((tx) => findOpenErasure(tx, shop.id, name))).toBe(id);
  await app.inbound(shop, ASHA, "Hello again");
  expect((await app.call("GET", `/api/v1/contacts/${ASHA}`, { key })).status).toBe(200);
  await app.clock.advance(70_000);
  expect(app.store.read((tx) => findOpenErasure(tx, shop.id, name))).toBeNull();
  expect(rows(app.store, "SELECT person, ended_at IS NOT NULL AS ended FROM erasures")).toEqual([
    { person: null, ended: 1 },
  ]);
  expect((await app.call("PUT", `/api/v1/contacts/${ASHA}`, { key, body: { name: "Asha" } })).status).toBe(200);
});

test("an archive that is too large is not made, says why, and leaves no file", async () => {
  await using world = await start();
  const { app, owner, base } = world;
  const contact = contactOf(app, ASHA);
  app.store.client
    .prepare(
      `INSERT INTO hand_outs (workspace_id, contact_id, user_id, address, state, created_at) VALUES (1, ?, 1, '', 'making', 1)`,
    )
    .run(contact.id);
  const files = new HandOutFiles(join(app.directory, "waxwing.db"));
  const { store, clock } = app;
  const media = { has: () => false, read: () => new ReadableStream<Uint8Array>() };
  const made = makeHandOut({ store, clock, wallClock: clock, files, media, isStopped: () => false, bytesMax: 10 }, 1);
  const begun = clock.now();
  const until = (await clock.until(made)) ?? 0;
  // The clock moves while the test waits.
  expect([until >= begun + DAY, until <= clock.now() + DAY]).toEqual([true, true]);
  const shown = (await owner.get(`${base}/contacts/${ASHA}/hand-out`)).body.data;
  expect([shown.state, shown.reason]).toEqual(["failed", expect.stringContaining("larger than")]);
  expect(archives(world)).toEqual([]);
});
