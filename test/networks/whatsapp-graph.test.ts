import { describe, expect, test } from "bun:test";
import { parseCallback } from "#src/networks/whatsapp/callback.ts";
import { verifySignature } from "#src/networks/whatsapp/signature.ts";
import { GRAPH_APP_SECRET, GRAPH_PHONE_NUMBER_ID, GRAPH_TOKEN, startGraph } from "#test/support/graph.ts";

/** Records the bodies that the fake posts, as bytes. */
function startReceiver() {
  const bodies: string[] = [];
  const signed: boolean[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const bytes = new Uint8Array(await request.arrayBuffer());
      bodies.push(new TextDecoder().decode(bytes));
      signed.push(verifySignature(bytes, request.headers.get("x-hub-signature-256"), GRAPH_APP_SECRET));
      return new Response("ok");
    },
  });
  return { url: `http://127.0.0.1:${server.port}/`, bodies, signed, [Symbol.asyncDispose]: () => server.stop(true) };
}

const MESSAGE = {
  messaging_product: "whatsapp",
  to: "+4915112345678",
  type: "text",
  biz_opaque_callback_data: "reference-1",
  text: { preview_url: false, body: "Hello" },
};

function post(url: string, body: object, token = GRAPH_TOKEN): Promise<Response> {
  return fetch(`${url}/v23.0/${GRAPH_PHONE_NUMBER_ID}/messages`, {
    method: "POST",
    body: JSON.stringify(body),
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
  });
}

test("statuses that the fake posts are signed, escaped as Meta escapes them, and read by the connector", async () => {
  await using receiver = startReceiver();
  await using graph = await startGraph({ callbackUrl: receiver.url, ladder: ["sent", "delivered"] });
  await (await post(graph.url, MESSAGE)).text();
  await graph.settled();
  expect(receiver.signed).toEqual([true, true]);
  const statuses = receiver.bodies.flatMap(parseCallback).map((report) => report.kind === "status" && report.status);
  expect(statuses.toSorted()).toEqual(["delivered", "sent"]);
});

test("an inbound message comes with escaped letters, and its signature is valid for exactly these bytes", async () => {
  await using receiver = startReceiver();
  await using graph = await startGraph({ callbackUrl: receiver.url });
  const text = {
    from: "4915112345678",
    id: "wamid.IN=",
    timestamp: "1780000000",
    type: "text",
    text: { body: "Grüße 👍 a/b" },
  };
  expect(await graph.callback(graph.inbound(text))).toBe(200);
  await graph.callback(graph.inbound(text), { signature: "sha256=00" });
  expect(receiver.bodies[0]).toContain("Gr\\u00fc\\u00dfe");
  expect(receiver.signed).toEqual([true, false]);
  expect(parseCallback(receiver.bodies[0] ?? "")).toMatchObject([{ kind: "inbound", text: "Grüße 👍 a/b" }]);
});

describe("the fake Cloud API refuses what Meta would refuse", () => {
  const template = (more: object) => ({
    ...MESSAGE,
    type: "template",
    text: undefined,
    template: { name: "offer", language: { code: "en_US" }, ...more },
  });
  const body = (...texts: string[]) => ({ type: "body", parameters: texts.map((text) => ({ type: "text", text })) });
  const rows: { name: string; message: object; code: number }[] = [
    { name: "a number without +", message: { ...MESSAGE, to: "4915112345678" }, code: 131009 },
    { name: "nobody", message: { ...MESSAGE, to: undefined }, code: 131008 },
    { name: "another product", message: { ...MESSAGE, messaging_product: "sms" }, code: 100 },
    { name: "a member that does not exist", message: { ...MESSAGE, too: "x" }, code: 100 },
    { name: "a text without words", message: { ...MESSAGE, text: { preview_url: false, body: "" } }, code: 100 },
    {
      name: "an unknown language",
      message: template({ language: { code: "en" }, components: [body("a")] }),
      code: 132001,
    },
    { name: "too few values", message: template({}), code: 132000 },
    { name: "an empty component", message: template({ components: [body()] }), code: 132012 },
    { name: "a value with a line break", message: template({ components: [body("a\nb")] }), code: 132012 },
  ];

  test.each(rows)("refuses $name", async ({ message, code }) => {
    await using graph = await startGraph({ templates: [{ name: "offer", language: "en_US", bodyCount: 1 }] });
    const answer = await (await post(graph.url, message)).json();
    expect(answer).toMatchObject({ error: { code } });
    expect(graph.accepted).toEqual([]);
  });

  test("refuses a wrong token", async () => {
    await using graph = await startGraph();
    const response = await post(graph.url, MESSAGE, "another");
    expect(response.status).toBe(401);
    expect(await response.json()).toMatchObject({ error: { code: 190 } });
  });
});
