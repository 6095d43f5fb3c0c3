/**
 * Messages that send an upload: the file is given to the network once for each number, before anything is sent, and
 * again before the network's id of it ends.
 */
import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { graphAccount, graphNumber, graphTemplate } from "#test/support/graph-account.ts";
import { changesBetween, snapshot } from "#test/support/scenarios.ts";
import type { Answered } from "#test/support/server.ts";
import { startTestServer } from "#test/support/server.ts";
import { startWhatsapp, textFrom, type WhatsappWorld } from "#test/support/whatsapp.ts";
import { Workshop } from "../cli/spawn.ts";

const DAY = 24 * 60 * 60_000;
const PERSON = "+4915112345678";
const OTHER = "+4915112345679";
const PDF = Buffer.concat([Buffer.from("%PDF-1.7\n"), Buffer.alloc(200_000, 5)]);
const JPEG = Buffer.concat([Buffer.from("\xff\xd8\xff\xe0", "latin1"), Buffer.alloc(50_000, 5)]);

const header = (format: string) => ({ type: "HEADER", format, example: { header_handle: ["4::x"] } });
const withHeader = (name: string, format: string) =>
  graphTemplate(name, { components: [header(format), { type: "BODY", text: "Your bill." }] });

async function startWorld(): Promise<WhatsappWorld> {
  const account = graphAccount({ templates: [withHeader("bill", "DOCUMENT"), withHeader("photo", "IMAGE")] });
  const world = await startWhatsapp({ account, config: { limits: { requestsPerSecond: 10_000, burst: 10_000 } } });
  for (const from of [PERSON, OTHER]) await write(world, from);
  return world;
}

const write = (world: WhatsappWorld, from: string) =>
  world.hear(textFrom(world.graph, from, "Hello", { timestamp: String(Math.floor(world.clock.now() / 1_000)) }));

async function upload(url: string, key: string, bytes: Uint8Array, name: string): Promise<number> {
  const form = new FormData();
  form.append("file", new File([bytes as Uint8Array<ArrayBuffer>], name));
  const headers = { authorization: `Bearer ${key}` };
  const answered = await fetch(`${url}/api/v1/media`, { method: "POST", headers, body: form });
  const { data } = (await answered.json()) as { data: { id: number } };
  return data.id;
}

const give = ({ app, workspace }: WhatsappWorld, bytes: Uint8Array, name: string) =>
  upload(app.server.url, workspace.key, bytes, name);

let keys = 0;
function send(world: WhatsappWorld, body: object, key = `k${++keys}`): Promise<Answered> {
  const headers = { "Idempotency-Key": key };
  return world.app.send("POST", "/api/v1/messages", {
    ...{ key: world.workspace.key, headers },
    body: { to: PERSON, ...body },
  });
}

const sent = ({ graph }: WhatsappWorld) =>
  graph.requests.filter(({ path }) => path.includes("/messages")).map(({ body }) => body as Record<string, object>);
const filesOf = ({ app }: WhatsappWorld): string[] => readdirSync(join(app.directory, "media"));

test("an upload is sent by the network's id of it, and the message shows ours", async () => {
  await using world = await startWorld();
  const id = await give(world, PDF, "Bill 7.pdf");
  const { status, body } = await send(world, { media: { id, caption: "Here it is" } });
  expect([status, body.data.type, body.data.text]).toEqual([201, "document", "Here it is"]);
  expect(body.data.content).toEqual({ media: { type: "document", id, caption: "Here it is", filename: "Bill 7.pdf" } });
  expect(world.account.uploads).toMatchObject([
    { contentType: "application/pdf", size: PDF.byteLength, name: "Bill 7.pdf", phoneNumberId: "200000000000001" },
  ]);
  expect(sent(world)[0]).toMatchObject({
    type: "document",
    document: { id: world.account.uploads[0]?.id, caption: "Here it is", filename: "Bill 7.pdf" },
  });
});

