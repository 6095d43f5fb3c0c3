/** Taking a conversation over, giving it back, passing it on: asked once, by API and console, across every outcome. */
import { describe, expect, test } from "bun:test";
import { firstOperator, person } from "#test/support/console.ts";
import { imageOf } from "#test/support/crash.ts";
import type { Fault } from "#test/support/graph.ts";
import { startTestServer } from "#test/support/server.ts";
import { ANNA, startThreads } from "#test/support/thread-world.ts";
import { startWhatsapp } from "#test/support/whatsapp.ts";

const notPartner = {
  kind: "refused",
  code: "2494191",
  message: "Not the escalation partner.",
  scope: "recipient",
} as const;
const unreachable = { kind: "unreachable", reason: "connection refused" } as const;
const unknown = { kind: "unknown", reason: "the connection was reset" } as const;

async function start() {
  const world = await startThreads();
  const { app, call } = world;
  const id = async () => (await call("GET", "/conversations")).body.data[0].id;
  return {
    ...world,
    id,
    ask: async (action: string, more: object = {}) =>
      call("POST", `/conversations/${await id()}/thread`, { action, ...more }),
    rows: () => app.store.client.prepare("SELECT action, outcome, code FROM thread_calls ORDER BY id").all(),
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  };
}

describe("a thread call", () => {
  test("takes, releases and passes; the answer has the owner, and the change is an event", async () => {
    await using world = await start();
    const { network, app } = world;
    await world.standby();
    await app.clock.advance(1_000);
    const taken = await world.ask("take");
    expect([taken.status, taken.body.data.owner]).toEqual([200, "us"]);
    expect(network.threadCalls).toEqual([{ action: "take", targetRole: null, to: ANNA, recipientNetworkUserId: null }]);
    expect(await world.send()).toBe("sent");
    expect((await world.ask("release")).body.data.owner).toBe("nobody");
    await app.clock.advance(1_000);
    await world.writes();
    expect(await world.owner()).toBe("us");
    await app.clock.advance(1_000);
    expect((await world.ask("pass", { to: "ai_agent" })).body.data.owner).toBe("other");
    expect(network.threadCalls.at(-1)).toMatchObject({ action: "pass", targetRole: "ai_agent" });
    // A message takes it from Meta's agent.
    expect([await world.send({ take: false }), await world.send()]).toEqual(["thread_owned_elsewhere", "sent"]);
    expect(world.rows()).toEqual([
      { action: "take", outcome: "done", code: null },
      { action: "release", outcome: "done", code: null },
      { action: "pass", outcome: "done", code: null },
    ]);
  });

  test("asks nothing where the thread has the owner already, and a release says that the number is shared", async () => {
    await using world = await start();
    await world.writes();
    expect((await world.ask("take")).status).toBe(200);
    expect(world.network.threadCalls).toEqual([]);
    expect((await world.contact()).threads).toEqual([]);
    expect((await world.ask("release")).body.data.owner).toBe("nobody");
    expect((await world.contact()).threads).toHaveLength(1);
    for (const action of ["release", "pass"]) expect((await world.ask(action)).status).toBe(200);
    expect(world.network.threadCalls).toHaveLength(1);
  });

  test("names the person by the user id where no phone number is known", async () => {
    await using world = await start();
    const { app, call, shop, network } = world;
    const item = { from_user_id: "IN.1349", id: "wamid.user", timestamp: String(Math.floor(app.clock.now() / 1000)) };
    const contacts = [{ user_id: "IN.1349", profile: { name: "Asha", username: "asha" } }];
    const { report } = await import("#test/support/report.ts");
    await report(app, shop, { contacts, messages: [{ ...item, type: "text", text: { body: "Hello" } }] });
    const { id } = (await call("GET", "/conversations")).body.data[0];
    expect((await call("POST", `/conversations/${id}/thread`, { action: "release" })).status).toBe(200);
    expect(network.threadCalls).toMatchObject([{ to: null, recipientNetworkUserId: "IN.1349" }]);
  });

  test("is refused in words, and the owner stays", async () => {
    await using world = await start();
    const { network } = world;
    await world.standby();
    network.threads(notPartner);
    const { status, body } = await world.ask("take");
    expect([status, body.error.code, body.error.whatsapp_code, body.error.retryable]).toEqual([
      ...[502, "whatsapp_error", "2494191", false],
    ]);
    network.threads(unreachable);
    expect((await world.ask("take")).body.error).toMatchObject({ whatsapp_code: "unreachable", retryable: true });
    expect(await world.owner()).toBe("other");
    expect(world.rows()).toEqual([
      { action: "take", outcome: "refused", code: "2494191" },
      { action: "take", outcome: "refused", code: "unreachable" },
    ]);
  });

  test("is never repeated when its outcome is unknown; what was reported meanwhile tells the owner", async () => {
    await using world = await start();
    const { network, app } = world;
    await world.standby();
    network.threads(unknown);
    const { status, body } = await world.ask("take");
    expect([status, body.error.whatsapp_code, body.error.retryable]).toEqual([502, "timeout", false]);
    expect([network.threadCalls.length, await world.owner()]).toEqual([1, "other"]);
    await app.clock.advance(1_000);
    network.threads(async () => {
      await world.writes();
      return unknown;
    });
    expect((await world.ask("take")).body.data.owner).toBe("us");
    expect(world.rows().map((row) => (row as { outcome: string }).outcome)).toEqual(["unknown", "done"]);
  });

  test("a handover that the network reports later than the call was made wins", async () => {
    await using world = await start();
    const { network, app } = world;
    await world.standby();
    await app.clock.advance(10_000);
    network.threads(async () => {
      await app.clock.advance(2_000);
      await world.handover("control_taken");
      return { kind: "done" };
    });
    expect((await world.ask("take")).body.data.owner).toBe("other");
  });

  test("one at a time: the second gets 429, and one that nothing answered is over after a while", async () => {
    await using world = await start();
    const { network, app } = world;
    await world.standby();
    const { promise, resolve } = Promise.withResolvers<{ kind: "done" }>();
    network.threads(() => promise);
    const first = world.ask("take");
    while (network.threadCalls.length === 0) await Bun.sleep(1);
    const { status, body } = await world.ask("take");
    expect([status, body.error.code]).toEqual([429, "rate_limited"]);
    resolve({ kind: "done" });
    expect((await first).status).toBe(200);
    await app.clock.advance(1_000);
    await world.standby();
    app.store.client.exec(
      `INSERT INTO thread_calls (workspace_id, contact_id, number_id, action, asked_at)
      SELECT workspace_id, contact_id, number_id, 'take', ${app.clock.now() - 60_000} FROM conversations`,
    );
    network.threads({ kind: "done" });
    expect((await world.ask("take")).status).toBe(200);
    expect(world.rows().map((row) => (row as { outcome: string }).outcome)).toEqual(["done", "unknown", "done"]);
  });

  test("a crash between intent and answer: nothing is asked again, and the owner is that before", async () => {
    await using world = await start();
    const { network, app, shop } = world;
    await world.standby();
    const { promise: reached, resolve: reach } = Promise.withResolvers<void>();
    const { promise, resolve } = Promise.withResolvers<{ kind: "done" }>();
    network.threads(() => {
      reach();
      return promise;
    });
    const asked = world.ask("take");
    await reached;
    using image = imageOf(app.directory);
    resolve({ kind: "done" });
    await asked;
    network.threadCalls.length = 0;
    await using again = await startTestServer({
      directory: image.directory,
      clock: app.clock,
      networks: { simulator: network },
    });
    const { body } = await again.call("GET", "/api/v1/conversations", { key: shop.key });
    expect([body.data[0].owner, network.threadCalls]).toEqual(["other", []]);
    expect(again.store.client.prepare("SELECT outcome FROM thread_calls").pluck().all()).toEqual(["unknown"]);
  });

  test("what is wrong with the request is said at its field; another workspace's conversation is not found", async () => {
    await using world = await start();
    await world.standby();
    const stranger = await world.app.workspace({ number: "+911244002200" });
    for (const [body, field] of [
      [{}, "action"],
      [{ action: "steal" }, "action"],
      [{ action: "take", to: "ai_agent" }, "to"],
      [{ action: "pass", to: "somebody" }, "to"],
    ] as const) {
      const answer = await world.call("POST", `/conversations/${await world.id()}/thread`, body);
      expect([answer.status, Object.keys(answer.body.error.fields)]).toEqual([400, [field]]);
    }
    const path = `/api/v1/conversations/${await world.id()}/thread`;
    const foreign = await world.app.call("POST", path, { key: stranger.key, body: { action: "take" } });
    expect([foreign.status, world.network.threadCalls]).toEqual([404, []]);
  });
});

