/** Files that a program uploads to send them: recognized by their bytes, stored once, deleted when they are not sent. */
import { expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { readdirSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { createKey, EVERY_SCOPE } from "#src/domain/workspaces/api-keys.ts";
import { startTestServer, type TestServer, type TestWorkspace } from "#test/support/server.ts";

const KB = 1024;
const MB = 1024 * KB;
const DAY = 24 * 60 * 60_000;
const latin = (text: string): Buffer => Buffer.from(text, "latin1");

/** Of this size, beginning with `head`. */
function bytesOf(head: Buffer, size = head.byteLength + 5_000): Buffer {
  return Buffer.concat([head, Buffer.alloc(Math.max(0, size - head.byteLength), 7)]).subarray(0, size);
}

const webp = (flags: number): Buffer =>
  Buffer.concat([latin("RIFF\0\0\0\0WEBPVP8X\x0a\0\0\0"), Buffer.from([flags]), Buffer.alloc(9)]);
const archive = (end: string): Buffer => Buffer.concat([latin("PK\x03\x04"), Buffer.alloc(9_000, 7), latin(end)]);
const openDocument = "application/vnd.oasis.opendocument.text";
const heads = {
  jpeg: latin("\xff\xd8\xff\xe0"),
  png: latin("\x89PNG\r\n\x1a\n"),
  mp4: latin("\0\0\0\x20ftypisom"),
  gp3: latin("\0\0\0\x20ftyp3gp4"),
  m4a: latin("\0\0\0\x20ftypM4A "),
  aac: latin("\xff\xf1\x50\x80"),
  amr: latin("#!AMR\n"),
  mp3: latin("ID3\x04"),
  opus: Buffer.concat([latin("OggS"), Buffer.alloc(24), latin("OpusHead")]),
  pdf: latin("%PDF-1.7\n"),
  still: webp(0),
  animated: webp(2),
  rtf: latin("{\\rtf1"),
};

interface World extends AsyncDisposable {
  app: TestServer;
  workspace: TestWorkspace;
}

type Settings = NonNullable<Parameters<typeof startTestServer>[0]>;

async function startWorld(options: Settings = {}): Promise<World> {
  const app = await startTestServer(options);
  return { app, workspace: await app.workspace(), [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() };
}

interface Uploaded {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked into member by member.
  body: any;
  headers: Headers;
}

async function post(
  { app, workspace }: World,
  form: FormData | string,
  headers: Record<string, string> = {},
): Promise<Uploaded> {
  const answered = await fetch(`${app.server.url}/api/v1/media`, {
    method: "POST",
    headers: { authorization: `Bearer ${workspace.key}`, ...headers },
    body: form,
  });
  return { status: answered.status, body: await answered.json(), headers: answered.headers };
}

function upload(world: World, bytes: Uint8Array, name = "file", type = ""): Promise<Uploaded> {
  const form = new FormData();
  form.append("file", new File([bytes as Uint8Array<ArrayBuffer>], name, { type }));
  return post(world, form);
}

const filesOf = ({ app }: World): string[] => readdirSync(join(app.directory, "media")).toSorted();
const sentenceOf = ({ body }: Uploaded): string => body.error.fields.file?.[0] ?? "";
const get = ({ app, workspace }: World, id: number, key = workspace.key): Promise<Response> =>
  fetch(`${app.server.url}/api/v1/media/${id}`, { headers: { authorization: `Bearer ${key}` } });

test("an upload is stored, described and served, to its workspace only", async () => {
  await using world = await startWorld();
  const bytes = bytesOf(heads.pdf, 200_000);
  const { status, body } = await upload(world, bytes, "Rechnung für Åse.pdf");
  expect([status, body.data]).toEqual([
    201,
    {
      id: expect.any(Number),
      mime_type: "application/pdf",
      bytes: 200_000,
      sha256: createHash("sha256").update(bytes).digest("base64"),
      filename: "Rechnung für Åse.pdf",
      created_at: "2026-11-21T13:30:01+05:30",
      expires_at: "2026-12-21T13:30:01+05:30",
    },
  ]);
  const given = await get(world, body.data.id);
  expect([given.status, given.headers.get("content-type")]).toEqual([200, "application/pdf"]);
  expect(Buffer.from(await given.arrayBuffer()).equals(bytes)).toBe(true);
  const other = await world.app.workspace({ number: "+911244001199" });
  expect((await get(world, body.data.id, other.key)).status).toBe(404);
});

test("the type is what the bytes say, whatever the form claims", async () => {
  await using world = await startWorld();
  const cases: [Buffer, string, string, string][] = [
    [bytesOf(heads.jpeg), "a.png", "image/png", "image/jpeg"],
    [bytesOf(heads.png), "a", "", "image/png"],
    [bytesOf(heads.mp4), "a", "", "video/mp4"],
    [bytesOf(heads.gp3), "a", "", "video/3gpp"],
    [bytesOf(heads.m4a), "a", "", "audio/mp4"],
    [bytesOf(heads.mp4), "a", "audio/mp4", "audio/mp4"],
    [bytesOf(heads.aac), "a", "", "audio/aac"],
    [bytesOf(heads.amr), "a", "", "audio/amr"],
    [bytesOf(heads.mp3), "a", "", "audio/mpeg"],
    [bytesOf(heads.opus), "a", "", "audio/ogg"],
    [bytesOf(heads.still), "a", "", "image/webp"],
    [bytesOf(heads.pdf), "a.txt", "text/plain", "application/pdf"],
    [Buffer.from("name,phone\nÅse,1"), "a.csv", "text/csv", "text/plain"],
    [Buffer.from("<!doctype html><script>1</script>"), "a.html", "text/html", "text/plain"],
    [
      archive("word/document.xml"),
      "a.zip",
      "",
      "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    ],
    [archive("xl/workbook.xml"), "a.docx", "", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"],
    [
      archive("ppt/presentation.xml"),
      "a",
      "",
      "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    ],
    [
      Buffer.concat([latin("PK\x03\x04"), Buffer.alloc(26), latin(`mimetype${openDocument}`), Buffer.alloc(5_000)]),
      "a",
      "",
      openDocument,
    ],
    [bytesOf(latin("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")), "a.xls", "", "application/vnd.ms-excel"],
    [bytesOf(latin("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")), "a", "application/msword", "application/msword"],
    [bytesOf(heads.rtf), "a", "", "application/rtf"],
    [archive("nothing of Office"), "a.docx", "", "application/zip"],
  ];
  for (const [bytes, name, type, expected] of cases) {
    const { status, body } = await upload(world, bytes, name, type);
    expect([name, type, status, body.data?.mime_type]).toEqual([name, type, 201, expected]);
  }
});

test("what WhatsApp does not take is refused with what it takes, and leaves nothing", async () => {
  await using world = await startWorld();
  const cases: [Buffer, string][] = [
    [bytesOf(latin("GIF89a")), "image/gif"],
    [bytesOf(latin("\0\0\0\x20ftypqt  ")), "video/quicktime"],
    [bytesOf(latin("fLaC")), "audio/flac"],
    [bytesOf(Buffer.concat([latin("OggS"), Buffer.alloc(24), latin("\x01vorbis")])), "audio/ogg without Opus"],
    [bytesOf(latin("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")), "application/x-cfb"],
    [bytesOf(latin("\x7fELF\0")), "an unknown type"],
  ];
  for (const [bytes, type] of cases) {
    const refused = await upload(world, bytes, "a.docx");
    expect([refused.status, refused.body.error.code]).toEqual([400, "invalid_request"]);
    expect(sentenceOf(refused)).toContain(type);
    expect(sentenceOf(refused)).toContain("images are JPEG or PNG; videos are MP4 or 3GP;");
  }
  expect(filesOf(world)).toEqual([]);
});

test.each<[string, Buffer, number, string]>([
  ["a JPEG", heads.jpeg, 5 * MB, "A JPEG image may have at most 5 MB."],
  ["a PNG", heads.png, 5 * MB, "A PNG image may have at most 5 MB."],
  ["an MP4", heads.mp4, 16 * MB, "An MP4 video may have at most 16 MB."],
  ["an Ogg", heads.opus, 16 * MB, "An Ogg file may have at most 16 MB."],
  ["a PDF", heads.pdf, 100 * MB, "A PDF may have at most 100 MB."],
  ["a sticker", heads.still, 100 * KB, "A WebP sticker that is not animated may have at most 100 kB."],
  ["an animated sticker", heads.animated, 500 * KB, "A WebP sticker that is animated may have at most 500 kB."],
])("%s is taken up to its limit and not a byte beyond", async (_, head, limit, sentence) => {
  await using world = await startWorld();
  const refused = await upload(world, bytesOf(head, limit + 1));
  expect([refused.status, sentenceOf(refused), refused.body.error.faults[0].limit]).toEqual([400, sentence, limit]);
  expect(filesOf(world)).toEqual([]);
  const taken = await upload(world, bytesOf(head, limit));
  expect([taken.status, taken.body.data?.bytes]).toEqual([201, limit]);
});

test("a form that is not one file is refused with what is wrong", async () => {
  await using world = await startWorld();
  const two = new FormData();
  two.append("file", new File(["one"], "a.txt"));
  two.append("file", new File(["two"], "b.txt"));
  const misnamed = new FormData();
  misnamed.append("flie", new File(["one"], "a.txt"));
  const none = new FormData();
  const long = new FormData();
  long.append("file", new File(["one"], `${"ä".repeat(241)}`));
  const type = "multipart/form-data; boundary=b";
  const part = '--b\r\ncontent-disposition: form-data; name="file"; filename="a.txt"\r\n\r\ntext';
  const refused: [Uploaded, string, string][] = [
    [await post(world, two), "file", "one file"],
    [await post(world, misnamed), "flie", "Did you mean file?"],
    [await post(world, none), "file", "needs a part"],
    [await post(world, long), "filename", "240"],
    [await post(world, "{}", { "content-type": "application/json" }), "file", "multipart/form-data"],
    [await post(world, "bytes", { "content-type": "multipart/form-data" }), "file", "multipart/form-data"],
    [await post(world, part, { "content-type": type }), "file", "last boundary"],
    [await post(world, `${part}\r\n--bxx`, { "content-type": type }), "file", "malformed"],
    [await post(world, `--b\r\n${"x".repeat(9_000)}`, { "content-type": type }), "file", "too long"],
    [await upload(world, Buffer.alloc(0)), "file", "empty"],
  ];
  for (const [{ status, body }, field, words] of refused) {
    expect([words, status, body.error.fields[field]?.[0]]).toEqual([words, 400, expect.stringContaining(words)]);
  }
  expect(filesOf(world)).toEqual([]);
  const complete = await post(world, `before\r\n${part}\r\n--b--\r\nafter`, { "content-type": type });
  expect([complete.status, complete.body.data?.bytes]).toEqual([201, 4]);
});

test("a boundary is found however the bytes arrive", async () => {
  await using world = await startWorld();
  const content = `\r\n--b\r-\r\n--${"\r\n--bound".repeat(50)}`;
  const form = `--boundary\r\nContent-Disposition: form-data; name="file"; filename*=UTF-8''%C3%85se.txt\r\n\r\n${content}\r\n--boundary--\r\n`;
  for (const size of [1, 2, 3, 7, 64]) {
    const pieces = Buffer.from(form);
    let at = 0;
    const body = new ReadableStream({
      async pull(controller) {
        if (at >= pieces.byteLength) return controller.close();
        controller.enqueue(pieces.subarray(at, at + size));
        at += size;
      },
    });
    const answered = await fetch(`${world.app.server.url}/api/v1/media`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${world.workspace.key}`,
        "content-type": "multipart/form-data; boundary=boundary",
      },
      body,
    });
    const { data } = (await answered.json()) as { data: { id: number; filename: string } };
    expect(data.filename).toBe("Åse.txt");
    expect(await (await get(world, data.id)).text()).toBe(content);
  }
});

test("the same bytes twice are two uploads and one file, which goes with the last of them", async () => {
  await using world = await startWorld();
  const { app } = world;
  const bytes = bytesOf(heads.pdf);
  const first = await upload(world, bytes, "a.pdf");
  app.clock.setWall(10 * DAY);
  const second = await upload(world, bytes, "b.pdf");
  expect(second.body.data.id).toBeGreaterThan(first.body.data.id);
  expect(filesOf(world)).toHaveLength(1);
  app.clock.setWall(20 * DAY + 1_000);
  await app.clock.advance(600_000);
  expect([(await get(world, first.body.data.id)).status, (await get(world, second.body.data.id)).status]).toEqual([
    404, 200,
  ]);
  expect(filesOf(world)).toHaveLength(1);
  app.clock.setWall(10 * DAY);
  await app.clock.advance(600_000);
  expect([(await get(world, second.body.data.id)).status, filesOf(world)]).toEqual([404, []]);
});

test("an upload without an end of its life is kept for ever", async () => {
  await using world = await startWorld({ config: { retention: { uploads: null } } });
  const { body } = await upload(world, bytesOf(heads.pdf));
  expect(body.data.expires_at).toBeNull();
  world.app.clock.setWall(4_000 * DAY);
  await world.app.clock.advance(600_000);
  expect((await get(world, body.data.id)).status).toBe(200);
});

/** A request whose body does not end; resolves when the server has begun to write its file. */
async function beginUpload(world: World, sent: number, files: number) {
  const { app, workspace } = world;
  const url = new URL(app.server.url);
  const socket = connect(Number(url.port), url.hostname);
  const part = '--b\r\ncontent-disposition: form-data; name="file"; filename="a.pdf"\r\n\r\n';
  socket.write(
    `POST /api/v1/media HTTP/1.1\r\nhost: ${url.host}\r\nauthorization: Bearer ${workspace.key}\r\ncontent-type: multipart/form-data; boundary=b\r\ncontent-length: 5000000\r\n\r\n${part}`,
  );
  socket.write(bytesOf(heads.pdf, sent));
  while (filesOf(world).length < files) await new Promise((resolve) => setImmediate(resolve));
  return socket;
}

test("an upload that is cut leaves nothing, and its place is free again", async () => {
  await using world = await startWorld();
  const sockets = [];
  for (let count = 1; count <= 4; count += 1) sockets.push(await beginUpload(world, 400_000, count));
  const fifth = await upload(world, bytesOf(heads.pdf));
  expect([fifth.status, fifth.body.error.code, fifth.headers.get("retry-after")]).toEqual([429, "rate_limited", "2"]);
  const other = await world.app.workspace({ number: "+911244001199" });
  const beside = await upload({ ...world, workspace: other }, bytesOf(heads.pdf));
  expect(beside.status).toBe(201);
  for (const socket of sockets) socket.destroy();
  while (filesOf(world).length > 1) await new Promise((resolve) => setImmediate(resolve));
  expect((await upload(world, bytesOf(heads.png))).status).toBe(201);
  const rows = world.app.store.client.prepare("SELECT count(*) FROM uploads").pluck().get();
  expect(rows).toBe(2);
});

test("an upload of which nothing more comes for half a minute is refused, leaves nothing and frees its place", async () => {
  await using world = await startWorld();
  const socket = await beginUpload(world, 400_000, 1);
  const answered = new Promise<string>((resolve) => socket.on("data", (bytes) => resolve(bytes.toString())));
  await world.app.clock.advance(31_000);
  expect(await answered).toContain("400 Bad Request");
  while (filesOf(world).length > 0) await new Promise((resolve) => setImmediate(resolve));
  for (let count = 0; count < 4; count += 1) expect((await upload(world, bytesOf(heads.png))).status).toBe(201);
  socket.destroy();
});

test("a key uploads 2 GB on one day of its workspace", async () => {
  await using world = await startWorld();
  const { app, workspace } = world;
  const used = 2 * 1024 * MB - 6_000;
  const began = Date.parse("2026-11-21T00:00:00+05:30");
  const { key_id } = app.store.client.prepare("SELECT id AS key_id FROM api_keys").get() as { key_id: number };
  app.store.client.prepare("INSERT INTO upload_days VALUES (?, ?, ?)").run(key_id, began, used);
  expect((await upload(world, bytesOf(heads.pdf, 5_000))).status).toBe(201);
  const beyond = await upload(world, bytesOf(heads.pdf, 1_001));
  expect([beyond.status, beyond.body.error.message]).toEqual([429, "This API key may upload 2 GB a day."]);
  expect(beyond.headers.get("retry-after")).toBe(String(10.5 * 3_600 - 1));
  expect((await upload(world, bytesOf(heads.pdf, 1_000))).status).toBe(201);
  app.clock.setWall(10.5 * 3_600_000);
  expect((await upload({ ...world, workspace }, bytesOf(heads.pdf, 9_000))).status).toBe(201);
});

test("the uploads of a workspace take at most half of its share of the quota", async () => {
  await using world = await startWorld({ config: { media: { quotaBytes: 400_000 } } });
  await world.app.workspace({ number: "+911244001199" });
  // Two workspaces: a share of 200,000 bytes, of which uploads may take 100,000.
  expect((await upload(world, bytesOf(heads.pdf, 60_000))).status).toBe(201);
  const refused = await upload(world, bytesOf(heads.png, 40_001));
  expect([refused.status, sentenceOf(refused)]).toEqual([
    400,
    "The uploads of this workspace may take 100,000 bytes, of which 40,000 bytes are left. An upload is deleted when it has not been sent for a time: its `expires_at` says when.",
  ]);
  // The same bytes again take no more room.
  expect((await upload(world, bytesOf(heads.png, 40_000))).status).toBe(201);
  expect(filesOf(world)).toHaveLength(2);
});

test("what a crash leaves of an upload is removed by the next start", async () => {
  const world = await startWorld();
  const { app, workspace } = world;
  const kept = await upload(world, bytesOf(heads.pdf));
  // As between the commit that names the file and the one that ends the upload.
  await upload(world, bytesOf(heads.png));
  app.store.client.prepare("UPDATE uploads SET state = 'pending' WHERE mime_type = 'image/png'").run();
  await Bun.write(join(app.directory, "media", "upload-9.part"), "rest");
  const { directory } = app;
  await app.server.stop();
  await using again = await startTestServer({ directory, clock: app.clock });
  await again.clock.rest();
  const next: World = { app: again, workspace, [Symbol.asyncDispose]: () => again[Symbol.asyncDispose]() };
  expect(filesOf(next)).toHaveLength(1);
  expect((await get(next, kept.body.data.id)).status).toBe(200);
});

test("only a key with the scope may upload, and none of an earlier version", async () => {
  await using world = await startWorld();
  const { app, workspace } = world;
  const reader = await app.store.write((tx) =>
    createKey(tx, workspace.id, "reader", { limits: { ...EVERY_SCOPE, scopes: ["read"] } }),
  );
  const refused = await upload({ ...world, workspace: { ...workspace, key: reader.key } }, bytesOf(heads.pdf));
  expect([refused.status, refused.body.error.faults?.[0]?.suggestion]).toEqual([403, "send"]);
  expect(filesOf(world)).toEqual([]);
});
