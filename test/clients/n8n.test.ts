/**
 * The n8n workflow of the examples against real deliveries. n8n itself is not run: each kind of node that the file has is
 * done here as n8n's documentation describes it, and a node or an operation that is not known here fails.
 */
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { TestClock } from "#test/support/clock.ts";
import { type Received, startReceiver } from "#test/support/receiver.ts";
import { startTestServer, type TestServer, type TestWorkspace } from "#test/support/server.ts";
import { checkout } from "#test/support/source.ts";

const ANNA = "+447700900123";

interface Node {
  name: string;
  type: string;
  // biome-ignore lint/suspicious/noExplicitAny: each kind has parameters of its own; a missing one fails the run.
  parameters: any;
}

interface Workflow {
  nodes: Node[];
  connections: Record<string, { main: { node: string }[][] }>;
}

type Item = Record<string, unknown>;

const workflow = JSON.parse(readFileSync(join(checkout, "examples/n8n/answer.json"), "utf8")) as Workflow;
const allowed = createRequire(import.meta.url);

/** A text with `{{ … }}`, as n8n evaluates it: what is one expression alone keeps its type. */
function evaluate(text: string, $json: Item, $env: Record<string, string>): unknown {
  if (!text.startsWith("=")) return text;
  const run = (code: string): unknown => new Function("$json", "$env", `return (${code});`)($json, $env);
  const whole = /^=\{\{(.*)\}\}$/s.exec(text)?.[1];
  if (whole !== undefined && !whole.includes("{{")) return run(whole);
  return text.slice(1).replace(/\{\{(.*?)\}\}/gs, (_, code: string) => String(run(code)));
}

interface Run {
  /** What the workflow answered to the webhook. */
  status: number | null;
  /** The names of the nodes that ran. */
  ran: string[];
}

/** One installation: what it has seen stays between two runs. */
class N8n {
  readonly #env: Record<string, string>;
  readonly #seen = new Set<unknown>();

  constructor(env: Record<string, string>) {
    this.#env = env;
  }

  async receive({ body, headers }: Pick<Received, "body" | "headers">): Promise<Run> {
    const done: Run = { status: null, ran: [] };
    const start = workflow.nodes.find(({ type }) => type === "n8n-nodes-base.webhook");
    expect(start?.parameters).toMatchObject({
      httpMethod: "POST",
      responseMode: "responseNode",
      options: { rawBody: true },
    });
    let item: Item = { headers: Object.fromEntries(headers.entries()), body: {} };
    let at = start;
    while (at !== undefined) {
      done.ran.push(at.name);
      const [output, next] = await this.#run(at, item, Buffer.from(body), done);
      if (output === null) break;
      item = next;
      const following: string | undefined = workflow.connections[at.name]?.main[output]?.[0]?.node;
      at = workflow.nodes.find(({ name }) => name === following);
    }
    return done;
  }

