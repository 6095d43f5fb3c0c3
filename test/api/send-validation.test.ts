/** The fields of a send request: which values are accepted, and which are refused under which path. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { setSample } from "#src/domain/templates/decide.ts";
import {
  changesBetween,
  fakeNetwork,
  fillBucket,
  type Snapshot,
  snapshot,
  template,
  templates,
} from "#test/support/scenarios.ts";
import { type Answered, startTestServer, type TestServer, type TestWorkspace } from "#test/support/server.ts";

const MESSAGES = "/api/v1/messages";
const to = "+919876543210";
const link = "https://files.example.com/a.jpg";
const EMOJI = "\u{1F600}";

let app: TestServer;
let shop: TestWorkspace;
/** A workspace with two numbers and an open window with `to`. */
let chain: TestWorkspace;
let untouched: Snapshot;
const network = fakeNetwork();

beforeAll(async () => {
  app = await startTestServer({ networks: { simulator: network }, expectedErrors: /event=request\.failed / });
  shop = await app.workspace();
  for (const json of Object.values(templates)) await app.template(shop, json);
  await app.template(shop, template("twice", [{ type: "BODY", text: "Hallo" }], { language: "de" }));
  await app.template(shop, template("twice", [{ type: "BODY", text: "Hello" }]));
  await app.inbound(shop, to, "hello");
  chain = await app.workspace({ number: "+911244001100" });
  await app.store.write((tx) => {
    tx.db.run(`INSERT INTO numbers (id, workspace_id, phone, name, network, throughput, throughput_given, ready, unready_reason, account_id,
      phone_number_id, access_token, app_secret, created_at, removed_at)
      SELECT NULL, workspace_id, '+911244001101', name, network, throughput, throughput_given, ready,
      unready_reason, account_id, 'sim-second', access_token, app_secret, created_at, removed_at
      FROM numbers WHERE id = ${chain.numberId}`);
  });
  await app.template(chain, templates.plain);
  for (const from of ["+911244001100", "+911244001101"]) await fillBucket(app, { ...chain, number: from });
  await fillBucket(app, shop);
});
afterAll(() => app[Symbol.asyncDispose]());
beforeEach(() => {
  untouched = snapshot(app.store);
});

const send = (body: unknown, key = shop.key): Promise<Answered> => app.send("POST", MESSAGES, { key, body });

/** Expects a refusal that names exactly these fields, with sentences for each, and that changes nothing. */
function expectFields(answer: Answered, fields: string[]): void {
  expect({ status: answer.status, code: answer.body.error?.code }).toEqual({ status: 400, code: "invalid_request" });
  expect(Object.keys(answer.body.error.fields).sort()).toEqual([...fields].sort());
  for (const sentences of Object.values<string[]>(answer.body.error.fields)) {
    expect(sentences.length).toBeGreaterThan(0);
    for (const sentence of sentences) expect(sentence).toMatch(/^\S.+[.?]$/s);
  }
  expect(changesBetween(untouched, snapshot(app.store))).toEqual({});
}

const spaces = (count: number) => `a${" ".repeat(count)}b`;
const shipped = (variables: unknown) => ({ to, template: "shipped", variables });

