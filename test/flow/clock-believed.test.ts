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
  type Story,
  show,
  startAgain,
  startStory,
} from "#test/support/broadcast-stories.ts";
import { startGraph } from "#test/support/graph.ts";
import { shipped } from "#test/support/templates.ts";

const at = ({ app }: Story, laterMs: number): string => new Date(app.clock.now() + laterMs).toISOString();

const warnings = ({ app }: Story): string[] =>
  app.logged.filter((line) => line.includes("scheduled broadcasts wait until the wall clock is right"));

/** The network's answers are dated so much later than the server's clock says. */
function dateAnswers({ network, app }: Story, byMs: number): void {
  const { send } = network;
  network.send = (handover, timeoutMs, onAnswer) => {
    onAnswer?.({ httpStatus: 200, body: "{}", at: app.clock.now() + byMs });
    return send(handover, timeoutMs);
  };
}

async function single(story: Story): Promise<void> {
  const { app, shop } = story;
  expect((await app.send("POST", "/api/v1/messages", { key: shop.key, body: shipped("+919876540077") })).status).toBe(
    201,
  );
}

test("behind the last commit: what is scheduled waits until the clock has passed it, and is sent once", async () => {
  await using story = await startStory();
  const { app, network } = story;
  // Somebody sets it an hour ahead, the server works, and it is set back.
  app.clock.setWall(HOUR);
  await single(story);
  app.clock.setWall(-HOUR);
  await app.clock.advance(0);
  network.sent.length = 0;
  const id = await create(story, notice(phones(3), { send_at: at(story, 10 * MINUTE) }));
  const now = await create(story, notice(phones(3, 10)));
  await app.clock.advance(50 * MINUTE);
  // Nobody asked for a time of day here, so nothing waits.
  expect([(await show(story, now)).status, network.sent.length]).toEqual(["completed", 3]);
  expect((await show(story, id)).status).toBe("scheduled");
  expect(warnings(story)).toHaveLength(1);
  await app.clock.advance(20 * MINUTE);
  await single(story);
  await app.clock.advance(MINUTE);
  expect((await show(story, id)).status).toBe("completed");
  expect(network.sent).toHaveLength(7);
});

test("a start knows the last commit of the run before", async () => {
  using kept = keptDirectory();
  const first = await startStory({}, { directory: kept.directory });
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
    await using story = await startStory();
    const { app, network } = story;
    const { send } = network;
    dateAnswers(story, byMs);
    await single(story);
    const id = await create(story, notice(phones(3), { send_at: at(story, 10 * MINUTE) }));
    await app.clock.advance(30 * MINUTE);
    expect((await show(story, id)).status).toBe("scheduled");
    expect(warnings(story)).toHaveLength(1);
    expect(network.sent).toHaveLength(1);
    // The clock is set right: no further answer is needed to see that.
    app.clock.setWall(byMs);
    network.send = send;
    await Bun.sleep(600);
    await app.clock.advance(30 * MINUTE);
    expect((await show(story, id)).status).toBe("completed");
    expect(network.sent).toHaveLength(4);
  });
}

test("four minutes off the network's time nothing waits", async () => {
  await using story = await startStory();
  dateAnswers(story, 4 * MINUTE);
  await single(story);
  const id = await create(story, notice(phones(3), { send_at: at(story, 10 * MINUTE) }));
  await story.app.clock.advance(11 * MINUTE);
  expect((await show(story, id)).status).toBe("completed");
});

test("the network's word counts for more than the last commit, also after the next start", async () => {
  using kept = keptDirectory();
  const story = await startStory({}, { directory: kept.directory });
  const { app } = story;
  const { send } = story.network;
  app.clock.setWall(5 * HOUR);
  await single(story);
  app.clock.setWall(-5 * HOUR);
  dateAnswers(story, 0);
  await single(story);
  const id = await create(story, notice(phones(3), { send_at: at(story, 10 * MINUTE) }));
  await app.clock.advance(11 * MINUTE);
  expect((await show(story, id)).status).toBe("completed");
  const next = await create(story, notice(phones(3, 10), { send_at: at(story, 10 * MINUTE) }));
  story.network.send = send;
  await using again = await restart(story, MINUTE);
  await again.app.clock.advance(11 * MINUTE);
  expect((await show(again, next)).status).toBe("completed");
});

test("a start asks the network for the time before anything that is scheduled begins", async () => {
  using kept = keptDirectory();
  let time = Date.parse("2026-11-21T08:00:00Z");
  await using graph = await startGraph({ now: () => time });
  const config = { whatsapp: { graphUrl: graph.url } };
  const first = await startStory({}, { directory: kept.directory, config });
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
