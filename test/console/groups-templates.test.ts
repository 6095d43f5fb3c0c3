/** Templates and groups through the console's routes: what they show, and what is refused. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { auditEntries, firstOperator, person, type Visitor } from "#test/support/console.ts";
import { putContactOf } from "#test/support/contacts.ts";
import { template } from "#test/support/scenarios.ts";
import { startTestServer, type TestServer, type TestWorkspace } from "#test/support/server.ts";

let app: TestServer;
let shop: TestWorkspace;
let owner: Visitor;
let member: Visitor;

beforeAll(async () => {
  app = await startTestServer();
  shop = await app.workspace();
  await firstOperator(app);
  owner = await person(app, "owner@example.com", "owner", shop.id);
  member = await person(app, "member@example.com", "member", shop.id);
});
afterAll(() => app[Symbol.asyncDispose]());

describe("a simulated template", () => {
  const components = [
    { type: "HEADER", format: "IMAGE" },
    { type: "BODY", text: "Hi {{1}}, light!" },
    { type: "FOOTER", text: "Corner Shop" },
    { type: "BUTTONS", buttons: [{ type: "QUICK_REPLY", text: "Stop promotions" }] },
  ];
  const path = () => `/w/${shop.id}/templates`;

  test("an owner decides and gives a sample to a simulated template, with an audit entry each", async () => {
    await app.template(shop, { name: "diwali", language: "en_US", category: "MARKETING", components }, "PENDING");
    const found = (await owner.get(`${path()}/named?name=diwali&language=en_US`)).body.data;
    expect(found).toMatchObject({
      status: "PENDING",
      sendable: false,
      header: { type: "image", text: null },
      footer: "Corner Shop",
      buttons: [{ type: "QUICK_REPLY", text: "Stop promotions" }],
      variables: { header: 0, body: 1 },
      is_simulated: true,
    });
    const one = `${path()}/${found.id}`;
    const rejected = await owner.post(`${one}/decide`, { status: "REJECTED", reason: "promotional text" });
    expect(rejected.body.data).toMatchObject({ status: "REJECTED", reason: "promotional text" });
    expect((await member.get(one)).body.data.reason).toBe("promotional text");
    expect((await owner.post(`${one}/decide`, { status: "APPROVED", reason: "" })).body.data).toMatchObject({
      status: "APPROVED",
      reason: null,
      sendable: true,
    });
    expect((await owner.ask("PUT", `${one}/sample`, { link: "http://example.com/a.jpg" })).body.error.fields).toEqual({
      link: [expect.stringContaining("https")],
    });
    const sample = await owner.ask("PUT", `${one}/sample`, { link: "https://example.com/a.jpg" });
    expect(sample.body.data.media).toEqual({ type: "image", default: true });
    const actions = auditEntries(app).map(({ action }) => action);
    expect(actions.slice(0, 3)).toEqual(["template.sample", "template.decide", "template.decide"]);
  });

  test("templates are found by part of the name and by status", async () => {
    expect((await member.get(`${path()}?q=wal`)).body.data.length).toBe(1);
    expect((await member.get(`${path()}?q=nothing`)).body.data.length).toBe(0);
    expect((await member.get(`${path()}?status=REJECTED`)).body.meta.total).toBe(0);
  });

  test("syncing templates does nothing in a workspace without a WhatsApp number", async () => {
    expect((await member.get(`${path()}/sync`)).body.data).toEqual([]);
    expect((await member.post(`${path()}/sync`)).body.data).toEqual({ accounts: 0 });
  });
});

describe("a group", () => {
  const path = () => `/w/${shop.id}/groups`;

  test("a dynamic group is counted while it is edited, created once per form, shown with its contacts, and removed", async () => {
    for (const [phone, city] of [
      ["+919876500001", "Pune"],
      ["+919876500002", "Delhi"],
      ["+919876500003", "pune"],
    ] as const) {
      await putContactOf(app, shop, phone, { city, name: city });
    }
    const filter = { all: [{ field: "city", is: "Pune" }] };
    const counted = (await member.post(`${path()}/count`, { filter })).body.data;
    expect(counted).toMatchObject({ count: 2, sample: [{ phone: "+919876500001" }, { phone: "+919876500003" }] });
    const made = await member.post(path(), { name: "Pune", filter }, { key: "g1" });
    expect((await member.post(path(), { name: "Pune", filter }, { key: "g1" })).text).toBe(made.text);
    const { id } = made.body.data;
    expect((await member.get(`/w/${shop.id}/groups`)).body.data).toEqual([
      { id, name: "Pune", type: "dynamic", count: 2 },
    ]);
    expect((await member.get(`${path()}/${id}`)).body.data).toMatchObject({ filter, count: 2, filter_error: null });
    // The count of a group links to a list of exactly its contacts.
    const members = async (more = "") => (await member.get(`/w/${shop.id}/contacts?group=${id}${more}`)).body;
    expect((await members()).meta.total).toBe(2);
    expect((await members("&consent=opted_in")).meta.total).toBe(0);
    expect((await member.get(`/w/${shop.id}/contacts?group=999`)).status).toBe(400);
    expect((await member.ask("DELETE", `${path()}/${id}`)).status).toBe(200);
    expect((await member.get(`${path()}/${id}`)).status).toBe(404);
    expect(auditEntries(app).slice(0, 2)).toMatchObject([{ action: "group.remove" }, { action: "group.create" }]);
  });

  test("an invalid filter or a taken name is refused, with the path of each mistake in the filter", async () => {
    const wrong = { all: [{ field: "city", under: 3 }] };
    expect((await member.post(`${path()}/count`, { filter: wrong })).body.error.fields).toHaveProperty([
      "filter.all.0.under",
    ]);
    expect((await member.post(path(), { name: "VIP", filter: null })).status).toBe(201);
    const { fields } = (await member.post(path(), { name: "vip", filter: wrong })).body.error;
    expect(Object.keys(fields).toSorted()).toEqual(["filter.all.0.under", "name"]);
  });
});

describe("changing a group", () => {
  const path = () => `/w/${shop.id}/groups`;

  test("a dynamic group can change name and filter, a static one only its name, and renaming updates its contacts", async () => {
    const [one] = [
      (await putContactOf(app, shop, "+919876500021", { city: "Goa", add_to_groups: ["Old name"] })).body.data,
    ];
    const list = one.groups[0].id as number;
    const search = (await member.post(path(), { name: "Goa", filter: { field: "city", is: "Goa" } })).body.data;
    const put = (id: number, body: unknown, key?: string) =>
      member.ask("PUT", `${path()}/${id}`, body, key === undefined ? {} : { key });
    const goa = { field: "city", in: ["Goa", "Panaji"] };
    const renamed = await put(search.id, { name: "Goa and Panaji", filter: goa }, "g0");
    expect((await put(search.id, { name: "Goa and Panaji", filter: goa }, "g0")).text).toBe(renamed.text);
    expect([renamed.status, renamed.body.data]).toMatchObject([200, { name: "Goa and Panaji", filter: goa }]);
    expect(auditEntries(app).filter(({ action }) => action === "group.change").length).toBe(1);
    expect((await member.get(`${path()}/${search.id}`)).body.data.count).toBe(1);

    // A static group takes no filter, names are unique, and a name that another group's filter uses cannot change.
    expect((await put(list, { name: "Old name", filter: goa })).body.error.fields.filter).toBeDefined();
    expect((await put(search.id, { name: "Goa", filter: null })).body.error.fields.filter).toBeDefined();
    expect((await put(search.id, { name: "OLD NAME", filter: goa })).body.error.fields.name).toBeDefined();
    await put(search.id, { name: "Goa", filter: { field: "group", is: "Old name" } });
    expect((await put(list, { name: "New name", filter: null })).body.error.fields.name[0]).toContain(
      "refers to Old name",
    );
    await put(search.id, { name: "Goa", filter: { field: "group", is: list } });

    const [, before] = [await app.clock.advance(1_000), app.clock.now()];
    expect((await put(list, { name: "New name", filter: null })).status).toBe(200);
    await app.clock.advance(1_000);
    const contact = (await member.get(`/w/${shop.id}/contacts/919876500021`)).body.data;
    expect(contact.groups).toEqual([{ id: list, name: "New name" }]);
    expect(Date.parse(contact.updated_at)).toBeGreaterThanOrEqual(before - 1_000);
    expect((await member.get(`/w/${shop.id}/bulk`)).body.data[0]).toMatchObject({ state: "done", changed: 1 });
  });

  test("a group that a scheduled broadcast targets keeps its filter until the broadcast is over", async () => {
    await app.template(shop, template("goa", [{ type: "BODY", text: "Hello." }]));
    const search = (await member.post(path(), { name: "Waited for", filter: { field: "city", is: "Goa" } })).body.data;
    const sendAt = new Date(app.clock.now() + 3_600_000).toISOString();
    const made = await member.post(`/w/${shop.id}/broadcasts`, {
      name: "Beach",
      template: "goa",
      group: search.id,
      send_at: sendAt,
    });
    expect(made.status).toBe(202);
    const change = (name: string, is: string) =>
      member.ask("PUT", `${path()}/${search.id}`, { name, filter: { field: "city", is } });
    expect((await change("Waited for", "Pune")).body.error.fields.filter[0]).toContain(
      "Beach is scheduled for this group",
    );
    expect((await change("Still waited for", "Goa")).status).toBe(200);
    await member.post(`/w/${shop.id}/broadcasts/${made.body.data.id}/cancel`);
    expect((await change("Waited for", "Pune")).status).toBe(200);
  });
});