const acceptedForms: Record<string, [body: Record<string, unknown>, text: string]> = {
  "a text of one character": [{ to, text: "x" }, "x"],
  "a text of 4096 emoji": [{ to, text: EMOJI.repeat(4096) }, EMOJI.repeat(4096)],
  "a text with line breaks and spaces": [{ to, text: "a\n\n  b\t     c" }, "a\n\n  b\t     c"],
  "a text with a sender": [{ to, text: "x", from: "+911244001100" }, "x"],
  "a sender in national form": [{ to, text: "x", from: "0124 400-1100" }, "x"],
  "a sender without plus": [{ to, text: "x", from: "911244001100" }, "x"],
  "a sender with 00": [{ to, text: "x", from: "0091 1244001100" }, "x"],
  "a template without values": [{ to, template: "plain" }, "It is ready."],
  "an empty list of values": [{ to, template: "plain", variables: [] }, "It is ready."],
  "an empty object of values": [{ to, template: "plain", variables: {} }, "It is ready."],
  "empty lists of values": [{ to, template: "plain", variables: { header: [], body: [] } }, "It is ready."],
  "a language": [{ to, template: "plain", language: "en_US" }, "It is ready."],
  "one of two languages": [{ to, template: "twice", language: "de" }, "Hallo"],
  "a list of values": [shipped(["Asha", "10042"]), "Hi Asha, your order 10042 is on its way."],
  "values in an object": [shipped({ body: ["Asha", 7] }), "Hi Asha, your order 7 is on its way."],
  "values for header and body": [
    { to, template: "headed", variables: { header: ["7"], body: ["Asha"] } },
    "Order 7\n\nHi Asha.",
  ],
  "four spaces in a row": [shipped([spaces(4), "x"]), `Hi ${spaces(4)}, your order x is on its way.`],
  "values that look like placeholders": [shipped(["{{2}}", "$& $1"]), "Hi {{2}}, your order $& $1 is on its way."],
  "a long value": [shipped(["x".repeat(1024), 1]), `Hi ${"x".repeat(1024)}, your order 1 is on its way.`],
  "a picture": [{ to, template: "pictured", media: { link } }, "It is ready."],
  "a link of 2048 characters": [{ to, template: "pictured", media: { link: link.padEnd(2048, "x") } }, "It is ready."],
  "a file with a name": [{ to, template: "filed", variables: [1], media: { link, filename: "a.pdf" } }, "Bill 1."],
  "a file name of 240 emoji": [
    { to, template: "filed", variables: [1], media: { link, filename: EMOJI.repeat(240) } },
    "Bill 1.",
  ],
};

describe("an accepted send request", () => {
  for (const [what, [body, text]] of Object.entries(acceptedForms)) {
    test(what, async () => {
      const answer = await send(body);
      expect(answer.body.error).toBeUndefined();
      expect(answer.status).toBe(201);
      expect(answer.body.data).toMatchObject({ to, from: "+911244001100", text, status: "sent", error: null });
    });
  }

  test("variables that are numbers print in their shortest decimal form", async () => {
    const numbers: [literal: string, printed: string][] = [
      ["10042", "10042"],
      ["1.50", "1.5"],
      ["-3", "-3"],
      ["0.1", "0.1"],
      ["-0", "0"],
      ["1e3", "1000"],
      ["12.0", "12"],
      ["0.000001", "0.000001"],
      ["999999999999999", "999999999999999"],
    ];
    for (const [literal, printed] of numbers) {
      const answer = await send(`{"to":"${to}","template":"shipped","variables":["Asha",${literal}]}`);
      expect(answer.body.data.text).toBe(`Hi Asha, your order ${printed} is on its way.`);
    }
  });

  test("a workspace with several numbers sends from the number that the request names", async () => {
    for (const from of ["+911244001100", "+911244001101"]) {
      expect((await send({ to, template: "plain", from }, chain.key)).body.data.from).toBe(from);
    }
  });

  test("a file is named after the last segment of its link, and the template's sample replaces missing media", async () => {
    network.outbounds.length = 0;
    await send({ to, template: "filed", variables: [1], media: { link: "https://a.example/x/Bill%207.pdf?y=1" } });
    await app.store.write((tx) => void setSample(tx, shop.id, "pictured", "en_US", "https://a.example/sample.jpg"));
    await send({ to, template: "pictured" });
    await app.store.write((tx) => tx.db.run("UPDATE templates SET sample_link = NULL"));
    expect(network.outbounds.map(({ content }) => (content.type === "template" ? content.header : null))).toEqual([
      { type: "document", link: "https://a.example/x/Bill%207.pdf?y=1", filename: "Bill 7.pdf" },
      { type: "image", link: "https://a.example/sample.jpg", filename: null },
    ]);
  });

  test("the content type may carry parameters and be written in any case", async () => {
    for (const type of ["application/json; charset=utf-8", "Application/JSON", "application/json;charset=UTF-8"]) {
      const options = { key: shop.key, body: { to, text: "x" }, headers: { "content-type": type } };
      expect((await app.send("POST", MESSAGES, options)).status).toBe(201);
    }
  });
});