describe("`take: true`", () => {
  test("takes the thread first; if the message is then refused, the thread is ours", async () => {
    await using world = await start();
    const { network, app } = world;
    await world.standby();
    await app.clock.advance(1_000);
    network.next({ kind: "refused", code: "131026", message: "No.", scope: "recipient" });
    expect(await world.send({ take: true })).toBe("invalid_number");
    expect([network.threadCalls.length, await world.owner()]).toEqual([1, "us"]);
    expect([await world.send({ take: true }), network.threadCalls.length]).toEqual(["sent", 1]);
  });

  test("is sent where the network does not let the thread be taken, or does not say; a template asks for nothing", async () => {
    await using world = await start();
    const { network, app } = world;
    for (const answer of [notPartner, unknown, unreachable] as const) {
      await app.clock.advance(1_000);
      await world.standby();
      await app.clock.advance(1_000);
      network.threads(answer);
      expect(await world.send({ take: true })).toBe("sent");
      expect(await world.owner()).toBe("us");
    }
    expect([network.threadCalls.length, network.sent.length]).toEqual([3, 3]);
    // Not for a message that would be refused anyway, nor for one that the agent gives way to.
    await app.clock.advance(1_000);
    await world.handover("control_taken");
    expect(await world.send({ take: true })).toBe("sent");
    await app.clock.advance(25 * 60 * 60 * 1000);
    await world.echo();
    expect(await world.send({ take: true })).toBe("window_closed");
    expect(network.threadCalls).toHaveLength(3);
  });

  test("a scheduled message takes it when it is due", async () => {
    await using world = await start();
    const { network, app, call } = world;
    await world.writes();
    const sendAt = new Date(app.clock.now() + 600_000).toISOString();
    const { body } = await call("POST", "/messages", { to: ANNA, text: "Hello", send_at: sendAt, take: true });
    await app.clock.advance(1_000);
    await world.standby();
    await app.clock.advance(1_200_000);
    expect((await call("GET", `/messages/${body.data.id}`)).body.data.status).toBe("sent");
    expect(network.threadCalls).toMatchObject([{ action: "take", to: ANNA }]);
  });
});

