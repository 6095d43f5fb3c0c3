/**
 * The reset of one workspace, against whatever may have happened in it: its rows are those of its seed again, and no other
 * row has changed.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import { openClient } from "#src/db/driver.ts";
import { callbacksSince, tablesOf, workspaceTables } from "#src/db/workspace-rows.ts";
import { inForm } from "#test/support/long-form.ts";
import { Workshop } from "../cli/spawn.ts";

const RUNS = inForm({ short: 5, long: 300 });
const LIMIT_MS = 60_000 + RUNS * 2_000;
const DEAD = "http://127.0.0.1:9/hook";

interface Shop {
  id: number;
  key: string;
  number: string;
}

const workshop = new Workshop();
let ready: Record<string, string>;
const seed = {
  workspaces: ["A", "B"].map((name, index) => ({
    name,
    country: "IN",
    timezone: "Asia/Kolkata",
    rate: "0.01",
    balance: "100",
    api_keys: [`wx_test_workspace_${name}_0001`],
    numbers: [{ phone: `+91124400110${index}`, name }],
    templates: [
      { name: "offer", language: "en_US", category: "MARKETING", components: [{ type: "BODY", text: "Hi {{1}}." }] },
    ],
    contacts: Array.from({ length: 6 }, (_, one) => ({
      phone: `+9198765432${10 + one}`,
      name: `Person ${one}`,
      city: "Pune",
      consent: "opted_in",
      add_to_groups: ["Regulars"],
    })),
    groups: [{ name: "Pune", filter: { field: "city", is: "Pune" } }],
    webhook: { url: DEAD, secret: `whsec_for_tests_${name}` },
  })),
};

async function call(url: string, key: string, method: string, body?: unknown, headers: Record<string, string> = {}) {
  const answer = await fetch(url, {
    method,
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked into member by member; a wrong one fails the assertion.
  return { status: answer.status, body: (await answer.json().catch(() => null)) as any };
}
const control = async (method: string, path: string, body?: unknown) => {
  const answered = await call(`${ready.control_url}${path}`, ready.control_token ?? "", method, body);
  expect({ path, ...answered }).toMatchObject({ path, status: expect.any(Number) });
  if (answered.status >= 500) throw new Error(`${method} ${path}: ${JSON.stringify(answered.body)}`);
  return answered.body;
};
const api = (shop: Shop, method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
  call(`${ready.base_url}${path}`, shop.key, method, body, headers);

beforeAll(async () => {
  workshop.write("seed.json", JSON.stringify(seed));
  const { firstLine } = await workshop.start([
    ...["dev", "--json", "--data", "mine", "--seed", "seed.json", "--listen", "127.0.0.1:0"],
  ]);
  ready = JSON.parse(firstLine);
}, 60_000);
afterAll(() => workshop[Symbol.dispose]());

type Rows = Record<string, unknown[]>;

/** The rows of the workspace, and all others but what the server notes of itself. */
function readRows(workspaceId: number): { own: Rows; others: Rows } {
  const client = openClient(workshop.path("mine/waxwing.db"), { readonly: true });
  try {
    const [own, others]: [Rows, Rows] = [{}, {}];
    const owned = workspaceTables(client, workspaceId);
    for (const table of tablesOf(client)) {
      // The index is made again after a reset.
      if (table === "instance" || table.startsWith("search_")) continue;
      const found = owned.find(({ name }) => name === table);
      const columns = found?.columns?.map((name) => `"${name}"`).join() ?? "*";
      const condition = found?.where("main") ?? "0";
      const select = (where: string) =>
        client
          .prepare(`SELECT ${columns} FROM "${table}" WHERE ${where}`)
          .raw()
          .all()
          .map((row) => JSON.stringify(row))
          .sort();
      own[table] = select(condition);
      // The log of others' requests is written each second, whatever is reset.
      others[table] = table.startsWith("key_request") ? [] : select(`NOT coalesce((${condition}), 0)`);
    }
    return { own, others };
  } finally {
    client.close();
  }
}

