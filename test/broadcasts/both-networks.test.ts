/**
 * The simulator is useful only if it behaves like the real network. The same broadcast runs once through the simulator
 * with its magic numbers and once through the fake Cloud API, told to answer the same, and ends the same.
 */
import { expect, test } from "bun:test";
import { HOUR, RATE, SECOND } from "#test/support/broadcast-scenarios.ts";
import type { AcceptedMessage, Fault, Graph, StatusName } from "#test/support/graph.ts";
import { graphTemplate } from "#test/support/graph-account.ts";
import { startReceiver } from "#test/support/receiver.ts";
import { startTestServer, type TestServer, type TestWorkspace } from "#test/support/server.ts";
import { FROM, startWhatsapp } from "#test/support/whatsapp.ts";

const [DELIVER_AFTER_MS, READ_AFTER_MS, TURNS_UP_AFTER_MS] = [1 * SECOND, 3 * SECOND, 3 * SECOND];
const billing = { rate: RATE, balance: 1_000_000 };

/** Recipients without magic numbers, and two of each magic number. */
const plain = Array.from({ length: 20 }, (_, index) => `+491511234${String(5_000 + index)}`);
const magic = ["0001", "0002", "0003", "0004", "0005", "0006", "0007", "0008", "0009"].flatMap((end) =>
  ["1", "2"].map((series) => `+491511${series}00${end}`),
);
const optedOut = "+4915112349999";
const to = [...plain, ...magic, optedOut, plain[0] ?? "", "nobody"];

interface Shop {
  app: TestServer;
  workspace: TestWorkspace;
}

/** Everything about a broadcast that an API client can see, without ids and times. */
interface Outcome {
  created: unknown;
  recipients: unknown[];
  broadcast: unknown;
  billing: unknown;
  events: string[];
  finished: unknown;
}

/** Sends the broadcast, lets the network report (`hear`), and reads the result when everything is final. */
async function send(
  shop: Shop,
  events: () => { type: string; data: object }[],
  hear: () => Promise<void>,
): Promise<Outcome> {
  const { app, workspace } = shop;
  const { key } = workspace;
  await app.send("POST", `/api/v1/contacts/${encodeURIComponent(optedOut)}/opt-out`, { key });
  const body = { name: "News", template: "greeting", variables: ["Anna"], to };
  const created = await app.send("POST", "/api/v1/broadcasts", { key, body });
  expect(created.status).toBe(202);
  await hear();
  // Messages are in doubt for ten minutes, and the broadcast settles after an hour.
  await app.clock.advance(2 * HOUR);
  const path = `/api/v1/broadcasts/${created.body.data.id}`;
  const broadcast = (await app.send("GET", path, { key })).body.data;
  const recipients = (await app.send("GET", `${path}/recipients`, { key })).body.data as Record<string, unknown>[];
  const me = (await app.send("GET", "/api/v1/me", { key })).body.data;
  const all = events();
  return {
    created: timeless(created.body.data),
    recipients: recipients.map(timeless),
    broadcast: timeless(broadcast),
    billing: me.billing,
    events: all.map(({ type }) => type).sort(),
    finished: timeless(all.find(({ type }) => type === "broadcast.finished")?.data),
  };
}

/** Removes what differs between any two runs; keeps whether a time is set at all. */
function timeless(value: unknown): unknown {
  // The fake Cloud API adds words of its own, which the simulator does not have.
  if (typeof value === "string") return value.replace(/ WhatsApp says: .*$/, "");
  if (Array.isArray(value)) return value.map(timeless);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => name !== "id" && name !== "from")
      .map(([name, member]) => [name, name.endsWith("_at") || name === "since" ? member !== null : timeless(member)]),
  );
}

