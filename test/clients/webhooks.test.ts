/** What a receiver passes by mistake to the clients' check of signatures, which a script of JSON cannot express. */
import { describe, expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import { join } from "node:path";
import { checkout } from "#test/support/source.ts";

/** Not imported by name: the clients are programs of their own, which this one does not compile. */
const { readWebhook, WebhookError } = (await import(join(checkout, "clients/typescript/src/webhook.ts"))) as {
  readWebhook: (body: unknown, header: unknown, secret: unknown, nowMs: number) => unknown;
  WebhookError: new () => Error;
};

const secret = "whsec_test";
const body = '{"id":"evt_1","type":"webhook.test","created_at":"2026-11-21T08:44:26+05:30","data":{}}';
const header = `t=1795230866,v1=${createHmac("sha256", secret).update(`1795230866.${body}`).digest("hex")}`;
const nowMs = 1_795_230_867_000;

describe("TypeScript", () => {
  test("the raw body is read as text or bytes", () => {
    expect(readWebhook(body, header, secret, nowMs)).toMatchObject({ id: "evt_1" });
    expect(readWebhook(Buffer.from(body), header, secret, nowMs)).toMatchObject({ id: "evt_1" });
  });

  const wrong: [name: string, body: unknown, secret: unknown][] = [
    ["a parsed body", JSON.parse(body), secret],
    ["no body", undefined, secret],
    ["no secret", body, undefined],
    ["an empty secret", body, ""],
  ];
  for (const [name, given, key] of wrong) {
    test(`${name} is a WebhookError`, () => {
      expect(() => readWebhook(given, header, key, nowMs)).toThrow(WebhookError);
    });
  }
});

test.skipIf(Bun.which("python3") === null)(
  "Python: bytes are read; text, a parsed body and no secret are a WebhookError",
  () => {
    const program = `
import json, sys
sys.path.insert(0, ${JSON.stringify(join(checkout, "clients/python"))})
import waxwing as wx
body, header, secret = ${JSON.stringify(body)}, ${JSON.stringify(header)}, ${JSON.stringify(secret)}
assert wx.read_webhook(body.encode(), header, secret, 1795230867)["id"] == "evt_1"
for given, key in [(body, secret), (json.loads(body), secret), (None, secret), (body.encode(), ""), (body.encode(), None)]:
    try:
        wx.read_webhook(given, header, key, 1795230867)
    except wx.WebhookError as error:
        print(error)
`;
    const { stdout, stderr } = Bun.spawnSync(["python3", "-c", program]);
    expect(stderr.toString()).toBe("");
    expect(stdout.toString().trim().split("\n")).toHaveLength(5);
  },
);
