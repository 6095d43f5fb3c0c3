/** Callbacks that are refused because nothing proves their sender: counted, logged, and shown by the doctor. */
import { expect, test } from "bun:test";
import { systemRandom } from "#src/core/random.ts";
import { openClient } from "#src/db/driver.ts";
import { refusalReasons } from "#src/domain/inbound/refused-callbacks.ts";
import { listOnNetwork } from "#src/domain/numbers/read.ts";
import { runDoctor } from "#src/health/doctor.ts";
import type { Reported } from "#src/health/finding.ts";
import { writeCallback } from "#test/support/graph.ts";
import { graphAccount, graphTemplate } from "#test/support/graph-account.ts";
import { METRICS_TOKEN } from "#test/support/server.ts";
import { rows, startWhatsapp, textFrom, type WhatsappWorld } from "#test/support/whatsapp.ts";

const ANNA = "+4915112345678";
const WRONG = { appSecret: "another-secret" };
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

async function refuse(world: WhatsappWorld, times: number): Promise<void> {
  const change = textFrom(world.graph, ANNA, "Hi");
  for (let i = 0; i < times; i++) expect(await world.graph.callback(change, WRONG)).toBe(403);
  await world.clock.advance(0);
}

function warnings({ app }: WhatsappWorld): string[] {
  return app.logged.filter((line) => line.includes(" WARN "));
}

async function counted({ app }: WhatsappWorld): Promise<string[]> {
  const { text } = await app.call("GET", "/metrics", { key: METRICS_TOKEN });
  const lines = text.split("\n").filter((line) => line.startsWith("waxwing_callbacks_refused_total{"));
  // Each reason is there from the start, so that a rate sees the first one.
  expect(lines).toHaveLength(refusalReasons.length);
  return lines.filter((line) => !line.endsWith(" 0"));
}

interface Row {
  hour: number;
  reason: string;
  number_id: number;
  count: number;
  last_at: number;
}

function stored({ app }: WhatsappWorld): Row[] {
  return rows<Row>(app.store, "SELECT * FROM refused_callbacks ORDER BY hour, reason, number_id");
}

/** The doctor's first finding, and all of its findings about refused callbacks. */
async function examined({
  app,
  clock,
  graph,
}: WhatsappWorld): Promise<{ first: Reported | undefined; all: Reported[] }> {
  const all = await runDoctor(
    {
      store: app.store,
      clock,
      random: systemRandom,
      box: () => {
        throw new Error("nothing is to be opened");
      },
      port: async () => undefined,
      settings: {
        ...{
          publicUrl: null,
          verifyToken: null,
          hasAppSecret: true,
          isTrustedProxy: () => false,
          lacksAlarms: false,
          keyFile: `${graph.url}.key`,
        },
        ...{ graphUrl: graph.url, apiVersion: "v25.0", proxyVariable: null },
        syncEveryMs: HOUR,
      },
    },
    app.store.read((reading) => listOnNetwork(reading, "whatsapp")),
    false,
  );
  return { first: all[0], all };
}

test("20 callbacks signed with another secret: one log line, 20 counted, the doctor's first finding until one is accepted", async () => {
  await using world = await startWhatsapp();
  await refuse(world, 20);
  expect(warnings(world)).toHaveLength(1);
  expect(warnings(world)[0]).toContain("signature");
  expect(warnings(world)[0]).toContain(`number=${world.number().id}`);
  expect(await counted(world)).toEqual(['waxwing_callbacks_refused_total{reason="wrong_signature"} 20']);
  await world.clock.advance(10 * SECOND);
  expect(stored(world)).toMatchObject([{ reason: "wrong_signature", number_id: world.number().id, count: 20 }]);
  const { first } = await examined(world);
  expect(first).toMatchObject({ level: "problem", check: "callback signature", numberId: world.number().id });
  expect(first?.says).toContain("does not match the app secret");
  expect(first?.says).toContain("20");
  expect(first?.next).toContain("app_secret");

  expect(await world.hear(textFrom(world.graph, ANNA, "Hi"))).toBe(200);
  expect((await examined(world)).all.filter(({ check }) => check === "callback signature")).toEqual([]);
  await world.clock.advance(MINUTE);
  await refuse(world, 1);
  expect((await examined(world)).first).toMatchObject({ level: "problem", check: "callback signature" });
});

test("the log line about refused callbacks comes at most once a minute, with the number refused since the last line", async () => {
  await using world = await startWhatsapp();
  await refuse(world, 7);
  await world.clock.advance(59 * SECOND);
  await refuse(world, 3);
  expect(warnings(world)).toHaveLength(1);
  await world.clock.advance(SECOND);
  await refuse(world, 1);
  expect(warnings(world)).toHaveLength(2);
  expect(warnings(world)[1]).toContain("refused=10");
});

