/**
 * A wall clock that cannot be right starts no scheduled broadcast: a clock that is behind the last commit, or one that
 * the network's own time contradicts. The network's time outranks the last commit. Everything that does not depend on
 * `send_at` continues.
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
} from "#test/support/broadcast-scenarios.ts";
import { startGraph } from "#test/support/graph.ts";
import { shipped } from "#test/support/templates.ts";

const at = ({ app }: Scenario, laterMs: number): string => new Date(app.clock.now() + laterMs).toISOString();

const warnings = ({ app }: Scenario): string[] => app.logged.filter((line) => line.includes("event=clock.wrong "));

/** The network's answers carry a date that is this much later than the server's clock. */
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

test("a clock behind the last commit: a scheduled broadcast waits until the clock has passed that commit, and is sent once", async () => {
  await using scenario = await startScenario();
  const { app, network } = scenario;
  // An operator sets the clock an hour ahead, the server works, and the clock is set back.
  app.clock.setWall(HOUR);
  await single(scenario);
  app.clock.setWall(-HOUR);
  await app.clock.advance(0);
  network.sent.length = 0;
  const id = await create(scenario, notice(phones(3), { send_at: at(scenario, 10 * MINUTE) }));
  const now = await create(scenario, notice(phones(3, 10)));
  await app.clock.advance(50 * MINUTE);
  // This broadcast has no time of day, so it does not wait.
  expect([(await show(scenario, now)).status, network.sent.length]).toEqual(["completed", 3]);
  expect((await show(scenario, id)).status).toBe("scheduled");
  expect(warnings(scenario)).toHaveLength(1);
  await app.clock.advance(20 * MINUTE);
  await single(scenario);
  await app.clock.advance(MINUTE);
  expect((await show(scenario, id)).status).toBe("completed");
  expect(network.sent).toHaveLength(7);
});

test("a start knows the last commit of the previous run", async () => {
  using kept = keptDirectory();
  const first = await startScenario({}, { directory: kept.directory });
  const id = await create(first, notice(phones(2), { send_at: at(first, 10 * MINUTE) }));
  first.app.clock.setWall(5 * MINUTE);
  await single(first);
  await using second = await restart(first, -HOUR);
  await second.app.clock.advance(MINUTE);
  expect(warnings(second)).toHaveLength(1);
  await second.app.stop();
  // A start with a correct clock sends the broadcast.
  await using third = await startAgain(second, kept.directory, 2 * HOUR);
  await third.app.clock.advance(MINUTE);
  expect(warnings(third)).toHaveLength(0);
  expect((await show(third, id)).status).toBe("completed");
});

for (const [name, byMs] of [
  ["behind", 6 * MINUTE],
  ["ahead of", -6 * MINUTE],
] as const) {
  test(`a clock more than five minutes ${name} the network's time: a scheduled broadcast waits until the network agrees`, async () => {
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
    // The clock is set right: the server notices without another answer of the network.
    app.clock.setWall(byMs);
    network.send = send;
    await Bun.sleep(600);
    await app.clock.advance(30 * MINUTE);
    expect((await show(scenario, id)).status).toBe("completed");
    expect(network.sent).toHaveLength(4);
  });
}

test("a clock four minutes off the network's time delays nothing", async () => {
  await using scenario = await startScenario();
  dateAnswers(scenario, 4 * MINUTE);
  await single(scenario);
  const id = await create(scenario, notice(phones(3), { send_at: at(scenario, 10 * MINUTE) }));
  await scenario.app.clock.advance(11 * MINUTE);
  expect((await show(scenario, id)).status).toBe("completed");
});

test("the network's time outranks the last commit, also after the next start", async () => {
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

test("a start asks the network for the time before any scheduled broadcast begins", async () => {
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
