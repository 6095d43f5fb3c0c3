/** `waxwing dev`: what it prints works as it stands, and nothing of it is left. */
import { describe, expect, test } from "bun:test";
import { existsSync, statSync } from "node:fs";
import { findSignatureProblem, startViewer } from "#src/cli/dev/viewer.ts";
import { viewerPage } from "#src/cli/dev/viewer-page.ts";
import { systemClock } from "#src/core/clock.ts";
import { serviceSignature } from "#src/core/service-signature.ts";
import { SHOP, Workshop } from "./spawn.ts";

interface Ready {
  base_url: string;
  api_key: string;
  workspace_id: number;
  number: string;
  webhook_viewer_url: string;
  metrics_token: string;
  data: string;
}

interface Shown {
  count: number;
  events: { type: string; distrust: string | null; body: string }[];
}

const EARLY = { WAXWING_SIMULATOR_DELIVER_AFTER: "0s", WAXWING_SIMULATOR_READ_AFTER: "0s" };

test("a server with demo data: a template and a text go out, webhooks arrive signed, the directory goes with it", async () => {
  using workshop = new Workshop();
  const { child, firstLine } = await workshop.start(["dev", "--json", "--listen", "127.0.0.1:0"], { env: EARLY });
  const ready = JSON.parse(firstLine) as Ready;
  const metrics = await fetch(new URL("/metrics", ready.base_url), {
    headers: { authorization: `Bearer ${ready.metrics_token}` },
  });
  expect(await metrics.text()).toContain("waxwing_");
  expect(ready.base_url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/api\/v1$/);
  const call = async (path: string, body?: unknown) => {
    const response = await fetch(`${ready.base_url}${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: { authorization: `Bearer ${ready.api_key}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as { data: Record<string, unknown> } };
  };
  const me = await call("/me");
  expect(me.body.data).toMatchObject({
    id: ready.workspace_id,
    numbers: [{ phone: ready.number, ready: true }],
    billing: { currency: "USD", rate: "0.0085", available: "100.00" },
  });
  const order = { to: "+442079460210", template: "order_shipped", variables: ["Asha", "A-1042"] };
  expect((await call("/messages", order)).status).toBe(201);
  expect((await call("/messages", { to: "+442079460345", text: "Yes." })).status).toBe(201);
  expect((await call("/messages", { to: "+442079460210", template: "new_menu", variables: ["Asha"] })).status).toBe(
    201,
  );
  const offer = {
    name: "Weekend offer",
    template: "weekend_offer",
    group: 1,
    variables: [{ field: "first_name", fallback: "there" }, "20"],
  };
  expect((await call("/broadcasts", offer)).status).toBe(202);
  for (let round = 0; ; round++) {
    const { status, counts } = (await call("/broadcasts/1")).body.data;
    if (status === "completed") {
      expect(counts).toMatchObject({ total: 4, sent: 4, failed: 0, skipped: 0 });
      break;
    }
    // One of them has just got two messages alone, so the broadcast waits some seconds for that person.
    expect(round).toBeLessThan(1_000);
    await Bun.sleep(20);
  }

  const types = ["message.received", "message.sent", "message.delivered", "message.read"];
  for (let round = 0; ; round++) {
    const { events } = (await (await fetch(`${ready.webhook_viewer_url}/events.json`)).json()) as Shown;
    expect(events.filter(({ distrust }) => distrust !== null)).toEqual([]);
    if (types.every((type) => events.some((event) => event.type === type))) break;
    expect(round).toBeLessThan(150);
    await Bun.sleep(20);
  }
  const inbound = ["simulate", "inbound", "--workspace", "1", "--from", "+442079460210", "--text", "hi"];
  await workshop.json(["--data", ready.data, ...inbound]);
  child.kill("SIGTERM");
  expect(await child.exited).toBe(0);
  expect(existsSync(ready.data)).toBe(false);
});

