/**
 * One workspace's load on the server, as a separate process: `bun neighbour-process.ts <json>`. Prints `under way` when
 * the first piece of work was accepted, and on SIGTERM how many pieces were completed and which statuses were unexpected.
 */
import { createHash } from "node:crypto";
import { attackWith } from "./attack-loads.ts";
import { startGraph } from "./graph.ts";
import { graphAccount } from "./graph-account.ts";
import { GraphMedia } from "./graph-media.ts";
import { type Attack, attacks, type Kind } from "./neighbour-kinds.ts";

export interface Load {
  kind: Kind;
  /** The server's address. */
  url: string;
  workspace: number;
  cookie: string;
  key: string;
  group: number;
  /** The phone number of a person in an open window. */
  writer: string;
  /** Rows of an imported file. */
  rows: number;
  /** Where the server looks for the network of the workspace that receives files, and that workspace's key. */
  graphPort: number;
  mediaKey: string;
}

const SEARCHES_AT_ONCE = 20;
const EXPORTS_AT_ONCE = 8;
const SENDERS = 32;
const IMPORTERS = 3;
const FILE_SENDERS = 4;
const FILE_READERS = 4;
/** Files that the network still has; older ones were fetched long ago. */
const FILES_MAX = 400;
const POLL_MS = 50;
/** After a refusal, as a careful program does. */
const PAUSE_MS = 50;

const given: Load = JSON.parse(process.argv[2] ?? "");
const base = `${given.url}/console/api/w/${given.workspace}`;
const completed = { pieces: 0, downloads: 0, events: 0, refused: 0, unexpected: [] as string[] };
let isUnderWay = false;

function noteAccepted(): void {
  if (!isUnderWay) console.log("under way");
  isUnderWay = true;
}

async function ask(method: string, path: string, body?: unknown): Promise<{ status: number; data: Data }> {
  const answer = await fetch(base + path, {
    method,
    headers: { "sec-fetch-site": "same-origin", cookie: given.cookie, "content-type": contentType(body) },
    ...(method === "GET" ? {} : { body: typeof body === "string" ? body : JSON.stringify(body ?? {}) }),
  });
  const text = await answer.text();
  return { status: answer.status, data: text.startsWith("{") ? ((JSON.parse(text) as { data: Data }).data ?? {}) : {} };
}

interface Data {
  id?: number;
  state?: string;
  count?: number;
}

/** A file to import is sent as it is. */
function contentType(body: unknown): string {
  return typeof body === "string" ? "application/octet-stream" : "application/json";
}

/** Repeats a request that the rate limit refused. Any other refusal is reported, and null returned. */
async function insist(method: string, path: string, body?: unknown): Promise<Data | null> {
  for (;;) {
    const { status, data } = await ask(method, path, body);
    if (status < 300) return data;
    if (status !== 429) {
      completed.unexpected.push(`${method} ${path.replace(/\d+/g, "N")} ${status}`);
      return null;
    }
    completed.refused += 1;
    await Bun.sleep(PAUSE_MS);
  }
}

/** As many conditions as a filter may have, none of which matches. */
const HEAVY = { any: Array.from({ length: 99 }, (_, index) => ({ field: "name", contains: `zz ${index}` })) };

async function search(): Promise<void> {
  await insist("POST", "/groups/count", { filter: HEAVY });
}

async function importFile(turn: number): Promise<void> {
  const lines = Array.from(
    { length: given.rows },
    (_, row) => `+9197${String(row).padStart(8, "0")},Name ${turn} ${row}`,
  );
  const uploaded = await insist("POST", `/imports?name=${turn}.csv`, ["phone,name", ...lines].join("\n"));
  if (uploaded === null) return;
  noteAccepted();
  const path = `/imports/${uploaded.id}`;
  const settings = { map: {}, opt_in: true, proof: "Signed at the till" };
  if ((await insist("POST", `${path}/check`, settings)) === null) return;
  await untilIn(path, "checked");
  if ((await insist("POST", `${path}/run`)) === null) return;
  await untilIn(path, "done");
  await insist("DELETE", path);
}

async function untilIn(path: string, state: string): Promise<void> {
  for (;;) {
    const data = await insist("GET", path);
    if (data === null || data.state === state) return;
    if (data.state === "failed") throw new Error(`${path} failed`);
    await Bun.sleep(POLL_MS);
  }
}

async function exportAll(): Promise<void> {
  const answer = await fetch(`${base}/contacts/export`, { headers: { cookie: given.cookie } });
  if (answer.status === 429) {
    completed.refused += 1;
    await Bun.sleep(PAUSE_MS);
    return;
  }
  if (answer.status !== 200) completed.unexpected.push(`export ${answer.status}`);
  noteAccepted();
  for await (const _ of answer.body ?? []);
}

async function send(): Promise<void> {
  const answer = await fetch(`${given.url}/api/v1/messages`, {
    method: "POST",
    headers: { authorization: `Bearer ${given.key}`, "content-type": "application/json" },
    body: JSON.stringify({ to: given.writer, text: "Your table is ready. See you at eight!" }),
  });
  await answer.arrayBuffer();
  if (answer.status === 429) completed.refused += 1;
  else if (answer.status !== 201) completed.unexpected.push(`send ${answer.status}`);
}