describe("the console", () => {
  test("shows the owner, takes over and releases, and writes who did; an agent of another number does not find it", async () => {
    await using world = await start();
    const { app, shop } = world;
    await world.standby();
    await app.clock.advance(1_000);
    await firstOperator(app);
    const owner = await person(app, "owner@example.com", "owner", shop.id);
    const { contact_id: contact } = (await owner.get(`/w/${shop.id}/inbox`)).body.data[0];
    const shown = async () => (await owner.get(`/w/${shop.id}/inbox/${contact}`)).body.data.thread;
    const conversation = (await owner.get(`/w/${shop.id}/inbox/${contact}`)).body.data.conversation.id;
    expect(await shown()).toMatchObject({ owner: "other", role: null, is_taken_by_message: false });
    const act = (action: string, who = owner) =>
      who.post(`/w/${shop.id}/conversations/${conversation}/thread`, { action });
    expect((await act("take")).body.data.owner).toBe("us");
    expect((await act("release")).body.data.owner).toBe("nobody");
    expect((await shown()).owner).toBe("nobody");
    const log = (await owner.get(`/w/${shop.id}/audit`)).body.data;
    expect(log.filter(({ action }: { action: string }) => action === "conversation.thread")).toMatchObject([
      { subject: ANNA, details: { action: "release" } },
      { subject: ANNA, details: { action: "take" } },
    ]);
    const second = (await owner.post(`/w/${shop.id}/numbers`, { phone: "+919876599990", name: "Second" })).body.data;
    const agent = await person(app, "agent@example.com", "agent", shop.id);
    app.store.client
      .prepare("UPDATE memberships SET number_ids = ? WHERE role = 'agent'")
      .run(JSON.stringify([second.id]));
    expect((await act("take", agent)).status).toBe(404);
  });
});

