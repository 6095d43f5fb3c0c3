/**
 * Files are uploaded and sent while the server is killed again and again and the network loses answers. Afterwards, what
 * callers were told is compared with what the network got, the database and the disk hold. The short form is part of
 * every test run: 60 files, 4 kills. The full form sends 1,000 files under 20 kills of the executable:
 *
 *   bun run test:crash uploads
 *
 * Processes and time are real, so no two runs are the same: a failure prints what it found, not how to repeat it.
 */
import { expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isFull, program, roundsOf } from "#test/support/crash-form.ts";
import { GRAPH_PHONE_NUMBER_ID } from "#test/support/graph.ts";
import { type MediaLoad, startMediaLoad } from "#test/support/media-load.ts";

const kills = roundsOf(20, 4);
const files = isFull ? 1_000 : 60;
const PERSON = "4915112000001";
const AT_ONCE = 3;
/** Every so many messages the network accepts one and loses the answer. */
const LOST_EVERY = 17;

const hashOf = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

/** Repeated until the server answers. */
async function ask(load: MediaLoad, path: string, make: () => RequestInit): Promise<{ status: number; text: string }> {
  for (;;) {
    try {
      const init = make();
      const headers = { ...init.headers, authorization: `Bearer ${load.key}` };
      const answered = await fetch(`${load.url}/api/v1${path}`, { ...init, headers });
      const text = await answered.text();
      if (answered.status !== 503 && answered.status !== 429) return { status: answered.status, text };
    } catch {
      // The server is away.
    }
    await Bun.sleep(50);
  }
}

async function upload(load: MediaLoad, bytes: Buffer<ArrayBuffer>, index: number): Promise<number> {
  const { status, text } = await ask(load, "/media", () => {
    const body = new FormData();
    body.append("file", new File([bytes], `file ${index}.pdf`));
    return { method: "POST", body };
  });
  expect([index, status, text]).toEqual([index, 201, expect.anything()]);
  return JSON.parse(text).data.id;
}

const send = (load: MediaLoad, id: number, index: number) =>
  ask(load, "/messages", () => ({
    method: "POST",
    headers: { "content-type": "application/json", "idempotency-key": `message-${index}` },
    body: JSON.stringify({ to: `+${PERSON}`, media: { id, caption: `caption ${index}` } }),
  }));

test(
  "an upload that was answered is there, whatever happens to the server, and each message that sends it leaves once",
  async () => {
    using waxwing = await program();
    await using load = await startMediaLoad(waxwing.command);
    await load.start();
    await load.write(PERSON);
    await load.settled(30_000);
    const uploaded = new Map<number, string>();
    const told = new Map<number, { status: number; text: string }>();
    let next = 0;
    const work = async (): Promise<void> => {
      for (let index = next++; index < files; index = next++) {
        const bytes = Buffer.concat([Buffer.from(`%PDF-1.7 ${index % 20}\n`), Buffer.alloc(200_000 + (index % 20), 5)]);
        const id = await upload(load, bytes, index);
        uploaded.set(id, hashOf(bytes));
        if (index % LOST_EVERY === 0) load.graph.fault({ to: `+${PERSON}`, fault: { kind: "lost" } });
        told.set(index, await send(load, id, index));
      }
    };
    const working = Promise.all(Array.from({ length: AT_ONCE }, work));
    let killed = 0;
    for (; killed < kills && told.size < files; killed += 1) {
      await Bun.sleep(300 + ((killed * 397) % 700));
      await load.kill();
      await load.start();
    }
    await working;
    await load.kill();
    await load.start();
    await load.settled(30_000);

    const statuses = [...told.values()].map(({ status }) => status);
    const sent = load.graph.requests
      .map(({ body }) => body as { document?: { caption?: string; id: string }; biz_opaque_callback_data: string })
      .filter(({ document }) => document !== undefined);
    const captions = sent.map(({ document }) => document?.caption);
    expect(captions.length).toBe(new Set(captions).size);
    // Sent, or its outcome is not known: then the network got it at most once, as every other.
    expect(statuses.filter((status) => status !== 201 && status !== 502)).toEqual([]);
    for (const [index, { status }] of told) {
      if (status === 201) expect(captions).toContain(`caption ${index}`);
    }
    // What was answered can be read, byte for byte.
    for (const [id, hash] of uploaded) {
      const answered = await fetch(`${load.url}/api/v1/media/${id}`, {
        headers: { authorization: `Bearer ${load.key}` },
      });
      expect([id, hashOf(new Uint8Array(await answered.arrayBuffer()))]).toEqual([id, hash]);
    }
    // Nothing is left of what was not answered.
    const named = load.rows<{ name: string }>("SELECT workspace_id || '-' || hash AS name FROM media_files");
    expect(readdirSync(join(load.directory, "data/media")).toSorted()).toEqual(
      named.map(({ name }) => name).toSorted(),
    );
    for (const { name } of named)
      expect(`1-${hashOf(readFileSync(join(load.directory, "data/media", name)))}`).toBe(name);
    expect(load.rows("SELECT id FROM uploads WHERE state = 'pending'")).toEqual([]);
    // Every id that was sent is one that the network gave for this number.
    const handed = load.uploads.filter(({ phoneNumberId }) => phoneNumberId === GRAPH_PHONE_NUMBER_ID);
    const ids = new Set(handed.map(({ id }) => id));
    expect(sent.filter(({ document }) => !ids.has(document?.id ?? ""))).toEqual([]);
    await load.stop();
    const checked = await load.command("check");
    expect([checked.code, checked.out]).toEqual([0, expect.anything()]);
    console.log(
      `${killed} kills, ${files} files: ${uploaded.size} uploads answered, ${handed.length} given to the network, ${sent.length} messages, ${statuses.filter((status) => status === 502).length} in doubt`,
    );
  },
  isFull ? 600_000 : 120_000,
);
