/** What the staff make of a conversation: open, snoozed or done, who answers it, and their notes; by API and console. */
import { describe, expect, test } from "bun:test";
import { readTypes, setWebhook } from "#src/domain/webhooks/address.ts";
import { firstOperator, person, type Visitor } from "#test/support/console.ts";
import { erase } from "#test/support/erase.ts";
import { reportInbound } from "#test/support/report.ts";
import { contactOf, eventsOf } from "#test/support/rows.ts";
import { ANNA, startThreads } from "#test/support/thread-world.ts";
import { boxOf } from "#test/support/webhooks.ts";

const HOUR_MS = 3_600_000;

async function start() {
  const world = await startThreads();
  const { app, shop, call } = world;
  await world.writes();
  const list = async (query = "") => (await call("GET", `/conversations${query}`)).body.data;
  const { id } = (await list())[0];
  const path = `/conversations/${id}`;
  const people = new Map<string, Promise<Visitor>>();
  return {
    ...world,
    id,
    path,
    list,
    shown: async () => (await call("GET", path)).body.data,
    patch: async (body: object) => call("PATCH", path, body),
    note: (body: object) => call("POST", `${path}/notes`, body),
    at: (ms: number) => new Date(app.clock.now() + ms).toISOString(),
    /** Signs in at the first time. */
    staff: async (name: string, role: "owner" | "member" | "agent" = "member") => {
      if (people.size === 0) people.set("", firstOperator(app));
      await people.get("");
      const known = people.get(name) ?? person(app, `${name}@example.com`, role, shop.id);
      people.set(name, known);
      return known;
    },
    /** From now on, changes of conversations are told. */
    listen: async () => {
      const types = readTypes("conversation.updated,message.received");
      await app.store.write((tx) => setWebhook(tx, boxOf(app), shop.id, "https://hooks.example/waxwing", { types }));
    },
    told: () =>
      eventsOf(app, shop)
        .filter(({ type }) => type === "conversation.updated")
        .map(({ data }) => (data as { conversation: { state: string } }).conversation.state),
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  };
}

describe("the state", () => {
  test("is open, done until the person writes again, and each change is an event once", async () => {
    await using world = await start();
    await world.listen();
    expect(await world.shown()).toMatchObject({ state: "open", snoozed_until: null, assignee: null });
    expect((await world.patch({ state: "done" })).body.data.state).toBe("done");
    expect((await world.patch({ state: "done" })).status).toBe(200);
    expect([(await world.list("?state=open")).length, (await world.list("?state=done")).length]).toEqual([0, 1]);
    await world.writes();
    expect((await world.shown()).state).toBe("open");
    await world.writes();
    expect(world.told()).toEqual(["done", "open"]);
  });

  test("is snoozed until a time, and opens then; a restart loses nothing", async () => {
    await using world = await start();
    const { app } = world;
    await world.listen();
    const until = world.at(3 * HOUR_MS);
    const snoozed = (await world.patch({ snoozed_until: until })).body.data;
    expect([snoozed.state, Date.parse(snoozed.snoozed_until)]).toEqual([
      "snoozed",
      Math.floor(Date.parse(until) / 1000) * 1000,
    ]);
    await app.clock.advance(2 * HOUR_MS);
    expect((await world.shown()).state).toBe("snoozed");
    // Put off: the earlier time opens nothing.
    await world.patch({ snoozed_until: world.at(2 * HOUR_MS) });
    await app.clock.advance(1.5 * HOUR_MS);
    expect((await world.shown()).state).toBe("snoozed");
    await app.clock.advance(HOUR_MS);
    expect(await world.shown()).toMatchObject({ state: "open", snoozed_until: null });
    expect(world.told()).toEqual(["snoozed", "snoozed", "open"]);
  });

  test("is snoozed until the person writes, or until either comes first", async () => {
    await using world = await start();
    const { app } = world;
    await world.patch({ state: "snoozed" });
    await app.clock.pass(48 * HOUR_MS);
    expect(await world.shown()).toMatchObject({ state: "snoozed", snoozed_until: null });
    await world.patch({ state: "snoozed", snoozed_until: world.at(HOUR_MS) });
    await world.writes();
    expect(await world.shown()).toMatchObject({ state: "open", snoozed_until: null });
    await world.patch({ state: "done" });
    await app.clock.advance(2 * HOUR_MS);
    expect((await world.shown()).state).toBe("done");
  });

  test("is not changed by the phone's history or an answer from the phone, but by a message to another sender", async () => {
    await using world = await start();
    await world.patch({ state: "done" });
    await world.app.clock.advance(1_000);
    await world.echo();
    expect((await world.shown()).state).toBe("done");
    await world.standby();
    expect((await world.shown()).state).toBe("open");
  });

  test("says at its field what is wrong, and changes nothing", async () => {
    await using world = await start();
    const wrong: [object, string][] = [
      [{ state: "closed" }, "state"],
      [{ state: "done", snoozed_until: world.at(HOUR_MS) }, "snoozed_until"],
      [{ snoozed_until: world.at(-1_000) }, "snoozed_until"],
      [{ snoozed_until: world.at(367 * 24 * HOUR_MS) }, "snoozed_until"],
      [{ snoozed_until: "soon" }, "snoozed_until"],
      [{ assignee: 7 }, "assignee"],
      [{ assignee: "nobody@example.com", state: "done" }, "assignee"],
      [{ owner: "us" }, "owner"],
    ];
    for (const [body, field] of wrong) {
      const answer = await world.patch(body);
      expect([body, answer.status, Object.keys(answer.body.error.fields)]).toEqual([body, 400, [field]]);
    }
    expect((await world.shown()).state).toBe("open");
    const stranger = await world.app.workspace({ number: "+911244002200" });
    const asked = { key: stranger.key, body: { state: "done" } };
    expect((await world.app.call("PATCH", `/api/v1${world.path}`, asked)).status).toBe(404);
    for (const filter of ["?state=closed", "?assignee=7", "?assignee=x"])
      expect([filter, (await world.call("GET", `/conversations${filter}`)).status]).toEqual([filter, 400]);
  });
});