async function onSimulator(): Promise<Outcome> {
  await using webhooks = startReceiver();
  const simulator = { deliverAfterMs: DELIVER_AFTER_MS, readAfterMs: READ_AFTER_MS, noAnswerAfterMs: 1 * SECOND };
  await using app = await startTestServer({ config: { simulator } });
  const workspace = await app.workspace({ country: "DE", number: FROM, billing });
  await app.webhook(workspace, webhooks.url);
  const { name, language, category, components } = graphTemplate("greeting") as Record<string, unknown>;
  await app.template(workspace, { name, language, category, components });
  return await send(
    { app, workspace },
    () => webhooks.received.map(({ event }) => event),
    async () => {},
  );
}

async function onGraph(): Promise<Outcome> {
  await using world = await startWhatsapp({ workspace: { billing } });
  const { app, graph, workspace } = world;
  for (const phone of magic) teach(graph, phone);
  const say = async (of: readonly AcceptedMessage[], ...names: StatusName[]): Promise<void> => {
    const changes = of.flatMap((message) => names.map((name) => graph.status(message, name)));
    if (changes.length > 0) expect(await world.hear(changes)).toBe(200);
  };
  const ending = (...ends: string[]) => graph.accepted.filter((one) => ends.some((end) => one.to?.endsWith(end)));
  const ordinary = () =>
    graph.accepted.filter(({ to: phone }) => plain.includes(phone ?? "") || phone?.endsWith("0006"));
  return await send(
    { app, workspace },
    () => world.webhooks.received.map(({ event }) => event),
    async () => {
      // The throttled messages arrive a little later; no status is reported before every message was accepted.
      for (let step = 0; step < 30 && graph.accepted.length < plain.length + 2 * 6; step++) {
        await app.clock.advance(5 * SECOND);
      }
      expect(graph.accepted.length).toBe(plain.length + 2 * 6);
      await say([...ordinary(), ...ending("0003", "0004", "0005")], "sent");
      await app.clock.advance(DELIVER_AFTER_MS);
      await say([...ordinary(), ...ending("0005")], "delivered");
      await say(ending("0003"), "failed");
      await say(ending("0009"), "read", "delivered", "sent");
      await app.clock.advance(READ_AFTER_MS - DELIVER_AFTER_MS);
      await say(ordinary(), "read");
      await say(ending("0009"), "sent", "delivered", "read");
      await app.clock.advance(TURNS_UP_AFTER_MS);
      await say(ending("0007"), "sent", "delivered", "read");
    },
  );
}

/** What the simulator does on a dispatch to such a number, expressed as faults of the fake Cloud API. */
const faults: Readonly<Record<string, { fault: Fault; times?: number }>> = {
  "0001": { fault: { kind: "error", code: 131026 } },
  "0002": { fault: { kind: "error", code: 131000 }, times: Infinity },
  "0006": { fault: { kind: "error", code: 130429 }, times: 2 },
  "0007": { fault: { kind: "lost" } },
  "0008": { fault: { kind: "reset" } },
};

function teach(graph: Graph, phone: string): void {
  const rule = faults[phone.slice(-4)];
  if (rule !== undefined) graph.fault({ to: phone, ...rule });
}

test("the same broadcast on the simulator and on the Cloud API ends with the same recipients, counts, events and money", async () => {
  const [simulated, real] = [await onSimulator(), await onGraph()];
  expect(real).toEqual(simulated);
  // The results also match the simulator's table.
  const fates = Object.fromEntries(
    (simulated.recipients as { to: string; status: string }[]).map((one) => [one.to, one.status]),
  );
  const endings = Object.fromEntries(magic.map((phone) => [phone.slice(-4), fates[phone]]));
  expect(endings).toEqual({
    "0001": "failed",
    "0002": "failed",
    "0003": "failed",
    "0004": "sent",
    "0005": "delivered",
    "0006": "read",
    "0007": "read",
    "0008": "failed",
    "0009": "read",
  });
  const delivered = plain.length + 2 * 4;
  expect(simulated.broadcast).toMatchObject({
    status: "completed",
    counts: { total: to.length, sent: delivered + 2, delivered, read: delivered - 2, failed: 8, skipped: 3 },
    charged: ((delivered * RATE) / 1_000_000).toString(),
  });
  expect(simulated.events).toContain("broadcast.finished");
}, 60_000);