test("a thousand refused callbacks cost two writes and one row; another hour adds a row, and a week later the row is gone", async () => {
  await using world = await startWhatsapp();
  await refuse(world, 1);
  const commits = async (): Promise<number> => {
    const { text } = await world.app.call("GET", "/metrics", { key: METRICS_TOKEN });
    return Number(/^waxwing_commit_seconds_count (\d+)$/m.exec(text)?.[1] ?? Number.NaN);
  };
  const before = await commits();
  await refuse(world, 1_000);
  expect((await commits()) - before).toBe(0);
  await world.clock.advance(10 * SECOND);
  // One commit is ours, the other is a periodic one.
  expect((await commits()) - before).toBeLessThanOrEqual(2);
  expect(stored(world)).toMatchObject([{ count: 1_001 }]);
  await world.clock.advance(HOUR);
  await refuse(world, 2);
  await world.clock.advance(10 * SECOND);
  expect(stored(world).map(({ count }) => count)).toEqual([1_001, 2]);
  world.clock.setWall(8 * 24 * HOUR);
  await world.clock.advance(11 * MINUTE);
  expect(stored(world)).toEqual([]);
}, 60_000);

test("each reason of a refused callback is counted separately, and a number is named only if it is ours", async () => {
  await using world = await startWhatsapp();
  const body = writeCallback(textFrom(world.graph, ANNA, "Hi"));
  const foreign = body.replaceAll(/"\d{15}"/g, '"999999999999999"');
  const { graph, callbackUrl } = world;
  expect(await graph.callback(body, { signature: null })).toBe(403);
  expect(await graph.callback(body, { signature: "sha256=nonsense" })).toBe(403);
  expect(await graph.callback(foreign, WRONG)).toBe(403);
  expect(await graph.callback(" ".repeat(100_000) + body, WRONG)).toBe(403);
  expect(await graph.callback(body, { signature: null, url: `${callbackUrl}/${"x".repeat(26)}` })).toBe(403);
  for (const signed of ["{", "[]", "null"]) expect(await graph.callback(signed)).toBe(400);
  await world.clock.advance(10 * SECOND);
  expect(stored(world).map(({ reason, number_id, count }) => [reason, number_id, count])).toEqual([
    ["no_signature", 0, 1],
    ["not_an_object", 0, 3],
    ["unknown_address", 0, 1],
    // One names none of our numbers; the other names one too late in the body to be searched for.
    ["wrong_signature", 0, 2],
    ["wrong_signature", world.number().id, 1],
  ]);
  await using open = await startWhatsapp({ appSecret: null });
  await open.graph.callback(textFrom(open.graph, ANNA, "Hi"));
  expect(await counted(open)).toEqual(['waxwing_callbacks_refused_total{reason="no_secret"} 1']);
});

test("a refused body that names none of our numbers is only a warning, so that a stranger cannot raise an alarm with one request", async () => {
  await using world = await startWhatsapp();
  expect(await world.graph.callback("{}", WRONG)).toBe(403);
  await world.clock.advance(0);
  const found = (await examined(world)).all.filter(({ check }) => check === "callback signature");
  expect(found).toMatchObject([{ level: "warning", numberId: null }]);
});

test("the finding of a number with its own secret is cleared only by that number's callbacks", async () => {
  const account = graphAccount({ templates: [graphTemplate("greeting")] });
  await using world = await startWhatsapp({ account });
  const own = await world.addNumber(world.workspace.id, {
    ...{ phone: "+4930000009", phoneNumberId: "200000000000009", appSecret: "own-secret" },
  });
  const toOwn = JSON.parse(
    writeCallback(textFrom(world.graph, ANNA, "Hi")).replaceAll("200000000000001", "200000000000009"),
  ) as object;
  const body = JSON.stringify(toOwn);
  expect(await world.graph.callback(body, WRONG)).toBe(403);
  await world.clock.advance(SECOND);
  const ofOwn = async () => (await examined(world)).all.filter(({ check }) => check === "callback signature");
  expect(await ofOwn()).toMatchObject([{ level: "problem", numberId: own.id }]);
  expect((await ofOwn())[0]?.next).toContain(`waxwing number update ${own.id} --app-secret-file`);
  expect(await world.hear(textFrom(world.graph, ANNA, "Hi"))).toBe(200);
  expect(await ofOwn()).toHaveLength(1);
  expect(await world.hear(body, { appSecret: "own-secret" })).toBe(200);
  expect(await ofOwn()).toEqual([]);
});

test("the counts of refused callbacks are on disk when the server has stopped", async () => {
  await using world = await startWhatsapp();
  await refuse(world, 5);
  await refuse(world, 6);
  await world.app.stop();
  const client = openClient(`${world.app.directory}/waxwing.db`, { readonly: true });
  expect(client.prepare("SELECT sum(count) AS count FROM refused_callbacks").get()).toEqual({ count: 11 });
  client.close();
});
