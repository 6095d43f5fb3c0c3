/** `message.received` names the messages that an inbound is about by our ids. */
import { expect, test } from "bun:test";
import { fakeNetwork, networkIdOf } from "#test/support/fake-network.ts";
import { reportInbound } from "#test/support/report.ts";
import { eventsOf } from "#test/support/rows.ts";
import { startTestServer } from "#test/support/server.ts";
import { orderShipped, shipped } from "#test/support/templates.ts";

test("a reply, a reaction, an edit and a deletion name our ids, and a message that is not known here has none", async () => {
  const network = fakeNetwork();
  await using app = await startTestServer({ networks: { simulator: network } });
  const shop = await app.workspace({});
  await app.template(shop, orderShipped);
  const sent = await app.send("POST", "/api/v1/messages", { key: shop.key, body: shipped() });
  const [outbound] = network.sent;
  const ours = outbound === undefined ? "" : networkIdOf(outbound);
  const text = { type: "text", text: { body: "Thanks" } };
  await reportInbound(app, shop, { id: "wamid.theirs", content: text });
  await reportInbound(app, shop, { content: { ...text, context: { id: ours } } });
  await reportInbound(app, shop, { content: { ...text, context: { id: "wamid.theirs" } } });
  await reportInbound(app, shop, { content: { ...text, context: { id: "wamid.of-the-phone" } } });
  await reportInbound(app, shop, { content: { type: "reaction", reaction: { message_id: ours, emoji: "👍" } } });
  const message = { type: "text", text: { body: "Thank you" } };
  await reportInbound(app, shop, { content: { type: "edit", edit: { original_message_id: "wamid.theirs", message } } });
  await reportInbound(app, shop, { content: { type: "revoke", revoke: { original_message_id: "wamid.theirs" } } });
  const received = eventsOf(app, shop).filter(({ type }) => type === "message.received");
  const messages = received.map(({ data }) => data.message as { id: number; details: object });
  const sentId = sent.body.data.id;
  const out = { message_id: sentId, direction: "out" };
  const first = messages[0]?.id ?? 0;
  const theirs = { message_id: first, inbound: first };
  expect(messages.map(({ details }) => details)).toEqual([
    {},
    { reply_to: { ...out, message: sentId } },
    { reply_to: theirs },
    { reply_to: { message_id: null } },
    { reaction: { emoji: "👍", ...out, to: { message: sentId } } },
    { edited: theirs },
    { deleted: theirs },
  ]);
});