test("where the port is taken: another one is found for dev, and a chosen one is refused", async () => {
  using workshop = new Workshop();
  const other = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data: () => {} } });
  try {
    const taken = `127.0.0.1:${other.port}`;
    const chosen = await workshop.run(["dev", "--listen", taken]);
    expect(chosen.code).toBe(1);
    expect(chosen.stderr).toContain(`another program already listens on ${taken}`);
    const { child, firstLine } = await workshop.start(["dev"], { env: { WAXWING_SERVER_LISTEN: taken } });
    expect(firstLine).toContain(`Port ${other.port} is in use`);
    child.kill("SIGINT");
    expect(await child.exited).toBe(0);
  } finally {
    other.stop(true);
  }
});

test("four that start in the same moment all run, one of them on the port that is configured", async () => {
  using workshop = new Workshop();
  const free = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data: () => {} } });
  const { port } = free;
  free.stop(true);
  const started = await Promise.all(
    Array.from({ length: 4 }, () => workshop.start(["dev"], { env: { WAXWING_SERVER_LISTEN: `127.0.0.1:${port}` } })),
  );
  const notes = started.filter(({ firstLine }) => firstLine.includes(`Port ${port} is in use`));
  for (const { child } of started) child.kill("SIGTERM");
  expect(await Promise.all(started.map(({ child }) => child.exited))).toEqual([0, 0, 0, 0]);
  expect(notes).toHaveLength(3);
});

test("with --data the database, its key and the viewer's address are kept for the next run", async () => {
  using workshop = new Workshop();
  const args = ["dev", "--json", "--data", "mine", "--listen", "127.0.0.1:0"];
  // Standard input is at its end, so that dev stops as soon as it has started.
  const first = await workshop.run([...args, "--with-parent"]);
  expect(first).toMatchObject({ code: 0, stderr: "" });
  const before = JSON.parse(first.stdout) as Ready;
  expect(before.data).toBe(workshop.path("mine"));
  expect(statSync(workshop.path("mine/dev.json")).mode & 0o777).toBe(0o600);

  const { child, firstLine } = await workshop.start(args);
  const ready = JSON.parse(firstLine) as Ready;
  expect(ready).toMatchObject({
    api_key: before.api_key,
    workspace_id: before.workspace_id,
    webhook_viewer_url: before.webhook_viewer_url,
  });
  const me = await fetch(`${ready.base_url}/me`, { headers: { authorization: `Bearer ${before.api_key}` } });
  expect(me.status).toBe(200);
  expect(await workshop.json<unknown[]>(["workspace", "list", "--data", "mine"])).toHaveLength(1);
  child.kill("SIGTERM");
  expect(await child.exited).toBe(0);

  const port = Number(new URL(before.webhook_viewer_url).port);
  const other = Bun.listen({ hostname: "127.0.0.1", port, socket: { data: () => {} } });
  try {
    const moved = JSON.parse((await workshop.run([...args, "--with-parent"])).stdout) as Ready;
    expect(moved.webhook_viewer_url).not.toBe(before.webhook_viewer_url);
    const webhook = await workshop.json(["webhook", "show", "--workspace", "1", "--data", "mine"]);
    expect(webhook).toMatchObject({ url: `${moved.webhook_viewer_url}/webhook` });
  } finally {
    other.stop(true);
  }
});

