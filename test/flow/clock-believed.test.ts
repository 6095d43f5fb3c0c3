/**
 * A wall clock that cannot be right starts no scheduled broadcast: one that is behind the last commit, or that the
 * network's own time contradicts. What a network says counts for more, and everything but `send_at` goes on.
 */
import { expect, test } from "bun:test";
import { addNumber } from "#src/domain/numbers/add.ts";
import {
  create,
  HOUR,
  keptDirectory,
  MINUTE,
  notice,
  phones,
  restart,
  type Scenario,
  show,
  startAgain,
  startScenario,
} from "#test/support/broadcast-stories.ts";
import { startGraph } from "#test/support/graph.ts";
import { shipped } from "#test/support/templates.ts";

const at = ({ app }: Scenario, laterMs: number): string => new Date(app.clock.now() + laterMs).toISOString();

const warnings = ({ app }: Scenario): string[] =>
  app.logged.filter((line) => line.includes("scheduled broadcasts wait until the wall clock is right"));

/** The network's answers are dated so much later than the server's clock says. */
function dateAnswers({ network, app }: Scenario, byMs: number): void {
  const { send } = network;
  network.send = (outbound, timeoutMs, onAnswer) => {
    onAnswer?.({ httpStatus: 200, body: "{}", at: app.clock.now() + byMs });
    return send(outbound, timeoutMs);
  };
}

async function single(scenario: Scenario): Promise<void> {
  const { app, shop } = scenario;
  expect((await app.send("POST", "/api/v1/messages", { key: shop.key, body: shipped("+919876540077") })).status).toBe(
    201,
  );
}

test("behind the last commit: what is scheduled waits until the clock has passed it, and is sent once", async () => {
  await using scenario = await startScenario();
  const { app, network } = scenario;
  // Somebody sets it an hour ahead, the server works, and it is set back.
  app.clock.setWall(HOUR);
  await single(scenario);
  app.clock.setWall(-HOUR);
  await app.clock.advance(0);
  network.sent.length = 0;
  const id = await create(scenario, notice(phones(3), { send_at: at(scenario, 10 * MINUTE) }));
  const now = await create(scenario, notice(phones(3, 10)));
  await app.clock.advance(50 * MINUTE);
  // Nobody asked for a time of day here, so nothing waits.
  expect([(await show(scenario, now)).status, network.sent.length]).toEqual(["completed", 3]);
  expect((await show(scenario, id)).status).toBe("scheduled");
  expect(warnings(scenario)).toHaveLength(1);
  await app.clock.advance(20 * MINUTE);
  await single(scenario);
  await app.clock.advance(MINUTE);
  expect((await show(scenario, id)).status).toBe("completed");
  expect(network.sent).toHaveLength(7);
});

test("a start knows the last commit of the run before", async () => {
  using kept = keptDirectory();
  const first = await startScenario({}, { directory: kept.directory });
  const id = await create(first, notice(phones(2), { send_at: at(first, 10 * MINUTE) }));
  first.app.clock.setWall(5 * MINUTE);
  await single(first);
  await using second = await restart(first, -HOUR);
  await second.app.clock.advance(MINUTE);
  expect(warnings(second)).toHaveLength(1);
  await second.app.stop();
  // Started when everything is well again, it is sent.
  await using third = await startAgain(second, kept.directory, 2 * HOUR);
  await third.app.clock.advance(MINUTE);
  expect(warnings(third)).toHaveLength(0);
  expect((await show(third, id)).status).toBe("completed");
});

for (const [name, byMs] of [
  ["behind", 6 * MINUTE],
  ["ahead of", -6 * MINUTE],
] as const) {
  test(`more than five minutes ${name} the network's time: what is scheduled waits until the network agrees`, async () => {
    await using scenario = await startScenario();
    const { app, network } = scenario;
    const { send } = network;
    dateAnswers(scenario, byMs);
    await single(scenario);
    const id = await create(scenario, notice(phones(3), { send_at: at(scenario, 10 * MINUTE) }));
    await app.clock.advance(30 * MINUTE);
    expect((await show(scenario, id)).status).toBe("scheduled");
    expect(warnings(scenario)).toHaveLength(1);
    expect(network.sent).toHaveLength(1);
    // The clock is set right: no further answer is needed to see that.
    app.clock.setWall(byMs);
    network.send = send;
    await Bun.sleep(600);
    await app.clock.advance(30 * MINUTE);
    expect((await show(scenario, id)).status).toBe("completed");
    expect(network.sent).toHaveLength(4);
  });
}

test("four minutes off the network's time nothing waits", async () => {
  await using scenario = await startScenario();
  dateAnswers(scenario, 4 * MINUTE);
  await single(scenario);
  const id = await create(scenario, notice(phones(3), { send_at: at(scenario, 10 * MINUTE) }));
  await scenario.app.clock.advance(11 * MINUTE);
  expect((await show(scenario, id)).status).toBe("completed");
});

test("the network's word counts for more than the last commit, also after the next start", async () => {
  using kept = keptDirectory();
  const scenario = await startScenario({}, { directory: kept.directory });
  const { app } = scenario;
  const { send } = scenario.network;
  app.clock.setWall(5 * HOUR);
  await single(scenario);
  app.clock.setWall(-5 * HOUR);
  dateAnswers(scenario, 0);
  await single(scenario);
  const id = await create(scenario, notice(phones(3), { send_at: at(scenario, 10 * MINUTE) }));
  await app.clock.advance(11 * MINUTE);
  expect((await show(scenario, id)).status).toBe("completed");
  const next = await create(scenario, notice(phones(3, 10), { send_at: at(scenario, 10 * MINUTE) }));
  scenario.network.send = send;
  await using again = await restart(scenario, MINUTE);
  await again.app.clock.advance(11 * MINUTE);
  expect((await show(again, next)).status).toBe("completed");
});

test("a start asks the network for the time before anything that is scheduled begins", async () => {
  using kept = keptDirectory();
  let time = Date.parse("2026-11-21T08:00:00Z");
  await using graph = await startGraph({ now: () => time });
  const config = { whatsapp: { graphUrl: graph.url } };
  const first = await startScenario({}, { directory: kept.directory, config });
  const id = await create(first, notice(phones(2), { send_at: at(first, HOUR) }));
  const other = await first.app.workspace({ name: "Second Shop", number: null });
  const route = {
    network: "whatsapp",
    phoneNumberId: "10001",
    accountId: "20001",
    accessToken: "",
    appSecret: null,
  } as const;
  await first.app.store.write((tx) =>
    addNumber(tx, other.id, { phone: "+911244001199", name: "Shop", throughput: 80, route }),
  );
  // The machine comes back with a clock that is two hours ahead.
  time = first.app.clock.now();
  const second = await restart(first, 2 * HOUR, { config });
  expect(warnings(second)).toHaveLength(1);
  await second.app.clock.advance(HOUR);
  expect((await show(second, id)).status).toBe("scheduled");
  await second.app.stop();
  time = first.app.clock.now() + 61 * MINUTE;
  await using third = await startAgain(second, kept.directory, -119 * MINUTE, { config });
  await third.app.clock.advance(MINUTE);
  expect((await show(third, id)).status).toBe("completed");
});
