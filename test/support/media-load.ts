/**
 * Many people send files to a server that is killed again and again. The fake Cloud API lives in this process, the
 * server in its own. Afterwards, what the network gave is compared with what the database and the disk hold.
 */
import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openClient } from "#src/db/driver.ts";
import { linesOf } from "./database.ts";
import { GRAPH_APP_SECRET, GRAPH_PHONE_NUMBER_ID, GRAPH_TOKEN, type Graph, startGraph } from "./graph.ts";
import { type GraphAccount, graphAccount, graphTemplate } from "./graph-account.ts";
import { GraphMedia } from "./graph-media.ts";

const PICTURE = Buffer.from([0xff, 0xd8, 0xff, 0xe0]);
const VOICE = Buffer.from("OggS");
/** Every so many files one repeats an earlier one, as forwarded pictures do. */
const REPEATED_EVERY = 20;

export interface MediaLoad extends AsyncDisposable {
  readonly graph: Graph;
  readonly media: GraphMedia;
  readonly account: GraphAccount;
  /** The files that the server has given to the network. */
  readonly uploads: GraphAccount["uploads"];
  readonly directory: string;
  readonly url: string;
  readonly key: string;
  /** The hash of each file that was sent, by its network id. */
  readonly sent: ReadonlyMap<string, string>;
  start(): Promise<void>;
  kill(): Promise<void>;
  stop(): Promise<void>;
  /** Of the server's process, kilobytes. */
  memoryKb(): number;
  /** Processor time of the server so far. */
  cpuMs(): number;
  command(...words: string[]): Promise<{ code: number; out: string }>;
  /** One person sends a new picture or voice message; repeated until the server has accepted it. */
  write(from?: string): Promise<void>;
  /** The same with a file that is in the network already. */
  post(type: string, stated: { id: string }, from: string): Promise<void>;
  /** One person sends a text, for comparison. */
  writeText(): Promise<void>;
  rows<Row>(query: string): Row[];
  /** Resolves when no medium is pending, or fails after this long. */
  settled(limitMs: number): Promise<void>;
  /** What does not fit; empty if everything does. */
  problems(): string[];
}

interface MediaLoadOptions {
  /** Lines of the configuration. */
  extra?: string;
  /** The server's environment, beside that of every process. */
  env?: Record<string, string>;
  /** The network's clock; by default the right one. */
  now?: () => number;
}

