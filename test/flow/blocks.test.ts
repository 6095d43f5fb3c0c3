/** Blocking and unblocking people: asked once, by API and console, across every outcome, on Meta and the simulator. */
import { describe, expect, test } from "bun:test";
import type { E164 } from "#src/core/phone.ts";
import { findByPhone } from "#src/domain/contacts/find.ts";
import { beginErasure, findErasure } from "#src/domain/erasure/erasures.ts";
import { COMMAND_LINE } from "#src/domain/users/audit-log.ts";
import { firstOperator, person } from "#test/support/console.ts";
import { imageOf } from "#test/support/crash.ts";
import type { Fault } from "#test/support/graph.ts";
import { startTestServer } from "#test/support/server.ts";
import { FROM, rows, startWhatsapp, textFrom, type WhatsappWorld } from "#test/support/whatsapp.ts";

const ANNA = "+4915112345678";
const HOUR_MS = 60 * 60_000;

async function start() {
  const world = await startWhatsapp();
  const { app, graph, workspace } = world;
  await world.hear(textFrom(graph, ANNA, "Hello", { timestamp: String(Math.floor(app.clock.now() / 1_000)) }));
  const call = (method: string, path: string, body?: object) =>
    app.call(method, `/api/v1${path}`, { key: workspace.key, ...(body === undefined ? {} : { body }) });
  const thread = async () => (await call("GET", "/conversations")).body.data[0];
  const { id } = await thread();
  return {
    ...world,
    id,
    call,
    state: async () => (await thread()).block_state,
    block: () => call("POST", `/conversations/${id}/block`, {}),
    unblock: () => call("DELETE", `/conversations/${id}/block`),
    rows: () => rows(app.store, "SELECT blocked_at IS NOT NULL AS blocked, asked FROM blocks"),
    jobs: () => rows(app.store, "SELECT kind FROM outbox WHERE kind = 'resolve_block'"),
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  };
}

const methodsOf = ({ graph }: Pick<WhatsappWorld, "graph">) => graph.faces.changes.map(({ method }) => method);

