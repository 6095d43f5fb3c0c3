/** Saved views of the list of contacts: whose they are, what they may hold, and what is left when a field is removed. */
import { expect, test } from "bun:test";
import { removeField } from "#src/domain/filters/remove-field.ts";
import { SHARED_VIEWS_MAX, VIEWS_MAX } from "#src/domain/filters/views.ts";
import { auditEntries, person } from "#test/support/console.ts";
import { putContactOf } from "#test/support/contacts.ts";
import { startTestServer } from "#test/support/server.ts";

async function startShop() {
  const app = await startTestServer();
  const shop = await app.workspace({ number: "+911244001100" });
  const member = await person(app, "member@example.com", "member", shop.id);
  const owner = await person(app, "owner@example.com", "owner", shop.id);
  const agent = await person(app, "agent@example.com", "agent", shop.id);
  const path = `/w/${shop.id}/contact-views`;
  return { app, shop, member, owner, agent, path, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() };
}

const PUNE = { all: [{ field: "city", is: "Pune" }] };
const view = (name: string, more: object = {}) => ({
  ...{ name, is_shared: false, search: { filter: PUNE, sort: "-last_message_at" }, columns: ["name", "city"] },
  ...more,
});
const namesOf = ({ body }: { body: { data: { name: string }[] } }) => body.data.map(({ name }) => name);

test("a view follows its user to any device; a shared one is seen by all, and changed by those who may share", async () => {
  await using world = await startShop();
  const { member, owner, agent, path, app } = world;
  const made = await member.post(path, view(" Pune "));
  expect([made.status, made.body.data]).toEqual([
    201,
    { ...view("Pune"), id: expect.any(Number), is_own: true, gone: [] },
  ]);
  const own = `${path}/${made.body.data.id}`;
  expect(namesOf(await member.get(path))).toEqual(["Pune"]);
  for (const other of [owner, agent]) {
    expect(namesOf(await other.get(path))).toEqual([]);
    expect((await other.ask("PUT", own, view("Mine"))).status).toBe(404);
    expect((await other.ask("DELETE", own)).status).toBe(404);
  }
  // Two people may use the same name.
  expect((await agent.post(path, view("Pune"))).status).toBe(201);

  expect((await member.ask("PUT", own, view("Pune", { is_shared: true }))).body.data.is_shared).toBe(true);
  expect((await agent.get(path)).body.data).toMatchObject([
    { name: "Pune", is_own: false, is_shared: true },
    { name: "Pune", is_own: true, is_shared: false },
  ]);
  const refused = await agent.ask("PUT", own, view("Pune", { is_shared: true }));
  expect([refused.status, Object.keys(refused.body.error.fields)]).toEqual([400, ["id"]]);
  expect((await agent.ask("DELETE", own)).status).toBe(400);
  const share = await agent.post(path, view("All", { is_shared: true }));
  expect([share.status, Object.keys(share.body.error.fields)]).toEqual([400, ["is_shared"]]);
  expect((await owner.ask("PUT", own, view("Poona", { is_shared: true }))).body.data).toMatchObject({ is_own: false });
  expect((await owner.ask("DELETE", own)).status).toBe(200);
  expect(namesOf(await member.get(path))).toEqual([]);
  expect(auditEntries(app).map(({ action, subject }) => `${action} ${subject}`)).toEqual(
    expect.arrayContaining(["contact_view.create Pune", "contact_view.change Pune", "contact_view.remove Poona"]),
  );
});

