/** Test control over HTTP: who may use it, when it exists at all, what its errors say, and what a reset brings back. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { openClient } from "#src/db/driver.ts";
import { measureWait } from "#test/support/processor-wait.ts";
import { SHOP, Workshop } from "../cli/spawn.ts";

interface Ready {
  base_url: string;
  api_key: string;
  control_url: string;
  control_token: string;
  data: string;
}

async function call(url: string, key: string, method: string, body?: unknown, headers: Record<string, string> = {}) {
  const answer = await fetch(url, {
    method,
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked into member by member; a wrong one fails the assertion.
  return { status: answer.status, body: (await answer.json().catch(() => null)) as any };
}

const workshop = new Workshop();
let ready: Ready;
let pid: number;
const control = (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
  call(ready.control_url + path, ready.control_token, method, body, headers);
const api = (method: string, path: string, body?: unknown) => call(ready.base_url + path, ready.api_key, method, body);

/** Without the time in which other work on the machine had the processor. */
function startMeasuring(): () => number {
  const [startedAt, waitedMs] = [performance.now(), measureWait(pid)];
  return () => performance.now() - startedAt - waitedMs();
}

beforeAll(async () => {
  // Every address of the machine, so that a test can call from another one than the loopback.
  const { child, firstLine } = await workshop.start(["dev", "--json", "--data", "mine", "--listen", "0.0.0.0:0"]);
  ready = JSON.parse(firstLine);
  pid = child.pid;
}, 60_000);

afterAll(() => workshop[Symbol.dispose]());

describe("who may use it", () => {
  test("only the control token opens it, not an API key", async () => {
    for (const key of ["", "wrong", ready.api_key]) {
      const { status, body } = await call(`${ready.control_url}/clock`, key, "GET");
      expect([status, body.error.code]).toEqual([401, "unauthenticated"]);
    }
    expect((await call(`${ready.base_url}/me`, ready.control_token, "GET")).status).toBe(401);
    expect((await control("GET", "/clock")).status).toBe(200);
  });

  test("a request through a proxy is refused, even with the token", async () => {
    for (const header of ["x-forwarded-for", "forwarded", "x-real-ip"]) {
      expect((await control("GET", "/clock", undefined, { [header]: "203.0.113.9" })).status).toBe(403);
    }
  });

  const other = Object.values(networkInterfaces())
    .flat()
    .find((one) => one?.family === "IPv4" && !one.internal);
  test.skipIf(other === undefined)("a request from another address than the loopback is refused", async () => {
    const url = ready.control_url.replace("127.0.0.1", other?.address ?? "");
    expect((await call(`${url}/clock`, ready.control_token, "GET")).status).toBe(403);
  });

  test.skipIf(other === undefined)(
    "a request from an address of control_from is answered, with the token",
    async () => {
      const { address = "" } = other ?? {};
      for (const host of ["0.0.0.0", "[::]"]) {
        const env = { WAXWING_SIMULATOR_CONTROL_FROM: `192.0.2.0/24, ${address}` };
        const { child, firstLine } = await workshop.start(["dev", "--json", "--listen", `${host}:0`], { env });
        const dev = JSON.parse(firstLine);
        const url = `http://${address}:${new URL(dev.control_url).port}/control/v1/clock`;
        expect((await call(url, dev.control_token, "GET")).status).toBe(200);
        expect((await call(url, "wrong", "GET")).status).toBe(401);
        child.kill("SIGTERM");
        await child.exited;
      }
    },
  );

  test("the token lies beside the database, readable for its owner alone", () => {
    const file = workshop.path("mine/control.token");
    expect(readFileSync(file, "utf8").trim()).toBe(ready.control_token);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });
});