  /** The output through which the item leaves, and the item; null: no item leaves. */
  async #run({ type, parameters }: Node, item: Item, raw: Buffer, done: Run): Promise<[number | null, Item]> {
    switch (type.replace("n8n-nodes-base.", "")) {
      case "webhook":
        return [0, item];
      case "code": {
        expect(parameters).toMatchObject({ language: "javaScript", mode: "runOnceForAllItems" });
        const node = { helpers: { getBinaryDataBuffer: async () => raw } };
        const only = (name: string): unknown => {
          expect(name).toBe("crypto");
          return allowed(name);
        };
        const code = new Function(
          "$input",
          "$env",
          "require",
          `return (async () => {${parameters.jsCode}}).call(this);`,
        );
        const [first] = await code.call(node, { all: () => [{ json: item }] }, this.#env, only);
        return [0, first.json];
      }
      case "if": {
        const [{ leftValue, rightValue, operator }] = parameters.conditions.conditions;
        const left = evaluate(leftValue, item, this.#env);
        if (operator.operation === "true") return [left === true ? 0 : 1, item];
        expect(operator).toEqual({ type: "string", operation: "equals" });
        return [left === rightValue ? 0 : 1, item];
      }
      case "respondToWebhook":
        done.status = parameters.options.responseCode;
        return [0, item];
      case "removeDuplicates": {
        expect(parameters.operation).toBe("removeItemsSeenInPreviousExecutions");
        const key = evaluate(parameters.dedupeValue, item, this.#env);
        if (this.#seen.has(key)) return [null, item];
        this.#seen.add(key);
        return [0, item];
      }
      case "httpRequest": {
        const text = (value: string) => String(evaluate(value, item, this.#env));
        const given: { name: string; value: string }[] = parameters.headerParameters.parameters;
        const answer = await fetch(text(parameters.url), {
          method: parameters.method,
          headers: {
            "content-type": "application/json",
            ...Object.fromEntries(given.map(({ name, value }) => [name, text(value)])),
          },
          body: text(parameters.jsonBody),
        });
        expect(answer.status).toBe(201);
        return [0, (await answer.json()) as Item];
      }
      default:
        throw new Error(`this test does not know the node ${type}`);
    }
  }
}

/** A shop to which a person wrote, and what its receiver got. */
async function delivered(app: TestServer, receiver: { url: string; received: Received[] }) {
  const shop = await app.workspace();
  const secret = await app.webhook(shop, receiver.url);
  await app.inbound(shop, ANNA, "Are you open?");
  await app.clock.advance(1_000);
  const [delivery] = receiver.received;
  if (delivery === undefined) throw new Error("nothing was delivered");
  const env = { WAXWING_URL: `${app.server.url}/api/v1`, WAXWING_KEY: shop.key, WAXWING_WEBHOOK_SECRET: secret };
  return { shop, delivery, env };
}

async function textsTo(app: TestServer, { key }: TestWorkspace): Promise<string[]> {
  await app.clock.advance(1_000);
  const { body } = await app.call("GET", `/api/v1/messages?to=${encodeURIComponent(ANNA)}`, { key });
  return body.data.map(({ text }: { text: string }) => text);
}

test("a delivery passes the workflow's signature check, and the person gets one answer, however often it arrives", async () => {
  await using receiver = startReceiver();
  await using app = await startTestServer({ clock: new TestClock(new Date().toISOString()) });
  const { shop, delivery, env } = await delivered(app, receiver);
  const n8n = new N8n(env);
  const first = await n8n.receive(delivery);
  expect(first).toEqual({
    status: 204,
    ran: [
      ...["Waxwing event", "Check the signature", "Is it genuine?", "Answer 204"],
      ...["Not seen before", "Did a person write?", "Reply"],
    ],
  });
  expect(await n8n.receive(delivery)).toMatchObject({ status: 204 });
  // An installation that has forgotten what it saw, and one that did not get as far as remembering it.
  await new N8n(env).receive(delivery);
  expect(await textsTo(app, shop)).toEqual(["Thank you for your message. We answer within an hour."]);
});

test("a changed body, another secret, an old request and a missing header are answered with 400, and nothing is sent", async () => {
  await using receiver = startReceiver();
  await using app = await startTestServer({ clock: new TestClock(new Date().toISOString()) });
  const { shop, delivery, env } = await delivered(app, receiver);
  const signature = delivery.headers.get("service-signature") ?? "";
  const headersWith = (value: string): Headers => new Headers({ "service-signature": value });
  const old = signature.replace(/t=(\d+)/, (_, time: string) => `t=${Number(time) - 301}`);
  const forged: [string, Pick<Received, "body" | "headers">, Record<string, string>][] = [
    ["body", { body: delivery.body.replace("open", "shut"), headers: delivery.headers }, env],
    ["secret", delivery, { ...env, WAXWING_WEBHOOK_SECRET: "whsec_other" }],
    ["time", { body: delivery.body, headers: headersWith(old) }, env],
    ["header", { body: delivery.body, headers: headersWith("") }, env],
    ["format", { body: delivery.body, headers: headersWith(`${signature},v2=00`) }, env],
  ];
  for (const [what, request, of] of forged) {
    const { status, ran } = await new N8n(of).receive(request);
    expect({ what, status, last: ran.at(-1) }).toEqual({ what, status: 400, last: "Answer 400" });
  }
  expect(await textsTo(app, shop)).toEqual([]);
  // While one secret replaces another, either is enough.
  const both = signature.replace(",v1=", `,v1=${"0".repeat(64)},v1=`);
  expect(await new N8n(env).receive({ body: delivery.body, headers: headersWith(both) })).toMatchObject({
    status: 204,
  });
});

test("every node of the file is reached from the webhook, and every connection leads to a node", () => {
  const names = workflow.nodes.map(({ name }) => name);
  const targets = Object.values(workflow.connections).flatMap(({ main }) => main.flat().map(({ node }) => node));
  expect(targets.filter((name) => !names.includes(name))).toEqual([]);
  expect(names.filter((name) => name !== "Waxwing event" && !targets.includes(name))).toEqual([]);
});
