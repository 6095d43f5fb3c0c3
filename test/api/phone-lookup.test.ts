/**
 * How the recipient of a send is found: formats, number variants, national and international digits, linked contacts.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { accepted, fakeNetwork, fillBucket, snapshot, templates } from "#test/support/scenarios.ts";
import { type Answered, startTestServer, type TestServer, type TestWorkspace } from "#test/support/server.ts";

let app: TestServer;
let shop: TestWorkspace;
const network = fakeNetwork();

beforeAll(async () => {
  app = await startTestServer({ networks: { simulator: network } });
});
afterAll(() => app[Symbol.asyncDispose]());
beforeEach(async () => {
  shop = await freshShop("IN");
  network.answer = () => accepted();
  network.outbounds.length = 0;
});

async function freshShop(country: string): Promise<TestWorkspace> {
  const fresh = await app.workspace({ country, number: "+911244001100" });
  await app.template(fresh, templates.offer);
  await fillBucket(app, fresh);
  return fresh;
}

const send = (to: string, from = shop): Promise<Answered> =>
  app.send("POST", "/api/v1/messages", { key: from.key, body: { to, template: "offer" } });

/**
 * Sends to the number as written and returns the recipient that the answer names, after checking that the network got
 * the same one.
 */
async function reach(to: string, from = shop): Promise<string> {
  const { status, body } = await send(to, from);
  if (status !== 201) return body.error.code;
  expect(network.outbounds.at(-1)?.to).toBe(body.data.to);
  return body.data.to;
}

function people(of = shop): string[] {
  return (snapshot(app.store).contacts ?? [])
    .map((row) => JSON.parse(row) as { workspace_id: number; phone: string })
    .filter(({ workspace_id }) => workspace_id === of.id)
    .map(({ phone }) => phone);
}

describe("every way to write a number leads to one contact", () => {
  test("a number is found in all common formats", async () => {
    const forms = [
      "9876543210",
      "098765 43210",
      "+91 98765-43210",
      "0091 (98765) 43210",
      "919876543210",
      "+91.98765.43210",
    ];
    for (const to of [...forms, "\uff0b919876543210", "\u0967 9876543210".slice(2), " 98765\u00a043210 "]) {
      expect(await reach(to)).toBe("+919876543210");
    }
    expect(people()).toEqual(["+919876543210"]);
  });

  test("digits are a number of the workspace's country if they can be one, else an international number", async () => {
    expect(await reach("4915123456789")).toBe("+4915123456789");
    expect(await reach("5550123")).toBe("invalid_number");
    const american = await freshShop("US");
    expect(await reach("212 555 0123", american)).toBe("+12125550123");
    expect(await reach("919876543210", american)).toBe("+919876543210");
  });
});

/** The two variants of one phone number, by country. */
const variants: [country: string, long: string, short: string][] = [
  ["BR", "+5511961234567", "+551161234567"],
  ["MX", "+5215512345678", "+525512345678"],
  ["AR", "+5491123456789", "+541123456789"],
];

for (const [country, long, short] of variants) {
  for (const [stored, written] of [
    [long, short],
    [short, long],
  ] as const) {
    describe(`${country}: a contact stored as ${stored}`, () => {
      test(`is found as ${written} in every format, and keeps its stored variant`, async () => {
        await app.inbound(shop, stored, "hello");
        for (const to of [written, written.slice(1), `00${written.slice(1)}`, stored, stored.slice(1)]) {
          expect(await reach(to)).toBe(stored);
        }
        expect(people()).toEqual([stored]);
      });

      test(`has the window and the opt-out of messages that come from ${written}`, async () => {
        await app.inbound(shop, stored, "hello", app.clock.now() - 48 * 3_600_000);
        const text = (to: string) => app.send("POST", "/api/v1/messages", { key: shop.key, body: { to, text: "hi" } });
        expect((await text(stored)).body.error.code).toBe("window_closed");
        await app.inbound(shop, written, "hello");
        expect((await text(stored)).body.data.to).toBe(stored);
        await app.inbound(shop, written, "STOP");
        for (const to of [stored, written]) expect(await reach(to)).toBe("opted_out");
        expect(people()).toEqual([stored]);
      });
    });
  }

  test(`${country}: a national number finds the contact under either number variant`, async () => {
    const local = await freshShop(country);
    const national = long.slice(country === "MX" ? 4 : country === "AR" ? 4 : 3);
    await app.inbound(local, long, "hello");
    expect(await reach(national, local)).toBe(long);
  });
}

