/** `waxwing message show`, the timeline of a message, and `waxwing inbound show`. */
import { expect, test } from "bun:test";
import { storeCallback } from "#src/domain/inbound/callbacks.ts";
import { getNumber } from "#src/domain/numbers/read.ts";
import { inboundCallback } from "#src/networks/simulator/callback.ts";
import { fakeNetwork, pairThrottled, refused } from "#test/support/fake-network.ts";
import { GRAPH_PHONE_NUMBER_ID, GRAPH_TOKEN, startGraph } from "#test/support/graph.ts";
import { startReceiver } from "#test/support/receiver.ts";
import { eventsOf } from "#test/support/rows.ts";
import { startTestServer } from "#test/support/server.ts";
import { orderShipped, shipped } from "#test/support/templates.ts";
import { CallingWorkshop } from "./spawn.ts";

interface Told {
  status: string;
  timeline: ({ at: string; what: string; says: string } & Record<string, unknown>)[];
}

test("message show lists request, statuses, events and webhook attempts of a message in order of time", async () => {
  using workshop = new CallingWorkshop();
  await using app = await startTestServer({ directory: workshop.path("data") });
  await using receiver = startReceiver();
  const shop = await app.workspace();
  await app.template(shop, orderShipped);
  await app.webhook(shop, receiver.url);
  await app.send("POST", "/api/v1/messages", { key: shop.key, body: shipped("+919876540010") });
  await app.send("POST", "/api/v1/messages", { key: shop.key, body: shipped("+919876540011") });
  await app.clock.advance(5_000);
  const told = await workshop.json<Told>(["message", "show", "1"]);
  expect(told).toMatchObject({ reference: null, send_token: expect.stringMatching(/^wx1\./) });
  expect(told).toMatchObject({ id: 1, status: "read", to: "+919876540010", outcome_unknown: false });
  const count = (what: string): number => told.timeline.filter((step) => step.what === what).length;
  expect([count("request"), count("status"), count("event"), count("webhook"), count("attempt")]).toEqual([
    1, 3, 3, 3, 0,
  ]);
  expect(told.timeline[0]).toMatchObject({ what: "request" });
  expect(told.timeline.every((step, index) => index === 0 || step.at >= (told.timeline[index - 1]?.at ?? ""))).toBe(
    true,
  );
  const { stdout } = await workshop.run(["message", "show", "1"]);
  expect(stdout).toContain("message.delivered");
  expect(await workshop.refusal(["message", "show", "99"])).toMatchObject({ code: "not_found" });
});

test("message show lists throttled and refused attempts with their reason; a discarded message is not found", async () => {
  using workshop = new CallingWorkshop();
  const network = fakeNetwork();
  await using app = await startTestServer({ directory: workshop.path("data"), networks: { simulator: network } });
  const shop = await app.workspace();
  await app.template(shop, orderShipped);
  network.next(pairThrottled(100), refused("131000"));
  await app.send("POST", "/api/v1/messages", { key: shop.key, body: shipped() });
  const told = await workshop.json<Told>(["message", "show", "1"]);
  expect(told.timeline.filter(({ what }) => what === "attempt")).toMatchObject([
    { outcome: "throttled" },
    { outcome: "refused", code: "131000", says: expect.stringContaining("The network said 131000.") },
  ]);
  network.next(pairThrottled(60_000));
  expect((await app.send("POST", "/api/v1/messages", { key: shop.key, body: shipped() })).status).toBe(429);
  expect((await workshop.run(["message", "show", "2", "--json"])).code).toBe(1);
});

test("message show keeps the network's raw answer word for word, with the access token replaced", async () => {
  using workshop = new CallingWorkshop();
  await using graph = await startGraph();
  await using app = await startTestServer({
    directory: workshop.path("data"),
    config: { whatsapp: { graphUrl: graph.url } },
  });
  const shop = await app.workspace({ number: null });
  const numberArgs = ["number", "add", "--workspace", String(shop.id), "--phone", "+911244001100", "--name", "Shop"];
  const network = [
    "--network",
    "whatsapp",
    "--phone-number-id",
    GRAPH_PHONE_NUMBER_ID,
    "--account-id",
    "100000000000001",
  ];
  await workshop.json([...numberArgs, ...network, "--token-file", workshop.write("token", GRAPH_TOKEN)]);
  const { id } = (await workshop.json<{ id: number }[]>(["number", "list"]))[0] ?? { id: 0 };
  await workshop.run(["number", "ready", String(id)]);
  await app.store.write((tx) => {
    const hello = { networkMessageId: "wamid.HELLO", from: "+919876540010", text: "Hello", at: tx.now };
    storeCallback(tx, "whatsapp", inboundCallback(getNumber(tx, id), hello), tx.now, {
      configuration: false,
      numbers: [id],
    });
  });
  await app.clock.advance(2_000);
  const body = `<html>502 for Bearer ${GRAPH_TOKEN}</html>`;
  graph.fault({ fault: { kind: "answer", status: 502, body } });
  const answer = await app.send("POST", "/api/v1/messages", {
    key: shop.key,
    body: { to: "+919876540010", text: "Hello back" },
  });
  expect(answer.status).toBe(502);
  const attemptsOf = async (message: string) =>
    (await workshop.json<Told>(["message", "show", message])).timeline.filter(({ what }) => what === "attempt");
  expect(await attemptsOf("1")).toMatchObject([
    { outcome: "unknown", http_status: 502, answer: "<html>502 for Bearer [token]</html>" },
  ]);

  graph.fault({ fault: { kind: "message_status", messageStatus: "held_for_quality_assessment" } });
  const taken = { to: "+919876540010", text: "Hello again" };
  expect((await app.send("POST", "/api/v1/messages", { key: shop.key, body: taken })).status).toBe(201);
  const [accepted, ...others] = await attemptsOf("2");
  expect([accepted, others]).toEqual([
    expect.objectContaining({ outcome: "accepted", http_status: 200, says: expect.stringContaining("wamid.") }),
    [],
  ]);
  expect(JSON.parse(String(accepted?.answer))).toMatchObject({
    contacts: [{ input: "+919876540010" }],
    messages: [{ message_status: "held_for_quality_assessment" }],
  });
});

test("inbound show tells what the event told; one of an erased person is not found", async () => {
  using workshop = new CallingWorkshop();
  await using app = await startTestServer({ directory: workshop.path("data") });
  const shop = await app.workspace();
  await app.inbound(shop, "+919876540010", "Is it red?");
  await app.clock.advance(1_000);
  const { message } = eventsOf(app, shop).findLast(({ type }) => type === "message.received")?.data ?? {};
  expect(await workshop.json(["inbound", "show", String(message.id)])).toEqual({ workspace_id: shop.id, ...message });
  const { stdout } = await workshop.run(["inbound", "show", String(message.id)]);
  expect(stdout).toMatch(/from +\+919876540010\n(.*\n)*text +Is it red\?/);
  expect(await workshop.refusal(["inbound", "show", "99"])).toMatchObject({ code: "not_found" });
  await workshop.run(["contact", "erase", "--workspace", String(shop.id), "+919876540010"]);
  expect(await workshop.refusal(["inbound", "show", String(message.id)])).toMatchObject({ code: "not_found" });
});
