/**
 * Files that an agent sends from the inbox arrive in pieces while the server is killed: between two pieces, in the middle of one,
 * and after the last before its answer leaves. The browser is a real one and is not touched after the press. Between the two
 * is a line that kills at the right byte. The short form is one file and 3 kills; the full form sends 7 files under 20 kills
 * of the executable:
 *
 *   bun run test:crash pieces
 */
import { expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { createServer, type IncomingMessage, request as requestOf, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { noBrowser, openBrowser, waitUntil } from "#test/support/browser.ts";
import { SCENARIO_PASSWORD } from "#test/support/browser-scenario.ts";
import { isFull, program, roundsOf } from "#test/support/crash-form.ts";
import { type MediaLoad, startMediaLoad } from "#test/support/media-load.ts";

const MOMENTS = ["between two pieces", "in the middle of a piece", "after the last piece"] as const;
type Moment = (typeof MOMENTS)[number];

const kills = roundsOf(20, 3);
/** As many as one file meets: more than the beginnings that an upload makes before it waits. */
const KILLS_OF_FILE = 3;
const SIZE = 2_700_000;
const PERSON = "4915112000001";

/** What the browser speaks to, on a port that stays. It passes everything on, and kills the server when it is due. */
class Line implements AsyncDisposable {
  /** The next kills, the first one first. */
  due: Moment[] = [];
  readonly done: Moment[] = [];
  readonly #load: MediaLoad;
  readonly #server = createServer(
    (asked, answer) => void this.#pass(asked, answer).catch(() => asked.socket.destroy()),
  );

  constructor(load: MediaLoad) {
    this.#load = load;
  }

  async open(): Promise<string> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async #pass(asked: IncomingMessage, answer: ServerResponse): Promise<void> {
    const body: Buffer[] = [];
    for await (const chunk of asked) body.push(chunk as Buffer);
    const bytes = Buffer.concat(body);
    const moment = this.#momentOf(asked, bytes.byteLength);
    if (moment === "between two pieces") return await this.#kill(asked, moment);
    const { method, headers, url = "" } = asked;
    const onward = requestOf(`${this.#load.url}${url}`, { method, headers, agent: false });
    const answered = once(onward, "response") as Promise<[IncomingMessage]>;
    // Where the server is killed meanwhile.
    answered.catch(() => undefined);
    if (moment === "in the middle of a piece") {
      onward.write(bytes.subarray(0, bytes.byteLength / 2));
      await Bun.sleep(100);
      await this.#kill(asked, moment);
      return void onward.destroy();
    }
    onward.end(bytes);
    const [got] = await answered;
    if (moment === "after the last piece") {
      got.resume();
      return await this.#kill(asked, moment);
    }
    answer.writeHead(got.statusCode ?? 502, got.headers);
    got.on("error", () => asked.socket.destroy());
    answer.on("close", () => onward.destroy());
    got.pipe(answer);
  }

  /** The kill that is due with this request; null: none is. */
  #momentOf({ method, url = "" }: IncomingMessage, length: number): Moment | null {
    const [moment] = this.due;
    const offset = Number(new URL(url, "http://line").searchParams.get("offset"));
    if (method !== "PATCH" || moment === undefined || offset === 0) return null;
    const isLast = offset + length === SIZE;
    return isLast === (moment === "after the last piece") ? moment : null;
  }

  async #kill(asked: IncomingMessage, moment: Moment): Promise<void> {
    this.due.shift();
    await this.#load.kill();
    asked.socket.destroy();
    await this.#load.start();
    this.done.push(moment);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

