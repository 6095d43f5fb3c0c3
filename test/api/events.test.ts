/** `GET /events`: the event log in commit order, and requests that wait for what happens next. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connect } from "node:net";
import { purgeEvents } from "#src/domain/webhooks/purge.ts";
import { imageOf } from "#test/support/crash.ts";
import { templates } from "#test/support/scenarios.ts";
import { type Answered, startTestServer, type TestServer, type TestWorkspace } from "#test/support/server.ts";

const EVENTS = "/api/v1/events";
const MESSAGES = "/api/v1/messages";
const asha = "+919876543210";

let app: TestServer;
beforeAll(async () => {
  app = await startTestServer();
});
afterAll(() => app[Symbol.asyncDispose]());

async function shopWithTemplate(at = app): Promise<TestWorkspace> {
  const shop = await at.workspace();
  await at.template(shop, templates.plain);
  return shop;
}

const read = ({ key }: TestWorkspace, query = "", at = app): Promise<Answered> =>
  at.call("GET", `${EVENTS}${query}`, { key });

const send = ({ key }: TestWorkspace, reference: string, at = app): Promise<Answered> =>
  at.send("POST", MESSAGES, { key, body: { to: asha, template: "plain", reference } });

const typesOf = ({ body }: Answered): string[] => body.data.map(({ type }: { type: string }) => type);

describe("the event log", () => {
  test("holds a workspace's own events in commit order, with the bytes that webhooks carry", async () => {
    const [shop, other] = [await shopWithTemplate(), await shopWithTemplate()];
    await send(shop, "one");
    await send(other, "hidden");
    await app.clock.advance(5_000);
    const log = await read(shop);
    expect(typesOf(log)).toEqual(["message.sent", "message.delivered", "message.read"]);
    expect(log.body.data[0].data.message).toMatchObject({ reference: "one", status: "sent" });
    const stored = app.store.client.prepare("SELECT body FROM events WHERE workspace_id = ? ORDER BY seq").pluck();
    for (const body of stored.all(shop.id)) expect(log.text).toContain(String(body));
    expect(log.body.meta).toEqual({ per_page: 50, has_more: false, next: expect.any(String) });
    expect(log.text).not.toContain("hidden");
  });

  test("gives the cursor behind each event, from any of which it continues with the next", async () => {
    const shop = await shopWithTemplate();
    for (let count = 0; count < 3; count++) await send(shop, `order-${count}`);
    await app.clock.advance(5_000);
    const { data, meta } = (await read(shop, "?cursors=true")).body;
    expect([data.length, meta.cursors.length]).toEqual([9, 9]);
    for (const [index, cursor] of meta.cursors.entries()) {
      const rest = await read(shop, `?after=${cursor}`);
      expect(rest.body.data).toEqual(data.slice(index + 1));
    }
    // Between two events of other types, too.
    const some = (await read(shop, "?cursors=true&types=message.read")).body;
    const after = await read(shop, `?after=${some.meta.cursors[0]}`);
    const at = data.findIndex(({ id }: { id: string }) => id === some.data[0].id);
    expect(after.body.data).toEqual(data.slice(at + 1));
    expect((await read(shop, "?cursors=yes")).body.error.fields).toEqual({ cursors: ["This is true or false."] });
  });

  test("is walked by its cursors: nothing is missed or repeated, also while events are added", async () => {
    const shop = await shopWithTemplate();
    const seen: string[] = [];
    let next = "";
    for (let round = 0; round < 12; round++) {
      if (round < 5) await send(shop, `order-${round}`);
      await app.clock.advance(1_000);
      const { body } = await read(shop, `?per_page=2${next === "" ? "" : `&after=${next}`}`);
      seen.push(...body.data.map(({ id }: { id: string }) => id));
      expect(body.data.length).toBeLessThanOrEqual(2);
      next = body.meta.next;
    }
    const stored = app.store.client.prepare("SELECT id FROM events WHERE workspace_id = ? ORDER BY seq").pluck();
    expect(seen).toEqual(stored.all(shop.id).map(String));
    expect(seen.length).toBe(15);
  });

  test("can be limited to types; an empty page says whether to ask again", async () => {
    const shop = await shopWithTemplate();
    await app.store.write(({ db, now }) => {
      const insert = `INSERT INTO events (id, workspace_id, type, body, created_at) VALUES `;
      const rows = Array.from(
        { length: 2_500 },
        (_, at) => `('evt_${shop.id}_${at}', ${shop.id}, 'message.read', '{}', ${now})`,
      );
      db.run(`${insert}${rows.join(",")}`);
    });
    await app.inbound(shop, asha, "STOP");
    let query = "?types=contact.opted_out,contact.opted_in";
    const pages: number[] = [];
    for (let after = ""; ; ) {
      const { body } = await read(shop, `${query}${after}`);
      pages.push(body.data.length);
      after = `&after=${body.meta.next}`;
      if (!body.meta.has_more) break;
    }
    expect(pages).toEqual([0, 0, 1]);
    query = "?types=message.sent&after=latest";
    expect((await read(shop, query)).body.data).toEqual([]);
  });

  for (const [query, field] of [
    ["?types=message.gone", "types"],
    ["?wait=soon", "wait"],
    ["?wait=-1", "wait"],
    ["?per_page=0", "per_page"],
    ["?after=garbage", "after"],
    ["?after=e30", "after"],
  ] as const) {
    test(`${query} is refused, and the field is named`, async () => {
      const { status, body } = await read(await shopWithTemplate(), query);
      expect([status, Object.keys(body.error.fields)]).toEqual([400, [field]]);
    });
  }
});

describe("a cursor that leads nowhere is refused with the oldest one", () => {
  test("because the events after it are deleted", async () => {
    const shop = await shopWithTemplate();
    const { next } = (await read(shop, "?after=latest")).body.meta;
    await send(shop, "old");
    await app.clock.advance(5_000);
    await app.store.write((tx) => void purgeEvents(tx, tx.now + 1, 1_000_000));
    const { status, body } = await read(shop, `?after=${next}`);
    expect([status, Object.keys(body.error.fields)]).toEqual([400, ["after"]]);
    expect(body.error.fields.after[0]).toContain(body.error.oldest);
    await send(shop, "new");
    const again = await read(shop, `?after=${body.error.oldest}`);
    expect(again.body.data[0].data.message.reference).toBe("new");
  });

  test("because it was given by another copy of the database", async () => {
    await using first = await startTestServer();
    const shop = await shopWithTemplate(first);
    await send(shop, "one", first);
    using image = imageOf(first.directory);
    await first.clock.advance(5_000);
    const { next } = (await read(shop, "", first)).body.meta;
    await using copy = await startTestServer({
      directory: image.directory,
      readFileIdentity: () => ({ inode: "2", createdAt: 2 }),
    });
    const { status, body } = await read(shop, `?after=${next}`, copy);
    expect([status, body.error.message]).toEqual([400, expect.stringContaining("another copy")]);
    expect((await read(shop, `?after=${body.error.oldest}`, copy)).status).toBe(200);
  });
});

describe("a request that waits", () => {
  test("is answered by the commit of an event, and by no event of another workspace or type", async () => {
    const [shop, other] = [await shopWithTemplate(), await shopWithTemplate()];
    let answer: Answered | null = null;
    const waiting = read(shop, "?after=latest&wait=30&types=message.sent").then((given) => {
      answer = given;
    });
    await app.clock.advance(1_000);
    await send(other, "elsewhere");
    await app.inbound(shop, asha, "Hi");
    await app.clock.advance(1_000);
    expect(answer).toBeNull();
    await send(shop, "here");
    await waiting;
    expect(typesOf(answer as unknown as Answered)).toEqual(["message.sent"]);
  });

  test("is answered empty when the time is over, at most 30 seconds later", async () => {
    const shop = await shopWithTemplate();
    const before = app.clock.monotonic();
    const answer = await app.clock.until(read(shop, "?after=latest&wait=900"));
    expect([answer.status, answer.body.data, app.clock.monotonic() - before]).toEqual([200, [], 30_000]);
    expect((await read(shop, `?after=${answer.body.meta.next}`)).status).toBe(200);
  });

  test("does not query the database while nothing is committed", async () => {
    const shop = await shopWithTemplate();
    const waiting = read(shop, "?after=latest&wait=30");
    await app.clock.advance(0);
    const { prepare } = app.store.client;
    const executed: string[] = [];
    app.store.client.prepare = ((sql: string) => {
      executed.push(sql);
      return prepare.call(app.store.client, sql);
    }) as typeof prepare;
    await app.clock.advance(29_000);
    app.store.client.prepare = prepare;
    expect(executed.filter((sql) => sql.includes("events"))).toEqual([]);
    await app.clock.until(waiting);
  });

  test("is one of at most 20 of a workspace: the next one is told to come later, and the others keep waiting", async () => {
    const [shop, other] = [await shopWithTemplate(), await shopWithTemplate()];
    const waiting = Array.from({ length: 20 }, () => read(shop, "?after=latest&wait=30"));
    await app.clock.advance(0);
    const refused = await read(shop, "?after=latest&wait=30");
    expect([refused.status, refused.body.error.code]).toEqual([429, "rate_limited"]);
    expect((await read(shop, "?after=latest")).status).toBe(200);
    expect((await app.clock.until(read(other, "?after=latest&wait=1"))).status).toBe(200);
    await send(shop, "for everybody");
    for (const answer of await Promise.all(waiting)) expect(typesOf(answer)[0]).toBe("message.sent");
  });

  test("frees its place when its caller closes the connection", async () => {
    const shop = await shopWithTemplate();
    for (let round = 0; round < 2; round++) {
      const sockets = Array.from({ length: 20 }, () => {
        const { hostname, port } = new URL(app.server.url);
        const socket = connect(Number(port), hostname);
        socket.write(
          `GET ${EVENTS}?after=latest&wait=30 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${shop.key}\r\n\r\n`,
        );
        return socket;
      });
      await until(() => app.server.pendingRequests() === sockets.length);
      expect((await read(shop, "?after=latest&wait=30")).status).toBe(429);
      for (const socket of sockets) socket.destroy();
      await until(() => app.server.pendingRequests() === 0);
    }
  });

  test("is answered when the server stops", async () => {
    const server = await startTestServer();
    const shop = await shopWithTemplate(server);
    const waiting = read(shop, "?after=latest&wait=30", server);
    await server.clock.advance(0);
    await server.stop();
    const { status, body } = await waiting;
    expect([status, body.data]).toEqual([200, []]);
    await server[Symbol.asyncDispose]();
  });
});

/** Lets real sockets make progress until it is true. */
async function until(isTrue: () => boolean): Promise<void> {
  for (let turns = 0; turns < 100_000; turns++) {
    if (isTrue()) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
  throw new Error("it never became true");
}
