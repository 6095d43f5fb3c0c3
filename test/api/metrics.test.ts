/** The metrics: what they count, their text format, and who may read them. */
import { expect, test } from "bun:test";
import { Metrics } from "#src/core/metrics.ts";
import { create, HOUR, notice, phones, show, underWay } from "#test/support/broadcast-scenarios.ts";
import { busyShop } from "#test/support/busy-shop.ts";
import { METRICS_TOKEN, startTestServer, type TestServer } from "#test/support/server.ts";

async function countersOf(app: TestServer): Promise<Map<string, number>> {
  const { text } = await app.call("GET", "/metrics", { key: METRICS_TOKEN });
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.slice(line.lastIndexOf(" ") + 1))]),
  );
}

test("the metrics cover requests, sends by outcome, jobs, commits, webhooks, contacts and memory", async () => {
  await using app = await startTestServer();
  const shop = await busyShop(app);
  await app.call("GET", "/api/v1/messages/999", { key: shop.key });
  const counters = await countersOf(app);
  const value = (name: string): number => counters.get(name) ?? Number.NaN;
  expect(value('waxwing_request_seconds_count{route="POST /messages",status="201"}')).toBe(4);
  expect(value('waxwing_request_seconds_count{route="POST /messages",status="502"}')).toBe(1);
  expect(value('waxwing_request_seconds_count{route="GET /messages/{id}",status="404"}')).toBe(1);
  expect(value('waxwing_send_seconds_count{network="simulator",outcome="accepted"}')).toBe(4);
  expect(value('waxwing_send_seconds_count{network="simulator",outcome="unknown"}')).toBe(1);
  expect(value('waxwing_outbox_rows{kind="deliver_webhook"}')).toBeGreaterThan(0);
  expect(value('waxwing_outbox_age_seconds{kind="deliver_webhook"}')).toBeGreaterThanOrEqual(0);
  expect(value('waxwing_delivery_attempt_seconds_count{result="connection"}')).toBeGreaterThan(0);
  expect(value("waxwing_commit_seconds_count")).toBeGreaterThan(5);
  expect(value("waxwing_contacts")).toBe(5);
  expect(value("waxwing_contacts_opted_out")).toBe(1);
  expect(value("process_resident_memory_bytes")).toBeGreaterThan(1e6);
  expect(value("waxwing_wal_bytes")).toBeGreaterThan(0);
});

test("a running broadcast's progress is exported with the API's counts, and only while the broadcast runs", async () => {
  await using scenario = await underWay();
  const { app, id } = scenario;
  const later = new Date(app.clock.now() + 24 * HOUR).toISOString();
  const scheduled = await create(scenario, { ...notice(phones(3)), send_at: later });
  const progress = (counters: Map<string, number>, of: number): Record<string, number> =>
    Object.fromEntries(
      ["pending", "sending", "sent", "delivered", "read", "failed", "skipped"].map((state) => [
        state,
        counters.get(`waxwing_broadcast_recipients{workspace="1",broadcast="${of}",state="${state}"}`) ?? Number.NaN,
      ]),
    );
  const open = (counters: Map<string, number>): (number | undefined)[] =>
    ["scheduled", "queueing", "running", "paused"].map((state) =>
      counters.get(`waxwing_broadcasts{status="${state}"}`),
    );

  const under = await countersOf(app);
  const { counts } = await show(scenario, id);
  const { pending, sending, ...ended } = progress(under, id);
  expect(ended).toEqual({
    sent: counts.sent,
    delivered: counts.delivered,
    read: counts.read,
    failed: counts.failed,
    skipped: counts.skipped,
  });
  expect((pending ?? 0) + (sending ?? 0)).toBe(5 - counts.sent);
  expect(counts.sent).toBeGreaterThan(0);
  expect(counts.sent).toBeLessThan(5);
  expect(open(under)).toEqual([1, 0, 1, 0]);
  expect([...under.keys()].join()).not.toContain(`broadcast="${scheduled}"`);

  await app.clock.advance(HOUR);
  const over = await countersOf(app);
  expect(open(over)).toEqual([1, 0, 0, 0]);
  expect([...over.keys()].join()).not.toContain("waxwing_broadcast_recipients{");
});

test("every line of the metrics is valid text format: each family appears once, after its help and its type", async () => {
  await using app = await startTestServer();
  await busyShop(app);
  const { text, headers } = await app.call("GET", "/metrics", { key: METRICS_TOKEN });
  expect(headers.get("content-type")).toContain("version=0.0.4");
  const families = new Set<string>();
  let family = "";
  for (const line of text.trimEnd().split("\n")) {
    const type = /^# TYPE (\w+) (counter|gauge|histogram)$/.exec(line);
    if (line.startsWith("# HELP ")) continue;
    if (type?.[1] !== undefined) {
      expect(families.has(type[1])).toBe(false);
      families.add(type[1]);
      family = type[1];
      continue;
    }
    expect(line).toMatch(/^[a-z_]+(\{([a-z_]+="[^"\\\n]*",?)*(le="[\d.+Inf]+")?\})? [-+\d.e]+$/);
    expect(line.startsWith(family)).toBe(true);
  }
});

test("no metric names a person: a route is labelled with its pattern, never with the caller's path", async () => {
  await using app = await startTestServer();
  const shop = await busyShop(app);
  await app.call("GET", "/api/v1/contacts/+919876540009", { key: shop.key });
  await app.call("GET", "/api/v1/919876540009", { key: shop.key });
  const { text } = await app.call("GET", "/metrics", { key: METRICS_TOKEN });
  expect(text).not.toContain("9876540009");
});

test("the metrics need their token, also from this machine; for everyone else there is no such address", async () => {
  await using app = await startTestServer();
  const shop = await app.workspace();
  const unknown = await app.call("GET", "/nothing");
  for (const key of [null, "metrics-for-you", shop.key, ""]) {
    const { status, text } = await app.call("GET", "/metrics", { key });
    expect({ key, status, text }).toEqual({ key, status: 404, text: unknown.text });
  }
  expect((await app.call("GET", "/metrics", { key: METRICS_TOKEN })).status).toBe(200);
});

test("without a configured token the metrics are not served", async () => {
  await using app = await startTestServer({ config: { server: { metricsToken: null } } });
  for (const key of [null, "", "null", "undefined"]) {
    expect((await app.call("GET", "/metrics", { key })).status).toBe(404);
  }
});

test("a bucket counts every value up to its bound, labels are escaped, and a metric name is declared once", async () => {
  const metrics = new Metrics();
  const times = metrics.histogram("times", "Times.", [1, 2]);
  for (const value of [0.5, 1, 1.5, 9]) times.observe(value, { of: 'a "b"\\\n' });
  metrics.counter("things_total", "Things.").add({}, 3);
  metrics.gauge("broken", "Cannot be read.", () => Promise.reject(new Error("no")));
  const of = 'of="a \\"b\\"\\\\\\n"';
  expect(await metrics.text()).toBe(
    [
      "# HELP times Times.",
      "# TYPE times histogram",
      `times_bucket{${of},le="1"} 2`,
      `times_bucket{${of},le="2"} 3`,
      `times_bucket{${of},le="+Inf"} 4`,
      `times_sum{${of}} 12`,
      `times_count{${of}} 4`,
      "# HELP things_total Things.",
      "# TYPE things_total counter",
      "things_total 3",
      "",
    ].join("\n"),
  );
  expect(() => metrics.counter("times", "Again.")).toThrow("twice");
});
