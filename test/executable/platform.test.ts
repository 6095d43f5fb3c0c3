/**
 * What WhatsApp changed in 2026, on the executable: owners of conversations, whose calls leave once also across a kill, the
 * endpoint for marketing with its one fallback, and messages with a category from three accounts.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { graphTemplate } from "#test/support/graph-account.ts";
import { textFrom } from "#test/support/whatsapp.ts";
import { PHONE_NUMBER_ID, startShop, until, type WhatsappProcess } from "#test/support/whatsapp-process.ts";

const LIMIT_MS = 180_000;
const ANNA = "+4915112345678";
const GENERAL = `/v25.0/${PHONE_NUMBER_ID}/messages`;
const MARKETING = `/v25.0/${PHONE_NUMBER_ID}/marketing_messages`;
const body = [{ type: "BODY", text: "Hello {{1}}" }];

function openShop(directSend: "enabled" | "refused" | "revoked"): Promise<WhatsappProcess> {
  return startShop(
    {
      templates: [
        graphTemplate("greeting", { components: body }),
        graphTemplate("offer", { category: "MARKETING", components: body }),
      ],
      details: { name: "Shop", marketing_messages_onboarding_status: "ONBOARDED", direct_send: directSend },
    },
    "send,read,inbox",
  );
}

const paths = ({ graph }: WhatsappProcess) => graph.requests.map(({ path }) => path.split("?")[0]);
const send = (shop: WhatsappProcess, given: object) => shop.call("POST", "/messages", { body: { to: ANNA, ...given } });

describe("a number that other senders answer too", () => {
  let shop: WhatsappProcess;

  beforeAll(async () => {
    shop = await openShop("refused");
  }, LIMIT_MS);
  afterAll(() => shop[Symbol.asyncDispose]());

  const conversation = async () => (await shop.call("GET", "/conversations")).body.data[0];
  const control = async (given: object) => {
    const { id } = await conversation();
    return shop.call("POST", `/conversations/${id}/thread`, { body: given });
  };

  async function standby(): Promise<void> {
    // Reports have whole seconds: this one is later than all before it.
    await Bun.sleep(1_100);
    const written = textFrom(shop.graph, ANNA, "Hello", { timestamp: String(Math.floor(Date.now() / 1_000)) });
    expect(await shop.hear({ ...written, field: "standby" })).toBe(200);
    await shop.quiet();
    expect((await conversation()).owner).toBe("other");
  }

  test(
    "take, send, pass: each is asked once, with the body that Meta describes",
    async () => {
      await standby();
      expect(await send(shop, { text: "We are open" })).toMatchObject({
        status: 422,
        body: { error: { code: "thread_owned_elsewhere" } },
      });
      expect((await control({ action: "take" })).body.data.owner).toBe("us");
      expect((await send(shop, { text: "We are open" })).status).toBe(201);
      expect((await control({ action: "pass", to: "ai_agent" })).body.data.owner).not.toBe("us");
      // Any message takes a conversation from Meta's agent, unless it says that it does not.
      const kept = await send(shop, { text: "We are open", take: false });
      expect(kept.body.error.code).toBe("thread_owned_elsewhere");
      const common = { messaging_product: "whatsapp", to: ANNA };
      expect(shop.graph.threads.calls.map((call) => call.body)).toEqual([
        { ...common, action: "take" },
        { ...common, action: "pass", control_pass: { target_role: "ai_agent" } },
      ]);
      expect(shop.graph.requests).toHaveLength(1);
    },
    LIMIT_MS,
  );

  test(
    "kill -9 while WhatsApp is asked: the call is not repeated, and the owner stays until something is reported",
    async () => {
      await standby();
      const asked = shop.graph.threads.calls.length;
      let release = (): void => undefined;
      const held = new Promise<void>((resolve) => {
        release = resolve;
      });
      shop.graph.fault({ to: ANNA, fault: { kind: "delay", until: held } });
      const answer = control({ action: "take" }).catch(() => null);
      await until("WhatsApp is asked", () => shop.graph.threads.calls.length === asked + 1);
      await shop.kill();
      release();
      await answer;
      await shop.start();
      await shop.quiet();
      expect(shop.graph.threads.calls).toHaveLength(asked + 1);
      expect((await conversation()).owner).toBe("other");
      expect((await send(shop, { text: "We are open", take: false })).body.error.code).toBe("thread_owned_elsewhere");
      // A person decides.
      expect((await control({ action: "take" })).body.data.owner).toBe("us");
      expect((await send(shop, { text: "We are open" })).status).toBe(201);
    },
    LIMIT_MS,
  );

  test(
    "marketing has its own endpoint, and the answer that it was the wrong one leads to one attempt at the other",
    async () => {
      const from = shop.graph.requests.length;
      expect((await send(shop, { template: "offer", variables: ["Anna"] })).status).toBe(201);
      expect((await send(shop, { template: "greeting", variables: ["Anna"] })).status).toBe(201);
      shop.graph.fault({ to: ANNA, times: 1, fault: { kind: "error", code: 134100, status: 400 } });
      expect((await send(shop, { template: "offer", variables: ["Anna"] })).status).toBe(201);
      expect(paths(shop).slice(from)).toEqual([MARKETING, GENERAL, MARKETING, GENERAL]);
      const [first, , third, fourth] = shop.graph.requests.slice(from).map((request) => request.body as object);
      const template = {
        ...{ name: "offer", language: { code: "en_US" } },
        components: [{ type: "body", parameters: [{ type: "text", text: "Anna" }] }],
      };
      expect(first).toEqual({
        ...{ messaging_product: "whatsapp", recipient_type: "individual", to: ANNA, type: "template", template },
        ...{ product_policy: "CLOUD_API_FALLBACK", biz_opaque_callback_data: expect.any(String) },
      });
      const token = (sent: object | undefined) =>
        (sent as { biz_opaque_callback_data: string }).biz_opaque_callback_data;
      expect(token(fourth)).toBe(token(third));
    },
    LIMIT_MS,
  );
});

describe("a text with a category", () => {
  const direct = { text: "Your parcel arrives today.", category: "utility" };

  test.each([
    ["enabled", 201, 3],
    ["refused", 422, 1],
    ["revoked", 422, 1],
  ] as const)(
    "of an account that is %s is answered %d, and %d of three leave",
    async (access, status, requests) => {
      await using shop = await openShop(access);
      for (let times = 0; times < 3; times++) {
        const answer = await send(shop, direct);
        expect(answer.status).toBe(status);
        if (status === 422) expect(answer.body.error).toMatchObject({ code: "window_closed" });
      }
      // A refusal is believed for an hour: then nothing leaves.
      expect(shop.graph.requests).toHaveLength(requests);
      expect(shop.graph.requests[0]?.body).toEqual({
        ...{ messaging_product: "whatsapp", recipient_type: "individual", to: ANNA, type: "text" },
        ...{ text: { body: direct.text }, category: "utility", biz_opaque_callback_data: expect.any(String) },
      });
      const { code, out } = await shop.command("doctor", "--json");
      const { findings } = JSON.parse(out) as { findings: { check: string; level: string }[] };
      const found = findings.filter(({ check, level }) => check === "direct send" && level !== "ok");
      expect([access, found.length, code === null]).toEqual([access, status === 422 ? 1 : 0, false]);
    },
    LIMIT_MS,
  );
});