test("an upload in Ogg is sent as a voice message where the request says so; no other is", async () => {
  await using world = await startWorld();
  const page = Buffer.concat([Buffer.from("OggS"), Buffer.alloc(24), Buffer.from("OpusHead"), Buffer.alloc(500, 5)]);
  const ogg = await give(world, page, "a.ogg");
  const { body } = await send(world, { media: { id: ogg, voice: true } });
  expect(body.data.content).toEqual({ media: { type: "audio", id: ogg, voice: true } });
  expect(sent(world)[0]).toMatchObject({ type: "audio", audio: { id: world.account.uploads[0]?.id, voice: true } });
  for (const [bytes, name] of [
    [Buffer.concat([Buffer.from("ID3\x04"), Buffer.alloc(5_000, 5)]), "a.mp3"],
    [JPEG, "a.jpg"],
  ] as const) {
    const refused = await send(world, { media: { id: await give(world, bytes, name), voice: true } });
    expect([name, refused.status, Object.keys(refused.body.error.fields)]).toEqual([name, 400, ["media.voice"]]);
  }
  expect(sent(world)).toHaveLength(1);
});

/** A file of each kind: its name, and how its bytes begin. */
const files: Record<string, [name: string, begins: string]> = {
  image: ["a.jpg", "\xff\xd8\xff\xe0"],
  video: ["a.mp4", "\x00\x00\x00\x20ftypisom"],
  audio: ["a.mp3", "ID3\x04"],
  document: ["a.pdf", "%PDF-1.7"],
  sticker: ["a.webp", "RIFF\x00\x00\x00\x00WEBPVP8 "],
};
const HEADERS = ["image", "video", "document"];

test("a file of each kind goes by the network's id of it, wherever a request takes one", async () => {
  const card = (format: string) => ({ components: [{ type: "HEADER", format }] });
  const cards = (format: string) => [
    { type: "BODY", text: "Look." },
    { type: "CAROUSEL", cards: [card(format), card(format)] },
  ];
  const templates = [
    ...HEADERS.map((kind) => withHeader(kind, kind.toUpperCase())),
    ...["IMAGE", "VIDEO"].map((kind) => graphTemplate(`cards_${kind.toLowerCase()}`, { components: cards(kind) })),
  ];
  await using world = await startWhatsapp({ account: graphAccount({ templates }) });
  await write(world, PERSON);
  const ids: Record<string, number> = {};
  for (const [kind, [name, begins]] of Object.entries(files)) {
    ids[kind] = await give(world, Buffer.concat([Buffer.from(begins, "latin1"), Buffer.alloc(5_000, 5)]), name);
  }
  const buttons = [{ id: "yes", title: "Yes" }];
  const actions: Record<string, unknown>[] = [
    { buttons },
    { link: { title: "Look", url: "https://shop.example.com" } },
    { address: { country: "IN" } },
    { flow: { id: "1", cta: "Book" } },
  ];
  /** By the kind: the part of the request, and the place of the file in Meta's. */
  const places: [kind: string, body: object, path: string][] = [
    ...Object.keys(files).map((kind): (typeof places)[number] => [kind, { media: { id: ids[kind] } }, ""]),
    ...HEADERS.flatMap((kind) =>
      actions.map((action): (typeof places)[number] => [
        kind,
        { interactive: { body: "Right?", header: { type: kind, id: ids[kind] }, ...action } },
        "interactive.header.",
      ]),
    ),
    ...HEADERS.map((kind): (typeof places)[number] => [
      kind,
      { template: kind, media: { id: ids[kind] } },
      "template.components.0.parameters.0.",
    ]),
    ...["image", "video"].map((kind): (typeof places)[number] => [
      kind,
      { template: `cards_${kind}`, cards: [{ media: { id: ids[kind] } }, { media: { id: ids[kind] } }] },
      "template.components.0.cards.1.components.0.parameters.0.",
    ]),
  ];
  for (const [kind, body, path] of places) {
    await world.clock.advance(1_000);
    const answer = await send(world, body);
    expect({ body, status: answer.status, error: answer.body.error }).toEqual({ body, status: 201, error: undefined });
    const given = world.account.uploads.find((one) => one.name === files[kind]?.[0]);
    const name = kind === "document" ? { filename: "a.pdf" } : {};
    const request = sent(world).at(-1);
    expect(request).toHaveProperty(`${path}type`, kind);
    expect(request).toHaveProperty(`${path}${kind}`, { id: given?.id ?? "", ...name });
  }
  expect(world.account.uploads).toHaveLength(Object.keys(files).length);
});

