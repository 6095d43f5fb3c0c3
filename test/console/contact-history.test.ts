/** A person's history: everything once and in one order, on pages of any size, and nothing of numbers that an agent does not see. */
import { expect, test } from "bun:test";
import type { E164 } from "#src/core/phone.ts";
import { findByPhone } from "#src/domain/contacts/find.ts";
import { recordFormerPhone } from "#src/domain/contacts/former-phones.ts";
import { type HistoryCursor, type HistoryEntry, readPersonHistory } from "#src/domain/inbound/person-history.ts";
import { firstOperator, PASSWORD, person, Visitor } from "#test/support/console.ts";
import { putContactOf } from "#test/support/contacts.ts";
import { template } from "#test/support/scenarios.ts";
import { startTestServer } from "#test/support/server.ts";

const PERSON = "+919876540010" as E164;

async function startShop() {
  const app = await startTestServer();
  const shop = await app.workspace({ name: "Shop", number: "+911244009001" });
  const operator = await firstOperator(app);
  const owner = await person(app, "owner@example.com", "owner", shop.id);
  const base = `/w/${shop.id}`;
  const support = (await owner.post(`${base}/numbers`, { phone: "+911244009002", name: "Support" })).body.data.id;
  await app.template(shop, template("offer", [{ type: "BODY", text: "Sale on Friday." }]));
  const write = async (text: string, number: number) => {
    const path = `${base}/simulator/phones/${encodeURIComponent(PERSON)}/write`;
    expect((await operator.post(path, { text, number })).status).toBe(202);
    await app.clock.advance(1_000);
  };
  const path = `${base}/contacts/${encodeURIComponent(PERSON)}`;
  return { app, shop, owner, base, support, write, path, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() };
}

type World = Awaited<ReturnType<typeof startShop>>;

/** A line for each kind of entry, newest last. */
async function live(world: World): Promise<string[]> {
  const { app, shop, owner, base, support, write, path } = world;
  await putContactOf(app, shop, PERSON, { name: "Asha", consent: "opted_in" });
  await app.clock.advance(1_000);
  await write("Hello sales", shop.numberId);
  const [row] = (await owner.get(`${base}/inbox`)).body.data;
  const note = await owner.post(`${base}/conversations/${row.id}/notes`, { text: "Wants a catalogue" });
  expect(note.status).toBe(201);
  await app.clock.advance(1_000);
  const sent = await app.clock.until(
    owner.post(`${base}/messages`, { to: PERSON, from: "+911244009001", text: "Hello Asha" }),
  );
  expect(sent.status).toBeLessThan(300);
  await app.clock.advance(1_000);
  const body = { name: "Friday", template: "offer", from: "+911244009001", to: [PERSON] };
  const broadcast = await owner.post(`${base}/broadcasts`, body);
  expect(broadcast.status).toBe(202);
  await app.clock.advance(20_000);
  await app.store.write((tx) => {
    const contact = findByPhone(tx, shop.id, PERSON);
    // The notice of a move that led to another number and back.
    if (contact !== undefined) recordFormerPhone(tx, { ...contact, phone: "+919876540099" }, PERSON);
  });
  await app.clock.advance(1_000);
  await write("Hello support", support);
  await owner.post(`${path}/opt-out`);
  return [
    ...["added", "consent opted_in", "said Hello sales", "note Wants a catalogue", "said Hello Asha"],
    ...["said Sale on Friday.", "move +919876540099", "said Hello support", "consent opted_out"],
  ];
}

interface Shown {
  kind: string;
  item?: { text: string };
  text?: string;
  became?: string;
  from?: string;
}

const lineOf = ({ kind, item, text, became, from }: Shown): string =>
  [kind, item?.text ?? text ?? became ?? from].filter((part) => part !== undefined).join(" ");

test("the history has messages, broadcasts, notes, consent and moves in one order, newest first", async () => {
  await using world = await startShop();
  const expected = await live(world);
  const { status, body } = await world.owner.get(`${world.path}/history`);
  expect([status, body.data.entries.map(lineOf), body.data.older]).toEqual([200, expected.toReversed(), null]);
  const broadcast = body.data.entries.find(({ item }: Shown) => item?.text === "Sale on Friday.");
  expect(broadcast.item.broadcast).toMatchObject({ name: "Friday" });
  for (const after of ["x", Buffer.from("{}").toString("base64url")]) {
    expect((await world.owner.get(`${world.path}/history?after=${after}`)).body.error.fields).toHaveProperty("after");
  }
  const unknown = await world.owner.get(`${world.base}/contacts/%2B919876549999/history`);
  expect(unknown.status).toBe(404);
});

test("pages of any size hold every entry once, in the same order, also when more than a page has one kind", async () => {
  await using world = await startShop();
  const { app, shop, owner, write, path } = world;
  await live(world);
  for (let count = 0; count < 25; count += 1) {
    await write(`Line ${count}`, shop.numberId);
    if (count % 5 === 0)
      await app.store.write((tx) => {
        const contact = findByPhone(tx, shop.id, PERSON);
        if (contact !== undefined) recordFormerPhone(tx, { ...contact, phone: `+9198765410${10 + count}` }, PERSON);
      });
  }
  const keyOf = (entry: HistoryEntry) => JSON.stringify(entry);
  const read = (limit: number) =>
    app.store.read((tx) => {
      const contact = findByPhone(tx, shop.id, PERSON);
      if (contact === undefined) throw new Error("the person is gone");
      const found: string[] = [];
      for (let from: HistoryCursor | null = null; ; ) {
        const page = readPersonHistory(tx, contact, null, from, limit);
        found.push(...page.entries.map(keyOf));
        if (page.next === null) return found;
        expect(page.entries.length).toBe(limit);
        from = page.next;
      }
    });
  const whole = read(1_000);
  expect([whole.length, new Set(whole).size]).toEqual([39, 39]);
  for (const limit of [1, 2, 3, 7, 20, 38, 39]) expect(read(limit)).toEqual(whole);

  const first = (await owner.get(`${path}/history`)).body.data;
  const second = (await owner.get(`${path}/history?after=${first.older}`)).body.data;
  expect([first.entries.length, second.entries.length, second.older]).toEqual([20, 19, null]);
});

test("an agent of one number sees what was said and noted there, and consent, but nothing of the other number", async () => {
  await using world = await startShop();
  const { app, owner, base, support, path } = world;
  await live(world);
  const invitation = { email: "agent@example.com", role: "agent", numbers: [support] };
  const { token } = (await owner.post(`${base}/people`, invitation)).body.data;
  const agent = new Visitor(app);
  expect((await agent.post("/links/use", { token, password: PASSWORD })).status).toBe(201);
  const { entries } = (await agent.get(`${path}/history`)).body.data;
  expect(entries.map(lineOf)).toEqual([
    ...["consent opted_out", "said Hello support", "move +919876540099", "consent opted_in", "added"],
  ]);
});
