/** The form of a request: body, content type, length, authentication scheme, idempotency key and request id. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { changesBetween, fakeNetwork, fillBucket, sendRaw, snapshot, templates } from "#test/support/scenarios.ts";
import { type Answered, startTestServer, type TestServer, type TestWorkspace } from "#test/support/server.ts";

const MESSAGES = "/api/v1/messages";
const MEBIBYTE = 1024 * 1024;
const good = { to: "+919876543210", template: "plain" };

let app: TestServer;
let shop: TestWorkspace;

beforeAll(async () => {
  app = await startTestServer({ networks: { simulator: fakeNetwork() } });
  shop = await app.workspace();
  await app.template(shop, templates.plain);
  // Raw requests do not advance the test clock, so none of them may have to wait for it.
  await fillBucket(app, shop);
});
afterAll(() => app[Symbol.asyncDispose]());

/** Expects a refusal of the whole request that names no field and changes nothing. */
async function expectRefused(make: () => Promise<Answered>): Promise<void> {
  const before = snapshot(app.store);
  const answer = await make();
  expect({ status: answer.status, error: answer.body.error }).toEqual({
    status: 400,
    error: {
      ...{ code: "invalid_request", message: expect.any(String), fields: {} },
      ...{ retryable: false, retry_key: "same" },
    },
  });
  expect(changesBetween(before, snapshot(app.store))).toEqual({});
}

const post = (body: string, headers: Record<string, string> = {}) =>
  app.call("POST", MESSAGES, { key: shop.key, body, headers });

/** Sends a raw request; returns the status and the body of the answer. */
async function raw(content: Uint8Array, ...headers: string[]): Promise<{ status: number; body: Answered["body"] }> {
  const head = [`POST ${MESSAGES} HTTP/1.1`, `Authorization: Bearer ${shop.key}`, "Content-Type: application/json"];
  const answer = await sendRaw(app.server.url, [...head, ...headers], content);
  return { status: Number(answer.split(" ")[1]), body: JSON.parse(answer.slice(answer.indexOf("\r\n\r\n") + 4)) };
}

/** A valid body of exactly this many bytes. */
const padded = (bytes: number): string => {
  const text = JSON.stringify(good);
  return text + " ".repeat(bytes - text.length);
};

async function chunked(text: string): Promise<Answered> {
  const bytes = new TextEncoder().encode(text);
  const body = new ReadableStream({
    start(controller) {
      for (let at = 0; at < bytes.length; at += 65_536) controller.enqueue(bytes.slice(at, at + 65_536));
      controller.close();
    },
  });
  const headers = { authorization: `Bearer ${shop.key}`, "content-type": "application/json" };
  const response = await fetch(`${app.server.url}${MESSAGES}`, { method: "POST", headers, body });
  const answer = await response.text();
  return { status: response.status, text: answer, body: JSON.parse(answer), headers: response.headers };
}

describe("an unreadable body is refused", () => {
  const bodies: Record<string, string> = {
    nothing: " ",
    "half an object": '{"to":',
    "a comma too many": '{"to":"x",}',
    "single quotes": "{'to':'x'}",
    "two objects": "{}{}",
    "a list": "[]",
    "a text": '"to"',
    "a number": "5",
    null: "null",
    "a list within lists without end": "[".repeat(100_000),
  };
  for (const [what, text] of Object.entries(bodies)) test(what, () => expectRefused(() => post(text)));

  const late = `{"text":"${"word ".repeat(20_000)}"`;
  const faults: [what: string, body: string, position: string][] = [
    ["in the first line", '{"to" "x"}', " (line 1, column 7)"],
    ["in a later line", '{\n  "to": "x",\n  "text" "hi"\n}', " (line 3, column 10)"],
    ["a long body with an early fault", `{"to" ${late}}`, " (line 1, column 7)"],
    ["a long body with a late fault, which is not looked for", `${late} "to":"x"}`, ""],
    ["a long body that is cut short", late, ""],
  ];
  test.each(faults)("%s: the position is named", async (_, body, position) => {
    const { message } = (await post(body)).body.error;
    expect(message).toBe(`The body is not valid JSON${position}.`);
  });

  test("when it is invalid UTF-8", async () => {
    const bytes = Buffer.from('{"to":"+919876543210","text":"\xff\xfe"}', "latin1");
    const answer = await raw(bytes);
    expect(answer).toMatchObject({ status: 400, body: { error: { code: "invalid_request", fields: {} } } });
  });

  test("when it is absent", async () => {
    expect(await raw(new Uint8Array())).toMatchObject({
      status: 400,
      body: { error: { code: "invalid_request", fields: {} } },
    });
  });

  for (const type of [
    "text/plain",
    "application/x-www-form-urlencoded",
    "application/jsonp",
    "multipart/form-data; boundary=x",
    "text/json",
  ]) {
    test(`when sent as ${type}`, () => expectRefused(() => post(JSON.stringify(good), { "content-type": type })));
  }

  test("when it has no content type", () =>
    expectRefused(async () => {
      const options = {
        method: "POST",
        headers: { authorization: `Bearer ${shop.key}` },
        body: Buffer.from(JSON.stringify(good)),
      };
      const response = await fetch(`${app.server.url}${MESSAGES}`, options);
      return { status: response.status, text: "", body: await response.json(), headers: response.headers };
    }));
});

