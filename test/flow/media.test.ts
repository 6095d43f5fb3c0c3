/** Files that people send: fetched at once, stored once, told of, given to those who may see them. */
import { expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { claimFile } from "#src/domain/media/record.ts";
import { expireMedia } from "#src/domain/media/release.ts";
import { updateWorkspace } from "#src/domain/workspaces/update.ts";
import { GRAPH_APP_SECRET, GRAPH_PHONE_NUMBER_ID, startGraph } from "#test/support/graph.ts";
import { graphAccount } from "#test/support/graph-account.ts";
import { GraphMedia, type MediaFault } from "#test/support/graph-media.ts";
import { eventsOf } from "#test/support/rows.ts";
import { startTestServer } from "#test/support/server.ts";
import { startWhatsapp, type WhatsappWorld } from "#test/support/whatsapp.ts";
import { Workshop } from "../cli/spawn.ts";

const JPEG = Buffer.concat([Buffer.from("\xff\xd8\xff\xe0picture", "latin1"), Buffer.alloc(200_000, 5)]);
const PERSON = "+4915112345678";
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

function picture(id: string, stated: object, more: object = {}): object {
  const message = { from: "4915112345678", id: `wamid.${id}`, timestamp: "0", type: "image", image: stated, ...more };
  return message;
}

interface World extends WhatsappWorld {
  media: GraphMedia;
}

async function startWorld(options: Parameters<typeof startWhatsapp>[0] = {}): Promise<World> {
  const media = new GraphMedia();
  const world = await startWhatsapp({ ...options, graph: { media } });
  return Object.assign(world, { media });
}

async function write(world: World, id: string, stated: object, more: object = {}): Promise<void> {
  const { graph, clock } = world;
  const timestamp = String(Math.floor(clock.now() / 1000));
  await world.hear(graph.inbound({ ...picture(id, stated, more), timestamp }));
}

/** As if the messages had arrived earlier by this much. */
const age = ({ app }: World, ms: number) =>
  app.store.write(({ db }) => db.run(sql`UPDATE media SET created_at = created_at - ${ms}`));
const told = (world: World, type: string) =>
  eventsOf(world.app, world.workspace).filter((event) => event.type === type);
const filesOf = ({ app }: World): string[] => readdirSync(join(app.directory, "media")).toSorted();
const hexOf = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

test("a picture is told of at once without bytes, and again with a link once it is stored", async () => {
  await using world = await startWorld();
  const { app, workspace, media, clock } = world;
  const stated = media.add("m1", "image/jpeg", JPEG);
  await write(world, "m1", { ...stated, caption: "Broken" });
  await clock.rest();
  const [received] = told(world, "message.received");
  const id = received?.data.message.details.media.id;
  expect(received?.data.message).toMatchObject({ type: "image", text: "Broken" });
  expect(received?.data.message.details.media).toEqual({
    id: expect.any(Number),
    mime_type: "image/jpeg",
    bytes: null,
    sha256: stated.sha256,
    filename: null,
    url: null,
    expires_at: null,
    state: "pending",
  });
  const [stored] = told(world, "media.stored");
  expect(stored?.data).toEqual({
    media: {
      id,
      mime_type: "image/jpeg",
      bytes: JPEG.byteLength,
      sha256: stated.sha256,
      filename: null,
      url: expect.stringContaining(`${app.server.url}/media/${id}?expires=`),
      expires_at: expect.any(String),
      state: "stored",
    },
    inbound_id: received?.data.message.id,
    message_id: received?.data.message.id,
    from: received?.data.message.from,
    to: received?.data.message.to,
    contact: received?.data.contact,
  });
  expect(filesOf(world)).toEqual([`${workspace.id}-${hexOf(JPEG)}`]);
  const answered = await fetch(`${app.server.url}/api/v1/media/${id}`, {
    headers: { authorization: `Bearer ${workspace.key}` },
  });
  expect([answered.status, answered.headers.get("content-type")]).toEqual([200, "image/jpeg"]);
  expect(Buffer.from(await answered.arrayBuffer()).equals(JPEG)).toBe(true);
  const linked = await fetch(stored?.data.media.url);
  expect(Buffer.from(await linked.arrayBuffer()).equals(JPEG)).toBe(true);
});

test("a received message can be read by its id, with its file as it is now, in its own workspace only", async () => {
  await using world = await stored();
  const { app, workspace } = world;
  const read = (id: string, key = workspace.key) =>
    fetch(`${app.server.url}/api/v1/inbounds/${id}`, { headers: { authorization: `Bearer ${key}` } });
  const { message } = told(world, "message.received")[0]?.data ?? {};
  const file = told(world, "media.stored")[0]?.data.media;
  const { data } = (await (await read(message.id)).json()) as { data: object };
  // The link came with the event; a key reads the file by its id.
  expect(data).toEqual({ ...message, details: { media: { ...file, url: null, expires_at: null } } });
  const other = await app.workspace({ number: "+911244001198" });
  expect((await read(message.id, other.key)).status).toBe(404);
  expect((await read("999999")).status).toBe(404);
});

test("the same file twice is stored once, and goes when the last message that has it is erased", async () => {
  await using world = await startWorld();
  const { media, clock } = world;
  await write(world, "m1", media.add("m1", "image/jpeg", JPEG));
  await write(world, "m2", media.add("m2", "image/jpeg", JPEG));
  await clock.rest();
  expect(told(world, "media.stored")).toHaveLength(2);
  expect(filesOf(world)).toHaveLength(1);
});

async function stored(options: Parameters<typeof startWhatsapp>[0] = {}, more: object = {}): Promise<World> {
  const world = await startWorld(options);
  await write(world, "m1", { ...world.media.add("m1", "image/jpeg", JPEG), ...more });
  await world.clock.rest();
  expect(told(world, "media.stored")).toHaveLength(1);
  return world;
}

const urlOf = ({ app }: World): string => `${app.server.url}/api/v1/media/1`;
const get = (world: World, headers: Record<string, string> = {}, url = urlOf(world)): Promise<Response> =>
  fetch(url, { headers: { authorization: `Bearer ${world.workspace.key}`, ...headers } });

test("a file of the phone's history is stored without an event, and told of once if its message arrives as a new one", async () => {
  await using world = await startWorld();
  const { media, clock } = world;
  const stated = media.add("m1", "image/jpeg", JPEG);
  const timestamp = String(Math.floor(clock.now() / 1000) - 3_600);
  const metadata = { display_phone_number: "911244001100", phone_number_id: GRAPH_PHONE_NUMBER_ID };
  const placeholder = { ...picture("m1", stated), type: "media_placeholder", image: undefined, timestamp };
  const threads = [{ id: "4915112345678", messages: [placeholder] }];
  await world.hear({ field: "history", value: { messaging_product: "whatsapp", metadata, history: [{ threads }] } });
  const messages = [{ ...picture("m1", stated), timestamp }];
  await world.hear({ field: "history", value: { messaging_product: "whatsapp", metadata, messages } });
  await clock.rest();
  expect(filesOf(world)).toHaveLength(1);
  expect(eventsOf(world.app, world.workspace)).toEqual([]);
  await write(world, "m1", stated);
  await clock.rest();
  expect(eventsOf(world.app, world.workspace).map(({ type }) => type)).toEqual(["message.received"]);
  expect(told(world, "message.received")[0]?.data.message.details.media).toMatchObject({ id: 1, state: "stored" });
});

test("a part of the file is given as it is asked for", async () => {
  await using world = await stored();
  const ranges: [string, number, string | null, number][] = [
    ["bytes=0-9", 206, "bytes 0-9/200011", 10],
    ["bytes=200001-", 206, "bytes 200001-200010/200011", 10],
    ["bytes=-4", 206, "bytes 200007-200010/200011", 4],
    ["bytes=5-900000", 206, "bytes 5-200010/200011", 200_006],
    ["bytes=200011-", 416, "bytes */200011", 0],
    ["bytes=-0", 416, "bytes */200011", 0],
    ["bytes=0-1,5-6", 200, null, 200_011],
    ["bytes=9-5", 200, null, 200_011],
    ["lines=1-2", 200, null, 200_011],
  ];
  for (const [range, status, contentRange, length] of ranges) {
    const answered = await get(world, { range });
    const bytes = Buffer.from(await answered.arrayBuffer());
    const shown = [answered.status, answered.headers.get("content-range"), bytes.byteLength];
    expect([range, ...shown]).toEqual([range, status, contentRange, length]);
    const first = Number(/\d+/.exec(contentRange ?? "0")?.[0] ?? 0);
    expect(bytes.equals(JPEG.subarray(first, first + length))).toBe(true);
  }
});

test("a part is given only of the file that the caller has begun, and what the caller has is not sent again", async () => {
  await using world = await stored();
  const etag = `"${hexOf(JPEG)}"`;
  const statuses = [
    await get(world, { range: "bytes=0-9", "if-range": etag }),
    await get(world, { range: "bytes=0-9", "if-range": '"another"' }),
    await get(world, { "if-none-match": etag }),
  ].map(({ status, headers }) => [status, headers.get("etag")]);
  expect(statuses).toEqual([
    [206, etag],
    [200, etag],
    [304, etag],
  ]);
});

test("a browser runs nothing of a file, whatever its sender calls it", async () => {
  await using world = await startWorld();
  const { media, clock } = world;
  const page = Buffer.from("<!doctype html><script>alert(1)</script>");
  const named = { ...media.add("page", "text/html", page), filename: 'a"b\r\n<x>.html' };
  await write(world, "page", named, { type: "document", document: named, image: undefined });
  await clock.rest();
  const answered = await get(world);
  expect(Object.fromEntries(answered.headers)).toMatchObject({
    "content-type": "text/plain",
    "content-disposition": `attachment; filename="a_b__<x>.html"; filename*=UTF-8''a%22b__%3Cx%3E.html`,
    "x-content-type-options": "nosniff",
    "content-security-policy": "default-src 'none'; sandbox",
  });
});

test("a file belongs to its workspace, and a link to its signature and its time", async () => {
  await using world = await stored();
  const { app, clock } = world;
  const other = await app.workspace({ number: "+911244001199" });
  const link = told(world, "media.stored")[0]?.data.media.url as string;
  const statusOf = async (url: string): Promise<number> => (await fetch(url)).status;
  expect((await get(world, { authorization: `Bearer ${other.key}` })).status).toBe(404);
  expect((await get(world, { authorization: "" })).status).toBe(401);
  expect(await statusOf(link)).toBe(200);
  expect(await statusOf(link.replace("/media/1?", "/media/2?"))).toBe(404);
  expect(await statusOf(link.replace(/expires=(\d)/, "expires=9$1"))).toBe(404);
  const changed = link.replace(/(?<=signature=)./, (first) => (first === "-" ? "_" : "-"));
  expect(await statusOf(changed)).toBe(404);
  expect(await statusOf(link.replace(/key=[0-9a-f]+/, "key=00000000"))).toBe(404);
  clock.setWall(7 * DAY - MINUTE);
  expect(await statusOf(link)).toBe(200);
  clock.setWall(2 * MINUTE);
  expect(await (await fetch(link)).json()).toMatchObject({ error: { message: expect.stringContaining("expired") } });
});

test.each<[string, MediaFault, number]>([
  [
    "a throttle, and the network's own wait",
    { step: "query", times: 1, answer: { status: 429, code: 4, retryAfter: "120" } },
    120,
  ],
  ["an address that is over", { step: "download", times: 1, answer: { status: 404 } }, 2],
  ["a connection that ends in the middle", { step: "download", times: 1, answer: "cut" }, 2],
  [
    "a network that says for a moment that there is no such file",
    { step: "query", times: 2, answer: { status: 400, code: 100 } },
    8,
  ],
])("after %s the file is fetched again", async (_, fault, seconds) => {
  await using world = await startWorld();
  const { media, clock } = world;
  media.fault(fault);
  await write(world, "m1", media.add("m1", "image/jpeg", JPEG));
  await clock.rest();
  expect(filesOf(world)).toEqual([]);
  await clock.advance(seconds * 900 - 100);
  expect(told(world, "media.stored")).toHaveLength(0);
  await clock.advance(seconds * 200 + 200);
  expect(told(world, "media.stored")).toHaveLength(1);
  expect(Buffer.from(await (await get(world)).arrayBuffer()).equals(JPEG)).toBe(true);
});

test("a file that the network does not have is given up within the hour, one that it does not give after its 7 days", async () => {
  await using world = await startWorld();
  const { media, clock } = world;
  const stated = media.add("m1", "image/jpeg", JPEG);
  await write(world, "gone", { ...stated, id: "gone" });
  await clock.advance(60 * MINUTE);
  expect(told(world, "media.failed").map(({ data }) => data)).toMatchObject([
    { inbound_id: 1, message_id: 1, from: PERSON, contact: { phone: PERSON }, reason: "not_found" },
  ]);
  media.fault({ step: "download", times: Infinity, answer: { status: 500 } });
  await write(world, "m1", stated);
  await clock.advance(MINUTE);
  expect(told(world, "media.failed")).toHaveLength(1);
  await age(world, 7 * DAY);
  await clock.advance(5 * MINUTE);
  expect(told(world, "media.failed")[1]?.data).toMatchObject({
    inbound_id: 2,
    message_id: 2,
    from: PERSON,
    reason: "unavailable",
  });
  const answered = await get(world, {}, `${world.app.server.url}/api/v1/media/2`);
  expect([answered.status, filesOf(world)]).toEqual([404, []]);
});

test("an app that demands proof of its secret gives the file; one that refuses the proof does not count as having none", async () => {
  const account = graphAccount({ appSecret: GRAPH_APP_SECRET, requiresProof: true });
  await using world = await stored({ account });
  const { media, clock } = world;
  account.appSecret = "a new one";
  await write(world, "m2", media.add("m2", "image/jpeg", JPEG.slice(0, -1)));
  await clock.advance(3 * 60 * MINUTE);
  expect([told(world, "media.failed"), told(world, "media.stored").length]).toEqual([[], 1]);
  account.appSecret = GRAPH_APP_SECRET;
  await clock.advance(24 * 60 * MINUTE);
  expect(told(world, "media.stored")).toHaveLength(2);
});

test("the token goes to no other host than the network's", async () => {
  await using world = await startWorld();
  await using stranger = await startGraph();
  const { media, clock } = world;
  media.origin = stranger.url;
  await write(world, "m1", media.add("m1", "image/jpeg", JPEG));
  await clock.advance(MINUTE);
  expect(stranger.requests).toEqual([]);
  media.origin = null;
  await clock.advance(5 * MINUTE);
  expect(told(world, "media.stored")).toHaveLength(1);
});

test("bytes that are not those that were announced are fetched again, and kept if the network gives no others", async () => {
  await using world = await startWorld();
  const { media, clock } = world;
  await write(world, "m1", { ...media.add("m1", "image/jpeg", JPEG), sha256: "bm90IHRoZXNlIGJ5dGVz" });
  await clock.rest();
  expect(told(world, "media.stored")).toHaveLength(0);
  await clock.advance(MINUTE);
  expect(told(world, "media.stored")[0]?.data.media.sha256).toBe(createHash("sha256").update(JPEG).digest("base64"));
});

test("a file over the limit is not fetched", async () => {
  await using world = await startWorld({ config: { media: { maxBytes: 100_000 } } });
  const { media, clock } = world;
  await write(world, "m1", media.add("m1", "image/jpeg", JPEG));
  await clock.rest();
  expect(told(world, "media.failed")[0]?.data).toMatchObject({
    inbound_id: 1,
    message_id: 1,
    from: PERSON,
    reason: "too_large",
  });
  expect(media.requests.map(({ step }) => step)).toEqual(["query"]);
});

test("without room a file waits, a condition says so, and it is fetched when there is room", async () => {
  await using world = await startWorld({ config: { media: { quotaBytes: 500_000 } } });
  const { app, media, clock } = world;
  const written = [0, 1, 2].map((n) => media.add(`m${n}`, "image/jpeg", Buffer.concat([JPEG, Buffer.from([n])])));
  await Promise.all(written.map((stated, n) => write(world, `m${n}`, stated)));
  await clock.rest();
  expect(told(world, "media.stored")).toHaveLength(2);
  using workshop = new Workshop();
  const status = async () => (await workshop.run(["status", "--data", app.directory])).stdout;
  expect(await status()).toContain("1 received file waits for room");
  await app.store.write((tx) => expireMedia(tx, tx.now + 1, 1));
  await clock.advance(11 * MINUTE);
  expect(told(world, "media.stored")).toHaveLength(3);
  expect(filesOf(world)).toHaveLength(2);
  expect(await status()).not.toContain("for room");
});

test("a file for which there is no room for 7 days is given up", async () => {
  await using world = await startWorld({ config: { media: { quotaBytes: 1_000 } } });
  await write(world, "m1", world.media.add("m1", "image/jpeg", JPEG));
  await age(world, 7 * DAY);
  await world.clock.advance(11 * MINUTE);
  expect(told(world, "media.failed")[0]?.data).toMatchObject({
    inbound_id: 1,
    message_id: 1,
    from: PERSON,
    reason: "no_room",
  });
});

test("a file is deleted when its retention is over, unless a younger message has it too", async () => {
  await using world = await stored({ config: { retention: { media: { kind: "ms", ms: 60 * MINUTE } } } });
  const { media, clock } = world;
  await clock.advance(40 * MINUTE);
  await write(world, "m2", media.add("m2", "image/jpeg", JPEG));
  await clock.advance(40 * MINUTE);
  expect([(await get(world)).status, filesOf(world).length]).toEqual([404, 1]);
  expect((await get(world, {}, `${world.app.server.url}/api/v1/media/2`)).status).toBe(200);
  await clock.advance(40 * MINUTE);
  expect(filesOf(world)).toEqual([]);
});

test("a file is deleted when the retention of its own workspace is over", async () => {
  await using world = await stored();
  const { app, clock, workspace } = world;
  await app.store.write((tx) => updateWorkspace(tx, workspace.id, { mediaRetention: "30 days" }));
  await age(world, 30 * DAY - 20 * MINUTE);
  await clock.advance(11 * MINUTE);
  expect(filesOf(world)).toHaveLength(1);
  await clock.advance(20 * MINUTE);
  expect([(await get(world)).status, filesOf(world)]).toEqual([404, []]);
});

test("what a start finds unfinished, at any point of a fetch, ends with one file and one event", async () => {
  const world = await startWorld();
  const { app, media, clock, workspace } = world;
  const { directory } = app;
  // The network gives nothing before the server stops.
  media.fault({ step: "download", times: 3, answer: { status: 500 } });
  const named = { workspaceId: workspace.id, bytes: JPEG.byteLength, contentType: "image/jpeg", createdAt: 0 };
  for (const id of ["m1", "m2", "m3"]) {
    const bytes = Buffer.concat([JPEG, Buffer.from(id)]);
    await write(world, id, media.add(id, "image/jpeg", bytes));
  }
  await clock.rest();
  const file = (id: string): Buffer => Buffer.concat([JPEG, Buffer.from(id)]);
  // 1: in the middle of the bytes. 2: claimed, without a name. 3: claimed and named.
  writeFileSync(join(directory, "media", "1.part"), JPEG.subarray(0, 1_000));
  writeFileSync(join(directory, "media", "2.part"), file("m2"));
  writeFileSync(join(directory, "media", `${workspace.id}-${hexOf(file("m3"))}`), file("m3"));
  await app.store.write((tx) => {
    for (const [id, name] of [
      [2, "m2"],
      [3, "m3"],
    ] as const) {
      claimFile(tx, id, { ...named, hash: hexOf(file(name)), bytes: file(name).byteLength });
    }
  });
  await app.stop();
  const before = media.requests.filter(({ id }) => id === "m3").length;
  await using next = await startTestServer({ directory, clock, config: { whatsapp: { graphUrl: world.graph.url } } });
  await clock.advance(MINUTE);
  const events = eventsOf(next, workspace).filter(({ type }) => type === "media.stored");
  expect(events.map(({ data }) => data.media.id).toSorted()).toEqual([1, 2, 3]);
  expect(readdirSync(join(directory, "media")).toSorted()).toEqual(
    ["m1", "m2", "m3"].map((id) => `${workspace.id}-${hexOf(file(id))}`).toSorted(),
  );
  // The third had only to be recorded.
  expect(media.requests.filter(({ id }) => id === "m3")).toHaveLength(before);
  await world.graph[Symbol.asyncDispose]();
});

test("an erasure leaves no byte of the person's files: neither stored ones, nor unfinished ones, nor their names", async () => {
  await using world = await startWorld();
  const { app, media, clock } = world;
  const secret = Buffer.from("a byte of the person's own file");
  const named = {
    ...media.add("doc", "application/pdf", Buffer.concat([Buffer.from("%PDF-1.4 "), secret])),
    filename: "unmistakable.pdf",
  };
  await write(world, "doc", named, { type: "document", document: named, image: undefined });
  await clock.rest();
  media.fault({ step: "download", times: Infinity, answer: { status: 500 } });
  await write(world, "m2", media.add("m2", "image/jpeg", JPEG));
  await clock.rest();
  writeFileSync(join(app.directory, "media", "2.part"), secret);
  const link = told(world, "media.stored")[0]?.data.media.url as string;
  using workshop = new Workshop();
  const erase = [
    "contact",
    "erase",
    "+4915112345678",
    "--workspace",
    String(world.workspace.id),
    "--data",
    app.directory,
  ];
  expect(await workshop.json(erase)).toMatchObject({ erased: true, log_emptied: true });
  const found = readdirSync(app.directory, { recursive: true, encoding: "utf8" })
    .map((name) => join(app.directory, name))
    .filter((path) => statSync(path).isFile())
    .flatMap((path) => {
      const bytes = readFileSync(path);
      return [secret, "unmistakable", "a byte of", new URL(link).search]
        .filter((text) => bytes.includes(text))
        .map(() => path);
    });
  expect([found, filesOf(world)]).toEqual([[], []]);
  expect(told(world, "media.stored")[0]?.data.media).toMatchObject({
    id: 1,
    filename: null,
    url: null,
    state: "erased",
  });
  expect((await fetch(link)).status).toBe(404);
  await clock.advance(60 * MINUTE);
  expect(told(world, "media.failed")).toEqual([]);
});

test("waxwing check names a stored file that is not on disk", async () => {
  await using world = await stored();
  using workshop = new Workshop();
  const check = () => workshop.run(["check", "--data", world.app.directory]);
  expect((await check()).code).toBe(0);
  const [name = ""] = filesOf(world);
  rmSync(join(world.app.directory, "media", name));
  const checked = await check();
  expect([checked.code, checked.stdout + checked.stderr]).toEqual([1, expect.stringContaining(name)]);
});
