/**
 * Meta's messaging limit: one count of people for all numbers and workspaces of a portfolio, exact for what this server
 * sent. A broadcast over it waits for room.
 */
import { expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { contacts } from "#src/domain/contacts/table.ts";
import { recentRecipients } from "#src/domain/messages/table.ts";
import { addNumber } from "#src/domain/numbers/add.ts";
import { numbers, type Portfolio, portfolios } from "#src/domain/numbers/table.ts";
import {
  create,
  HOUR,
  keptDirectory,
  MINUTE,
  notice,
  offer,
  phones,
  post,
  put,
  type Scenario,
  SECOND,
  show,
  startAgain,
  startScenario,
} from "#test/support/broadcast-scenarios.ts";
import { erase } from "#test/support/erase.ts";
import { networkIdOf, refused, unknown } from "#test/support/fake-network.ts";
import { reportStatus } from "#test/support/report.ts";
import type { TestWorkspace } from "#test/support/server.ts";
import { orderShipped, shipped } from "#test/support/templates.ts";

/** Puts the numbers of these workspaces into one portfolio with a limit, as an account sync does. */
async function limitTo({ app }: Scenario, personLimit: number | null, ...shops: TestWorkspace[]): Promise<void> {
  await app.store.write((tx) => {
    tx.db.insert(portfolios).values({ name: "portfolio:1", updatedAt: tx.now }).onConflictDoNothing().run();
    for (const { numberId } of shops) {
      tx.db.update(numbers).set({ portfolioId: 1 }).where(eq(numbers.id, numberId)).run();
    }
    tx.db.update(portfolios).set({ personLimit, updatedAt: tx.now }).run();
  });
}

const portfolioOf = ({ app }: Scenario): Portfolio | undefined =>
  app.store.read((tx) => tx.db.select().from(portfolios).get());

const preview = async (scenario: Scenario, body: unknown) =>
  (await post(scenario, body, undefined, "/api/v1/broadcasts/preview")).body.data.network_limit;

const peopleOf = ({ network }: Scenario): number => new Set(network.sent.map(({ to }) => to)).size;

test("a broadcast over the limit waits for room while it runs, says how many until when, survives a restart, and is not late", async () => {
  using kept = keptDirectory();
  const scenario = await startScenario({}, { directory: kept.directory });
  const { app, network, shop } = scenario;
  await limitTo(scenario, 250, shop);
  expect(await preview(scenario, notice(phones(300)))).toEqual({ limit: 250, used: 0, today: 250 });
  const id = await create(scenario, notice(phones(300)));
  await app.clock.advance(30 * SECOND);
  expect(network.sent).toHaveLength(250);
  const waiting = await show(scenario, id);
  expect(waiting).toMatchObject({ status: "running", counts: { sent: 250, total: 300 } });
  expect(waiting.status_reason).toMatch(
    /^Meta's limit of 250 people in 24 hours is used up, as far as this server knows: 50 wait until tomorrow, 13:3\d$/,
  );
  expect(await preview(scenario, notice(phones(260)))).toEqual({ limit: 250, used: 250, today: 250 });
  await app.clock.advance(HOUR);
  await app.stop();
  // Most of the wait without a server, which makes the test short.
  await using later = await startAgain(scenario, kept.directory, 23 * HOUR - 2 * MINUTE);
  expect(await show(later, id)).toMatchObject({ status: "running", counts: { sent: 250, total: 300 } });
  expect(portfolioOf(later)).toMatchObject({ people: 250, personLimit: 250 });
  await later.app.clock.advance(MINUTE);
  expect(network.sent).toHaveLength(250);
  await later.app.clock.advance(10 * MINUTE);
  expect(peopleOf(scenario)).toBe(300);
  expect(network.sent).toHaveLength(300);
  expect(await show(later, id)).toMatchObject({ status: "completed", status_reason: null });
});

test("eight broadcasts at once, from four numbers of three workspaces, share one exact limit, and none sees another's share", async () => {
  await using scenario = await startScenario({ throughput: 500 });
  const { app, shop } = scenario;
  const shops = [shop, await app.workspace({ throughput: 500 }), await app.workspace({ throughput: 500 })];
  for (const other of shops.slice(1)) await app.template(other, orderShipped);
  await limitTo(scenario, 250, ...shops);
  const second = await app.store.write((tx) =>
    addNumber(tx, shop.id, { phone: "+911244001199", name: "Two", throughput: 500, route: { network: "simulator" } }),
  );
  await app.store.write((tx) => tx.db.update(numbers).set({ portfolioId: 1 }).where(eq(numbers.id, second.id)).run());
  for (let index = 0; index < 8; index++) {
    const who = { ...scenario, shop: shops[index % 3] ?? shop };
    // Each list shares half of its people with the next one.
    const from = index % 3 === 0 ? { from: index > 2 ? second.phone : "+911244001100" } : {};
    await create(who, notice(phones(60, 30 * index), from));
  }
  await app.clock.advance(20 * SECOND);
  expect(peopleOf(scenario)).toBe(250);
  expect(portfolioOf(scenario)).toMatchObject({ people: 250 });
  const used = [];
  for (const one of shops)
    used.push(
      (await preview({ ...scenario, shop: one }, notice(phones(1), one === shop ? { from: second.phone } : {}))).used,
    );
  expect(used.reduce((sum, count) => sum + count, 0)).toBe(250);
  expect(Math.max(...used)).toBeLessThan(250);
  await app.clock.advance(2 * MINUTE);
  expect(peopleOf(scenario)).toBe(250);
});

test("who is in an open window or was sent to today takes no room; single messages count and never wait", async () => {
  await using scenario = await startScenario();
  const { app, network, shop } = scenario;
  await limitTo(scenario, 2, shop);
  const [writer = "", first = "", second = "", third = "", fourth = ""] = phones(5);
  await put(scenario, writer, {});
  await app.store.write((tx) => {
    tx.db.update(contacts).set({ lastMessageAt: tx.now }).where(eq(contacts.phone, writer)).run();
  });
  const single = async (to: string) => {
    const asked = app.call("POST", "/api/v1/messages", { key: shop.key, body: shipped(to) });
    await app.clock.advance(SECOND);
    return (await asked).status;
  };
  expect(await single(first)).toBe(201);
  expect(await preview(scenario, notice([writer, first, second, third]))).toEqual({ limit: 2, used: 1, today: 3 });
  await app.clock.advance(10 * SECOND);
  const id = await create(scenario, notice([writer, first, second, third]));
  await app.clock.advance(30 * SECOND);
  expect(network.sent.map(({ to }) => to)).toEqual([first, writer, first, second]);
  expect(await single(fourth)).toBe(201);
  expect(portfolioOf(scenario)).toMatchObject({ people: 3 });
  expect((await show(scenario, id)).status_reason).toContain("1 wait until");
});

test("a proven failure gives its room back at once, a message in doubt does not", async () => {
  await using scenario = await startScenario();
  const { app, network, shop } = scenario;
  await limitTo(scenario, 3, shop);
  // To the first two people of the list.
  network.next(refused("131026"), unknown);
  const id = await create(scenario, notice(phones(6)));
  await app.clock.advance(30 * SECOND);
  // The refused person, one in doubt, two accepted.
  expect(peopleOf(scenario)).toBe(4);
  expect(portfolioOf(scenario)).toMatchObject({ people: 3 });
  const last = network.sent.at(-1);
  if (last === undefined) throw new Error("nothing was sent");
  const failed = { id: networkIdOf(last), status: "failed" as const, sendToken: last.sendToken, code: 131026 };
  await reportStatus(app, shop, failed);
  await app.clock.advance(2 * MINUTE);
  expect(peopleOf(scenario)).toBe(5);
  expect((await show(scenario, id)).status_reason).toContain("1 wait until");
});

test("a message that may have arrived counts until a status says that it failed, for the network's limit and the daily cap", async () => {
  await using scenario = await startScenario({ dailyCap: 5 });
  const { app, network, shop } = scenario;
  await limitTo(scenario, 3, shop);
  const capped = (): number => app.store.read((tx) => tx.db.select().from(recentRecipients).all()).length;
  network.next(unknown);
  await create(scenario, notice(phones(1)));
  await app.clock.advance(60 * MINUTE);
  expect([portfolioOf(scenario)?.people, capped()]).toEqual([1, 1]);
  const [sent] = network.sent;
  if (sent === undefined) throw new Error("nothing was sent");
  const failed = { id: networkIdOf(sent), status: "failed" as const, sendToken: sent.sendToken, code: 131026 };
  await reportStatus(app, shop, failed);
  await app.clock.advance(MINUTE);
  expect([portfolioOf(scenario)?.people, capped()]).toEqual([0, 0]);
});

test("a raised limit lets a waiting broadcast resume within a minute, and one that ends forgets everybody", async () => {
  await using scenario = await startScenario();
  await limitTo(scenario, 2, scenario.shop);
  await create(scenario, notice(phones(5)));
  await scenario.app.clock.advance(30 * SECOND);
  expect(peopleOf(scenario)).toBe(2);
  await limitTo(scenario, 4);
  await scenario.app.clock.advance(MINUTE);
  expect(peopleOf(scenario)).toBe(4);
  await limitTo(scenario, null);
  expect(portfolioOf(scenario)).toMatchObject({ people: 0 });
  await scenario.app.clock.advance(MINUTE);
  expect(peopleOf(scenario)).toBe(5);
  // A limit that appears counts who was sent to before.
  await limitTo(scenario, 7);
  expect(portfolioOf(scenario)).toMatchObject({ people: 5 });
});

test("a marketing broadcast whose room comes at night waits for the end of quiet hours", async () => {
  using kept = keptDirectory();
  const scenario = await startScenario({}, { directory: kept.directory });
  const { app, network, shop } = scenario;
  await limitTo(scenario, 2, shop);
  // 13:30 in India; the next room comes at 22:30 of the next day.
  await app.clock.advance(9 * HOUR);
  const id = await create(scenario, offer(phones(3)));
  await app.clock.advance(MINUTE);
  await app.stop();
  await using later = await startAgain(scenario, kept.directory, 24 * HOUR - 3 * MINUTE);
  expect((await show(later, id)).status_reason).toContain("1 wait until tomorrow, 22:3");
  await later.app.clock.advance(5 * MINUTE);
  expect(network.sent).toHaveLength(2);
  expect(await show(later, id)).toMatchObject({ status: "running", status_reason: "waits until 08:00" });
});

test("an erased person still counts, under no name", async () => {
  await using scenario = await startScenario();
  const { app, shop } = scenario;
  await limitTo(scenario, 5, shop);
  const [person = ""] = phones(1);
  await create(scenario, notice([person]));
  await app.clock.advance(10 * SECOND);
  await app.store.write((tx) => {
    const contact = tx.db.select().from(contacts).where(eq(contacts.phone, person)).get();
    if (contact !== undefined) erase(tx, contact);
  });
  const rows = app.store.client.prepare("SELECT person FROM portfolio_recipients").all() as { person: string }[];
  expect(rows).toHaveLength(1);
  expect(JSON.stringify(rows)).not.toContain(person.slice(3));
});