const person = fc.integer({ min: 0, max: 7 }).map((one) => `+9198765432${10 + one}`);
const actions = {
  send: fc.record({ to: person, key: fc.option(fc.integer({ min: 1, max: 3 })) }),
  text: fc.record({ to: person }),
  inbound: fc.record({ from: person, type: fc.constantFrom("text", "image", "location", "stop") }),
  contact: fc.record({ phone: person, tag: fc.constantFrom("vip", "new") }),
  optOut: fc.record({ phone: person }),
  erase: fc.record({ phone: person }),
  broadcast: fc.record({ later: fc.boolean(), group: fc.boolean() }),
  pause: fc.constant({}),
  webhook: fc.constant({}),
  testEvent: fc.constant({}),
  address: fc.constantFrom("add", "disable", "remove").map((change) => ({ change })),
};
type Action = { [Kind in keyof typeof actions]: { kind: Kind; given: never } }[keyof typeof actions];
const step = fc.oneof(
  ...Object.entries(actions).map(([kind, given]) =>
    fc.record({ kind: fc.constant(kind as Action["kind"]), given: given as fc.Arbitrary<Record<string, unknown>> }),
  ),
);
const rule = fc.constantFrom(
  null,
  { latency: "5s" },
  { refuse: 131049 },
  { unknown: true, arrives: true },
  { unknown: true },
  { throttle: "1s" },
  { status: "failed", code: 131042 },
);

/** Nothing waits for an answer: a send that the network holds up is let go. */
async function act(shop: Shop, kind: Action["kind"], given: Record<string, unknown>, round: string): Promise<void> {
  const offer = { template: "offer", variables: ["you"] };
  switch (kind) {
    case "send": {
      const headers = given.key == null ? {} : { "idempotency-key": `order-${given.key}` };
      await api(shop, "POST", "/messages", { to: given.to, ...offer }, headers);
      return;
    }
    case "text":
      await control("POST", "/inbound", { from: given.to, to: shop.number, text: "Hello?" });
      await api(shop, "POST", "/messages", { to: given.to, text: "Yes." });
      return;
    case "inbound": {
      const stop = given.type === "stop";
      const type = stop ? "text" : given.type;
      const members = {
        text: { text: stop ? "STOP" : "hi" },
        image: { media: { content: "/9j/2Q==" } },
        location: { location: { latitude: 1, longitude: 2 } },
      }[String(type)];
      await control("POST", "/inbound", { from: given.from, to: shop.number, type, ...members });
      return;
    }
    case "contact":
      await api(shop, "PUT", `/contacts/${given.phone}`, {
        name: round,
        add_tags: [given.tag],
        add_to_groups: ["Late"],
        consent: "opted_in",
      });
      return;
    case "optOut":
      await api(shop, "POST", `/contacts/${given.phone}/opt-out`);
      return;
    case "erase":
      await control("POST", "/operator", { do: "erase_contact", workspace: shop.id, phone: given.phone });
      return;
    case "broadcast": {
      const to = Array.from({ length: 30 }, (_, one) => `+9198200201${10 + one}`);
      const { now } = await control("GET", "/clock");
      const sendAt = given.later === true ? { send_at: new Date(Date.parse(now) + 600_000).toISOString() } : {};
      const groups = (await api(shop, "GET", "/groups")).body.data as { id: number }[];
      const target = given.group === true ? { group: groups[0]?.id } : { to };
      await api(shop, "POST", "/broadcasts", { name: round, ...target, ...offer, ...sendAt });
      return;
    }
    case "pause": {
      const [first] = (await api(shop, "GET", "/broadcasts")).body.data as { id: number }[];
      if (first !== undefined)
        await control("POST", "/operator", { do: "pause_broadcast", workspace: shop.id, id: first.id });
      return;
    }
    case "webhook":
      await control("PUT", "/webhook", { url: `${DEAD}/${round}`, workspace: shop.id });
      return;
    case "address": {
      const { status, body } = await api(shop, "POST", "/webhooks", { url: `${DEAD}/${round}/further` });
      if (given.change === "add") return;
      // There may be ten already.
      const id = status === 201 ? body.data.id : 1;
      if (given.change === "remove") await api(shop, "DELETE", `/webhooks/${id}`);
      else await api(shop, "PATCH", `/webhooks/${id}`, { state: "disabled" });
      return;
    }
    case "testEvent":
      await control("POST", "/operator", { do: "send_test_event", workspace: shop.id });
      return;
  }
}

