/** `contact data`: one archive with what is kept of a person, for that person. `erasure-marks.test.ts` shows that it is all. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { GraphMedia } from "#test/support/graph-media.ts";
import { rows, startWhatsapp, textFrom, type WhatsappWorld } from "#test/support/whatsapp.ts";
import { unzip } from "#test/support/zip.ts";
import { Workshop } from "../cli/spawn.ts";

const ANNA = "+4915112345671";
const BERT = "+4915112345672";
const WORDS = `<img src=x onerror="alert(1)"> & "quoted"`;

let world: WhatsappWorld;
let workshop: Workshop;
const media = new GraphMedia();

beforeAll(async () => {
  world = await startWhatsapp({ graph: { media } });
  workshop = new Workshop();
  const { clock, graph, hear, app, workspace } = world;
  const photo = media.add("photo", "application/pdf", Buffer.from("%PDF-1.4 of Anna"));
  const say = async (from: string, more: object): Promise<void> => {
    await clock.advance(1_000);
    const timestamp = String(Math.floor(clock.now() / 1_000));
    expect(await hear(textFrom(graph, from, "Hello", { timestamp, ...more }))).toBe(200);
  };
  await say(ANNA, { text: { body: WORDS } });
  await say(ANNA, { type: "document", text: undefined, document: { ...photo, filename: "../../../etc/über.pdf" } });
  await say(BERT, { text: { body: "Bert is another person" } });
  await clock.rest();
  await clock.advance(5_000);
  await clock.rest();
  for (let index = 0; index < 120; index++) {
    const body = { to: ANNA, text: `Answer ${index}` };
    await app.send("POST", "/api/v1/messages", {
      key: workspace.key,
      body,
      headers: { "idempotency-key": `k${index}` },
    });
    await clock.advance(1_000);
  }
}, 60_000);
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  workshop[Symbol.dispose]();
});

const handOut = (phone: string, ...more: string[]) =>
  workshop.run(["contact", "data", phone, "--workspace", "1", "--data", world.app.directory, ...more]);

test("the archive has the whole conversation, its files under harmless names, and no other person's words", async () => {
  const out = workshop.path("anna.zip");
  writeFileSync(out, "x".repeat(1_000_000));
  const ran = await handOut(ANNA, "--out", out, "--json");
  const said = JSON.parse(ran.stdout);
  expect(said).toMatchObject({
    file: out,
    entries: 122,
    files: 1,
    notes: 0,
    missing: [],
    bytes: readFileSync(out).length,
  });
  const archive = await unzip(out);
  const [name = "", ...others] = Object.keys(archive).filter((one) => one.startsWith("files/"));
  expect(others).toEqual([]);
  expect(name).toMatch(/^files\/\d+-[^/]*über\.pdf$/);
  expect(String(archive[name])).toBe("%PDF-1.4 of Anna");
  const json = String(archive["data.json"]);
  const data = JSON.parse(json);
  const [{ conversation, records, profile }] = data.contacts;
  expect(conversation).toHaveLength(122);
  expect([profile.phone, records.messages.length, records.inbounds.length]).toEqual([ANNA, 120, 2]);
  expect(conversation.map(({ text }: { text: string }) => text)).toContain(WORDS);
  const page = String(archive["index.html"]);
  expect(page).toContain("&lt;img src=x");
  expect(page).not.toContain("<img");
  expect(page).toContain(`href="files/${encodeURIComponent(name.slice(6))}"`);
  for (const text of [json, page]) expect(text).not.toContain("Bert");
});

test("a receipt without the person's name or number is in the audit log", () => {
  const entries = rows<{ subject: string; details: string }>(
    world.app.store,
    "SELECT subject, details FROM audit_log WHERE action = 'contact.data'",
  );
  expect(entries).toEqual([{ subject: expect.stringMatching(/^contact \d+$/), details: '{"entries":122,"files":1}' }]);
});

test("a file that is gone from the disk is named, and the rest is handed out", async () => {
  const [file] = rows<{ workspace_id: number; hash: string }>(world.app.store, "SELECT * FROM media_files");
  const path = `${world.app.directory}/media/${file?.workspace_id}-${file?.hash}`;
  const { rename } = await import("node:fs/promises");
  await rename(path, `${path}.away`);
  const ran = await handOut(ANNA, "--out", workshop.path("rest.zip"));
  await rename(`${path}.away`, path);
  expect(ran.stdout).toContain("Files that are stored no more:");
  expect(Object.keys(await unzip(workshop.path("rest.zip")))).toEqual(["index.html", "data.json"]);
});

test("of a person who is not here nothing is written", async () => {
  const out = workshop.path("nobody.zip");
  const ran = await handOut("+4915112345699", "--out", out, "--json");
  expect([ran.code, JSON.parse(ran.stdout).error.code, existsSync(out)]).toEqual([1, "not_found", false]);
  expect((await handOut(ANNA)).code).toBe(2);
});