export async function startMediaLoad(
  program: readonly string[],
  { extra = "", env: more = {}, now }: MediaLoadOptions = {},
): Promise<MediaLoad> {
  const directory = mkdtempSync(join(tmpdir(), "waxwing-media-"));
  const media = new GraphMedia();
  const account = graphAccount({ templates: [graphTemplate("greeting")] });
  const graph = await startGraph({ account, media, ...(now && { now }) });
  const config = `[whatsapp]\ngraph_url = "${graph.url}"\napp_secret = "${GRAPH_APP_SECRET}"\n[limits]\nrequests_per_second = 100000\nburst = 100000\n[backup]\nschedule = ""\n${extra}`;
  writeFileSync(join(directory, "waxwing.toml"), config, { mode: 0o600 });
  writeFileSync(join(directory, "token"), GRAPH_TOKEN, { mode: 0o600 });
  const sent = new Map<string, string>();
  const contents: Buffer[] = [];
  let running: { child: Bun.Subprocess; url: string } | null = null;
  let count = 0;
  let key = "";

  const env = { PATH: process.env.PATH ?? "", WAXWING_LOG_LEVEL: "warn", ...more };
  async function command(...words: string[]): Promise<{ code: number; out: string }> {
    const child = Bun.spawn([...program, ...words], { cwd: directory, env, stdout: "pipe", stderr: "pipe" });
    const out = await new Response(child.stdout).text();
    return { code: await child.exited, out: out + (await new Response(child.stderr).text()) };
  }
  async function json(...words: string[]): Promise<Record<string, unknown>> {
    const { code, out } = await command(...words, "--json");
    if (code !== 0) throw new Error(`${words.join(" ")}: ${out}`);
    return JSON.parse(out);
  }
  async function end(signal: "SIGKILL" | "SIGTERM"): Promise<void> {
    const { child } = running ?? {};
    running = null;
    child?.kill(signal);
    await child?.exited;
  }
  async function start(): Promise<void> {
    const child = Bun.spawn([...program, "serve", "--listen", "127.0.0.1:0"], {
      ...{ cwd: directory, env },
      stdin: "ignore",
      stdout: "pipe",
      stderr: Bun.file(join(directory, "log")),
    });
    const { value } = await linesOf(child.stdout).next();
    const url = /^listening on (\S+)$/.exec(value ?? "")?.[1];
    if (url === undefined) throw new Error(`the server did not start: ${readFileSync(join(directory, "log"), "utf8")}`);
    running = { child, url };
    graph.callTo(`${url}/networks/whatsapp`);
  }
  function rows<Row>(query: string): Row[] {
    const client = openClient(join(directory, "data/waxwing.db"), { readonly: true });
    try {
      return client.prepare(query).all() as Row[];
    } finally {
      client.close();
    }
  }

  await json("workspace", "create", "--name", "Shop", "--country", "DE", "--timezone", "Europe/Berlin");
  key = String((await json("key", "create", "--workspace", "1")).key);
  const number = ["--phone", "+4930000000", "--name", "Shop", "--network", "whatsapp", "--token-file", "token"];
  const ids = ["--phone-number-id", GRAPH_PHONE_NUMBER_ID, "--account-id", "100000000000001", "--throughput", "1000"];
  await json("number", "add", "--workspace", "1", ...number, ...ids);

  async function post(type: string, stated: { id: string }, from: string): Promise<void> {
    await postItem({ from, id: `wamid.${stated.id}`, type, [type]: stated });
  }
  async function postItem(item: object): Promise<void> {
    const change = graph.inbound({ ...item, timestamp: String(Math.floor(Date.now() / 1000)) });
    // The network repeats a callback until it is accepted.
    for (;;) {
      const status = running === null ? 0 : await graph.callback(change).catch(() => 0);
      if (status === 200) return;
      await Bun.sleep(100);
    }
  }

  return {
    ...{ graph, media, directory, sent, start, command, rows, post, account, uploads: account.uploads },
    get url() {
      return running?.url ?? "";
    },
    get key() {
      return key;
    },
    kill: () => end("SIGKILL"),
    stop: () => end("SIGTERM"),
    memoryKb() {
      const status = readFileSync(`/proc/${running?.child.pid}/status`, "utf8");
      return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]);
    },
    cpuMs() {
      const fields = readFileSync(`/proc/${running?.child.pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
      // In ticks of 10 ms: in user mode, and in the kernel.
      return 10 * (Number(fields[11]) + Number(fields[12]));
    },
    async write(from = `4915112${String(100_000 + (count % 500))}`) {
      const index = count++;
      const isVoice = index % 3 === 0;
      const isRepeated = index % REPEATED_EVERY === REPEATED_EVERY - 1;
      const size = isVoice ? 8_000 + ((index * 7919) % 40_000) : 40_000 + ((index * 7919) % 260_000);
      const fresh = Buffer.concat([
        isVoice ? VOICE : PICTURE,
        Buffer.alloc(size, createHash("sha256").update(`${index}`).digest()),
      ]);
      const bytes = isRepeated ? (contents[index % 10] ?? fresh) : fresh;
      if (contents.length < 10) contents.push(bytes);
      const type = bytes.subarray(0, 4).equals(VOICE) ? "audio" : "image";
      const id = `f${index}`;
      const stated = media.add(id, type === "audio" ? "audio/ogg; codecs=opus" : "image/jpeg", bytes);
      sent.set(id, createHash("sha256").update(bytes).digest("hex"));
      await post(type, stated, from);
    },
    async writeText() {
      const id = `t${count++}`;
      await postItem({
        from: `4915112${100_000 + (count % 500)}`,
        id: `wamid.${id}`,
        type: "text",
        text: { body: id },
      });
    },
    async settled(limitMs) {
      const deadline = Date.now() + limitMs;
      for (;;) {
        const [row] = rows<{ open: number }>(
          "SELECT (SELECT count(*) FROM media WHERE state = 'pending') + (SELECT count(*) FROM callbacks WHERE done_at IS NULL) AS open",
        );
        if (row?.open === 0) return;
        if (Date.now() > deadline) throw new Error(`${row?.open} files or callbacks are still open`);
        await Bun.sleep(100);
      }
    },
    problems() {
      const found: string[] = [];
      const stored = rows<{ network_media_id: string; state: string; hash: string | null; id: number; events: number }>(
        `SELECT m.network_media_id, m.state, f.hash, m.id, (SELECT count(*) FROM events e WHERE e.type = 'media.stored'
           AND json_extract(e.body, '$.data.media.id') = m.id) AS events
         FROM media m LEFT JOIN media_files f ON f.id = m.file_id`,
      );
      const byId = new Map(stored.map((one) => [one.network_media_id, one]));
      for (const [id, hash] of sent) {
        const one = byId.get(id);
        if (one === undefined) found.push(`${id} has no row`);
        else if (one.state !== "stored" || one.hash !== hash) found.push(`${id} is ${one.state} with ${one.hash}`);
        else if (one.events !== 1) found.push(`${id} was told of ${one.events} times`);
      }
      const expected = new Set([...sent.values()].map((hash) => `1-${hash}`));
      const names = readdirSync(join(directory, "data/media"));
      const extra = names.filter((name) => !expected.has(name));
      if (stored.length !== sent.size) found.push(`${stored.length} rows for ${sent.size} files`);
      if (extra.length > 0) found.push(`unexpected on disk: ${extra.slice(0, 5).join(", ")}`);
      for (const name of expected) {
        const hash = names.includes(name)
          ? createHash("sha256")
              .update(readFileSync(join(directory, "data/media", name)))
              .digest("hex")
          : "missing";
        if (`1-${hash}` !== name) found.push(`${name} on disk is ${hash}`);
      }
      return found;
    },
    async [Symbol.asyncDispose]() {
      await end("SIGKILL");
      await graph[Symbol.asyncDispose]();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