test("what is wrong with a view is named at its field, and nothing is saved", async () => {
  await using world = await startShop();
  const { member, path } = world;
  expect((await member.post(path, view("Pune"))).status).toBe(201);
  const faults: [object, string][] = [
    [view(" "), "name"],
    [view("x".repeat(61)), "name"],
    [view("a\nb"), "name"],
    [view("PUNE"), "name"],
    [view("A", { columns: [] }), "columns"],
    [view("A", { columns: ["shoe"] }), "columns"],
    [view("A", { columns: ["fields.shoe"] }), "columns"],
    [view("A", { search: { sort: "shoe" } }), "sort"],
    [view("A", { search: { consent: "maybe" } }), "consent"],
    [view("A", { search: { group: "999" } }), "group"],
    [view("A", { search: { q: "x".repeat(301) } }), "q"],
    [view("A", { search: { filter: { all: [{ field: "shoe", is: "x" }] } } }), "filter.all.0.field"],
    [view("A", { search: { filter: { field: "tag", in: Array(900).fill("x".repeat(30)) } } }), "filter"],
  ];
  for (const [body, field] of faults) {
    const { status, body: answer } = await member.post(path, body);
    expect([status, Object.keys(answer.error.fields)]).toEqual([400, [field]]);
  }
  expect(namesOf(await member.get(path))).toEqual(["Pune"]);
});

test("a user has at most 20 views, a workspace at most 50 that are shared", async () => {
  await using world = await startShop();
  const { app, shop, member, owner, path } = world;
  for (let count = 0; count < VIEWS_MAX; count += 1) {
    expect((await member.post(path, view(`View ${count}`))).status).toBe(201);
  }
  const refused = await member.post(path, view("One more"));
  expect([refused.status, refused.body.error.fields]).toEqual([
    400,
    { name: ["A user has at most 20 views. Delete one that is no longer used."] },
  ]);
  // One of the twenty can still be changed.
  const first = (await member.get(path)).body.data[0];
  expect((await member.ask("PUT", `${path}/${first.id}`, view("Renamed"))).status).toBe(200);

  const insert = app.store.client.prepare(
    `INSERT INTO contact_views (workspace_id, user_id, name, folded, is_shared, search, columns, created_at, updated_at)
     VALUES (?, 1, ?, ?, 1, '{}', '["name"]', 1, 1)`,
  );
  for (let count = 0; count < SHARED_VIEWS_MAX; count += 1) insert.run(shop.id, `s${count}`, `s${count}`);
  expect(namesOf(await member.get(path)).length).toBe(VIEWS_MAX + SHARED_VIEWS_MAX);
  const shared = await owner.post(path, view("Shared", { is_shared: true }));
  expect([shared.status, Object.keys(shared.body.error.fields)]).toEqual([400, ["is_shared"]]);
  expect((await owner.post(path, view("Own"))).status).toBe(201);
});

test("a removed field leaves the rest of a view usable, which says what is gone", async () => {
  await using world = await startShop();
  const { app, shop, member, owner, path } = world;
  const base = `/w/${shop.id}`;
  const field = await owner.post(`${base}/fields`, { key: "plan", label: "Plan", kind: "text", choices: [] });
  expect(field.status).toBe(201);
  await putContactOf(app, shop, "+919876540001", { city: "Pune", fields: { plan: "gold" } });
  await putContactOf(app, shop, "+919876540002", { city: "Pune" });
  const filter = {
    all: [
      { field: "city", is: "Pune" },
      { field: "fields.plan", is: "gold" },
    ],
  };
  const body = view("Gold", { search: { filter, sort: "fields.plan" }, columns: ["name", "fields.plan", "city"] });
  const { id } = (await member.post(path, body)).body.data;
  const list = `${base}/contacts?filter=${encodeURIComponent(JSON.stringify(filter))}&sort=fields.plan`;
  expect((await member.get(list)).body.meta.total).toBe(1);

  await app.store.write((tx) => void removeField(tx, shop.id, "plan"));
  expect((await member.get(path)).body.data).toEqual([
    {
      ...{ id, name: "Gold", is_shared: false, is_own: true },
      search: { filter: PUNE },
      columns: ["name", "city"],
      gone: [
        expect.stringContaining("sorted by fields.plan"),
        "There is no custom field plan; the workspace has none.",
        "There is no column fields.plan.",
      ],
    },
  ]);
  // Saved again as it is now, it says nothing more.
  const now = view("Gold", { search: { filter: PUNE }, columns: ["name", "city"] });
  expect((await member.ask("PUT", `${path}/${id}`, now)).body.data.gone).toEqual([]);
});
