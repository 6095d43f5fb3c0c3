/** The search of contacts, and watching and stopping broadcasts. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { auditEntries, firstOperator, person, type Visitor } from "#test/support/console.ts";
import { template } from "#test/support/scenarios.ts";
import { startTestServer, type TestServer, type TestWorkspace } from "#test/support/server.ts";

let app: TestServer;
let shop: TestWorkspace;
let operator: Visitor;
let member: Visitor;
let base: string;

beforeAll(async () => {
  app = await startTestServer();
  operator = await firstOperator(app);
  shop = await app.workspace();
  member = await person(app, "member@example.com", "member", shop.id);
  base = `/w/${shop.id}`;
});
afterAll(() => app[Symbol.asyncDispose]());

test("contacts are found by part of a name, e-mail or number, however the number is written, and by consent", async () => {
  const people = [
    ["+919876543210", { name: "Asha Rao", consent: "opted_in" }],
    ["+919876543211", { name: "Meera", email: "meera@asha.example" }],
    ["+919812345678", { last_name: "Khan", consent: "opted_out" }],
  ] as const;
  for (const [phone, body] of people) await member.ask("PUT", `${base}/contacts/${phone}`, body);
  const find = async (query: string) => {
    const { body } = await member.get(`${base}/contacts?${query}`);
    return [body.meta.total, body.data.map(({ phone }: { phone: string }) => phone)];
  };
  expect(await find("q=asha")).toEqual([2, ["+919876543211", "+919876543210"]]);
  expect(await find("q=098765 4321".replace(" ", "%20"))).toEqual([2, ["+919876543211", "+919876543210"]]);
  expect(await find("q=%2B91 98123".replace(" ", "%20"))).toEqual([1, ["+919812345678"]]);
  expect(await find("consent=opted_out")).toEqual([1, ["+919812345678"]]);
  expect(await find("consent=opted_in&q=meera")).toEqual([0, []]);
  expect((await member.get(`${base}/contacts?consent=maybe`)).status).toBe(400);
});

test("paging through contacts returns each exactly once", async () => {
  for (let count = 0; count < 55; count++) {
    await member.ask("PUT", `${base}/contacts/+91999900${String(count).padStart(4, "0")}`, {
      city: "Pune",
      name: `Row ${count}`,
    });
  }
  await app.clock.advance(1_000);
  const first = (await member.get(`${base}/contacts?q=row`)).body;
  const second = (await member.get(`${base}/contacts?q=row&after=${first.meta.next}`)).body;
  expect([first.meta.total, first.data.length, second.data.length, second.meta.next]).toEqual([55, 50, 5, null]);
  expect(new Set([...first.data, ...second.data].map(({ phone }) => phone)).size).toBe(55);
});

test("a broadcast can be paused, resumed and cancelled; each change is made once and has an audit entry", async () => {
  await app.template(shop, template("offer", [{ type: "BODY", text: "Twenty percent." }]));
  const to = Array.from({ length: 5 }, (_, index) => `+9199990000${String(index).padStart(2, "0")}`);
  const sendAt = new Date(app.clock.now() + 3_600_000).toISOString();
  const made = await member.post(
    `${base}/broadcasts`,
    { name: "Offer", template: "offer", to, send_at: sendAt },
    { key: "b" },
  );
  const again = await member.post(
    `${base}/broadcasts`,
    { name: "Offer", template: "offer", to, send_at: sendAt },
    { key: "b" },
  );
  expect([made.status, again.body.data.id]).toEqual([202, made.body.data.id]);
  const own = `${base}/broadcasts/${made.body.data.id}`;
  expect((await member.post(`${own}/pause`)).body.data).toMatchObject({
    status: "paused",
    status_reason: expect.stringMatching(/^paused by \S+@\S+, \d\d:\d\d$/),
  });
  expect((await member.post(`${own}/pause`)).status).toBe(400);
  expect((await member.post(`${own}/resume`)).body.data.status).toBe("scheduled");
  const name = `${base}/broadcasts/${made.body.data.id}/cancel`;
  expect((await member.post(name)).body.data.status).toBe("cancelled");
  expect((await member.post(name)).status).toBe(422);
  const detail = (await member.get(own)).body.data;
  expect(detail).toMatchObject({ status: "cancelled", in_doubt: 0, counts: { total: 5, skipped: 5 } });
  const actions = auditEntries(app).map(({ action }) => action);
  expect(actions.filter((action) => action.startsWith("broadcast."))).toEqual([
    "broadcast.cancel",
    "broadcast.resume",
    "broadcast.pause",
    "broadcast.create",
  ]);
});

test("a broadcast that ends while its causes are counted is shown as it was before them", async () => {
  const to = ["+919999000020", "+919999000021"];
  const sendAt = new Date(app.clock.now() + 3_600_000).toISOString();
  const made = await member.post(`${base}/broadcasts`, { name: "Ends", template: "offer", to, send_at: sendAt });
  const own = `${base}/broadcasts/${made.body.data.id}`;
  const post = Worker.prototype.postMessage;
  let ended: Promise<unknown> | null = null;
  // What is asked behind the causes waits until the broadcast has ended.
  Worker.prototype.postMessage = function (this: Worker, message: { sql?: string }) {
    if (message.sql?.includes("outcome_unknown = 1") !== true) return post.call(this, message);
    ended ??= member.post(`${own}/cancel`);
    void ended.then(() => post.call(this, message));
  };
  try {
    expect((await member.get(own)).body.data.status).toBe("scheduled");
  } finally {
    Worker.prototype.postMessage = post;
  }
  expect((await member.get(own)).body.data.status).toBe("cancelled");
});

test("the live stream sends complete snapshots, at most one a second and only after a change", async () => {
  const slow = await app.workspace({ throughput: 10 });
  await app.template(slow, template("offer", [{ type: "BODY", text: "Twenty percent." }]));
  const to = Array.from({ length: 40 }, (_, index) => `+9199990010${String(index).padStart(2, "0")}`);
  const made = await operator.post(`/w/${slow.id}/broadcasts`, { name: "Live", template: "offer", to });
  const path = `/console/api/w/${slow.id}/broadcasts/${made.body.data.id}/live`;
  const leaving = new AbortController();
  const response = await fetch(app.server.url + path, {
    headers: { cookie: operator.cookie ?? "" },
    signal: leaving.signal,
  });
  expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/event-stream; charset=utf-8"]);
  const seen: { status: string; counts: { total: number; read: number } }[] = [];
  const tx = (async () => {
    let text = "";
    for await (const chunk of response.body ?? []) {
      text += new TextDecoder().decode(chunk);
      const parts = text.split("\n\n");
      text = parts.pop() ?? "";
      for (const part of parts)
        if (part.startsWith("event: broadcast")) seen.push(JSON.parse(part.split("data: ")[1] ?? ""));
    }
  })().catch(() => undefined);
  await app.clock.advance(8_000);
  leaving.abort();
  await tx;
  expect(seen.at(-1)).toMatchObject({ status: "completed", counts: { total: 40, read: 40 } });
  expect(seen.length).toBeGreaterThan(3);
  expect(seen.length).toBeLessThanOrEqual(9);
  expect(seen.every(({ counts }) => counts.total === 40 || counts.total === 0)).toBe(true);
});

test("recipients with an unknown outcome are counted apart from failed and in-progress ones", async () => {
  const made = await operator.post(`${base}/broadcasts`, {
    name: "Doubt",
    template: "offer",
    to: ["+919999000008", "+919999000002", "+919999001050"],
  });
  // The person whom the network refused for reasons of its own (131000) is sent to three more times, 10 s apart.
  await app.clock.advance(45_000);
  const own = `${base}/broadcasts/${made.body.data.id}`;
  expect((await member.get(own)).body.data).toMatchObject({
    in_doubt: 1,
    counts: { sent: 1, failed: 1 },
    causes: [{ status: "failed", code: "131000", is_unknown: false, count: 1 }],
  });
  await app.clock.advance(11 * 60_000);
  const { in_doubt, causes } = (await member.get(own)).body.data;
  expect([in_doubt, causes.map(({ is_unknown }: { is_unknown: boolean }) => is_unknown).sort()]).toEqual([
    0,
    [false, true],
  ]);
});