const refusedForms: Record<string, [body: unknown, fields: string[]]> = {
  "nothing at all": [{}, ["template", "text", "to"]],
  "neither template nor text": [{ to }, ["template", "text"]],
  "both template and text": [{ to, template: "plain", text: "x" }, ["template", "text"]],
  "a mistyped alternative is named itself": [{ to, tempalte: "plain" }, ["tempalte", "template", "text"]],
  "a template without to": [{ template: "plain" }, ["to"]],
  "a text without to": [{ text: "x" }, ["to"]],
  "to as a number": [{ to: 919876543210, text: "x" }, ["to"]],
  "to as null": [{ to: null, template: "plain" }, ["to"]],
  "to as a list": [{ to: [to], template: "plain" }, ["to"]],
  "an empty text": [{ to, text: "" }, ["text"]],
  "a blank text": [{ to, text: " \n\t\u00a0 " }, ["text"]],
  "a text of 4097 characters": [{ to, text: "x".repeat(4097) }, ["text"]],
  "a text of 4097 emoji": [{ to, text: EMOJI.repeat(4097) }, ["text"]],
  "a text as a number": [{ to, text: 5 }, ["text"]],
  "a text as null": [{ to, text: null }, ["text"]],
  "half a character": [{ to, text: "a\ud83d" }, ["text"]],
  "unknown members, each": [{ to, text: "x", colour: 1, Size: 2 }, ["Size", "colour"]],
  "members of the other form": [
    { to, text: "x", variables: [], language: "en", media: { link } },
    ["language", "media", "text", "variables"],
  ],
  "every fault at once": [
    { to: 1, template: 2, language: 3, from: 4, extra: 5 },
    ["extra", "from", "language", "template", "to"],
  ],
  "a template as a number": [{ to, template: 5 }, ["template"]],
  "a language as null": [{ to, template: "plain", language: null }, ["language"]],
  "a from as null": [{ to, template: "plain", from: null }, ["from"]],
  "an unknown from": [{ to, template: "plain", from: "+911244009999" }, ["from"]],
  "a from that is no number": [{ to, template: "plain", from: "office" }, ["from"]],
  "a from hidden among letters": [{ to, template: "plain", from: "x9112y44001100z" }, ["from"]],
  "variables as null": [shipped(null), ["variables"]],
  "variables as a text": [shipped("Asha"), ["variables"]],
  "variables as a number": [shipped(3), ["variables"]],
  "an unknown part of variables": [shipped({ body: ["a", "b"], footer: ["x"] }), ["variables.footer"]],
  "a part that is no list": [shipped({ body: "a", header: null }), ["variables.body", "variables.header"]],
  "an empty value": [shipped(["", "b"]), ["variables.0"]],
  "a blank value": [shipped(["a", "  "]), ["variables.1"]],
  "values with a newline, a tab, a carriage return": [
    shipped(["a\nb", "a\tb", "a\rb"]),
    ["variables.0", "variables.1", "variables.2"],
  ],
  "five spaces in a row": [shipped([spaces(5), "b"]), ["variables.0"]],
  "wrong values in an object": [
    { to, template: "headed", variables: { header: ["a\nb"], body: ["ok", ""] } },
    ["variables.body.1", "variables.header.0"],
  ],
  "values of other kinds": [
    shipped([true, null, ["a"], {}]),
    ["variables.0", "variables.1", "variables.2", "variables.3"],
  ],
  "a contact's field": [shipped([{ field: "name", fallback: "you" }, "b"]), ["variables.0"]],
  "half a character in a value": [shipped(["\udc00", "b"]), ["variables.0"]],
  "numbers with an exponent": [shipped([1e21, 1e-7]), ["variables.0", "variables.1"]],
  "a number too large for any form": [`{"to":"${to}","template":"shipped","variables":["a",1e400]}`, ["variables.1"]],
  "too many values": [shipped(["a", "b", "c"]), ["variables"]],
  "too many values in the body": [shipped({ body: ["a", "b", "c"] }), ["variables.body"]],
  "values for a header that takes none": [shipped({ header: ["x"], body: ["a", "b"] }), ["variables.header"]],
  "values for a template that takes none": [{ to, template: "plain", variables: ["a"] }, ["variables"]],
  "media as a link": [{ to, template: "pictured", media: link }, ["media"]],
  "media as null": [{ to, template: "pictured", media: null }, ["media"]],
  "media without a link": [{ to, template: "pictured", media: {} }, ["media.link"]],
  "media with unknown members": [{ to, template: "pictured", media: { link, caption: "x" } }, ["media.caption"]],
  "a link over http": [{ to, template: "pictured", media: { link: "http://files.example.com/a.jpg" } }, ["media.link"]],
  "a link that is no address": [{ to, template: "pictured", media: { link: "a.jpg" } }, ["media.link"]],
  "a link without a host": [{ to, template: "pictured", media: { link: "https://" } }, ["media.link"]],
  "a link with white space around it": [{ to, template: "pictured", media: { link: ` ${link}\n` } }, ["media.link"]],
  "a link of 2049 characters": [{ to, template: "pictured", media: { link: link.padEnd(2049, "x") } }, ["media.link"]],
  "a link as a number": [{ to, template: "pictured", media: { link: 5 } }, ["media.link"]],
  "a file name of 241 characters": [
    { to, template: "filed", variables: [1], media: { link, filename: "x".repeat(241) } },
    ["media.filename"],
  ],
  "a file name as a number": [
    { to, template: "filed", variables: [1], media: { link, filename: 5 } },
    ["media.filename"],
  ],
  "half a character in a file name": [
    { to, template: "filed", variables: [1], media: { link, filename: "\ud800.pdf" } },
    ["media.filename"],
  ],
  "a file name on a picture": [{ to, template: "pictured", media: { link, filename: "a.jpg" } }, ["media.filename"]],
  "media for a template without any": [{ to, template: "plain", media: { link } }, ["media"]],
  "an ambiguous language": [{ to, template: "twice" }, ["language"]],
};

describe("a refused send request names the path of the fault", () => {
  for (const [what, [body, fields]] of Object.entries(refusedForms)) {
    test(what, async () => expectFields(await send(body), fields));
  }

  for (const name of ["constructor", "toString", "__proto__", "hasOwnProperty"]) {
    test(`a member called ${name} is unknown like any other`, async () => {
      expectFields(await send(`{"to":"${to}","text":"x","${name}":1}`), [name]);
    });
  }

  test("an ambiguous language lists the languages, an ambiguous sender the numbers", async () => {
    expect((await send({ to, template: "twice" })).body.error.fields.language[0]).toMatch(/de, en_US/);
    const answer = await send({ to, template: "plain" }, chain.key);
    expectFields(answer, ["from"]);
    expect(answer.body.error.fields.from[0]).toMatch(/\+911244001100.*\+911244001101/);
  });
});

test("the text of a refusal stays short enough to show and store, however long the field was", async () => {
  const long = "x".repeat(100_000);
  for (const body of [
    { to: long, template: "plain" },
    { to, template: long },
    { to, template: "plain", language: long },
    { to, template: "plain", from: long },
  ]) {
    expect((await send(body)).text.length).toBeLessThan(2_000);
  }
});