describe("a body of one mebibyte", () => {
  test("is accepted, with its length announced or not", async () => {
    expect((await post(padded(MEBIBYTE))).status).toBe(201);
    expect((await chunked(padded(MEBIBYTE))).status).toBe(201);
  });
  test("and one byte is refused, with its length announced or not", async () => {
    await expectRefused(() => post(padded(MEBIBYTE + 1)));
    await expectRefused(() => chunked(padded(MEBIBYTE + 1)));
    await expectRefused(() => post(padded(20 * MEBIBYTE)));
  });
});

test("a body with an absurdly large announced length is refused like any other body that is too large", async () => {
  const head = [`POST ${MESSAGES} HTTP/1.1`, `Authorization: Bearer ${shop.key}`, "Content-Type: application/json"];
  for (const announced of [65 * MEBIBYTE, 5_000_000_000]) {
    const answer = await sendRaw(app.server.url, head, Buffer.from("{"), announced);
    expect(answer.slice(0, answer.indexOf("\r\n"))).toBe("HTTP/1.1 400 Bad Request");
    expect(answer).toContain('"code":"invalid_request"');
  }
});

for (const scheme of ["bearer", "BEARER", "Bearer  "]) {
  test(`the authentication scheme may be written "${scheme}"`, async () => {
    const headers = { authorization: `${scheme} ${shop.key}` };
    expect((await app.call("GET", "/api/v1/me", { headers })).status).toBe(200);
  });
}

describe("an Idempotency-Key", () => {
  const bytes = Buffer.from(JSON.stringify(good));
  const keys: Record<string, [key: string, isTaken: boolean]> = {
    "one character": ["k", true],
    "100 characters": ["k".repeat(100), true],
    "100 emoji, for characters count and not bytes": ["\u{1F600}".repeat(100), true],
    "100 accented letters": ["\u00e9".repeat(100), true],
    nothing: ["", false],
    "white space": ["   ", false],
    "101 characters": ["k".repeat(101), false],
    "101 emoji": ["\u{1F600}".repeat(101), false],
  };
  for (const [what, [key, isTaken]] of Object.entries(keys)) {
    test(`of ${what} is ${isTaken ? "taken" : "refused"}`, async () => {
      const { status, body } = await raw(bytes, `Idempotency-Key: ${key}`);
      expect(status).toBe(isTaken ? 201 : 400);
      if (!isTaken) expect(Object.keys(body.error.fields)).toEqual(["Idempotency-Key"]);
    });
  }
});

describe("an X-Request-Id", () => {
  const sane = ["a", "0f8fad5b-d9cb-469f-a165-70867728950e", "Root=1".replace("=", ":"), "x".repeat(128)];
  for (const id of sane) {
    test(`${id.slice(0, 40)} of the caller is returned`, async () => {
      const answer = await app.call("GET", "/api/v1/me", { key: shop.key, headers: { "x-request-id": id } });
      expect(answer.headers.get("x-request-id")).toBe(id);
    });
  }
  for (const id of ["", "two words", "x".repeat(129), '"><script>', "caf\u00e9"]) {
    test(`"${id.slice(0, 40)}" is replaced`, async () => {
      const answer = await app.call("GET", "/api/v1/me", { key: shop.key, headers: { "x-request-id": id } });
      expect(answer.headers.get("x-request-id")).toMatch(/^[0-9a-z]{10}-[0-9a-z]+$/);
    });
  }
  test("is on every answer below the prefix, and never the same twice", async () => {
    const answers = await Promise.all([
      app.call("GET", "/api/v1/me", { key: shop.key }),
      app.call("GET", "/api/v1/me"),
      app.call("GET", "/api/v1/nothing", { key: shop.key }),
      app.call("POST", MESSAGES, { key: shop.key, body: "{" }),
    ]);
    const ids = answers.map(({ headers }) => headers.get("x-request-id"));
    expect(new Set(ids).size).toBe(4);
    expect(ids).not.toContain(null);
  });
});

test("endpoints without a body ignore any body, and unknown query parameters are ignored", async () => {
  const headers = [`Authorization: Bearer ${shop.key}`, "Content-Type: application/json"];
  const answer = await sendRaw(
    app.server.url,
    ["GET /api/v1/me?colour=red HTTP/1.1", ...headers],
    Buffer.from("{not json"),
  );
  expect(answer).toStartWith("HTTP/1.1 200");
});