describe("the assignee", () => {
  test("is one user; taking it from a colleague asks, giving away does not", async () => {
    await using world = await start();
    const { shop } = world;
    const [asha, bob] = [await world.staff("asha"), await world.staff("bob")];
    const act = (who: Visitor, body: object) => who.ask("PATCH", `/w/${shop.id}${world.path}`, body);
    expect((await act(asha, { assignee: "Asha@example.com" })).body.data.assignee).toBe("asha@example.com");
    const refused = await act(bob, { assignee: "bob@example.com", state: "done" });
    expect([refused.status, refused.body.error.code]).toEqual([409, "conversation_assigned"]);
    expect(refused.body.error.message).toContain("asha@example.com");
    expect((await act(bob, { assignee: null })).status).toBe(409);
    expect((await world.patch({ assignee: null })).body.error.code).toBe("conversation_assigned");
    expect(await world.shown()).toMatchObject({ state: "open", assignee: "asha@example.com" });
    expect((await act(bob, { assignee: "bob@example.com", take: true })).status).toBe(200);
    expect((await world.list("?assignee=Bob%40example.com")).length).toBe(1);
    expect((await world.list("?assignee=asha%40example.com")).length).toBe(0);
    expect((await act(bob, { assignee: "asha@example.com" })).status).toBe(200);
    expect((await world.list("?assignee=none")).length).toBe(0);
    const state = { state: "open", snoozed_until: null, assignee: "asha@example.com" };
    const [row] = (await bob.get(`/w/${shop.id}/inbox`)).body.data;
    expect(row).toMatchObject({ id: world.id, ...state });
    const shown = (await bob.get(`/w/${shop.id}/inbox/${row.contact_id}`)).body.data;
    expect(shown.conversation).toEqual({ id: world.id, ...state, block_state: null });
    // Her answers stay hers when the person writes again.
    await world.patch({ state: "done" });
    await world.writes();
    expect(await world.shown()).toMatchObject({ state: "open", assignee: "asha@example.com" });
  });

  test("is a user who sees the number; one who left answers nothing any more", async () => {
    await using world = await start();
    const { app, shop } = world;
    const owner = await world.staff("owner", "owner");
    const second = (await owner.post(`/w/${shop.id}/numbers`, { phone: "+919876599990", name: "Second" })).body.data;
    const agent = await world.staff("agent", "agent");
    const limitTo = (numbers: number[]) =>
      app.store.client
        .prepare("UPDATE memberships SET number_ids = ? WHERE role = 'agent'")
        .run(JSON.stringify(numbers));
    limitTo([second.id]);
    const base = `/w/${shop.id}${world.path}`;
    const answerers = async () => (await owner.get(`${base}/assignees`)).body.data;
    const everybody = ["agent@example.com", "op@example.com", "owner@example.com"];
    expect(await answerers()).toEqual(everybody.slice(1));
    expect((await world.patch({ assignee: "agent@example.com" })).status).toBe(400);
    for (const [method, path, body] of [
      ["GET", `${base}/assignees`, undefined],
      ["PATCH", base, { state: "done" }],
      ["GET", `${base}/notes`, undefined],
      ["POST", `${base}/notes`, { text: "Seen" }],
    ] as const)
      expect([method, (await agent.ask(method, path, body)).status]).toEqual([method, 404]);
    limitTo([shop.numberId]);
    expect(await answerers()).toEqual(everybody);
    expect((await world.patch({ assignee: "agent@example.com" })).status).toBe(200);
    expect((await agent.ask("PATCH", base, { state: "done" })).status).toBe(200);
    limitTo([second.id]);
    expect((await world.shown()).assignee).toBeNull();
    expect((await world.list("?assignee=none")).length).toBe(1);
    expect((await world.patch({ assignee: "owner@example.com" })).status).toBe(200);
    app.store.client.exec("DELETE FROM memberships WHERE role = 'owner'");
    expect((await world.shown()).assignee).toBeNull();
  });
});