test("numbers, a currency, and a second address with retries of its own, beside one that the shop changes", async () => {
  using workshop = new Workshop();
  const asked: string[] = [];
  let isBroken = true;
  const second = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const body = await request.text();
      if (body.includes("Hallo")) asked.push(body);
      return new Response(null, { status: isBroken ? 503 : 200 });
    },
  });
  const own = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("thanks") });
  try {
    const url = `http://127.0.0.1:${second.port}/hook`;
    const place = ["--country", "DE", "--timezone", "Europe/Berlin", "--currency", "EUR"];
    const numbers = ["--number", "+49 30 23125012", "--number=030 7654321"];
    const { firstLine } = await workshop.start([
      ...["dev", "--json", "--listen", "127.0.0.1:0", "--forward", url, ...place, ...numbers],
    ]);
    const ready = JSON.parse(firstLine) as Ready & { control_url: string; control_token: string };
    const call = async (address: string, key: string, method = "GET", body?: unknown) => {
      const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
      const answer = await fetch(address, {
        method,
        headers,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      // biome-ignore lint/suspicious/noExplicitAny: answers are looked into member by member; a wrong one fails the assertion.
      return (await answer.json()) as any;
    };
    const control = (method: string, path: string, body?: unknown) =>
      call(`${ready.control_url}${path}`, ready.control_token, method, body);
    const me = (await call(`${ready.base_url}/me`, ready.api_key)).data;
    expect(me).toMatchObject({ country: "DE", timezone: "Europe/Berlin", billing: { currency: "EUR" } });
    expect(me.numbers.map(({ phone }: { phone: string }) => phone)).toEqual(["+493023125012", "+49307654321"]);

    await control("POST", "/reset", {});
    await control("POST", "/clock", { freeze: true });
    const ownUrl = `http://127.0.0.1:${own.port}/mine`;
    await control("PUT", "/webhook", { url: ownUrl });
    const added = await control("POST", "/workspaces", {});
    asked.length = 0;
    for (const to of [ready.number, added.number])
      await control("POST", "/inbound", { from: "+4915112345678", to, text: "Hallo" });
    await control("POST", "/clock", { advance: "9h" });
    const attempts = asked.length;
    // Two events, each tried several times, with the body that the shop's own address got.
    expect(attempts).toBeGreaterThan(6);
    isBroken = false;
    await control("POST", "/clock", { advance: "24h" });
    expect(new Set(asked).size).toBe(2);
    const settled = asked.length;
    await control("POST", "/clock", { advance: "48h" });
    expect(asked.length).toBe(settled);
    const of = async (address: string) =>
      (await control("GET", `/webhooks?type=message.received&url=${encodeURIComponent(address)}`)) as {
        body: string;
        status: number;
      }[];
    expect((await of(ownUrl)).map(({ status }) => status)).toEqual([200]);
    expect((await of(url)).map(({ body }) => body)).toContain((await of(ownUrl))[0]?.body ?? "");
    // The viewer sees what went to the shop's address, and what that answered.
    const { events } = (await (await fetch(`${ready.webhook_viewer_url}/events.json`)).json()) as {
      events: { elsewhere: string | null }[];
    };
    expect(events.map(({ elsewhere }) => elsewhere)).toContain(`to ${ownUrl}: answered 200`);
    expect(events.map(({ elsewhere }) => elsewhere)).toContain(`to ${url}: answered 503`);

    // A second dev beside it: commands that need one ask which.
    await workshop.start(["dev", "--json", "--listen", "127.0.0.1:0"]);
    const which = await workshop.refusal(["tail"]);
    expect(which).toMatchObject({ code: "several_servers" });
    expect(which.message).toContain(`${new URL(ready.base_url).origin} (+493023125012, ${ready.data})`);
  } finally {
    await Promise.all([second.stop(true), own.stop(true)]);
  }
});

test("the address of --forward is shown, and that it refuses is said once, and that it accepts again", async () => {
  using workshop = new Workshop();
  const free = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data: () => {} } });
  const { port } = free;
  free.stop(true);
  const url = `http://127.0.0.1:${port}/hook`;
  // What the documentation tells to export, in the shell that starts the server too.
  const env = { WAXWING_KEY: "wx_of_another_run", WAXWING_WEBHOOK_SECRET: "whsec_of_another_run" };
  const args = ["dev", "--listen", "127.0.0.1:0", "--data", "kept", "--forward", url];
  const { child } = await workshop.start(args, { env });
  const said = readUntil(child.stderr);
  const inbound = ["simulate", "inbound", "--workspace", "1", "--from", "+442079460210", "--text", "hi"];
  await workshop.json(["--data", "kept", ...inbound], { env });
  await workshop.json(["--data", "kept", ...inbound], { env });
  const refusal = await said("less and less often.\n");
  expect(refusal).toBe(
    `${url} did not accept a webhook. The receiver refused the connection: nothing listens there. It is tried again after a minute, then less and less often.\n`,
  );
  const receiver = Bun.serve({ hostname: "127.0.0.1", port, fetch: () => new Response(null, { status: 204 }) });
  try {
    await workshop.json(["--data", "kept", ...inbound], { env });
    expect(await said("again.\n")).toBe(`${refusal}${url} accepts webhooks again.\n`);
  } finally {
    await receiver.stop(true);
  }
  child.kill("SIGTERM");
  expect(await child.exited).toBe(0);
  // A shell's own variables do not reach the next run, whose words name the address of that run.
  const again = await workshop.run([...args.slice(0, 5), "--forward", `${url}2`, "--with-parent"], { env });
  expect(again).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(`  forward   ${url}2    (gets every webhook`),
  });
  const without = await workshop.run([...args.slice(0, 5), "--with-parent"], { env });
  expect(without.stdout).not.toContain("  forward ");
});