describe("what its errors say", () => {
  const wrong: [method: string, path: string, body: unknown, field: string][] = [
    ["POST", "/clock", {}, "advance"],
    ["POST", "/clock", { advance: "soon" }, "advance"],
    ["POST", "/clock", { advance: "11 years" }, "advance"],
    ["POST", "/clock", { now: "2020-01-01" }, "now"],
    ["POST", "/clock", { now: "tomorrow" }, "now"],
    ["POST", "/clock", { advance: "1h", now: "2099-01-01" }, "now"],
    ["POST", "/clock", { freeze: "yes" }, "freeze"],
    ["POST", "/reset", { now: "Christmas" }, "now"],
    ["POST", "/reset", { now: "2026-12-24", workspace: 1 }, "now"],
    ["POST", "/reset", { freeze: true, workspace: 1 }, "freeze"],
    ["POST", "/reset", { freeze: "yes" }, "freeze"],
    ["POST", "/clock", { advnace: "1h" }, "advnace"],
    ["POST", "/inbound", { from: "+919876543210" }, "text"],
    ["POST", "/inbound", { from: "x", text: "hi" }, "from"],
    ["POST", "/inbound", { from: "+919876543210", to: "+911", text: "hi" }, "to"],
    ["POST", "/inbound", { from: "+919876543210", to: "+15550100199", text: "hi" }, "to"],
    ["POST", "/inbound", { from: "+919876543210", type: "fax" }, "type"],
    ["POST", "/inbound", { from: "+919876543210", type: "audio", text: "hi" }, "text"],
    ["POST", "/inbound", { from: "+919876543210", type: "image", media: { content: "%" } }, "media.content"],
    ["POST", "/inbound", { from: "+919876543210", text: "a", reply_to: { message_id: 99 } }, "reply_to.message_id"],
    ["POST", "/inbound", cards({ name: "A", phone: "+4930", phones: ["+4930"] }), "contacts.0.phone"],
    ["POST", "/inbound", cards({ company: "A" }), "contacts.0.name"],
    ["POST", "/inbound", cards({ name: "A", phones: Array(21).fill("+4930") }), "contacts.0.phones"],
    ["POST", "/rules", {}, "then"],
    ["POST", "/rules", rule({}), "then"],
    ["POST", "/rules", rule({ refuse: 1, throttle: "1s" }), "then"],
    ["POST", "/rules", rule({ refuse: 131049, arrives: true }), "then.arrives"],
    ["POST", "/rules", rule({ outage: "a while" }), "then.outage"],
    ["POST", "/rules", rule({ hold: "a while" }), "then.hold"],
    ["POST", "/rules", rule({ statuses: ["seen"] }), "then.statuses.0"],
    ["POST", "/rules", { ...rule({ refuse: 1 }), times: 0 }, "times"],
    ["POST", "/rules", { ...rule({ refuse: 1 }), match: { to: "Asha" } }, "match.to"],
    ["GET", "/sent?too=1", undefined, "too"],
    ["GET", "/sent?count=none", undefined, "count"],
    ["GET", "/webhooks?wait=1h", undefined, "wait"],
    ["PUT", "/webhook", { url: "ftp://127.0.0.1" }, "url"],
    ["PUT", "/webhook", { url: "http://127.0.0.1:1", workspace: 99 }, "workspace"],
    ["POST", "/workspaces", { timezone: "Mars" }, "timezone"],
    ["POST", "/workspaces", { contacts: [{ name: "x" }] }, "contacts.0.phone"],
    ["POST", "/workspaces", { templates: [{ name: "A b" }] }, "templates.0.name"],
    ["POST", "/workspaces", { groups: [{ name: "x", filter: { field: "shoe", is: 1 } }] }, "groups.0.filter.field"],
    ["POST", "/workspaces", { api_keys: ["wx_test_0123456789abcdef"] }, "api_keys"],
  ];
  for (const [method, path, body, field] of wrong) {
    test(`${method} ${path} ${JSON.stringify(body) ?? ""} is refused and names ${field}`, async () => {
      const answer = await control(method, path, body);
      expect([answer.status, answer.body.error.code]).toEqual([400, "invalid_request"]);
      expect(Object.keys(answer.body.error.fields)).toContain(field);
    });
  }

  test("an address without a call, and a body that is not JSON", async () => {
    expect((await control("GET", "/nothing")).status).toBe(404);
    const answer = await fetch(`${ready.control_url}/clock`, {
      method: "POST",
      headers: { authorization: `Bearer ${ready.control_token}`, "content-type": "application/json" },
      body: "{",
    });
    expect(answer.status).toBe(400);
  });
});