test(
  "whatever happened in a workspace, its reset brings back its seed and changes no row of another",
  async () => {
    const shop = (index: number): Shop => ({
      id: index + 1,
      key: seed.workspaces[index]?.api_keys[0] ?? "",
      number: seed.workspaces[index]?.numbers[0]?.phone ?? "",
    });
    const times: number[] = [];
    const history = fc.array(
      fc.record({ inA: fc.boolean(), what: step, waitS: fc.constantFrom(0, 0, 1, 90, 90_000) }),
      {
        minLength: 2,
        maxLength: 14,
      },
    );
    let round = 0;
    await fc.assert(
      fc.asyncProperty(history, rule, fc.boolean(), async (steps, effect, isAdded) => {
        round += 1;
        await control("POST", "/reset", {});
        await control("POST", "/clock", { freeze: true });
        const b = shop(1);
        let a = shop(0);
        if (isAdded) {
          const { workspace_id, api_key, number } = await control("POST", "/workspaces", {
            ...seed.workspaces[0],
            name: "Added",
            api_keys: undefined,
            numbers: undefined,
          });
          a = { id: workspace_id, key: api_key, number };
        }
        const before = readRows(a.id);
        if (effect !== null) {
          // biome-ignore lint/suspicious/noThenProperty: the member's name is part of the interface.
          await control("POST", "/rules", { then: effect });
        }
        for (const { inA, what, waitS } of steps) {
          await act(inA ? a : b, what.kind, what.given, `round-${round}`);
          if (waitS > 0) await control("POST", "/clock", { advance: `${waitS}s` });
        }
        // At rest, apart from what waits for the clock.
        await control("POST", "/clock", { advance: "1ms" });
        const [{ others }, sentOfB] = [readRows(a.id), await control("GET", `/sent?from=${b.number}&attempts=true`)];
        const { now } = await control("GET", "/clock");
        const startedAt = performance.now();
        await control("POST", "/reset", { workspace: a.id });
        times.push(performance.now() - startedAt);
        const after = readRows(a.id);
        expect(after.own).toEqual(before.own);
        expect(after.others).toEqual(others);
        expect(await control("GET", `/sent?from=${a.number}&attempts=true`)).toEqual([]);
        expect(await control("GET", `/sent?from=${b.number}&attempts=true`)).toEqual(sentOfB);
        expect((await control("GET", "/clock")).now).toBe(now);
        // Nothing of the past comes after it, and the workspace works as it did at first.
        await control("POST", "/clock", { advance: "1ms" });
        expect(readRows(a.id).own).toEqual(before.own);
        await control("DELETE", "/rules");
        await control("POST", "/clock", { advance: "3h" });
        expect(await control("GET", `/sent?from=${a.number}&attempts=true`)).toEqual([]);
        const sent = await api(a, "POST", "/messages", { to: "+919876543210", template: "offer", variables: ["you"] });
        expect(sent.status).toBe(201);
      }),
      { numRuns: RUNS, ...(process.env.RESET_SEED === undefined ? {} : { seed: Number(process.env.RESET_SEED) }) },
    );
    const check = await workshop.run(["check", "--data", "mine"]);
    expect(check).toMatchObject({ code: 0 });
    times.sort((one, other) => one - other);
    const at = (part: number) => Math.round(times[Math.floor((times.length - 1) * part)] ?? 0);
    if (RUNS > 20)
      console.log(`${times.length} resets: median ${at(0.5)} ms, 99 % ${at(0.99)} ms, longest ${at(1)} ms`);
  },
  LIMIT_MS,
);