/** Reads on until the text is there; gives all that was read. */
function readUntil(stream: ReadableStream<Uint8Array<ArrayBuffer>>): (text: string) => Promise<string> {
  const reader = stream.getReader();
  let output = "";
  return async (text) => {
    while (!output.includes(text)) {
      const { done, value } = await reader.read();
      if (done) throw new Error(`ended before ${JSON.stringify(text)}: ${output}`);
      output += new TextDecoder().decode(value);
    }
    return output;
  };
}

test("a number that is none, an option beside a seed, and a database in memory are refused with a sentence", async () => {
  using workshop = new Workshop();
  workshop.write("seed.json", '{"workspaces": [{"name": "A", "country": "IN", "timezone": "UTC"}]}');
  const [number, seeded, memory] = await Promise.all(
    [
      ["--number", "12"],
      ["--seed", "seed.json", "--number", "+442079460100"],
      ["--data", ":memory:"],
    ].map((options) => workshop.run(["dev", "--listen", "127.0.0.1:0", ...options])),
  );
  expect(number).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('--number 12: "12" is not a phone number.'),
  });
  expect(seeded).toMatchObject({ code: 2, stderr: expect.stringContaining("--number is for the demo") });
  expect(memory).toMatchObject({ code: 1, stderr: expect.stringContaining("run waxwing dev without --data") });
  expect(existsSync(workshop.path(":memory:"))).toBe(false);
});

test("--now is the time of the demo, of the clock and of every event; a kept database has its own times", async () => {
  using workshop = new Workshop();
  const args = ["dev", "--json", "--listen", "127.0.0.1:0", "--data", "mine", "--now", "2025-03-03T09:00:00+05:30"];
  const { child, firstLine } = await workshop.start(args);
  const { control_url, control_token, base_url, api_key } = JSON.parse(firstLine);
  const get = async (url: string, token: string) =>
    (await fetch(url, { headers: { authorization: `Bearer ${token}` } })).json() as Promise<Record<string, never>>;
  expect((await get(`${control_url}/clock`, control_token)).now).toStartWith("2025-03-03T03:3");
  expect(JSON.stringify(await get(`${base_url}/contacts`, api_key))).toContain('"created_at":"2025-03-03T09:0');
  child.kill("SIGTERM");
  await child.exited;
  const again = await workshop.run(args);
  expect([again.code, again.stdout]).toEqual([2, expect.stringContaining("--now is for a new database")]);
  const wrong = await workshop.run(["dev", "--now", "Christmas"]);
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining("--now takes a time such as")]);
}, 60_000);