describe("the network's name for a recipient leads back to that contact", () => {
  test("when it is the number variant that the network answered with", async () => {
    network.answer = () => accepted("551161234567");
    expect(await reach("+5511961234567")).toBe("+5511961234567");
    network.answer = () => accepted();
    for (const to of ["551161234567", "+551161234567", "00551161234567"])
      expect(await reach(to)).toBe("+5511961234567");
    expect(people()).toEqual(["+5511961234567"]);
  });

  test("when it is unrelated to the number and matches no numbering plan", async () => {
    expect(await reach("99912345678")).toBe("invalid_number");
    network.answer = () => accepted("99912345678");
    expect(await reach("+919876543210")).toBe("+919876543210");
    network.answer = () => accepted();
    for (const to of ["99912345678", "+999 1234 5678"]) expect(await reach(to)).toBe("+919876543210");
    expect(await reach("99912345678", await freshShop("IN"))).toBe("invalid_number");
  });

  test("when it is a number that wrote to us and matches no numbering plan, with and without its plus", async () => {
    await app.inbound(shop, "+99912345678", "hello");
    for (const to of ["+99912345678", "99912345678", "0099912345678"]) expect(await reach(to)).toBe("+99912345678");
  });

  test("two contacts that turn out to be one person stay two linked contacts, and an opt-out of either holds for both", async () => {
    await app.inbound(shop, "+919876500001", "hello");
    network.answer = () => accepted("919876500001");
    expect(await reach("+919876543210")).toBe("+919876543210");
    expect(people().sort()).toEqual(["+919876500001", "+919876543210"]);
    await app.inbound(shop, "+919876500001", "STOP");
    const answers = [await send("+919876543210"), await send("+919876500001")];
    expect(answers.map(({ body }) => body.error?.code)).toEqual(["opted_out", "opted_out"]);
    expect(answers[0]?.body.error.since).toBe(answers[1]?.body.error.since);
    await app.clock.advance(2_000);
    await app.inbound(shop, "+919876543210", "START");
    network.answer = () => accepted();
    expect(await reach("+919876500001")).toBe("+919876500001");
  });

  test("an opt-out of one of two contacts holds for both once they turn out to be one person", async () => {
    await app.inbound(shop, "+919876500001", "STOP");
    network.answer = () => accepted("919876500001");
    expect(await reach("+919876543210")).toBe("+919876543210");
    expect(await reach("+919876543210")).toBe("opted_out");
  });
});

describe("bare digits", () => {
  /** Ten digits that are a mobile number in India; with a plus in front, they are a number in Iran. */
  const digits = "9876543210";

  test("lead to a stored foreign number with these digits", async () => {
    await app.inbound(shop, `+${digits}`, "hello");
    expect(await reach(digits)).toBe(`+${digits}`);
  });

  test("lead to the national number if that is a contact too; a number with a plus is never taken for a national one", async () => {
    await app.inbound(shop, `+${digits}`, "hello");
    await app.inbound(shop, `+91${digits}`, "hello");
    expect(await reach(digits)).toBe(`+91${digits}`);
    expect(await reach(`+${digits}`)).toBe(`+${digits}`);
    expect(await reach(`00${digits}`)).toBe(`+${digits}`);
  });

  test("lead to the national number if neither is a contact", async () => {
    expect(await reach(digits)).toBe(`+91${digits}`);
  });

  test("lead to every number that the API ever returned, when it is sent back without its plus", async () => {
    for (const to of ["+4915123456789", "+12125550123", "+5511961234567", "+447400123456"]) {
      expect(await reach(to)).toBe(to);
      expect(await reach(to.slice(1))).toBe(to);
    }
    expect(people()).toHaveLength(4);
  });
});
