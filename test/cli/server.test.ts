/** Commands with and without a running server: webhooks, replays, the simulator, starting and stopping. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { SHOP, Workshop } from "./spawn.ts";

/** A receiver that answers with the status in the path: `/200`, `/500`. */
function startReceiver() {
  const bodies: { path: string; body: string; signature: string | null }[] = [];
  const http = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const path = new URL(request.url).pathname;
      bodies.push({ path, body: await request.text(), signature: request.headers.get("service-signature") });
      return new Response("seen", { status: Number(path.slice(1)) });
    },
  });
  return { url: `http://127.0.0.1:${http.port}`, bodies, stop: () => http.stop(true) };
}

let workshop: Workshop;
let receiver: ReturnType<typeof startReceiver>;
beforeAll(async () => {
  receiver = startReceiver();
  // A message that was delivered can't fail any more: the simulator reports nothing before the commands do.
  const simulator = '[simulator]\ndeliver_after = "1h"\nread_after = "1h"\n';
  workshop = new Workshop(`[webhooks]\nallow_http = true\nallow_private = true\nretry_after = []\n${simulator}`);
  await workshop.json(["workspace", "create", ...SHOP]);
  await workshop.json([
    "number",
    "add",
    "--workspace",
    "1",
    "--phone",
    "9876543210",
    "--name",
    "S",
    "--network",
    "simulator",
  ]);
});
afterAll(async () => {
  workshop[Symbol.dispose]();
  await receiver.stop();
});

const OF_1 = ["--workspace", "1"];
interface Delivery {
  id: number;
  status: string;
  event_type: string;
}

async function until<T>(look: () => Promise<T | null>): Promise<T> {
  for (let round = 0; round < 500; round++) {
    const found = await look();
    if (found !== null) return found;
    await Bun.sleep(20);
  }
  throw new Error("it did not come to pass");
}

