/**
 * The executable when everything goes wrong: a network that fails every message, in its answer or by status, and
 * callbacks whose signature does not match the app secret. A real process over real sockets in real time; one
 * installation.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { AcceptedMessage } from "#test/support/graph.ts";
import { graphTemplate } from "#test/support/graph-account.ts";
import { textFrom } from "#test/support/whatsapp.ts";
import { configurationOf, startShop, until, type WhatsappProcess } from "#test/support/whatsapp-process.ts";

const LIMIT_MS = 180_000;
const PEOPLE = 600;

let shop: WhatsappProcess;

beforeAll(async () => {
  shop = await startShop({
    templates: [graphTemplate("greeting", { components: [{ type: "BODY", text: "Hello {{1}}" }] })],
    subscribedApps: [{ id: "300000000000001", name: "Our app" }],
  });
  await shop.json("number", "update", "1", "--throughput", "100");
}, LIMIT_MS);

afterAll(() => shop[Symbol.asyncDispose]());

interface Shown {
  status: string;
  status_reason: string | null;
  counts: { failed: number };
}

let broadcastCount = 0;

/** Sends a broadcast to 600 new recipients. `report` gets the messages that were accepted since its last call. */
async function send(report: (accepted: AcceptedMessage[]) => Promise<void>): Promise<{ shown: Shown; sends: number }> {
  broadcastCount += 1;
  const seen = shop.graph.requests.length;
  let reported = shop.graph.accepted.length;
  const to = Array.from({ length: PEOPLE }, (_, index) => `+491511${broadcastCount}${String(200_000 + index)}`);
  const body = { name: "News", template: "greeting", variables: ["Anna"], to };
  const { id } = (await shop.call("POST", "/broadcasts", { body })).body.data;
  let shown: Shown = { status: "running", status_reason: null, counts: { failed: 0 } };
  for (let step = 0; step < 400 && !["paused", "completed", "failed"].includes(shown.status); step++) {
    const accepted = shop.graph.accepted.slice(reported);
    reported += accepted.length;
    if (accepted.length > 0) await report(accepted);
    await Bun.sleep(25);
    shown = (await shop.call("GET", `/broadcasts/${id}`)).body.data;
  }
  // Messages that were in flight at the pause still arrive; no others do.
  await Bun.sleep(1_000);
  return { shown, sends: shop.graph.requests.length - seen };
}

const nothing = () => Promise.resolve();

test.each([[131042, "payment"]])(
  "a broadcast pauses after a few messages and says why if every accepted message fails with %d",
  async (code, words) => {
    const { shown, sends } = await send(async (accepted) => {
      const errors = [{ code, title: "An error of the test" }];
      const changes = accepted.map((message) => shop.graph.status(message, "failed", { errors }));
      expect(await shop.hear(changes)).toBe(200);
    });
    expect(shown.status).toBe("paused");
    expect(shown.status_reason).toContain(words);
    expect(shown.status_reason).toContain(`(error ${code})`);
    expect(sends).toBeLessThan(200);
    // The refusal stops the number for all, until WhatsApp is asked again.
    const isReady = async () => ((await shop.json("number", "list")) as unknown as { ready: boolean }[])[0]?.ready;
    expect(await isReady()).toBe(false);
    await shop.json("number", "sync", "1");
    expect(await isReady()).toBe(true);
  },
  LIMIT_MS,
);

test(
  "a number slows down to one message at a time after a few messages if every send is answered with HTML under a 502",
  async () => {
    // One fault for each recipient. The next broadcast has other recipients, so unused faults do not affect it.
    const to = `+491511${broadcastCount + 1}`;
    const fault = { kind: "answer", status: 502, body: "<html>Bad Gateway</html>" } as const;
    for (let index = 0; index < PEOPLE; index++) shop.graph.fault({ to: `${to}${200_000 + index}`, fault });
    const { shown, sends } = await send(nothing);
    // The pause follows after five minutes, and no message that was in flight is repeated.
    expect(shown).toMatchObject({ status: "running", counts: { failed: 0 } });
    expect(sends).toBeLessThan(60);
  },
  LIMIT_MS,
);

test(
  "20 callbacks with a wrong signature make one log line, are counted, and are doctor's first finding until one is right",
  async () => {
    const change = () => textFrom(shop.graph, "+4915112345678", "Hello");
    const refusals = () => shop.log().match(/^.*signature does not match.*$/gm) ?? [];
    const doctor = async () => {
      const { code, out } = await shop.command("doctor", "--json");
      const { findings } = JSON.parse(out) as { findings: { level: string; check: string; message: string }[] };
      return { code, first: findings[0], ofSignature: findings.filter(({ check }) => check === "callback signature") };
    };
    expect((await doctor()).ofSignature).toEqual([]);
    // As after an operator's typing mistake and a restart.
    await shop.stop();
    shop.write("waxwing.toml", configurationOf(shop, "not-the-secret"));
    await shop.start();
    for (let times = 0; times < 20; times++) expect(await shop.hear(change())).toBe(403);
    expect(refusals()).toHaveLength(1);
    expect(refusals()[0]).toMatch(/ WARN .*number=1/);
    const metrics = await fetch(shop.callbackUrl().replace("/networks/whatsapp", "/metrics"), {
      headers: { authorization: "Bearer a-word" },
    });
    expect(await metrics.text()).toContain('waxwing_callbacks_refused_total{reason="wrong_signature"} 20');
    await until("they are on disk", () => {
      const [row] = shop.rows<{ count: number }>("SELECT sum(count) AS count FROM refused_callbacks");
      return row?.count === 20;
    });
    expect(await doctor()).toMatchObject({
      code: 1,
      first: { level: "problem", check: "callback signature", message: expect.stringContaining("20 refused") },
    });
    // Without a server, doctor reports the same.
    await shop.stop();
    expect((await doctor()).first).toMatchObject({ check: "callback signature" });
    shop.write("waxwing.toml", configurationOf(shop));
    await shop.start();
    expect((await doctor()).ofSignature).toHaveLength(1);
    expect(await shop.hear(change())).toBe(200);
    expect((await doctor()).ofSignature).toEqual([]);
  },
  LIMIT_MS,
);