test("any number of workspaces are reset side by side, and every request meanwhile is answered", async () => {
  const key = (name: string) => `wx_test_workspace_${name}_0001`;
  const resets = [1, 2, 1, 2, 2].map((workspace) => control("POST", "/reset", { workspace }));
  const reads = ["A", "B"].map((name) => call(`${ready.base_url}/me`, key(name), "GET"));
  const everything = [control("POST", "/reset", {}), control("POST", "/reset", {})];
  await Promise.all([...resets, ...everything, control("POST", "/reset", { workspace: 1 })]);
  expect((await Promise.all(reads)).map(({ status }) => status)).toEqual([200, 200]);
  // The server still works as one: what is sent is delivered once, and told once.
  const shop = { id: 2, key: key("B"), number: "+911244001101" };
  const message = { to: "+919876543210", template: "offer", variables: ["Asha"] };
  const sent = await api(shop, "POST", "/messages", message);
  expect(sent.status).toBe(201);
  const told = await api(shop, "GET", "/events?types=message.delivered&wait=10");
  const ids = told.body.data.map(({ data }: { data: { message: { id: number } } }) => data.message.id);
  expect(ids).toEqual([sent.body.data.id]);
}, 20_000);

test("a request that the log had not written yet is not written after the reset of its workspace", async () => {
  const shopOf = (index: number): Shop => ({
    id: index + 1,
    key: seed.workspaces[index]?.api_keys[0] ?? "",
    number: seed.workspaces[index]?.numbers[0]?.phone ?? "",
  });
  const [a, b] = [shopOf(0), shopOf(1)];
  await control("POST", "/reset", {});
  await api(a, "GET", "/me");
  await control("POST", "/reset", { workspace: a.id });
  await api(b, "GET", "/me");
  const logOf = (shop: Shop) => readRows(shop.id).own.key_requests ?? [];
  while (logOf(b).length === 0) await Bun.sleep(20);
  expect(logOf(a)).toEqual([]);
});

test("a POST to the control without a body is one with an empty object", async () => {
  const post = (path: string, headers: Record<string, string> = {}) =>
    fetch(`${ready.control_url}${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${ready.control_token}`, ...headers },
    });
  expect((await post("/reset")).status).toBe(200);
  expect((await post("/reset", { "content-type": "application/json" })).status).toBe(200);
  const refused = await post("/inbound");
  expect([refused.status, Object.keys(((await refused.json()) as { error: { fields: object } }).error.fields)]).toEqual(
    [400, expect.arrayContaining(["from"])],
  );
});

test("a reset reads no callback of another workspace that is older than the reset before", () => {
  const client = openClient(workshop.path("mine/waxwing.db"), { readonly: true });
  try {
    client.prepare("ATTACH ? AS seed").run(workshop.path("mine/control.seed.db"));
    const plansOf = (old?: string) =>
      workspaceTables(client, 1, old).map(({ name, where }) => {
        const steps = client.prepare(`EXPLAIN QUERY PLAN DELETE FROM main."${name}" WHERE ${where("main")}`).all();
        return (steps as { detail: string }[]).map(({ detail }) => detail).join("; ");
      });
    const scans = (plans: string[]) => plans.filter((plan) => /SCAN (main\.)?(callbacks|marked)\b/.test(plan));
    expect(scans(plansOf(callbacksSince(5)))).toEqual([]);
    expect(scans(plansOf(callbacksSince(null)))).toEqual([]);
    // The save of a workspace reads all of them, once: what the check above would find.
    expect(scans(plansOf())).toHaveLength(1);
  } finally {
    client.close();
  }
});

test("an unknown workspace is refused", async () => {
  await control("POST", "/reset", {});
  const refused = await call(`${ready.control_url}/reset`, ready.control_token ?? "", "POST", { workspace: 99 });
  expect(refused.body.error).toMatchObject({ code: "invalid_request", fields: { workspace: expect.any(Object) } });
});