test.skipIf(noBrowser)(
  "a file that is uploaded in pieces is sent once, however often the server is killed with it, without a further press",
  async () => {
    using waxwing = await program();
    await using load = await startMediaLoad(waxwing.command);
    await load.start();
    await load.write(PERSON);
    await load.settled(30_000);
    await using line = new Line(load);
    const url = await line.open();
    await using opened = await openBrowser();
    const { page, context } = opened;
    const link = readFileSync(join(load.directory, "data/setup-link"), "utf8").trim();
    const data = { token: link.split("#")[1], email: "asha@example.com", password: SCENARIO_PASSWORD };
    const headers = { "sec-fetch-site": "same-origin" };
    expect((await context.request.post(`${url}/console/api/links/use`, { data, headers })).status()).toBe(201);
    await page.goto(`${url}/console/w/1/inbox?person=1`);
    await page.getByLabel("Your reply", { exact: true }).waitFor();

    const plan = Array.from({ length: kills }, (_, index) => MOMENTS[(index + Math.floor(index / 3)) % 3] as Moment);
    const sentFiles = new Map<string, Buffer>();
    const waiting = page.getByRole("list", { name: "Waiting for the line" });
    const documents = () =>
      load.graph.requests
        .map(({ body }) => (body as { document?: { caption: string; id: string } }).document)
        .filter((document) => document !== undefined);
    for (let at = 0; at < kills || at === 0; at += KILLS_OF_FILE) {
      const caption = `file ${at}`;
      const buffer = Buffer.alloc(SIZE, `${caption} and more of it. `);
      buffer.write("%PDF-1.7\n");
      sentFiles.set(caption, buffer);
      line.due = plan.slice(at, at + KILLS_OF_FILE);
      await page.locator("input[type=file]").setInputFiles({ name: `${at}.pdf`, mimeType: "application/pdf", buffer });
      await page.getByLabel("Caption", { exact: true }).fill(caption);
      await page.keyboard.press("Control+Enter");
      // Each of them has its own limit.
      for (let killed = at + 1; killed <= Math.min(kills, at + KILLS_OF_FILE); killed += 1)
        await waitUntil(async () => line.done.length >= killed);
      await waitUntil(async () => documents().some((document) => document.caption === caption));
      await waiting.waitFor({ state: "detached" });
      await page.getByRole("region", { name: "Attached file" }).waitFor({ state: "detached" });
    }
    await load.kill();
    await load.start();
    await load.settled(30_000);

    expect(line.done).toEqual(plan);
    // Each message left once.
    expect(documents().map(({ caption }) => caption)).toEqual([...sentFiles.keys()]);
    type Message = { content: { media: { id: number; caption: string } } };
    const read = async (path: string) =>
      (await context.request.get(`${url}/console/api/w/1${path}`, { headers })).body();
    const listed = JSON.parse((await read("/messages")).toString()) as { data: Message[] };
    const messages = listed.data.map(({ content }) => content.media);
    expect(messages.map(({ caption }) => caption)).toEqual([...sentFiles.keys()].toReversed());
    for (const { id, caption } of messages) {
      const is = Buffer.compare(await read(`/media/${id}`), sentFiles.get(caption) ?? Buffer.alloc(0));
      expect([caption, is]).toEqual([caption, 0]);
    }
    // Of what was cut nothing is left, and each file is stored once.
    const hash = (bytes: Uint8Array) => `1-${createHash("sha256").update(bytes).digest("hex")}`;
    const named = load.rows<{ name: string }>("SELECT workspace_id || '-' || hash AS name FROM media_files");
    const names = named.map(({ name }) => name).toSorted();
    expect(readdirSync(join(load.directory, "data/media")).toSorted()).toEqual(names);
    expect(names).toHaveLength(sentFiles.size + 1);
    for (const bytes of sentFiles.values()) expect(names).toContain(hash(bytes));
    expect(load.rows("SELECT id FROM uploads WHERE state = 'pending'")).toEqual([]);
    // Nothing waits in the browser, and no bytes are kept there.
    await page.reload();
    await page.getByLabel("Your reply", { exact: true }).waitFor();
    expect([await waiting.count(), await page.getByRole("region", { name: "Attached file" }).count()]).toEqual([0, 0]);
    await load.stop();
    const checked = await load.command("check");
    expect([checked.code, checked.out]).toEqual([0, expect.anything()]);
    console.log(`${line.done.length} kills, ${sentFiles.size} files: each sent once`);
  },
  isFull ? 600_000 : 120_000,
);