describe("without a server", () => {
  test("webhook test without a server makes its one attempt itself, ahead of all pending deliveries", async () => {
    expect(await workshop.refusal(["webhook", "test", ...OF_1])).toMatchObject({ code: "not_found" });
    const set = await workshop.json(["webhook", "set", ...OF_1, "--url", `${receiver.url}/200`]);
    expect(set).toEqual({ url: `${receiver.url}/200`, secret: expect.stringMatching(/^whsec_/) });
    expect(await workshop.json(["webhook", "show", ...OF_1])).toEqual(set);
    const first = await workshop.json(["webhook", "test", ...OF_1]);
    expect(first).toMatchObject({ status_code: 200, response: "seen", error: null, delivered: true });
    expect(Object.keys(first)).toEqual(expect.arrayContaining(["delivery_id", "event_id", "duration_ms"]));
    // Without a server a replay is only queued. Another test event leaves it pending.
    const replayed = await workshop.json(["delivery", "replay", String(first.delivery_id)]);
    expect(replayed).toMatchObject({
      delivery_id: first.delivery_id,
      delivered: false,
      status: "pending",
      status_code: null,
    });
    const seen = receiver.bodies.length;
    const second = await workshop.json(["webhook", "test", ...OF_1]);
    expect(second.event_id).not.toBe(first.event_id);
    expect(receiver.bodies.slice(seen).map(({ body }) => JSON.parse(body).id)).toEqual([second.event_id]);
    expect(await workshop.json(["delivery", "show", String(first.delivery_id)])).toMatchObject({ status: "pending" });
  });

  test("webhook add, list, update, remove, and a test of a further address by its id", async () => {
    await workshop.json(["webhook", "set", ...OF_1, "--url", `${receiver.url}/200`]);
    const added = await workshop.json([
      "webhook",
      "add",
      ...OF_1,
      "--url",
      `${receiver.url}/202`,
      "--types",
      "message.received",
    ]);
    expect(added).toMatchObject({
      types: ["message.received"],
      state: "active",
      secret: expect.stringMatching(/^whsec_/),
    });
    const of = ["--id", String(added.id)];
    expect(await workshop.json(["webhook", "test", ...OF_1, ...of])).toMatchObject({
      status_code: 202,
      delivered: true,
    });
    const listed = await workshop.json<{ id: number; url: string }[]>(["webhook", "list", ...OF_1]);
    expect(listed.map(({ id, url }) => [id, url])).toEqual([
      [1, `${receiver.url}/200`],
      [Number(added.id), `${receiver.url}/202`],
    ]);
    expect(JSON.stringify(listed)).not.toContain("whsec_");
    expect(await workshop.json(["webhook", "update", ...of, "--state", "disabled"])).toMatchObject({
      state: "disabled",
    });
    expect(await workshop.refusal(["webhook", "test", ...OF_1, ...of])).toMatchObject({ code: "not_found" });
    expect(await workshop.refusal(["webhook", "update", ...of])).toMatchObject({ code: "invalid_request" });
    // Every workspace has an address 1.
    const unclear = await workshop.run(["webhook", "remove", "--id", "1"]);
    expect([unclear.code, unclear.stderr]).toEqual([2, expect.stringContaining("--workspace ID")]);
    expect(await workshop.json(["webhook", "remove", ...of])).toMatchObject({ id: added.id, removed: true });
    expect(await workshop.refusal(["webhook", "remove", ...of])).toMatchObject({ code: "not_found" });
  });

  test("rotate-secret --overlap asks the receiver first, and changes nothing unless it accepts", async () => {
    await workshop.json(["webhook", "set", ...OF_1, "--url", `${receiver.url}/401`]);
    const { secret: old } = await workshop.json(["webhook", "show", ...OF_1]);
    const overlap = ["webhook", "rotate-secret", ...OF_1, "--overlap", "24h"];
    const refused = await workshop.refusal(overlap);
    expect(refused).toMatchObject({ code: "receiver_refused", message: expect.stringContaining("answered 401") });
    expect(await workshop.json(["webhook", "show", ...OF_1])).toMatchObject({ secret: old });
    expect(receiver.bodies.at(-1)?.signature).toMatch(/^t=\d+,v1=[0-9a-f]{64},v1=[0-9a-f]{64}$/);

    await workshop.json(["webhook", "set", ...OF_1, "--url", `${receiver.url}/200`]);
    const rotated = await workshop.json(overlap);
    expect(rotated).toMatchObject({ url: `${receiver.url}/200`, old_secret_until: expect.stringMatching(/^20/) });
    expect(rotated.secret).not.toBe(old);
    expect(await workshop.json(["webhook", "show", ...OF_1])).toEqual(rotated);
    await workshop.json(["webhook", "test", ...OF_1]);
    expect(receiver.bodies.at(-1)?.signature).toMatch(/^t=\d+,v1=[0-9a-f]{64},v1=[0-9a-f]{64}$/);
    const alone = await workshop.json(["webhook", "rotate-secret", ...OF_1]);
    expect(Object.keys(alone)).toEqual(["url", "secret"]);
    expect(await workshop.refusal([...overlap.slice(0, -1), "soon"])).toMatchObject({ code: "invalid_request" });
  });

  test("webhook test reports a receiver's refusal as an answer, and a failed connection with its reason", async () => {
    await workshop.json(["webhook", "set", ...OF_1, "--url", `${receiver.url}/500`]);
    expect(await workshop.json(["webhook", "test", ...OF_1])).toMatchObject({ status_code: 500, delivered: false });
    await workshop.json(["webhook", "set", ...OF_1, "--url", "http://127.0.0.1:1/"]);
    const words = await workshop.run(["webhook", "test", ...OF_1]);
    expect(words.code).toBe(0);
    expect(words.stdout).toContain("did not accept");
    expect(words.stdout).toMatch(/answer +none: /);
  });

  test("webhook set refuses an address that the configuration forbids, and names the setting", async () => {
    const env = { WAXWING_WEBHOOKS_ALLOW_HTTP: "false", WAXWING_WEBHOOKS_ALLOW_PRIVATE: "false" };
    const set = (url: string) => workshop.refusal(["webhook", "set", ...OF_1, "--url", url], { env });
    const [plain, private_, wrong] = await Promise.all(
      ["http://example.com/", "https://10.0.0.1/", "example"].map(set),
    );
    expect(plain).toMatchObject({ code: "invalid_request", message: expect.stringContaining("allow_http") });
    expect(private_).toMatchObject({ code: "invalid_request", message: expect.stringContaining("allow_private") });
    expect(wrong?.message).not.toContain("allow_");
  });
});