describe("the Cloud API", () => {
  test("gets one request, member by member, with Meta's own refusal, and none again after an answer that was lost", async () => {
    await using world = await startWhatsapp();
    const { app, graph, workspace, clock } = world;
    const call = (method: string, path: string, body?: object) =>
      app.call(method, `/api/v1${path}`, { key: workspace.key, ...(body === undefined ? {} : { body }) });
    const passed = { recipient: { phone_number_id: "200000000000001" }, sender: { phone_number: "4915112345678" } };
    const handover = (type: string) =>
      world.hear({
        field: "messaging_handovers",
        value: { ...passed, timestamp: String(Math.floor(clock.now() / 1000)), type, [type]: {} },
      });
    await handover("control_passed");
    const { id } = (await call("GET", "/conversations")).body.data[0];
    const ask = (body: object) => call("POST", `/conversations/${id}/thread`, body);
    await clock.advance(1_000);
    expect((await ask({ action: "pass", to: "ai_agent" })).status).toBe(200);
    expect(graph.threads.calls).toEqual([
      {
        path: "/v25.0/200000000000001/thread_control",
        body: {
          messaging_product: "whatsapp",
          to: "+4915112345678",
          action: "pass",
          control_pass: { target_role: "ai_agent" },
        },
      },
    ]);
    graph.threads.isEscalationPartner = false;
    const refused = await ask({ action: "take" });
    expect([refused.status, refused.body.error.whatsapp_code]).toEqual([502, "2494191"]);
    expect(refused.body.error.message).toContain("escalation partner");
    graph.threads.isEscalationPartner = true;
    const lost: Fault[] = [{ kind: "lost" }, { kind: "reset" }, { kind: "answer", status: 502, body: "<html>" }];
    for (const [index, fault] of lost.entries()) {
      graph.fault({ fault });
      const answer = await ask({ action: "take" });
      expect([index, answer.status, answer.body.error?.whatsapp_code]).toEqual([index, 502, "timeout"]);
    }
    expect(graph.threads.calls.filter(({ body }) => body.action === "take")).toHaveLength(1);
    expect((await ask({ action: "take" })).body.data.owner).toBe("us");
    expect((await ask({ action: "release" })).body.data.owner).toBe("nobody");
    expect(graph.threads.calls.at(-1)?.body).toEqual({
      ...{ messaging_product: "whatsapp", to: "+4915112345678", action: "release" },
    });
  });
});

describe("a number that an operator calls shared", () => {
  test("has owners before another sender is seen; with Meta's agent named, a bare standby means the agent", async () => {
    await using world = await start();
    const { app, shop } = world;
    const { updateNumber } = await import("#src/domain/numbers/update.ts");
    const { getNumber } = await import("#src/domain/numbers/read.ts");
    const share = (sharedWith: "agent" | "other" | null) =>
      app.store.write((tx) => updateNumber(tx, getNumber(tx, shop.numberId), { sharedWith }));
    await world.writes();
    await share("other");
    expect(await world.owner()).toBe("us");
    await app.clock.advance(1_000);
    await world.standby();
    expect(await world.send()).toBe("thread_owned_elsewhere");
    await share("agent");
    expect([await world.send({ take: false }), await world.send()]).toEqual(["thread_owned_elsewhere", "sent"]);
    expect(await world.owner()).toBe("us");
    await share(null);
    expect((await world.contact()).threads).toEqual([]);
  });
});
