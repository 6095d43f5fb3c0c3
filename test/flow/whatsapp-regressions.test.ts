/**
 * Faults of other programs that speak to this network, as their users reported them: a test for each, named after the
 * behaviour that excludes the fault. Those about broadcasts are in `test/broadcasts/regressions.test.ts`.
 */
import { expect, test } from "bun:test";
import { parseCallback } from "#src/networks/whatsapp/callback.ts";
import { type AcceptedMessage, GRAPH_APP_SECRET, sign } from "#test/support/graph.ts";
import { type GraphRow, graphAccount, graphTemplate } from "#test/support/graph-account.ts";
import { rows, startWhatsapp, textFrom, type WhatsappWorld } from "#test/support/whatsapp.ts";

const ANNA = "+4915112345678";

interface MessageRow {
  status: string;
  error_code: string | null;
  error_message: string | null;
  network_message_id: string | null;
}

function messagesOf({ app }: WhatsappWorld): MessageRow[] {
  return rows(app.store, "SELECT status, error_code, error_message, network_message_id FROM messages ORDER BY id");
}

function accepted({ graph }: WhatsappWorld, index = 0): AcceptedMessage {
  const message = graph.accepted[index];
  if (message === undefined) throw new Error(`no message ${index} was accepted`);
  return message;
}

test("a later sent or delivered does not overwrite read, and a late status does not clear failed", async () => {
  await using world = await startWhatsapp();
  await world.send();
  for (const name of ["read", "delivered", "sent"] as const)
    await world.hear(world.graph.status(accepted(world), name));
  expect(messagesOf(world)[0]?.status).toBe("read");
  await world.send();
  for (const name of ["failed", "sent"] as const) await world.hear(world.graph.status(accepted(world, 1), name));
  expect(messagesOf(world)[1]).toMatchObject({ status: "failed", error_code: "131026" });
});

