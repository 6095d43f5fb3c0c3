/** What else reaches a number under test control: calls, other senders, moves, preferences, and events of the account. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { reportTypes } from "#src/networks/simulator/reports.ts";
import { Workshop } from "../cli/spawn.ts";

const ANNA = "+919876543210";
const workshop = new Workshop();
let ready: { base_url: string; number: string; api_key: string; control_url: string; control_token: string };

async function call(url: string, key: string, method: string, body?: unknown) {
  const answer = await fetch(url, {
    method,
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked into member by member; a wrong one fails the assertion.
  return { status: answer.status, body: (await answer.json()) as any };
}

const control = (method: string, path: string, body?: unknown) =>
  call(ready.control_url + path, ready.control_token, method, body);
const api = (method: string, path: string, body?: unknown) => call(ready.base_url + path, ready.api_key, method, body);
const play = async (body: object) => {
  const answer = await control("POST", "/inbound", { from: ANNA, ...body });
  expect(answer).toMatchObject({ status: 201 });
  return answer.body;
};
/** The network's times are whole seconds. */
const pass = () => control("POST", "/clock", { advance: "2s" });
const contact = async (name = ANNA) => (await api("GET", `/contacts/${name}`)).body.data;
const entries = async () =>
  (await api("GET", `/contacts/${ANNA}/conversation`)).body.data.map(
    ({ direction, origin, type, text }: Record<string, string>) => [direction, origin, type, text],
  );

beforeAll(async () => {
  const { firstLine } = await workshop.start(["dev", "--json", "--listen", "127.0.0.1:0"]);
  ready = JSON.parse(firstLine);
}, 60_000);
beforeEach(async () => {
  await control("POST", "/reset", {});
});
afterAll(() => workshop[Symbol.dispose]());

describe("what reaches a number", () => {
  const played: Record<(typeof reportTypes)[number], () => Promise<void>> = {
    standby: async () => {
      await play({ type: "standby", text: "STOP" });
      expect(await entries()).toEqual([["in", "standby", "text", "STOP"]]);
      expect((await contact()).consent.status).toBe("opted_out");
    },
    handover: async () => {
      await play({ type: "handover", handover: "control_taken" });
      expect((await contact()).window_ends_at).toBeNull();
      await pass();
      const old = new Date(Date.now() - 30 * 3_600_000).toISOString();
      await play({ type: "handover", handover: "control_passed", text: "A refund, please", said_at: old });
      expect((await contact()).window_ends_at).toBeNull();
      await pass();
      await play({ type: "handover", handover: "control_passed", text: "STOP", role: "meta_business_agent" });
      const { window_ends_at: endsAt, consent } = await contact();
      expect([endsAt === null, consent.status]).toEqual([false, "opted_out"]);
      expect(await entries()).toHaveLength(3);
    },
    echo: async () => {
      await play({ type: "echo", text: "We open at nine" });
      expect(await entries()).toEqual([["out", "phone", "text", "We open at nine"]]);
      expect((await contact()).window_ends_at).toBeNull();
    },
    history: async () => {
      await play({ type: "history", text: "STOP", at: "2026-01-02T10:00:00Z" });
      await play({ type: "history", text: "Yes, we are open", direction: "out", at: "2026-01-01T10:00:00Z" });
      expect(await entries()).toEqual([
        ["in", "history", "text", "STOP"],
        ["out", "history", "text", "Yes, we are open"],
      ]);
      expect((await contact()).consent.status).toBe("opted_out");
    },
    call: async () => {
      expect((await play({ type: "call" })).id).toBeNumber();
      await play({ type: "call", answered: true });
      expect((await entries()).map(([, , type]: string[]) => type)).toEqual(["call", "call"]);
      expect((await api("POST", "/messages", { to: ANNA, text: "You called?" })).status).toBe(201);
    },
    preference: async () => {
      await play({ type: "preference", preference: "stop" });
      expect((await contact()).consent.status).toBe("opted_out");
      await pass();
      await play({ type: "preference", preference: "resume" });
      expect((await contact()).consent.status).not.toBe("opted_out");
    },
    number_change: async () => {
      await play({ text: "Hello" });
      await play({ type: "number_change", new_phone: "+919876543212" });
      const moved = await api("GET", `/contacts/${ANNA}`);
      expect([moved.status, moved.body.error.moved_to]).toEqual([404, "+919876543212"]);
    },
    user_id_change: async () => {
      const [old, next] = ["IN.13491208655302741918", "IN.13491208655302741919"];
      await play({ text: "Hello", user_id: old });
      await play({ type: "user_id_change", user_id: old, new_user_id: next });
      expect((await contact()).user_id).toBe(next);
      await play({ from: next, type: "user_id_change", new_user_id: old });
      expect((await contact()).user_id).toBe(old);
    },
  };
  for (const type of reportTypes) test(type, played[type]);

  const wrong: [body: object, field: string][] = [
    [{ type: "standby" }, "text"],
    [{ type: "handover" }, "handover"],
    [{ type: "handover", handover: "control_passed", answered: true }, "answered"],
    [{ type: "handover", handover: "given" }, "handover"],
    [{ type: "echo", text: "Hi", reply_to: { message_id: 1 } }, "reply_to"],
    [{ type: "call", text: "Hi" }, "text"],
    [{ type: "preference" }, "preference"],
    [{ type: "number_change" }, "new_phone"],
    [{ type: "number_change", new_phone: "Asha" }, "new_phone"],
    [{ type: "user_id_change", new_user_id: "IN.13491208655302741919" }, "user_id"],
    [{ type: "user_id_change", user_id: "IN.13491208655302741919", new_user_id: "Asha" }, "new_user_id"],
    [{ text: "Hi", at: "2099-01-01T00:00:00Z" }, "at"],
    [{ text: "Hi", at: "yesterday" }, "at"],
  ];
  test("a member that is missing, wrong or of another type is refused by name", async () => {
    for (const [body, field] of wrong) {
      const answer = await control("POST", "/inbound", { from: ANNA, ...body });
      expect([answer.status, Object.keys(answer.body.error.fields ?? {})]).toEqual([400, [field]]);
    }
    expect((await api("GET", `/contacts/${ANNA}`)).status).toBe(404);
  });

  test("a message to the sending number itself is refused as WhatsApp refuses it", async () => {
    const { number } = ready;
    await control("POST", "/inbound", { from: number, text: "Hello" });
    const { status, body } = await api("POST", "/messages", { to: number, text: "Hello" });
    expect([status, body.error.whatsapp_code]).toEqual([502, "131021"]);
  });

  test("a message to the sending number of another workspace does not reach it", async () => {
    const other = (await control("POST", "/workspaces", {})).body;
    await control("POST", "/inbound", { from: other.number, to: ready.number, text: "Hello" });
    const { status, body } = await api("POST", "/messages", { to: other.number, text: "Hello" });
    expect([status, body.error.code, body.error.whatsapp_code]).toEqual([422, "invalid_number", "131026"]);
    expect(body.error.message).toContain("sending number of another workspace");
  });
});

