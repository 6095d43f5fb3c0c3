/** The whole way of one message through the simulator. */
import { expect, test } from "bun:test";
import { startReceiver } from "#test/support/receiver.ts";
import { startTestServer } from "#test/support/server.ts";

const orderShipped = {
  name: "order_shipped",
  language: "en_US",
  category: "UTILITY",
  components: [{ type: "BODY", text: "Hi {{1}}, your order {{2}} is on its way." }],
};

test("a template message is sent, delivered and read, and the customer gets an event for each step", async () => {
  await using app = await startTestServer();
  await using receiver = startReceiver();
  const shop = await app.workspace();
  await app.template(shop, orderShipped);
  await app.webhook(shop, receiver.url);

  const sent = await app.send("POST", "/api/v1/messages", {
    key: shop.key,
    body: { to: "98765 43210", template: "order_shipped", variables: ["Asha", 10042] },
  });

  expect(sent.body).toEqual({
    data: {
      id: 1,
      to: "+919876543210",
      from: "+911244001100",
      reference: null,
      sent_by: { kind: "api", name: "test", ai: false },
      type: "template",
      template: { name: "order_shipped", language: "en_US" },
      text: "Hi Asha, your order 10042 is on its way.",
      content: null,
      reply_to: null,
      category: "utility",
      status: "sent",
      error: null,
      charged: false,
      created_at: "2026-11-21T13:30:01+05:30",
      send_at: null,
      sent_at: "2026-11-21T13:30:01+05:30",
      delivered_at: null,
      read_at: null,
    },
  });
  expect(sent.status).toBe(201);
  await app.clock.advance(5_000);
  expect(receiver.types()).toEqual(["message.sent", "message.delivered", "message.read"]);
  const now = await app.call("GET", "/api/v1/messages/1", { key: shop.key });
  expect(now.body.data.status).toBe("read");
});