test("a status that comes before the message's id is known is answered 200 and applied later", async () => {
  await using world = await startWhatsapp();
  const gate = Promise.withResolvers<void>();
  world.graph.fault({ fault: { kind: "delay", until: gate.promise } });
  const sending = world.send();
  await world.graph.arrival(1);
  while (world.graph.accepted.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  // Without our send token, as other programs send: only the network's id identifies the message, and the server does
  // not know the id yet.
  const status = world.graph.status(accepted(world), "delivered", { biz_opaque_callback_data: undefined });
  expect(await world.graph.callback(status)).toBe(200);
  await world.clock.rest();
  gate.resolve();
  expect((await sending).status).toBe(201);
  await world.clock.advance(100);
  expect(messagesOf(world)[0]?.status).toBe("delivered");
});

test("an unknown id or a malformed item does not drop the rest of the body", async () => {
  await using world = await startWhatsapp();
  await world.send();
  const good = world.graph.status(accepted(world), "delivered");
  const [item] = (good.value as { statuses: object[] }).statuses;
  const statuses = [
    { ...item, id: "wamid.unknown", biz_opaque_callback_data: undefined },
    null,
    { status: "sent" },
    item,
  ];
  expect(await world.hear({ field: "messages", value: { ...good.value, statuses } })).toBe(200);
  expect(messagesOf(world)[0]?.status).toBe("delivered");
});

test("the reason of a failure is stored and shown", async () => {
  await using world = await startWhatsapp();
  const sent = await world.send();
  const errors = [{ code: 131049, title: "Not delivered", error_data: { details: "healthy ecosystem" } }];
  await world.hear(world.graph.status(accepted(world), "failed", { errors }));
  await world.clock.advance(100);
  const { body } = await world.app.send("GET", `/api/v1/messages/${sent.body.data.id}`, { key: world.workspace.key });
  expect(body.data.error).toEqual({ whatsapp_code: "131049", message: expect.stringContaining("Wait at least a day") });
  expect(world.webhooks.received.at(-1)?.event.data.message.error.whatsapp_code).toBe("131049");
});

test("a second message does not share the first one's id, so old statuses do not apply to it", async () => {
  await using world = await startWhatsapp();
  await world.send();
  await world.hear(world.graph.status(accepted(world, 0), "failed"));
  await world.send();
  await world.hear(world.graph.status(accepted(world, 0), "failed", { errors: [{ code: 131000, title: "x" }] }));
  await world.hear(world.graph.status(accepted(world, 1), "delivered"));
  expect(messagesOf(world).map(({ status }) => status)).toEqual(["failed", "delivered"]);
  expect(new Set(messagesOf(world).map((message) => message.network_message_id)).size).toBe(2);
});

test("a callback's signature is checked against the bytes that arrived, not against JSON that was parsed and written again", async () => {
  await using world = await startWhatsapp();
  const body = `{ "entry":[] ,"object" : "whatsapp_business_account", "x":"\\u00fc\\/" }\n`;
  expect(await world.graph.callback(body, { signature: sign(Buffer.from(body), GRAPH_APP_SECRET) })).toBe(200);
  const rewritten = JSON.stringify(JSON.parse(body));
  expect(await world.graph.callback(body, { signature: sign(Buffer.from(rewritten), GRAPH_APP_SECRET) })).toBe(403);
});

test("updates about templates and accounts are applied although they name no number", async () => {
  await using world = await startWhatsapp();
  const value = {
    event: "REJECTED",
    message_template_id: 9,
    message_template_name: "greeting",
    message_template_language: "en-US",
    reason: "SCAM",
  };
  await world.hear({ field: "message_template_status_update", value }, { time: Math.floor(world.clock.now() / 1000) });
  expect(world.events()).toContain("template.rejected");
});

test("more than 25 templates of an account are found", async () => {
  const templates = Array.from({ length: 130 }, (_, index) => graphTemplate(`t${index}`));
  await using world = await startWhatsapp({ account: graphAccount({ templates }) });
  expect(rows(world.app.store, "SELECT id FROM templates")).toHaveLength(130);
});

test("the preview address of a template's header is never sent as its file", async () => {
  const example = { header_handle: ["https://scontent.whatsapp.net/v/preview.jpg"] };
  const components = [
    { type: "HEADER", format: "IMAGE", example },
    { type: "BODY", text: "Look" },
  ];
  await using world = await startWhatsapp({
    account: graphAccount({ templates: [graphTemplate("greeting", { components })] }),
  });
  const refused = await world.send({ variables: [] });
  expect(refused).toMatchObject({ status: 422, body: { error: { code: "missing_media" } } });
  const { body } = await world.app.send("GET", "/api/v1/templates", { key: world.workspace.key });
  expect(body.data[0].media).toEqual({ type: "image", default: false });
  expect(world.graph.requests).toEqual([]);
});

test("a value with a newline, a tab, a run of spaces, or nothing in it is refused before the network sees it", async () => {
  await using world = await startWhatsapp();
  for (const value of ["two\nlines", "a\ttab", "a     run", "", "  "]) {
    expect((await world.send({ variables: [value] })).status).toBe(400);
  }
  expect(world.graph.requests).toEqual([]);
  expect(messagesOf(world)).toEqual([]);
});

test("a link without https is refused, and a link that the network cannot open ends in a failure with a clear reason", async () => {
  const components = [
    { type: "HEADER", format: "IMAGE" },
    { type: "BODY", text: "Look" },
  ];
  await using world = await startWhatsapp({
    account: graphAccount({ templates: [graphTemplate("greeting", { components })] }),
  });
  expect((await world.send({ variables: [], media: { link: "http://files.example/a.jpg" } })).status).toBe(400);
  expect((await world.send({ variables: [], media: { link: "https://files.example/a.jpg" } })).status).toBe(201);
  await world.hear(
    world.graph.status(accepted(world), "failed", { errors: [{ code: 131053, title: "Media upload error" }] }),
  );
  expect(messagesOf(world)[0]).toMatchObject({
    status: "failed",
    error_code: "131053",
    error_message: expect.stringContaining("opens without signing in"),
  });
});

test.each([
  ["Brazil", "+5511987654321", "551187654321"],
  ["Mexico", "+525512345678", "5215512345678"],
  ["Argentina", "+541123456789", "5491123456789"],
])("in %s the network's other number variant does not make a second contact", async (_, to, waId) => {
  await using world = await startWhatsapp();
  world.graph.fault({ fault: { kind: "other_wa_id", waId } });
  expect((await world.send({ to })).status).toBe(201);
  await world.hear(textFrom(world.graph, `+${waId}`, "Hola"));
  expect(rows(world.app.store, "SELECT id FROM contacts")).toHaveLength(1);
  expect(world.graph.requests[0]?.body).toMatchObject({ to: expect.stringMatching(/^\+/) });
});

test("a request that timed out is not sent again, so the recipient gets the message once", async () => {
  await using world = await startWhatsapp();
  world.graph.fault({ fault: { kind: "delay", until: new Promise(() => {}) } });
  const first = await world.send({}, "one-key");
  expect(first).toMatchObject({ status: 502, body: { error: { whatsapp_code: "timeout" } } });
  expect((await world.send({}, "one-key")).text).toBe(first.text);
  await world.clock.advance(86_000_000);
  expect(world.graph.requests).toHaveLength(1);
});

test("two copies of a callback at the same moment are applied once", async () => {
  await using world = await startWhatsapp();
  const change = textFrom(world.graph, ANNA, "Hi");
  await Promise.all(Array.from({ length: 10 }, () => world.graph.callback(change)));
  await world.clock.advance(1_000);
  expect(rows(world.app.store, "SELECT id FROM inbounds")).toHaveLength(1);
  expect(world.events().filter((type) => type === "message.received")).toHaveLength(1);
});

test("an item of another product of Meta, or of a future kind, does not break the callback", async () => {
  await using world = await startWhatsapp();
  for (const body of [
    '{"object":"page","entry":[{"id":"1","changes":[]}]}',
    '{"object":"whatsapp_business_account","entry":[{"id":"1","changes":[{"field":"future","value":{}}]}]}',
    '{"entry":[{"changes":[{"value":{"x":1},"field":"flows"}],"id":"1"}],"object":"whatsapp_business_account"}',
  ]) {
    expect(await world.hear(body)).toBe(200);
    expect(parseCallback(body).every(({ kind }) => ["ignored", "unhandled", "broken"].includes(kind))).toBe(true);
  }
  expect(rows(world.app.store, "SELECT id FROM callbacks WHERE done_at IS NULL")).toEqual([]);
});

test("a message that the network has merely accepted is not delivered and not charged", async () => {
  await using world = await startWhatsapp({ workspace: { billing: { rate: 10_000, balance: 100_000 } } });
  const sent = await world.send();
  expect(sent.body.data).toMatchObject({ status: "sent", delivered_at: null });
  expect(rows(world.app.store, "SELECT held, charged FROM billing_accounts")).toEqual([{ held: 10_000, charged: 0 }]);
  // The message then fails: its hold is released and nothing is charged.
  await world.hear(world.graph.status(accepted(world), "failed"));
  expect(rows(world.app.store, "SELECT held, charged FROM billing_accounts")).toEqual([{ held: 0, charged: 0 }]);
});

test("a template that was paused in the meantime is refused without a request to the network", async () => {
  await using world = await startWhatsapp();
  (world.account.templates[0] as GraphRow).status = "PAUSED";
  await world.clock.advance(4_000_000);
  expect(await world.send()).toMatchObject({ status: 422, body: { error: { code: "template_not_sendable" } } });
  expect(world.graph.requests).toEqual([]);
});