describe("what it does", () => {
  const shipped = { template: "order_shipped", variables: ["Asha", "A-1"] };

  test("a reset brings back rows, clock, journals and rules, and the database passes its check", async () => {
    await control("POST", "/reset", {});
    const contacts = (await api("GET", "/contacts")).body;
    await control("POST", "/clock", { freeze: true });
    await control("POST", "/rules", rule({ refuse: 131049 }));
    await api("PUT", "/contacts/+919811000011", { name: "New", consent: "opted_in" });
    await api("POST", "/messages", { to: "+919811000011", ...shipped });
    await control("DELETE", "/rules");
    await control("POST", "/rules", rule({ unknown: true }));
    await api("POST", "/messages", { to: "+919876543210", ...shipped });
    await control("POST", "/clock", { advance: "3 days" });
    const tookMs = startMeasuring();
    expect((await control("POST", "/reset", {})).status).toBe(200);
    // 100 ms are promised; the machine of the suite may be slow.
    expect(tookMs()).toBeLessThan(1_000);
    expect((await api("GET", "/contacts")).body).toEqual(contacts);
    expect((await control("GET", "/sent?attempts=true")).body).toEqual([]);
    expect((await control("GET", "/webhooks")).body).toEqual([]);
    expect((await control("GET", "/rules")).body).toEqual([]);
    const { now, frozen } = (await control("GET", "/clock")).body;
    expect(frozen).toBe(false);
    expect(Math.abs(Date.parse(now) - Date.now())).toBeLessThan(5_000);
    const sent = await api("POST", "/messages", { to: "+919876543210", ...shipped });
    expect([sent.status, sent.body.data.id]).toEqual([201, 1]);
    expect((await workshop.run(["check", "--data", "mine"])).code).toBe(0);
    const client = openClient(workshop.path("mine/waxwing.db"), { readonly: true });
    const triggers = client.prepare("SELECT count(*) FROM sqlite_master WHERE type = 'trigger'").pluck().get();
    client.close();
    expect(triggers).toBeGreaterThan(5);
  }, 60_000);

  test("a reset goes to any time, and its rows are as old then as after the start", async () => {
    const ages: unknown[] = [];
    for (const now of ["2026-12-24T09:00:00+05:30", "2019-03-01T09:00:00+05:30", "2031-06-30T23:59:50+05:30"]) {
      expect((await control("POST", "/reset", { now, freeze: true })).status).toBe(200);
      const at = Date.parse(now);
      const { body } = await control("GET", "/clock");
      expect([Date.parse(body.now), body.frozen]).toEqual([at, true]);
      const [first] = (await api("GET", "/contacts")).body.data;
      ages.push(Math.abs(Date.parse(first.updated_at) - at) < 60_000);
      // The clock counts as right, so a broadcast that is scheduled runs at its hour.
      const to = ["+919876543210"];
      const values = { variables: { body: ["Asha", "A-1"] }, template: "order_shipped", name: "Dated", to };
      const sendAt = new Date(at + 3_600_000).toISOString();
      const made = (await api("POST", "/broadcasts", { ...values, send_at: sendAt })).body.data;
      await control("POST", "/clock", { advance: "2h" });
      expect((await api("GET", `/broadcasts/${made.id}`)).body.data.status).toBe("completed");
    }
    expect(ages).toEqual([true, true, true]);
    await control("POST", "/reset", {});
    expect(Math.abs(Date.parse((await control("GET", "/clock")).body.now) - Date.now())).toBeLessThan(5_000);
  }, 60_000);

  test("a year without anything to do passes in a moment", async () => {
    await control("POST", "/reset", {});
    await control("POST", "/clock", { freeze: true });
    const tookMs = startMeasuring();
    await control("POST", "/clock", { advance: "365 days" });
    // 100 ms are promised; the machine of the suite may be slow.
    expect(tookMs()).toBeLessThan(1_000);
  }, 60_000);

  test("an outage of one message is an outage of all its attempts, and of no other message", async () => {
    await control("POST", "/reset", {});
    await control("POST", "/clock", { freeze: true });
    await control("POST", "/rules", { times: 1, ...rule({ outage: "10m" }) });
    const [cutOff, other] = [
      await api("POST", "/messages", { to: "+919876543210", ...shipped }),
      await api("POST", "/messages", { to: "+919876543211", ...shipped }),
    ];
    expect([cutOff.status, cutOff.body.error.whatsapp_code, other.status]).toEqual([502, "unreachable", 201]);
    expect((await control("GET", "/rules")).body).toMatchObject([{ matched: 1 }]);
    await control("POST", "/clock", { advance: "11m" });
    expect((await control("GET", "/rules")).body).toEqual([]);
  }, 60_000);

  test("each rule has its effect on as many messages as it says, and on no others", async () => {
    await control("POST", "/reset", {});
    await control("POST", "/clock", { freeze: true });
    const person = "+919876543210";
    const outcomes: unknown[] = [];
    for (const effect of [
      { refuse: 131049 },
      { status: "failed", code: 131042 },
      { statuses: ["delivered"] },
      { unknown: true, arrives: true },
      { unknown: true },
      { throttle: "1s" },
      { latency: "500ms" },
      { hold: "5m" },
      { hold: "5m", code: 131049 },
    ]) {
      await control("POST", "/rules", { match: { to: person }, times: 1, ...rule(effect) });
      const sent = await api("POST", "/messages", { to: person, ...shipped });
      await control("POST", "/clock", { advance: "11m" });
      const id = sent.body.data?.id ?? (await control("GET", "/sent?attempts=true")).body.at(-1).message_id;
      const { status, error } = (await api("GET", `/messages/${id}`)).body.data;
      outcomes.push([status, error?.whatsapp_code ?? null]);
    }
    expect(outcomes).toEqual([
      ["failed", "131049"],
      ["failed", "131042"],
      ["delivered", null],
      ["read", null],
      ["failed", "timeout"],
      ["read", null],
      ["read", null],
      ["read", null],
      ["failed", "131049"],
    ]);
    expect((await control("GET", "/rules")).body).toEqual([]);
    // One request each, and one more for the message that was throttled.
    expect((await control("GET", "/sent?attempts=true")).body).toHaveLength(10);
    // What the network took: not the refusals, not the message that never arrived.
    expect((await control("GET", "/sent")).body).toHaveLength(7);
  }, 60_000);

  test("what the network holds back counts apart in a broadcast, until it is delivered", async () => {
    await control("POST", "/reset", {});
    await control("POST", "/clock", { freeze: true });
    await control("POST", "/rules", rule({ hold: "3h" }));
    const body = { name: "News", template: "order_shipped", variables: ["Asha", "A-1"], to: ["+919876543210"] };
    const { id } = (await api("POST", "/broadcasts", body)).body.data;
    const read = async () => (await api("GET", `/broadcasts/${id}`)).body.data;
    await control("POST", "/clock", { advance: "2h" });
    expect(await read()).toMatchObject({ status: "completed", settled: false, held: 1, counts: { sent: 1 } });
    await control("POST", "/clock", { advance: "2h" });
    expect(await read()).toMatchObject({ settled: true, held: 0, counts: { delivered: 1 } });
  }, 60_000);

  test("workspaces side by side see nothing of each other", async () => {
    await control("POST", "/reset", {});
    const [one, other] = [
      (await control("POST", "/workspaces", {})).body,
      (await control("POST", "/workspaces", {})).body,
    ];
    expect(one.number).not.toBe(other.number);
    const person = "+919811000012";
    await control("POST", "/inbound", { from: person, to: one.number, text: "hi" });
    const text = { to: person, text: "hello" };
    expect((await call(`${ready.base_url}/messages`, one.api_key, "POST", text)).status).toBe(201);
    expect((await call(`${ready.base_url}/messages`, other.api_key, "POST", text)).body.error.code).toBe(
      "window_closed",
    );
    expect((await control("GET", `/sent?from=${other.number}`)).body).toEqual([]);
    expect((await control("GET", `/sent?from=${one.number}`)).body).toHaveLength(1);
  }, 60_000);

  test("contact cards are taken as details shows them", async () => {
    await control("POST", "/reset", {});
    const empty = { name: null, company: null, phones: [], emails: [] };
    const shown = [
      { name: "Asha Rao", company: "Rao Bakery", phones: ["+91 98765 43210", "020 5550"], emails: ["a@example.com"] },
      { ...empty, company: "Rao Bakery" },
      { ...empty, phones: Array.from({ length: 20 }, (_, index) => `+49 30 ${index}`) },
      empty,
    ];
    await control("POST", "/inbound", cards(...shown));
    await control("POST", "/inbound", cards({ name: "Asha Rao", phone: "+91 98765 43210" }));
    const [first, second] = (await api("GET", "/events?types=message.received")).body.data.slice(-2);
    const details = [first, second].map(({ data }) => data.message.details);
    const plain = details.map(({ contacts }) => ({
      contacts: contacts.map(({ card: _, ...members }: Record<string, unknown>) => members),
    }));
    expect(plain).toEqual([
      { contacts: shown },
      { contacts: [{ ...empty, name: "Asha Rao", phones: ["+91 98765 43210"] }] },
    ]);
    // What was shown is taken again.
    await control("POST", "/inbound", cards(...details[0].contacts));
    const again = (await api("GET", "/events?types=message.received")).body.data.at(-1);
    expect(again.data.message.details).toEqual(details[0]);
  }, 60_000);

  test("an erasure does what contact erase does: no event, callback or file holds the person, also while the clock stands", async () => {
    const person = "+919876511111";
    const mark = "Zqxmark";
    await control("POST", "/clock", { freeze: true });
    expect((await api("PUT", `/contacts/${person}`, { name: mark, consent: "opted_in" })).status).toBe(201);
    const media = { content: Buffer.from(`%PDF-1.4 ${mark}`).toString("base64"), filename: `${mark}.pdf` };
    const played = { from: person, type: "document", media, name: mark };
    expect(await control("POST", "/inbound", played)).toMatchObject({ status: 201 });
    await control("POST", "/clock", { advance: "1m" });
    const holding = (): string[] => {
      // In a process of its own, as everywhere: closing a file here drops the locks that this process has on it.
      const { stdout } = Bun.spawnSync(["grep", "-rlaiE", `${mark}|${person.slice(1)}`, workshop.path("mine")]);
      return stdout.toString().split("\n").filter(Boolean);
    };
    expect(holding()).not.toEqual([]);
    expect(await control("POST", "/operator", { do: "erase_contact", phone: person })).toMatchObject({ status: 200 });
    expect(JSON.stringify((await api("GET", "/events?per_page=500")).body)).not.toContain(mark);
    expect(holding()).toEqual([]);
    await control("POST", "/clock", { freeze: false });
  });

  test("a reset, of everything or of a workspace, removes archives of people that it does not bring back", async () => {
    const directory = join(ready.data, "hand-outs");
    mkdirSync(directory, { recursive: true });
    for (const body of [{}, { workspace: 1 }]) {
      for (const name of ["7.zip", "8.zip.part"]) writeFileSync(join(directory, name), "PK");
      expect((await control("POST", "/reset", body)).status).toBe(200);
      expect(readdirSync(directory)).toEqual([]);
    }
  }, 60_000);

  test("sent waits until there are as many as asked for, and no longer than asked", async () => {
    await control("POST", "/reset", {});
    const waiting = control("GET", "/sent?count=2&wait=20s");
    for (const to of ["+919876543210", "+919811122233"]) await api("POST", "/messages", { to, ...shipped });
    expect((await waiting).body).toHaveLength(2);
    expect((await control("GET", "/sent?count=3&wait=50ms")).body).toHaveLength(2);
  }, 60_000);
});