describe("at Meta", () => {
  test("a person is blocked and unblocked, each asked once; a repeat asks nothing", async () => {
    await using world = await start();
    const { graph } = world;
    const blocked = await world.block();
    expect([blocked.status, blocked.body.data.block_state, graph.faces.blocked]).toEqual([200, "blocked", [ANNA]]);
    expect((await world.block()).status).toBe(200);
    expect(graph.faces.changes).toEqual([
      {
        method: "POST",
        path: expect.stringMatching(/^\/v\d+\.\d\/200000000000001\/block_users\?/),
        body: { messaging_product: "whatsapp", block_users: [{ user: ANNA }] },
      },
    ]);
    const ended = await world.unblock();
    expect([ended.status, ended.body.data.block_state, graph.faces.blocked]).toEqual([200, null, []]);
    expect((await world.unblock()).status).toBe(200);
    expect([methodsOf(world), world.rows(), world.jobs()]).toEqual([["POST", "DELETE"], [], []]);
  });

  test("a person without a phone number is named by the user id", async () => {
    await using world = await start();
    const { graph, app } = world;
    const message = { from_user_id: "DE.1349", id: "wamid.x", timestamp: String(Math.floor(app.clock.now() / 1_000)) };
    const contacts = [{ user_id: "DE.1349", profile: { name: "Asha" } }];
    await world.hear(graph.inbound({ ...message, type: "text", text: { body: "Hi" } }, { contacts }));
    const { id } = (await world.call("GET", "/conversations")).body.data[0];
    expect((await world.call("POST", `/conversations/${id}/block`, {})).body.data.block_state).toBe("blocked");
    expect(graph.faces.changes[0]?.body).toMatchObject({ block_users: [{ user_id: "DE.1349" }] });
    expect(graph.faces.blocked).toEqual(["DE.1349"]);
  });

  test("what Meta refuses is said in words, and nothing has changed", async () => {
    await using world = await start();
    const { graph, app } = world;
    graph.faces.wroteAt.set(ANNA, app.clock.now() - 24 * HOUR_MS);
    const late = await world.block();
    expect([late.status, late.body.error.whatsapp_code, late.body.error.retryable]).toEqual([502, "131047", false]);
    expect(late.body.error.message).toContain("within the last 24 hours");
    graph.faces.wroteAt.clear();
    graph.faces.blockedMax = 0;
    const full = await world.block();
    expect([full.body.error.whatsapp_code, full.body.error.message]).toEqual([
      "139101",
      expect.stringContaining("64,000"),
    ]);
    graph.fault({ fault: { kind: "error", code: 190, status: 401 } });
    expect((await world.block()).body.error).toMatchObject({ code: "whatsapp_error", whatsapp_code: "190" });
    graph.fault({ fault: { kind: "error", code: 80007, status: 429 } });
    expect((await world.block()).body.error).toMatchObject({ code: "unavailable", retryable: true });
    expect([await world.state(), world.rows(), world.jobs()]).toEqual([null, [], []]);
    graph.faces.blockedMax = 64_000;
    expect((await world.block()).body.data.block_state).toBe("blocked");
    graph.fault({ fault: { kind: "error", code: 100, status: 400 } });
    expect((await world.unblock()).status).toBe(502);
    expect([await world.state(), graph.faces.blocked]).toEqual(["blocked", [ANNA]]);
  });

  const lost: readonly [string, Fault][] = [
    ["the connection ends after Meta did it", { kind: "lost" }],
    ["a proxy answers with an error", { kind: "answer", status: 502, body: "<html>" }],
    ["Meta is in trouble", { kind: "error", code: 2, status: 500 }],
    ["the connection is reset before Meta did it", { kind: "reset" }],
  ];
  for (const [name, fault] of lost)
    test(`a lost answer is found out by reading, and the request is not repeated: ${name}`, async () => {
      await using world = await start();
      const { graph, app } = world;
      graph.fault({ fault });
      const answer = await world.block();
      if (fault.kind === "lost") {
        expect([answer.status, answer.body.data.block_state, methodsOf(world)]).toEqual([200, "blocked", ["POST"]]);
        return;
      }
      expect([answer.status, answer.body.error.whatsapp_code]).toEqual([502, "timeout"]);
      expect([await world.state(), world.rows()]).toEqual(["checking", [{ blocked: 0, asked: "block" }]]);
      // Until it is known, nothing else is asked.
      expect((await world.block()).status).toBe(429);
      expect((await world.unblock()).status).toBe(429);
      await app.clock.advance(60_000);
      expect([await world.state(), world.jobs(), methodsOf(world)]).toEqual([null, [], []]);
      expect((await world.block()).body.data.block_state).toBe("blocked");
      expect(methodsOf(world)).toEqual(["POST"]);
    });

  test("a request that arrives late is seen in the list a minute later", async () => {
    await using world = await start();
    const { graph, app } = world;
    graph.fault({ fault: { kind: "reset" } });
    expect((await world.block()).status).toBe(502);
    graph.faces.blocked.push(ANNA);
    await app.clock.advance(60_000);
    expect([await world.state(), world.rows()]).toEqual(["blocked", [{ blocked: 1, asked: null }]]);
  });

  test("while the list cannot be read the outcome stays unknown, and it is read again", async () => {
    await using world = await start();
    const { graph, app } = world;
    expect((await world.block()).status).toBe(200);
    graph.faces.isUnreadable = true;
    graph.fault({ fault: { kind: "lost" } });
    expect((await world.unblock()).status).toBe(502);
    await app.clock.advance(60_000);
    expect([await world.state(), world.jobs()]).toEqual(["checking", [{ kind: "resolve_block" }]]);
    graph.faces.isUnreadable = false;
    await app.clock.advance(10 * 60_000);
    expect([await world.state(), world.jobs(), methodsOf(world)]).toEqual([null, [], ["POST", "DELETE"]]);
  });

  test("two at once ask once", async () => {
    await using world = await start();
    const { graph } = world;
    const { promise, resolve } = Promise.withResolvers<void>();
    graph.fault({ fault: { kind: "delay", until: promise } });
    const first = world.block();
    while (graph.faces.changes.length === 0) await Bun.sleep(5);
    const second = await world.block();
    expect([second.status, second.body.error.code]).toEqual([429, "rate_limited"]);
    resolve();
    expect((await first).body.data.block_state).toBe("blocked");
    expect(methodsOf(world)).toEqual(["POST"]);
  });

  test("a person on a later page of the list is found", async () => {
    await using world = await start();
    const { graph } = world;
    for (let index = 0; index < 250; index++) graph.faces.blocked.push(`+49151000${String(index).padStart(5, "0")}`);
    graph.fault({ fault: { kind: "lost" } });
    expect((await world.block()).body.data.block_state).toBe("blocked");
  });

  const moments = ["before Meta has it", "before its answer", "before the record"] as const;
  for (const moment of moments)
    for (const action of ["block", "unblock"] as const)
      test(`a server that dies ${moment} of the ${action} finds out what it is, and asks nothing again`, async () => {
        await using world = await start();
        const { graph, app } = world;
        if (action === "unblock") await world.block();
        const asked = graph.faces.changes.length;
        const { promise, resolve } = Promise.withResolvers<void>();
        graph.fault({ fault: moment === "before Meta has it" ? { kind: "reset" } : { kind: "delay", until: promise } });
        const pending = world[action]();
        const isStored = () => rows(app.store, "SELECT id FROM blocks WHERE asked IS NOT NULL").length > 0;
        while (!isStored()) await Bun.sleep(5);
        if (moment !== "before Meta has it") while (graph.faces.changes.length === asked) await Bun.sleep(5);
        using image = imageOf(app.directory);
        resolve();
        await pending;
        const isDone = moment !== "before Meta has it";
        const changes = graph.faces.changes.length;
        await using again = await startTestServer({
          directory: image.directory,
          clock: app.clock,
          config: { whatsapp: { graphUrl: graph.url } },
        });
        const shown = async () =>
          (await again.call("GET", "/api/v1/conversations", { key: world.workspace.key })).body.data[0].block_state;
        expect(await shown()).toBe("checking");
        await app.clock.advance(60_000);
        const isBlocked = (action === "block") === isDone;
        expect([await shown(), graph.faces.changes.length]).toEqual([isBlocked ? "blocked" : null, changes]);
      });

  test("an agent sees and changes conversations on their numbers alone; another workspace's is not found", async () => {
    await using world = await start();
    const { app, workspace, id } = world;
    await firstOperator(app);
    const second = await world.addNumber(workspace.id, { phone: "+4930000001", phoneNumberId: "200000000000002" });
    const agent = await person(app, "agent@example.com", "agent", workspace.id);
    const path = `/w/${workspace.id}/conversations/${id}/block`;
    expect((await agent.post(path)).body.data.block_state).toBe("blocked");
    app.store.client.prepare("UPDATE memberships SET number_ids = ?").run(JSON.stringify([second.id]));
    expect((await agent.ask("DELETE", path)).status).toBe(404);
    const stranger = await app.workspace({ number: "+911244002200" });
    const foreign = await app.call("POST", `/api/v1/conversations/${id}/block`, { key: stranger.key, body: {} });
    expect([foreign.status, world.graph.faces.changes.length]).toEqual([404, 1]);
    expect(rows(app.store, "SELECT action, subject FROM audit_log WHERE action LIKE 'conversation.%'")).toEqual([
      { action: "conversation.block", subject: ANNA },
    ]);
  });

  test("erasing the person forgets the block; WhatsApp's list keeps it", async () => {
    await using world = await start();
    await world.block();
    const { app, workspace, graph } = world;
    const anna = app.store.read((tx) => findByPhone(tx, workspace.id, ANNA as E164));
    if (anna === undefined) throw new Error("Anna wrote");
    const { id } = await app.store.write((tx) => beginErasure(tx, anna, COMMAND_LINE, tx.now));
    const find = () => app.store.read((tx) => findErasure(tx, id));
    while (find()?.endedAt === null) await app.clock.advance(1_000);
    const erased = find();
    expect([erased?.holders?.still_blocked_on, world.rows(), graph.faces.blocked]).toEqual([[FROM], [], [ANNA]]);
  });
});