test("--random-seed and --now give the same events, byte for byte, in every run", async () => {
  const run = async () => {
    using workshop = new Workshop();
    const { firstLine } = await workshop.start([
      ...["dev", "--json", "--listen", "127.0.0.1:0", "--random-seed", "7", "--now", "2026-12-24T09:00:00+05:30"],
    ]);
    const ready = JSON.parse(firstLine);
    const call = async (url: string, token: string, body?: unknown) => {
      const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
      const method = body === undefined ? "GET" : "POST";
      return (
        await fetch(url, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) })
      ).text();
    };
    const control = (path: string, body: unknown) => call(`${ready.control_url}${path}`, ready.control_token, body);
    // The time between the start and the first request passes with the real clock.
    await control("/reset", { now: "2026-12-24T10:00:00+05:30" });
    await control("/clock", { freeze: true });
    await control("/clock", { now: "2026-12-24T10:01:00+05:30" });
    for (const to of ["+442079460210", "+442079460345"]) {
      await call(`${ready.base_url}/messages`, ready.api_key, {
        to,
        template: "order_shipped",
        variables: ["Asha", "A-1"],
      });
    }
    await control("/inbound", { from: "+442079460210", text: "Thanks" });
    await control("/clock", { advance: "10s" });
    return await call(`${ready.base_url}/events`, ready.api_key);
  };
  const first = await run();
  expect(first).toContain("message.received");
  expect(await run()).toBe(first);
}, 60_000);

test("the directory of a killed dev is removed by the next start, and that of a running one stays", async () => {
  using workshop = new Workshop();
  const start = async () => {
    const { child, firstLine } = await workshop.start(["dev", "--json", "--listen", "127.0.0.1:0"]);
    return { child, data: JSON.parse(firstLine).data as string };
  };
  const [killed, running] = [await start(), await start()];
  killed.child.kill("SIGKILL");
  await killed.child.exited;
  expect(existsSync(killed.data)).toBe(true);
  await start();
  expect([existsSync(killed.data), existsSync(running.data)]).toEqual([false, true]);
}, 60_000);

test("dev runs on no other database than its own", async () => {
  using workshop = new Workshop();
  await workshop.json(["workspace", "create", ...SHOP, "--data", "mine"]);
  expect(await workshop.refusal(["dev", "--data", "mine"])).toMatchObject({ code: "not_a_demo" });
  expect(existsSync(workshop.path("mine/dev.json"))).toBe(false);
});

describe("the viewer", () => {
  const NOW = 1_760_000_000_000;
  const body = new TextEncoder().encode('{"id":"evt_1"}');
  const signature = serviceSignature('{"id":"evt_1"}', "whsec_x", NOW);

  test.each<[string, string, number, string | null]>([
    ["a right signature", signature, NOW, null],
    ["one of two", serviceSignature('{"id":"evt_1"}', "whsec_new", NOW, "whsec_x"), NOW, null],
    ["another secret's", serviceSignature('{"id":"evt_1"}', "whsec_y", NOW), NOW, "does not match"],
    ["another body's", serviceSignature('{"id":"evt_2"}', "whsec_x", NOW), NOW, "does not match"],
    ["one that is replayed", signature, NOW + 301_000, "older"],
    ["none", "", NOW, "missing"],
  ])("verifies %s", (_, header, now, fault) => {
    const found = findSignatureProblem(header, body, "whsec_x", now);
    if (fault === null) expect(found).toBeNull();
    else expect(found).toContain(fault);
  });

  test("keeps the last 200, refuses other names for itself, and lets nothing from outside into its page", async () => {
    const viewer = startViewer({ clock: systemClock, port: 0 });
    try {
      viewer.trust("whsec_x");
      for (let index = 0; index < 205; index++) {
        const text = JSON.stringify({ type: "<script>", index });
        const headers = { "service-signature": serviceSignature(text, "whsec_x", systemClock.now()) };
        await (await fetch(`${viewer.url}/webhook`, { method: "POST", body: text, headers })).text();
      }
      const shown = (await (await fetch(`${viewer.url}/events.json`)).json()) as Shown;
      expect(shown.count).toBe(205);
      expect(shown.events).toHaveLength(200);
      expect(JSON.parse(shown.events[0]?.body ?? "")).toEqual({ type: "<script>", index: 204 });
      const newcomer = await fetch(viewer.url, { headers: { host: "rebound.example" } });
      expect(newcomer.status).toBe(421);
      const page = await fetch(viewer.url);
      expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
      expect(viewerPage).not.toMatch(/innerHTML|insertAdjacent|document\.write|https?:\/\//);
    } finally {
      await viewer.stop();
    }
  });
});
