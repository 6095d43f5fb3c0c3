/** Notes that mention colleagues: who is told, what they see of it, and when it is over. */
import { describe, expect, test } from "bun:test";
import { firstOperator, PASSWORD, person, Visitor } from "#test/support/console.ts";
import { erase } from "#test/support/erase.ts";
import { contactOf } from "#test/support/rows.ts";
import { ANNA, startThreads } from "#test/support/thread-world.ts";

async function start() {
  const world = await startThreads();
  const { app, shop } = world;
  await world.writes();
  const operator = await firstOperator(app);
  const base = `/w/${shop.id}`;
  const staff = (name: string) => person(app, `${name}@example.com`, "member", shop.id);
  const [ana, bob] = [await staff("ana"), await staff("bob.rao")];
  const { id, contact_id: contact } = (await ana.get(`${base}/inbox`)).body.data[0];
  return {
    ...{ world, app, shop, base, operator, ana, bob, id, contact, staff },
    note: (visitor: Visitor, text: string) => visitor.post(`${base}/conversations/${id}/notes`, { text }),
    /** How many conversations mention the user, those that are listed, and the mark of the row. */
    told: async (visitor: Visitor) => {
      const count = (await visitor.get(`${base}/inbox/unread`)).body.data.mentions;
      const listed = (await visitor.get(`${base}/inbox?view=mentions`)).body.data.length;
      const marked = (await visitor.get(`${base}/inbox`)).body.data[0]?.is_mentioned;
      return [count, listed, marked];
    },
    shown: async (visitor: Visitor) => (await visitor.get(`${base}/inbox/${contact}`)).body.data,
    rows: () => app.store.client.prepare("SELECT count(*) FROM note_mentions").pluck().get(),
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  };
}

const NOT_TOLD = [0, 0, false];
const TOLD = [1, 1, true];

describe("a note that mentions a colleague", () => {
  test("is among the colleague's mentions until it was read; a newer one is not read with it", async () => {
    await using all = await start();
    const { ana, bob, note, told, shown, base, contact } = all;
    const first = (await note(ana, "Call her, @bob.rao. Please")).body.data.id;
    expect([await told(bob), await told(ana)]).toEqual([TOLD, NOT_TOLD]);
    const { last_mention_id, last_inbound_id } = await shown(bob);
    expect(last_mention_id).toBe(first);
    expect((await shown(ana)).last_mention_id).toBeNull();
    const second = (await note(ana, "@BOB.RAO@example.com: today")).body.data.id;
    const seen = (body: object) => bob.post(`${base}/inbox/${contact}/seen`, { last_inbound_id, ...body });
    // A colleague who reads it, and a caller that names no note, read nothing for this one.
    await ana.post(`${base}/inbox/${contact}/seen`, { last_inbound_id, last_mention_id: second });
    await seen({});
    expect(await told(bob)).toEqual(TOLD);
    expect((await seen({ last_mention_id })).body.data).toEqual({ is_seen: true });
    expect([await told(bob), (await shown(bob)).last_mention_id]).toEqual([TOLD, second]);
    await seen({ last_mention_id: second });
    expect([await told(bob), (await seen({ last_mention_id: second })).body.data]).toEqual([
      NOT_TOLD,
      { is_seen: false },
    ]);
  });

  test("names only who may see the conversation, each once, never its author; a name that two have names neither", async () => {
    await using all = await start();
    const { ana, bob, note, told, rows, staff, app, shop, base, operator } = all;
    const support = (await operator.post(`${base}/numbers`, { phone: "+911244000199", name: "Support" })).body.data.id;
    const asked = { email: "sam@example.com", role: "agent", numbers: [support] };
    const { token } = (await operator.post(`${base}/people`, asked)).body.data;
    const sam = new Visitor(app);
    await sam.post("/links/use", { token, password: PASSWORD });
    await person(app, "bob.rao@example.org", "member", shop.id);
    const other = await app.workspace();
    await person(app, "eve@example.com", "member", other.id);
    for (const text of ["@ana", "write to ana@example.com", "a@bob.rao", "@sam", "@eve", "@nobody", "@bob.rao", "@"]) {
      expect([text, (await note(ana, text)).status, rows()]).toEqual([text, 201, 0]);
    }
    const chitra = await staff("chitra");
    await note(ana, "(@chitra) @chitra @bob.rao@example.com @bob.rao@example.org");
    expect([await told(bob), await told(chitra), await told(sam), rows()]).toEqual([TOLD, TOLD, [0, 0, undefined], 3]);
    // A program's note mentions, too.
    const path = `/conversations/${all.id}/notes`;
    expect((await all.world.call("POST", path, { text: "For @ana" })).status).toBe(201);
    expect(await told(ana)).toEqual(TOLD);
    // Who is limited to other numbers later is told no more.
    const limit = { email: "chitra@example.com", role: "agent", numbers: [support] };
    expect((await operator.post(`${base}/people`, limit)).status).toBe(201);
    expect(await told(chitra)).toEqual([0, 0, undefined]);
  });

  test("leaves in the view only what waits, is unread or open, where that is asked for", async () => {
    await using all = await start();
    const { ana, bob, note, base, contact, world, app } = all;
    await note(ana, "For @bob.rao");
    const shown = async (show: string, visitor = bob) =>
      (await visitor.get(`${base}/inbox?view=mentions&show=${show}`)).body.data.length;
    const [waits, unread, open] = ["waiting", "unread", "open"];
    expect([await shown(waits), await shown(unread), await shown(open)]).toEqual([1, 1, 1]);
    expect([await shown(waits, ana), await shown(unread, ana)]).toEqual([0, 0]);
    const [row] = (await ana.get(`${base}/inbox`)).body.data;
    await ana.post(`${base}/inbox/${contact}/seen`, { last_inbound_id: row.last.id });
    expect([await shown(waits), await shown(unread), await shown(open)]).toEqual([1, 0, 1]);
    const answer = { to: ANNA, text: "It is blue." };
    expect((await ana.post(`${base}/messages`, answer, { key: "answer" })).status).toBe(201);
    expect([await shown(waits), await shown(open)]).toEqual([0, 1]);
    // Also one that is done, as in the view itself.
    await ana.ask("PATCH", `${base}/conversations/${all.id}`, { state: "done" });
    expect(await shown(open)).toBe(1);
    await app.clock.advance(1_000);
    await world.writes();
    expect([await shown(waits), await shown(unread)]).toEqual([1, 1]);
  });

  test("is stored once for a form that is repeated, and goes when the person is erased", async () => {
    await using all = await start();
    const { ana, bob, app, base, id, told, rows } = all;
    const add = () => ana.post(`${base}/conversations/${id}/notes`, { text: "@bob.rao" }, { key: "once" });
    await add();
    await add();
    expect([rows(), await told(bob)]).toEqual([1, TOLD]);
    const contact = contactOf(app, ANNA);
    await app.store.write((tx) => void erase(tx, contact));
    expect(rows()).toBe(0);
    expect((await bob.get(`${base}/inbox/unread`)).body.data.mentions).toBe(0);
  });
});