describe("on the simulator", () => {
  async function simulated() {
    const app = await startTestServer();
    const shop = await app.workspace({});
    await firstOperator(app);
    const owner = await person(app, "owner@example.com", "owner", shop.id);
    const at = (path: string) => `/w/${shop.id}${path}`;
    const write = (text = "Hello", from = "+919876543210") =>
      owner.post(at(`/simulator/phones/${encodeURIComponent(from)}/write`), { text, number: shop.numberId });
    await write();
    await app.clock.advance(1_000);
    const call = (method: string, path: string, body?: object) =>
      app.call(method, `/api/v1${path}`, { key: shop.key, ...(body === undefined ? {} : { body }) });
    const { id } = (await call("GET", "/conversations")).body.data[0];
    const block = () => call("POST", `/conversations/${id}/block`, {});
    const unblock = () => call("DELETE", `/conversations/${id}/block`);
    return {
      app,
      shop,
      owner,
      at,
      write,
      call,
      block,
      unblock,
      [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
    };
  }

  test("who is blocked cannot write and gets nothing, until they are unblocked", async () => {
    await using world = await simulated();
    expect((await world.block()).body.data.block_state).toBe("blocked");
    const written = await world.write("Are you there?");
    expect([written.status, written.body.error.fields.text[0]]).toEqual([
      400,
      expect.stringContaining("blocks this person"),
    ]);
    const sent = await world.call("POST", "/messages", { to: "+919876543210", text: "Hello" });
    expect(sent.body.error).toMatchObject({ whatsapp_code: "131026", outcome: "not_sent" });
    const listed = await world.owner.get(world.at(`/numbers/${world.shop.numberId}/blocked`));
    expect(listed.body).toMatchObject({
      data: [{ person: "+919876543210", contact_id: expect.any(Number), blocked_at: expect.any(String) }],
      meta: { has_more: false, next: null },
    });
    expect((await world.unblock()).body.data.block_state).toBe(null);
    expect((await world.write("Thank you")).status).toBe(202);
    expect((await world.call("POST", "/messages", { to: "+919876543210", text: "Hello" })).status).toBe(201);
  });

  test("only people who wrote within 24 hours can be blocked", async () => {
    await using world = await simulated();
    await world.app.clock.advance(24 * HOUR_MS);
    expect((await world.block()).body.error).toMatchObject({ whatsapp_code: "131047" });
    await world.owner.signIn("owner@example.com");
    expect((await world.write("Hello again")).status).toBe(202);
    await world.app.clock.advance(1_000);
    expect((await world.block()).status).toBe(200);
  });
});