describe("what happens to the account", () => {
  const template = { template: "order_shipped", language: "en_US" };
  const happen = async (event: string, more: object = {}) => {
    const answer = await control("POST", "/account", { event, ...more });
    expect(answer).toMatchObject({ status: 201, body: { event } });
    return answer.body;
  };
  const shown = async () =>
    (await api("GET", "/templates")).body.data.find(({ name }: { name: string }) => name === template.template);
  const send = async () =>
    (await api("POST", "/messages", { to: ANNA, template: template.template, variables: ["Asha", "A-1"] })).body.error;

  test("a template changes its category and its status", async () => {
    await happen("template_category", { ...template, value: "MARKETING" });
    expect((await shown()).category).toBe("MARKETING");
    await happen("template_status", template);
    expect([(await shown()).status, (await send()).code]).toEqual(["PAUSED", "template_not_sendable"]);
    await happen("template_status", { ...template, value: { event: "APPROVED", reason: "NONE" } });
    expect([(await shown()).status, await send()]).toEqual(["APPROVED", undefined]);
    expect((await happen("template_quality", template)).value).toMatchObject({ new_quality_score: "RED" });
  });

  test("the number is restricted, and offboarded", async () => {
    await happen("restriction", { value: { event: "ACCOUNT_RESTRICTION", restriction_info: [] } });
    expect(await send()).toBeUndefined();
    await happen("restriction");
    expect((await send()).code).toBe("number_not_ready");
    await control("POST", "/reset", {});
    await happen("offboarded");
    expect((await send()).message).toContain("disconnected from the Cloud API");
  });

  test("limits count, each of both reports", async () => {
    for (const [event, field] of [
      ["limit", "phone_number_quality_update"],
      ["capability", "business_capability_update"],
    ] as const) {
      await control("POST", "/reset", {});
      expect((await happen(event, { value: "TIER_250" })).field).toBe(field);
      const to = ["+919876543211"];
      const body = { template: template.template, variables: ["Asha", "A-1"], name: "Limited", to };
      const preview = (await api("POST", "/broadcasts/preview", body)).body.data;
      expect(preview.network_limit).toMatchObject({ limit: 250 });
    }
    await happen("number_quality");
    await happen("alert", { value: "BUSINESS_RESTRICTED" });
  });

  test("each is listed among the changes of the number or the template, also while the clock stands still", async () => {
    await control("POST", "/reset", {});
    await control("POST", "/clock", { freeze: true });
    const changes = async (query: string) => {
      const { data } = (await api("GET", `/network-changes?${query}`)).body;
      return data.map((one: { property: string; from: string; to: string }) => [one.property, one.from, one.to]);
    };
    for (const value of ["RED", "GREEN", "RED", "YELLOW"]) await happen("template_quality", { ...template, value });
    for (const value of ["PAUSED", "APPROVED"]) await happen("template_status", { ...template, value });
    await happen("template_category", template);
    expect(await changes(`template=${template.template}`)).toEqual([
      ["category", "UTILITY", "MARKETING"],
      ["status", "PAUSED", "APPROVED"],
      ["status", "APPROVED", "PAUSED"],
      ["quality", "RED", "YELLOW"],
      ["quality", "GREEN", "RED"],
      ["quality", "RED", "GREEN"],
      ["quality", "UNKNOWN", "RED"],
    ]);
    for (const value of ["YELLOW", "FLAGGED", "UNFLAGGED"]) await happen("number_quality", { value });
    for (const value of ["TIER_2K", "TIER_250"]) await happen("limit", { value });
    await happen("capability", { value: "TIER_10K" });
    await happen("restriction");
    await control("POST", "/operator", { do: "ready_number", phone: ready.number });
    expect(await changes(`number=${encodeURIComponent(ready.number)}`)).toEqual([
      ["restriction", "RESTRICTED", null],
      ["restriction", null, "RESTRICTED"],
      ["limit", "250", "10000"],
      ["limit", "2000", "250"],
      ["limit", null, "2000"],
      ["quality", "RED", "GREEN"],
      ["quality", "YELLOW", "RED"],
      ["quality", null, "YELLOW"],
    ]);
    await control("POST", "/reset", {});
    expect(await changes(`template=${template.template}`)).toEqual([]);
  });

  test("a refusal of the account that a list meets stops the number, until a person sets it to ready", async () => {
    // biome-ignore lint/suspicious/noThenProperty: the member's name is part of the interface.
    await control("POST", "/rules", { match: { to: ANNA }, times: 1, then: { refuse: 131031 } });
    const list = { template: template.template, variables: ["Asha", "A-1"], name: "News", to: [ANNA] };
    const { id } = (await api("POST", "/broadcasts", list)).body.data;
    await pass();
    const paused = (await api("GET", `/broadcasts/${id}`)).body.data;
    expect([paused.status, paused.status_reason]).toEqual(["paused", expect.stringContaining("(error 131031)")]);
    expect((await send()).code).toBe("number_not_ready");
    await control("POST", "/operator", { do: "ready_number", phone: ready.number });
    expect(await send()).toBeUndefined();
  });

  test("another workspace notices nothing", async () => {
    const other = (await control("POST", "/workspaces", {})).body;
    await happen("template_status", template);
    await happen("offboarded");
    const body = { to: ANNA, template: template.template, variables: ["Asha", "A-1"] };
    expect((await call(`${ready.base_url}/messages`, other.api_key, "POST", body)).status).toBe(201);
    await happen("offboarded", { to: other.number });
    expect((await call(`${ready.base_url}/messages`, other.api_key, "POST", body)).status).toBe(422);
  });

  const wrong: [body: object, field: string][] = [
    [{}, "event"],
    [{ event: "sold" }, "event"],
    [{ event: "template_status", language: "en_US" }, "template"],
    [{ event: "template_status", template: "order_shipped" }, "language"],
    [{ event: "limit", ...template }, "template"],
    [{ event: "limit", to: "+15550100199" }, "to"],
    [{ event: "restriction", value: { event: "PAINTED" } }, "value"],
    [{ event: "alert", value: {} }, "value"],
  ];
  test("a wrong event is refused, and names the field", async () => {
    for (const [body, field] of wrong) {
      const answer = await control("POST", "/account", body);
      expect([answer.status, Object.keys(answer.body.error.fields ?? {})]).toEqual([400, [field]]);
    }
  });
});
