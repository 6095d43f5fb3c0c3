/** A file that arrives in pieces: continued where the line was lost, the same bytes once, and a clear refusal of everything else. */
import { expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { readdirSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { auditEntries, person, type Visitor } from "#test/support/console.ts";
import { startTestServer } from "#test/support/server.ts";

const PIECE = 100_000;
const HOUR = 3_600_000;
const file = Buffer.concat([Buffer.from("%PDF-1.7\n"), Buffer.alloc(3 * PIECE - 9, 7)]);

async function startShop() {
  const app = await startTestServer();
  const shop = await app.workspace({ number: "+911244001100" });
  const agent = await person(app, "agent@example.com", "agent", shop.id);
  const base = `/w/${shop.id}/uploads`;
  const begin = (visitor: Visitor = agent, bytes = file.byteLength, filename = "menu.pdf") =>
    visitor.post(base, { bytes, filename, content_type: "application/pdf" });
  const patch = (id: string, offset: number | string, piece: Uint8Array, visitor: Visitor = agent) =>
    visitor.ask("PATCH", `${base}/${id}?offset=${offset}`, piece, {
      headers: { "content-type": "application/octet-stream" },
    });
  const parts = () => readdirSync(join(app.directory, "media")).filter((name) => name.endsWith(".part"));
  const uploads = () => app.store.client.prepare("SELECT count(*) AS n FROM uploads").get() as { n: number };
  return {
    ...{ app, shop, agent, base, begin, patch, parts, uploads },
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
  };
}

const piece = (index: number): Uint8Array => file.subarray(index * PIECE, (index + 1) * PIECE);

test("a file in three pieces is stored once, byte for byte, and its end can be asked for again", async () => {
  await using world = await startShop();
  const { app, shop, agent, base, begin, patch, parts, uploads } = world;
  const begun = await begin();
  expect([begun.status, begun.body.data]).toMatchObject([201, { bytes: 3 * PIECE, offset: 0, file: null }]);
  const { id } = begun.body.data;
  for (const index of [0, 1]) {
    const answered = await patch(id, index * PIECE, piece(index));
    expect([answered.status, answered.body.data]).toMatchObject([200, { offset: (index + 1) * PIECE, file: null }]);
  }
  expect(uploads().n).toBe(0);
  const last = await patch(id, 2 * PIECE, piece(2));
  const sha256 = createHash("sha256").update(file).digest("base64");
  expect([last.status, last.body.data.file]).toMatchObject([
    200,
    { mime_type: "application/pdf", bytes: 3 * PIECE, sha256, filename: "menu.pdf" },
  ]);
  // The answer to the last piece was lost.
  expect((await agent.get(`${base}/${id}`)).body.data).toEqual(last.body.data);
  expect([uploads().n, parts()]).toEqual([1, []]);
  const cookie = { cookie: agent.cookie ?? "" };
  const stored = await fetch(`${app.server.url}/console/api/w/${shop.id}/media/${last.body.data.file.id}`, {
    headers: { ...cookie, "sec-fetch-site": "same-origin" },
  });
  expect(Buffer.from(await stored.arrayBuffer()).equals(file)).toBe(true);
  expect(auditEntries(app)[0]).toMatchObject({ action: "media.upload", subject: "application/pdf" });
});

test("of a piece whose line is lost, what arrived stays; the upload continues behind it", async () => {
  await using world = await startShop();
  const { app, agent, base, begin, patch } = world;
  const { id } = (await begin()).body.data;
  const { port } = new URL(app.server.url);
  const socket = connect(Number(port), "127.0.0.1");
  const head = [
    `PATCH /console/api${base}/${id}?offset=0 HTTP/1.1`,
    "Host: 127.0.0.1",
    `Cookie: ${agent.cookie}`,
    "Sec-Fetch-Site: same-origin",
    "Content-Type: application/octet-stream",
    `Content-Length: ${PIECE}`,
  ];
  socket.write(`${head.join("\r\n")}\r\n\r\n`);
  socket.write(piece(0).subarray(0, 40_000));
  const offset = async (): Promise<number> => (await agent.get(`${base}/${id}`)).body.data.offset;
  while ((await offset()) < 40_000) await Bun.sleep(5);
  // While it arrives, a second one is refused.
  const second = await patch(id, 40_000, piece(0));
  expect([second.status, second.body.error.message]).toEqual([
    429,
    "Another piece of this upload is arriving. Ask how far it is, then continue there.",
  ]);
  expect((await agent.ask("DELETE", `${base}/${id}`)).status).toBe(429);
  socket.destroy();
  let rest = await patch(id, 40_000, file.subarray(40_000));
  while (rest.status === 429) rest = await patch(id, 40_000, file.subarray(40_000));
  const sha256 = createHash("sha256").update(file).digest("base64");
  expect([rest.status, rest.body.data.file]).toMatchObject([200, { sha256 }]);
});

test("a wrong offset, a piece beyond the end, another type and a size beyond the limit are refused by name", async () => {
  await using world = await startShop();
  const { agent, base, begin, patch, parts, uploads } = world;
  const { id } = (await begin()).body.data;
  await patch(id, 0, piece(0));
  const fieldsOf = async (asked: ReturnType<typeof patch>) => {
    const { status, body } = await asked;
    return [status, body.error.fields];
  };
  const at = [`${PIECE} bytes of this upload have arrived. Continue with offset ${PIECE}.`];
  for (const offset of [0, 2 * PIECE])
    expect(await fieldsOf(patch(id, offset, piece(0)))).toEqual([400, { offset: at }]);
  for (const offset of ["", "-1", "x"]) {
    expect(await fieldsOf(patch(id, offset, piece(1)))).toEqual([
      400,
      { offset: [expect.stringContaining("`offset`")] },
    ]);
  }
  const beyond = { bytes: [`The upload has ${3 * PIECE} bytes, and this piece goes beyond its end.`] };
  expect(await fieldsOf(patch(id, PIECE, file))).toEqual([400, beyond]);
  // None of it has moved the upload.
  expect((await agent.get(`${base}/${id}`)).body.data.offset).toBe(PIECE);

  const gif = (await begin(agent, 20_000, "a.gif")).body.data;
  const wrong = Buffer.concat([Buffer.from("GIF89a"), Buffer.alloc(9_994)]);
  expect(await fieldsOf(patch(gif.id, 0, wrong))).toEqual([400, { file: [expect.stringContaining("JPEG or PNG")] }]);
  expect((await agent.get(`${base}/${gif.id}`)).status).toBe(404);
  for (const bytes of [0, 1.5, "many"]) expect((await begin(agent, bytes as number)).status).toBe(400);
  expect(await fieldsOf(begin(agent, 101 * 1024 * 1024))).toEqual([400, { file: ["A file may have at most 100 MB."] }]);
  expect((await begin(agent, 10, "a".repeat(300))).status).toBe(400);
  expect([uploads().n, parts().length]).toEqual([0, 1]);
});

test("another user and another workspace find nothing; given up, or after an hour, it is gone with its bytes and its room", async () => {
  await using world = await startShop();
  const { app, shop, agent, base, begin, patch, parts } = world;
  const bob = await person(app, "bob@example.com", "agent", shop.id);
  const other = await app.workspace({ number: "+911244001199" });
  const eve = await person(app, "eve@example.com", "agent", other.id);
  const { id } = (await begin()).body.data;
  expect((await patch(id, 0, piece(0), bob)).status).toBe(404);
  expect((await bob.get(`${base}/${id}`)).body.error.message).toBe("There is no such upload.");
  expect((await eve.get(`/w/${other.id}/uploads/${id}`)).status).toBe(404);
  expect((await agent.ask("DELETE", `${base}/${id}`)).status).toBe(200);
  expect([(await agent.get(`${base}/${id}`)).status, parts()]).toEqual([404, []]);

  const kept = (await begin()).body.data.id;
  await app.clock.advance(HOUR - 60_000);
  expect((await patch(kept, 0, piece(0))).status).toBe(200);
  await app.clock.advance(HOUR - 60_000);
  expect((await agent.get(`${base}/${kept}`)).status).toBe(200);
  await app.clock.advance(HOUR);
  expect([(await agent.get(`${base}/${kept}`)).status, parts()]).toEqual([404, []]);

  for (let made = 0; made < 20; made++) expect((await begin()).status).toBe(201);
  expect((await begin()).status).toBe(429);
  expect((await eve.post(`/w/${other.id}/uploads`, { bytes: 9, filename: "a", content_type: "" })).status).toBe(201);
});

test("a restart ends it and leaves no bytes: the browser begins again", async () => {
  await using world = await startShop();
  const { app, agent, base, begin, patch } = world;
  const { id } = (await begin()).body.data;
  await patch(id, 0, piece(0));
  await app.stop();
  await using again = await startTestServer({ directory: app.directory });
  const headers = { cookie: agent.cookie ?? "", "sec-fetch-site": "same-origin" };
  const asked = await fetch(`${again.server.url}/console/api${base}/${id}`, { headers });
  expect(asked.status).toBe(404);
  expect(readdirSync(join(again.directory, "media"))).toEqual([]);
});