test("an id that does not fit is refused, and nothing is uploaded or sent", async () => {
  await using world = await startWorld();
  const [bill, photo] = [await give(world, PDF, "Bill 7.pdf"), await give(world, JPEG, "table.jpg")];
  const other = await world.app.workspace({ number: "+911244001199" });
  const foreign = await upload(world.app.server.url, other.key, PDF, "theirs.pdf");
  const link = "https://files.example/a.pdf";
  const above = (header: object) => ({ interactive: { body: "Right?", header, buttons: [{ id: "y", title: "Yes" }] } });
  const wrong: [object, string, string][] = [
    [{ media: { id: 7 } }, "media.id", "no such upload"],
    [{ media: { id: foreign } }, "media.id", "no such upload"],
    [{ media: { id: bill, link } }, "media.link", "exactly one"],
    [{ media: {} }, "media.link", "exactly one"],
    [{ media: { id: photo, type: "video" } }, "media.type", "The upload is an image, not a video"],
    [{ media: { id: photo, filename: "a.jpg" } }, "media.filename", "Only a document"],
    [{ template: "bill", media: { id: photo } }, "media.id", "a document header; the upload is an image"],
    [{ template: "bill", media: { id: bill, link } }, "media.id", "exactly one"],
    [{ template: "bill", media: { id: foreign } }, "media.id", "no such upload"],
    [above({ type: "image", id: bill }), "interactive.header.type", "the upload is of the type document"],
    [above({ type: "image", id: foreign }), "interactive.header.id", "no such upload"],
    [above({ type: "image", id: photo, link }), "interactive.header.id", "exactly one"],
    [above({ type: "image" }), "interactive.header.link", "exactly one"],
  ];
  const before = snapshot(world.app.store);
  for (const [body, field, words] of wrong) {
    const answer = await send(world, body);
    expect([body, answer.status, answer.body.error.fields?.[field]?.[0]]).toEqual([
      body,
      400,
      expect.stringContaining(words),
    ]);
  }
  expect([world.account.uploads, sent(world)]).toEqual([[], []]);
  expect(changesBetween(before, snapshot(world.app.store))).toEqual({});
});

test("the network's id is used again for its number alone, and renewed before it ends", async () => {
  await using world = await startWorld();
  const { account, clock, workspace } = world;
  const id = await give(world, PDF, "Bill 7.pdf");
  const template = { template: "bill", media: { id } };
  for (let count = 0; count < 3; count += 1) expect((await send(world, template)).status).toBe(201);
  expect(account.uploads).toHaveLength(1);
  account.numbers.push(graphNumber("200000000000002", "+49 30 000001"));
  await world.addNumber(workspace.id, { phone: "+4930000001", phoneNumberId: "200000000000002" });
  expect((await send(world, { ...template, from: "+4930000001" })).status).toBe(201);
  expect(account.uploads.map(({ phoneNumberId }) => phoneNumberId)).toEqual(["200000000000001", "200000000000002"]);
  const from = "+4930000000";
  clock.setWall(26 * DAY);
  expect((await send(world, { ...template, from })).status).toBe(201);
  expect(account.uploads).toHaveLength(2);
  clock.setWall(1.5 * DAY);
  expect((await send(world, { ...template, from })).status).toBe(201);
  expect(account.uploads).toHaveLength(3);
  // Each use extends its life here.
  clock.setWall(25 * DAY);
  await clock.advance(600_000);
  expect((await send(world, { ...template, from })).status).toBe(201);
  clock.setWall(31 * DAY);
  await clock.advance(600_000);
  expect((await send(world, { ...template, from })).body.error.fields).toHaveProperty(["media.id"]);
});

test("an upload that cannot be renewed goes by its present id as long as that lives", async () => {
  await using world = await startWorld();
  const { account, clock } = world;
  const id = await give(world, PDF, "Bill 7.pdf");
  const template = { template: "bill", media: { id } };
  await send(world, template);
  account.refuse = ({ path }) => (path.includes("/media") ? { code: 131053, details: "no" } : null);
  clock.setWall(28 * DAY);
  expect((await send(world, template)).status).toBe(201);
  expect(account.uploads).toHaveLength(1);
  clock.setWall(DAY + 60_000);
  expect((await send(world, template)).status).toBe(502);
});