async function broadcast(): Promise<void> {
  const answer = await fetch(`${given.url}/api/v1/broadcasts`, {
    method: "POST",
    headers: { authorization: `Bearer ${given.key}`, "content-type": "application/json" },
    body: JSON.stringify({ name: "Load", template: "offer", variables: ["there"], group: given.group }),
  });
  await answer.arrayBuffer();
  if (answer.status !== 202) completed.unexpected.push(`broadcast ${answer.status}`);
}

/** A receiver that takes this long for each event. */
const SLOW_MS = 3_000;

/** The workspace's events go to a receiver that answers after so long. */
async function receiveEvents(afterMs = 0): Promise<void> {
  const fetch = async (request: Request): Promise<Response> => {
    await request.arrayBuffer();
    completed.events += 1;
    if (afterMs > 0) await Bun.sleep(afterMs);
    return new Response("thanks");
  };
  const receiver = Bun.serve({ hostname: "127.0.0.1", port: 0, idleTimeout: 0, fetch });
  await insist("PUT", "/webhook", { url: `http://127.0.0.1:${receiver.port}/` });
}

async function changeAll(turn: number): Promise<void> {
  const people = { search: {} };
  const count = (await insist("POST", "/bulk/count", { people }))?.count;
  const change = turn % 2 === 0 ? { add_tag: "load" } : { remove_tag: "load" };
  const begun = count === undefined ? null : await insist("POST", "/bulk", { people, change, count });
  if (begun === null) return;
  noteAccepted();
  await untilIn(`/bulk/${begun.id}`, "done");
}

/** People send pictures of 40 to 300 kB as fast as the server takes their callbacks, and a program downloads them. */
function receiveFiles(): Promise<never>[] {
  const media = new GraphMedia();
  const graph = startGraph({ account: graphAccount(), media, port: given.graphPort });
  let count = 0;
  const sendFile = async (): Promise<void> => {
    const network = await graph;
    network.callTo(`${given.url}/networks/whatsapp`);
    const index = count++;
    const size = 40_000 + ((index * 7_919) % 260_000);
    const filler = createHash("sha256").update(`${index}`).digest();
    const bytes = Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), Buffer.alloc(size, filler)]);
    const stated = media.add(`f${index}`, "image/jpeg", bytes);
    media.remove(`f${index - FILES_MAX}`);
    const from = `9199000${String(10_000 + (index % 5_000))}`;
    const timestamp = String(Math.floor(Date.now() / 1000));
    const change = network.inbound({ from, id: `wamid.f${index}`, type: "image", image: stated, timestamp });
    const status = await network.callback(change);
    if (status === 503) completed.refused += 1;
    else if (status !== 200) completed.unexpected.push(`callback ${status}`);
  };
  const readFile = async (turn: number): Promise<void> => {
    const id = 1 + (turn % Math.max(1, count));
    const headers = { authorization: `Bearer ${given.mediaKey}` };
    const answer = await fetch(`${given.url}/api/v1/media/${id}`, { headers });
    await answer.arrayBuffer();
    if (answer.status === 429) {
      completed.refused += 1;
      await Bun.sleep(PAUSE_MS);
    } else if (answer.status === 200) completed.downloads += 1;
    // A file that was not fetched yet.
    else if (answer.status !== 404) completed.unexpected.push(`download ${answer.status}`);
  };
  return [
    ...Array.from({ length: FILE_SENDERS }, () => repeat(sendFile)),
    ...Array.from({ length: FILE_READERS }, (_, index) => repeat(readFile, index * 1_000)),
  ];
}

async function repeat(work: (turn: number) => Promise<void>, offset = 0): Promise<never> {
  for (let turn = offset; ; turn += 1) {
    await work(turn);
    completed.pieces += 1;
    noteAccepted();
  }
}

const starts: Readonly<Record<Exclude<Kind, Attack>, () => Promise<never>[]>> = {
  searches: () => Array.from({ length: SEARCHES_AT_ONCE }, () => repeat(search)),
  imports: () => Array.from({ length: IMPORTERS }, (_, index) => repeat(importFile, index * 1_000)),
  exports: () => Array.from({ length: EXPORTS_AT_ONCE }, () => repeat(exportAll)),
  sends: () => {
    void receiveEvents().then(broadcast);
    return Array.from({ length: SENDERS }, () => repeat(send));
  },
  "bulk changes": () => [repeat(changeAll)],
  media: receiveFiles,
  "slow webhooks": () => {
    void receiveEvents(SLOW_MS).then(broadcast);
    return Array.from({ length: SENDERS }, () => repeat(send));
  },
};

process.on("SIGTERM", () => {
  console.log(JSON.stringify(completed));
  process.exit();
});
const { kind } = given;
const attack = attacks.find((one) => one === kind);
await Promise.all(
  attack === undefined
    ? starts[kind as Exclude<Kind, Attack>]()
    : attackWith(attack, given, { repeat, noteAccepted, completed }),
);