function cards(...contacts: object[]): Record<string, unknown> {
  return { from: "+919876543210", type: "contacts", contacts };
}

function rule(effect: unknown): Record<string, unknown> {
  // biome-ignore lint/suspicious/noThenProperty: the member's name is part of the interface.
  return { then: effect };
}

describe("beside real numbers and real keys", () => {
  test("without the setting the address does not exist; a number on WhatsApp and test control exclude each other", async () => {
    using shop = new Workshop();
    const data = ["--data", "data"];
    shop.write("token", "EAA-token");
    await shop.json([...data, "workspace", "create", ...SHOP]);
    const real = ["number", "add", "--workspace", "1", "--phone", "+911244001100", "--name", "Shop"];
    const whatsapp = ["--network", "whatsapp", "--phone-number-id", "123456", "--account-id", "234567"];
    const on = { WAXWING_SIMULATOR_CONTROL: "true" };
    const serve = [...data, "serve", "--listen", "127.0.0.1:0"];

    const plain = await shop.start(serve);
    const plainUrl = plain.firstLine.replace("listening on ", "");
    expect((await fetch(`${plainUrl}/control/v1/clock`)).status).toBe(404);
    expect(existsSync(shop.path("data/control.token"))).toBe(false);
    plain.child.kill("SIGTERM");
    await plain.child.exited;

    const controlled = await shop.start(serve, { env: on });
    const token = readFileSync(shop.path("data/control.token"), "utf8").trim();
    const url = controlled.firstLine.replace("listening on ", "");
    expect((await call(`${url}/control/v1/clock`, token, "GET")).status).toBe(200);
    // The command does not know the setting of the server: the token's file tells it.
    const refused = await shop.refusal([...data, ...real, ...whatsapp, "--token-file", "token"]);
    expect(refused.code).toBe("control_refused");
    controlled.child.kill("SIGTERM");
    await controlled.child.exited;

    const again = await shop.start(serve);
    expect(existsSync(shop.path("data/control.token"))).toBe(false);
    again.child.kill("SIGTERM");
    await again.child.exited;
    await shop.run([...data, ...real, ...whatsapp, "--token-file", "token"]);
    const start = await shop.run(serve, { env: on });
    expect(start.code).toBe(1);
    expect(start.stderr).toContain("test control is on");
  }, 120_000);

  test("a fixed key works with dev, and no other server accepts it", async () => {
    using shop = new Workshop();
    const key = "wx_test_shop_0123456789abcdef";
    const seed = { name: "Shop", country: "IN", timezone: "Asia/Kolkata", api_keys: [key] };
    shop.write("seed.json", JSON.stringify({ workspaces: [seed] }));
    const dev = await shop.start(["dev", "--json", "--data", "mine", "--seed", "seed.json", "--listen", "127.0.0.1:0"]);
    const printed = JSON.parse(dev.firstLine) as Ready;
    expect(printed.api_key).toBe(key);
    expect((await call(`${printed.base_url}/me`, key, "GET")).body.data.name).toBe("Shop");
    dev.child.kill("SIGTERM");
    await dev.child.exited;
    const served = await shop.start(["serve", "--data", "mine", "--listen", "127.0.0.1:0"]);
    const url = served.firstLine.replace("listening on ", "");
    expect((await call(`${url}/api/v1/me`, key, "GET")).status).toBe(401);
    served.child.kill("SIGTERM");
    await served.child.exited;
  }, 120_000);
});