test.each([
  ["refuses the file", { code: 131053, details: "no" }, 502, "whatsapp_error", false],
  ["is busy", { code: 4, details: "busy" }, 503, "unavailable", true],
  ["is behind a proxy that fails", { status: 502, body: "<html>", contentType: "text/html" }, 503, "unavailable", true],
] as const)("nothing is sent and the key is free if the network %s", async (_, refusal, status, code, retryable) => {
  await using world = await startWorld();
  const { account, app } = world;
  const id = await give(world, PDF, "Bill 7.pdf");
  account.refuse = ({ path }) => (path.includes("/media") ? refusal : null);
  const before = snapshot(app.store);
  const refused = await send(world, { media: { id } }, "same");
  expect([refused.status, refused.body.error]).toMatchObject([
    status,
    { code, retryable, outcome: "not_sent", retry_key: "same" },
  ]);
  expect(changesBetween(before, snapshot(app.store))).toEqual({});
  expect(sent(world)).toEqual([]);
  account.refuse = null;
  expect((await send(world, { media: { id } }, "same")).status).toBe(201);
  expect([account.uploads.length, sent(world).length]).toEqual([1, 1]);
});

test("messages that need the same file at once wait for one upload", async () => {
  await using world = await startWorld();
  const id = await give(world, PDF, "Bill 7.pdf");
  const all = await Promise.all(Array.from({ length: 8 }, () => send(world, { media: { id } })));
  expect(all.map(({ status }) => status)).toEqual(Array(8).fill(201));
  expect([world.account.uploads.length, sent(world).length]).toEqual([1, 8]);
});

test("after the network has refused a message for its content, the next one uploads the file again", async () => {
  await using world = await startWorld();
  const id = await give(world, PDF, "Bill 7.pdf");
  expect((await send(world, { media: { id } })).status).toBe(201);
  const [first] = world.account.uploads.splice(0);
  world.account.uploads.push({ ...first, phoneNumberId: "gone" } as (typeof world.account.uploads)[number]);
  const refused = await send(world, { media: { id } });
  expect([refused.status, refused.body.error.whatsapp_code]).toEqual([502, "131009"]);
  expect((await send(world, { media: { id } })).status).toBe(201);
  expect(world.account.uploads).toHaveLength(2);
});

test("the simulated network takes the same files, and keeps an id for its number and its time", async () => {
  await using app = await startTestServer();
  const workspace = await app.workspace();
  await app.inbound(workspace, PERSON, "Hello");
  const id = await upload(app.server.url, workspace.key, PDF, "Bill.pdf");
  const call = (body: object) =>
    app.send("POST", "/api/v1/messages", { key: workspace.key, body: { to: PERSON, ...body } });
  const first = await call({ media: { id } });
  expect([first.status, first.body.data?.type]).toEqual([201, "document"]);
  const stored = () =>
    app.store.client.prepare("SELECT network_media_id FROM network_uploads").pluck().all() as string[];
  const [known] = stored();
  await call({ media: { id } });
  expect(stored()).toEqual([known ?? ""]);
  // An id of another number is refused as Meta refuses it, and forgotten.
  app.store.client
    .prepare("UPDATE network_uploads SET network_media_id = replace(network_media_id, '.document.', '.image.')")
    .run();
  const refused = await call({ media: { id } });
  expect([refused.status, refused.body.error.whatsapp_code]).toEqual([502, "131009"]);
  expect((await call({ media: { id } })).status).toBe(201);
});

test("an upload to one person alone is erased with that person; one that others got stays, and the receipt names it", async () => {
  using workshop = new Workshop();
  await using world = await startWorld();
  const own = await give(world, PDF, "Only for Åse.pdf");
  const shared = await give(world, JPEG, "table.jpg");
  for (const media of [{ id: own }, { id: shared }]) expect((await send(world, { media })).status).toBe(201);
  expect((await send(world, { to: OTHER, media: { id: shared } })).status).toBe(201);
  expect(filesOf(world)).toHaveLength(2);
  const { directory } = world.app;
  const erase = (phone: string) =>
    workshop.json(["contact", "erase", "--workspace", String(world.workspace.id), phone, "--data", directory]);
  const first = await erase(PERSON);
  expect(first).toMatchObject({ erased: true, shared_uploads: [shared] });
  expect(filesOf(world)).toHaveLength(1);
  const left = world.app.store.client.prepare("SELECT id FROM uploads").pluck().all();
  expect(left).toEqual([shared]);
  const second = await erase(OTHER);
  expect(second).toMatchObject({ shared_uploads: [] });
  expect(filesOf(world)).toEqual([]);
});