describe("beside a server", () => {
  let server: Awaited<ReturnType<Workshop["start"]>>;
  let url: string;
  beforeAll(async () => {
    server = await workshop.start(["serve", "--listen", "127.0.0.1:0"]);
    expect(server.firstLine).toMatch(/^listening on http:\/\/127\.0\.0\.1:\d+$/);
    url = server.firstLine.replace("listening on ", "");
  });

  test("serve exits 1 with the reason when the database is in use by another server or the port is taken", async () => {
    const second = await workshop.run(["serve", "--listen", "127.0.0.1:0"]);
    expect(second).toMatchObject({ code: 1, stdout: "" });
    expect(second.stderr).toContain("another server already runs on the database");
    const other = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data: () => {} } });
    try {
      const address = `127.0.0.1:${other.port}`;
      const taken = await workshop.run(["serve", "--data", "other", "--listen", address]);
      expect(taken).toMatchObject({ code: 1, stdout: "" });
      expect(taken.stderr).toContain(`another program already listens on ${address}`);
    } finally {
      other.stop(true);
    }
  });

  test("serve --json says in one JSON line that it is ready", async () => {
    using other = new Workshop();
    const { child, firstLine } = await other.start(["serve", "--listen", "127.0.0.1:0", "--json"]);
    const { listening, ...more } = JSON.parse(firstLine);
    expect(more).toEqual({});
    expect((await fetch(`${listening}/readyz`)).status).toBe(200);
    child.kill("SIGTERM");
    expect(await child.exited).toBe(0);
  });

  test("serve explains a foreign listen address and missing TLS files without calling them internal errors", async () => {
    const tls = ["[server]", 'tls_cert = "none.pem"', 'tls_key = "none.pem"'].join("\n");
    const listen = (...more: string[]) => workshop.run(["serve", "--data", "third", ...more]);
    const foreign = await listen("--listen", "192.0.2.1:8080");
    const missing = await listen("--listen", "127.0.0.1:0", "--config", workshop.write("tls.toml", tls));
    for (const ran of [foreign, missing]) expect(ran).toMatchObject({ code: 1, stdout: "" });
    expect(foreign.stderr).toContain("192.0.2.1:8080 is not an address of this machine");
    expect(missing.stderr).toContain("none.pem cannot be read (ENOENT)");
    expect(existsSync(workshop.path("third"))).toBe(false);
    expect(missing.stderr).not.toContain("fault of waxwing's own");
  });

  test("webhook test and delivery replay let the server make the attempt, and wait for its result", async () => {
    await workshop.json(["webhook", "set", ...OF_1, "--url", `${receiver.url}/200`]);
    const tested = await workshop.json(["webhook", "test", ...OF_1]);
    expect(tested).toMatchObject({ status_code: 200, delivered: true });
    const replayed = await workshop.json(["delivery", "replay", String(tested.delivery_id)]);
    expect(replayed).toMatchObject({ event_id: tested.event_id, status_code: 200, delivered: true });
    const shown = await workshop.json<{ attempts: unknown[]; body: unknown }>([
      "delivery",
      "show",
      String(tested.delivery_id),
    ]);
    expect(shown.attempts).toHaveLength(2);
    expect(shown.body).toMatchObject({ id: tested.event_id, type: "webhook.test", data: {} });
  });

  test("delivery replay --failed-since sends all failed deliveries again; delivery list starts with the newest", async () => {
    const replay = (since: string) =>
      workshop.json<{ replayed: number }>(["delivery", "replay", ...OF_1, "--failed-since", since]);
    const failed = await workshop.json<Delivery[]>(["delivery", "list", ...OF_1, "--status", "exhausted"]);
    expect(failed.length).toBeGreaterThan(0);
    expect((await replay("1h")).replayed).toBe(failed.length);
    const all = await until(async () => {
      const list = await workshop.json<Delivery[]>(["delivery", "list", ...OF_1]);
      return list.every(({ status }) => status === "delivered") ? list : null;
    });
    expect(all.map(({ id }) => id)).toEqual(all.map(({ id }) => id).toSorted((a, b) => b - a));
    expect(await workshop.json<Delivery[]>(["delivery", "list", "--limit", "1"])).toEqual(all.slice(0, 1));
    const [wrong, half] = await Promise.all([
      workshop.run(["delivery", "replay", ...OF_1, "--failed-since", "yesterday"]),
      workshop.run(["delivery", "replay", ...OF_1]),
    ]);
    expect([wrong.code, half.code]).toEqual([2, 2]);
  });

  test("simulated inbounds and statuses are processed like the network's own callbacks", async () => {
    const inbound = await workshop.json(["simulate", "inbound", ...OF_1, "--from", "98200 12345", "--text", "hi"]);
    expect(inbound).toEqual({
      network_message_id: expect.stringMatching(/^wamid\./),
      from: "+919820012345",
      to: "+919876543210",
    });
    await until(async () => {
      const list = await workshop.json<Delivery[]>(["delivery", "list", ...OF_1]);
      return list.find(({ event_type }) => event_type === "message.received") ?? null;
    });
    const { key } = await workshop.json(["key", "create", ...OF_1]);
    const send = (to: string) =>
      fetch(`${url}/api/v1/messages`, {
        method: "POST",
        headers: { authorization: `Bearer ${String(key)}`, "content-type": "application/json" },
        body: JSON.stringify({ to, text: "hello" }),
      });
    const answer = (await (await send("+919820012345")).json()) as { data: { id: number } };
    const message = String(answer.data.id);
    const status = await workshop.json([
      "simulate",
      "status",
      "--message",
      message,
      "--status",
      "failed",
      "--code",
      "131000",
    ]);
    expect(status).toMatchObject({ message_id: answer.data.id, status: "failed" });
    await until(async () => {
      const shown = await fetch(`${url}/api/v1/messages/${message}`, {
        headers: { authorization: `Bearer ${String(key)}` },
      });
      const { data } = (await shown.json()) as { data: { status: string; error: { whatsapp_code: string } | null } };
      return data.status === "failed" && data.error?.whatsapp_code === "131000" ? data : null;
    });
  });

  test("simulate refuses invalid input, and asks for --to when the workspace has several numbers", async () => {
    const inbound = (...more: string[]) => workshop.refusal(["simulate", "inbound", ...more, "--text", "hi"]);
    expect(await inbound(...OF_1, "--from", "nobody")).toMatchObject({ fields: { from: [expect.any(String)] } });
    expect(await inbound("--workspace", "9", "--from", "9820012345")).toMatchObject({ code: "not_found" });
    expect(await workshop.refusal(["simulate", "status", "--message", "999", "--status", "read"])).toMatchObject({
      code: "not_found",
    });
    expect((await workshop.run(["simulate", "status", "--message", "1", "--status", "read", "--code", "1"])).code).toBe(
      2,
    );
    await workshop.json(["number", "add", ...OF_1, "--phone", "9876543211", "--name", "T", "--network", "simulator"]);
    const asked = await inbound(...OF_1, "--from", "9820012345");
    expect(asked).toMatchObject({
      code: "invalid_request",
      fields: { to: [expect.stringContaining("+919876543211")] },
    });
    const told = await workshop.json([
      "simulate",
      "inbound",
      ...OF_1,
      "--from",
      "9820012345",
      "--text",
      "x",
      "--to",
      "9876543211",
    ]);
    expect(told).toMatchObject({ to: "+919876543211" });
  });

  test("webhook rotate-secret replaces the secret and keeps the address; webhook clear removes only the address", async () => {
    const before = await workshop.json(["webhook", "show", ...OF_1]);
    const rotated = await workshop.json(["webhook", "rotate-secret", ...OF_1]);
    expect(rotated.url).toBe(before.url);
    expect(rotated.secret).not.toBe(before.secret);
    expect(await workshop.json(["webhook", "clear", ...OF_1])).toMatchObject({ url: null });
    expect(await workshop.json(["webhook", "show", ...OF_1])).toEqual({ url: null, secret: rotated.secret });
  });

  test("the server exits 0 on SIGTERM and on SIGINT", async () => {
    server.child.kill("SIGTERM");
    expect(await server.child.exited).toBe(0);
    const next = await workshop.start(["serve", "--listen", "127.0.0.1:0"]);
    next.child.kill("SIGINT");
    expect(await next.child.exited).toBe(0);
  });
});