describe("notes", () => {
  test("are the staff's: listed with their authors, never sent, in no event, once under a key", async () => {
    await using world = await start();
    const { app, shop, network } = world;
    await world.listen();
    const asha = await world.staff("asha");
    const headers = { "idempotency-key": "note-1" };
    const body = { text: "Wants the blue one." };
    const path = `/api/v1${world.path}/notes`;
    const first = await app.call("POST", path, { key: shop.key, body, headers });
    const again = await app.call("POST", path, { key: shop.key, body, headers });
    expect([first.status, again.body]).toEqual([201, first.body]);
    expect(first.body.data).toMatchObject({ text: "Wants the blue one.", author: { kind: "api" } });
    await asha.post(`/w/${shop.id}${world.path}/notes`, { text: "Called back." });
    const { data, meta } = (await world.call("GET", `${world.path}/notes?per_page=1`)).body;
    expect([data[0].text, data[0].author]).toEqual(["Called back.", { kind: "user", name: "asha@example.com" }]);
    const rest = (await world.call("GET", `${world.path}/notes?per_page=1&after=${meta.next}`)).body;
    expect([rest.data.map(({ text }: { text: string }) => text), rest.meta.next]).toEqual([[body.text], null]);
    expect(network.sent).toEqual([]);
    await world.patch({ state: "done" });
    expect(JSON.stringify(eventsOf(app, shop))).not.toMatch(/blue one|Called back/);
    for (const text of ["", "  ", "\u200b", "x".repeat(4_097)])
      expect([text.length, (await world.note({ text })).status]).toEqual([text.length, 400]);
    expect((await world.note({ text: "x".repeat(4_096) })).status).toBe(201);
  });

  test("and the calls about the thread go with the person who is erased", async () => {
    await using world = await start();
    const { app } = world;
    await world.note({ text: "Wants the blue one." });
    await world.call("POST", `${world.path}/thread`, { action: "release" });
    const contact = contactOf(app, ANNA);
    await app.store.write((tx) => void erase(tx, contact));
    const count = (table: string) => app.store.client.prepare(`SELECT count(*) FROM ${table}`).pluck().get();
    expect([count("conversation_notes"), count("thread_calls"), count("conversations")]).toEqual([0, 0, 0]);
  });
});

test("the list has what was asked for, by state, assignee and number, the latest writer first, page by page", async () => {
  await using world = await start();
  const { app, shop } = world;
  const owner = await world.staff("owner", "owner");
  await world.staff("asha");
  const second = (await owner.post(`/w/${shop.id}/numbers`, { phone: "+919876599990", name: "Second" })).body.data;
  for (let n = 0; n < 40; n += 1) {
    const on = n % 3 === 0 ? { ...shop, numberId: second.id } : shop;
    await reportInbound(app, on, { from: `9198${String(n).padStart(8, "0")}`, text: "Hello", id: `wamid.${n}` });
    if (n % 7 === 0) await app.clock.advance(1_000);
  }
  const all = await world.list("?per_page=500");
  expect(all.length).toBe(41);
  const states = ["open", "snoozed", "done"];
  for (const [index, { id }] of all.entries()) {
    const assignee = index % 5 === 0 ? "asha@example.com" : index % 5 === 1 ? "owner@example.com" : null;
    const body = { state: states[index % 4 === 3 ? 0 : index % 3], assignee };
    expect((await world.call("PATCH", `/conversations/${id}`, body)).status).toBe(200);
  }
  const known = await world.list("?per_page=500");
  type Row = { id: number; state: string; number: string; assignee: string | null };
  for (const state of [undefined, ...states])
    for (const assignee of [undefined, "none", "asha@example.com"])
      for (const number of [undefined, second.phone, shop.number]) {
        const expected = known.filter(
          (row: Row) =>
            (state === undefined || row.state === state) &&
            (number === undefined || row.number === number) &&
            (assignee === undefined || (row.assignee ?? "none") === assignee),
        );
        const asked = Object.entries({ state, assignee, number, per_page: "7" }).filter(
          ([, value]) => value !== undefined,
        );
        const query = new URLSearchParams(asked as [string, string][]);
        const found: number[] = [];
        for (let next: string | null = ""; next !== null; ) {
          const after: string = next === "" ? "" : `&after=${next}`;
          const { body } = await world.call("GET", `/conversations?${query}${after}`);
          found.push(...body.data.map(({ id }: Row) => id));
          next = body.meta.next;
        }
        expect([String(query), found]).toEqual([String(query), expected.map(({ id }: Row) => id)]);
      }
});

test("the console's views have each conversation where it belongs, each together with who needs a reply", async () => {
  await using world = await start();
  const { app, shop } = world;
  const owner = await world.staff("owner", "owner");
  const asha = await world.staff("asha");
  for (let n = 1; n <= 5; n += 1)
    await reportInbound(app, shop, { from: `9198000000${n}0`, text: "Hello", id: `wamid.view-${n}` });
  const ids = (await world.list()).map(({ id }: { id: number }) => id).toSorted((a: number, b: number) => a - b);
  const [open, mine, hers, snoozed, done, answered] = ids;
  const patch = (id: number, body: object) => owner.ask("PATCH", `/w/${shop.id}/conversations/${id}`, body);
  await patch(mine, { assignee: "owner@example.com" });
  await patch(hers, { assignee: "asha@example.com" });
  await patch(snoozed, { state: "snoozed", assignee: "owner@example.com" });
  await patch(done, { state: "done" });
  await patch(answered, { assignee: "owner@example.com" });
  const phone = (await world.list()).find(({ id }: { id: number }) => id === answered).contact.phone;
  await app.clock.until(owner.post(`/w/${shop.id}/messages`, { to: phone, text: "Yes" }));
  const shown = async (query: string, who = owner) => {
    const { data, meta } = (await who.get(`/w/${shop.id}/inbox?${query}`)).body;
    expect(meta.has_more).toBe(false);
    return data.map(({ id }: { id: number }) => id).toSorted((a: number, b: number) => a - b);
  };
  expect(await shown("")).toEqual(ids);
  expect(await shown("view=mine")).toEqual([mine, answered]);
  expect(await shown("view=mine", asha)).toEqual([hers]);
  expect(await shown("view=unassigned")).toEqual([open]);
  expect(await shown("view=open")).toEqual([open, mine, hers, answered]);
  expect(await shown("view=snoozed")).toEqual([snoozed]);
  expect(await shown("view=done")).toEqual([done]);
  expect(await shown("view=mine&show=waiting")).toEqual([mine]);
  expect(await shown("view=unassigned&show=waiting")).toEqual([open]);
  expect(await shown("view=open&show=waiting")).toEqual([open, mine, hers]);
  expect(await shown("view=snoozed&show=waiting")).toEqual([snoozed]);
  expect(await shown("view=done&show=unread")).toEqual([done]);
  expect(await shown("view=mine&show=open")).toEqual([mine, answered]);
  const counts = async (who: Visitor) => (await who.get(`/w/${shop.id}/inbox/views`)).body.data;
  expect(await counts(owner)).toEqual({ mine: 2, open: 4, snoozed: 1 });
  // Who sees some numbers sees the same views of those.
  const agent = await world.staff("agent", "agent");
  const limitTo = (numbers: number[]) =>
    app.store.client.prepare("UPDATE memberships SET number_ids = ? WHERE role = 'agent'").run(JSON.stringify(numbers));
  limitTo([shop.numberId]);
  expect(await shown("view=unassigned", agent)).toEqual([open]);
  expect(await shown("view=mine", agent)).toEqual([]);
  expect(await counts(agent)).toBeNull();
  limitTo([shop.numberId + 100]);
  expect(await shown("view=open", agent)).toEqual([]);
});
