/** The browser's side of an upload in pieces, against a server in memory whose line is lost, whose answers are lost, and which restarts. */
import { afterEach, beforeEach, expect, test } from "bun:test";

/** The browser's module, which the types of the server do not know. */
const { uploadFile }: { uploadFile: (file: File, options: object) => Promise<unknown> } = await import(
  new URL("../src/web/data/upload-file.ts", import.meta.url).href
);

const PIECE = 512 * 1024;
const SIZE = 3 * PIECE + 7;
const bytes = new Uint8Array(SIZE).map((_, index) => index % 251);
const file = new File([bytes], "menu.pdf", { type: "application/pdf" });

type Fault = "no line" | "answer lost" | "restart" | "busy" | "half" | "refused";
const real = { fetch: globalThis.fetch, setTimeout: globalThis.setTimeout };
let uploads: Map<string, Uint8Array[]>;
let stored: Uint8Array[];
/** What happens to each request that changes something, in order; nothing beyond the end. */
let faults: (Fault | null)[];
let pauses: number[];
let accounts: Set<string | null>;
let count: number;

beforeEach(() => {
  [uploads, stored, faults, pauses, accounts, count] = [new Map(), [], [], [], new Set(), 0];
  globalThis.fetch = Object.assign(
    (url: string | URL | Request, init?: RequestInit) => answer(String(url), init ?? {}),
    {
      preconnect: () => undefined,
    },
  );
  globalThis.setTimeout = ((fire: () => void, ms: number) => {
    pauses.push(ms);
    return real.setTimeout(fire, 0);
  }) as typeof setTimeout;
});

afterEach(() => {
  Object.assign(globalThis, real);
});

const refuse = (status: number, code: string, fields = {}) =>
  Response.json({ error: { code, message: code, fields } }, { status });
const offsetOf = (id: string): number => (uploads.get(id) ?? []).reduce((sum, piece) => sum + piece.byteLength, 0);

async function answer(url: string, { method, headers, body }: RequestInit): Promise<Response> {
  const { pathname, searchParams } = new URL(url, "http://shop.example");
  const fault = method === "GET" ? null : (faults.shift() ?? null);
  if (fault === "no line") throw new TypeError("no line");
  if (fault === "restart") uploads.clear();
  if (fault === "busy") return refuse(429, "rate_limited");
  if (fault === "refused") return refuse(400, "invalid_request", { file: ["By its bytes this is a GIF."] });
  if (method !== "GET") accounts.add(new Headers(headers).get("waxwing-account"));
  let id = pathname.split("/").at(-1) ?? "";
  if (method === "POST") {
    count += 1;
    id = `u${count}`;
    uploads.set(id, []);
  }
  const pieces = uploads.get(id);
  if (pieces === undefined) return refuse(404, "not_found");
  if (method === "PATCH") {
    if (Number(searchParams.get("offset")) !== offsetOf(id)) return refuse(400, "invalid_request", { offset: ["No."] });
    const piece = new Uint8Array(await (body as Blob).arrayBuffer());
    pieces.push(fault === "half" ? piece.subarray(0, 1_000) : piece);
    if (offsetOf(id) === SIZE) stored.push(Buffer.concat(pieces));
    if (fault === "answer lost" || fault === "half") throw new TypeError("no line");
  }
  const offset = offsetOf(id);
  const done = offset === SIZE ? { id: 1_000_000_042, mime_type: "application/pdf" } : null;
  return Response.json({ data: { id, bytes: SIZE, offset, file: done } });
}

function upload(resume: string | null = null, signal = new AbortController().signal) {
  const seen = { begun: [] as string[], parts: [] as number[] };
  const result = uploadFile(file, {
    ...{ workspace: 1, account: 7, signal, resume },
    onBegun: (id: string) => seen.begun.push(id),
    onProgress: (part: number) => seen.parts.push(part),
  });
  return { result, seen };
}

const once = () => stored.length === 1 && Buffer.compare(stored[0] ?? new Uint8Array(), bytes) === 0;

test("pieces go one behind the other, for the account that began, and progress reaches the end", async () => {
  const { result, seen } = upload();
  expect(await result).toMatchObject({ id: 1_000_000_042 });
  expect([once(), seen.begun, seen.parts.at(0), seen.parts.at(-1), pauses]).toEqual([true, ["u1"], 0, 1, []]);
  expect([...accounts]).toEqual(["7"]);
});

test("a lost line, a lost answer, half a piece and a busy server cost a pause; the file arrives once", async () => {
  for (const fault of ["no line", "answer lost", "half", "busy"] as const) {
    for (const at of [1, 2, 3, 4]) {
      [uploads, stored, pauses, faults] = [new Map(), [], [], [...Array<null>(at).fill(null), fault]];
      await upload().result;
      expect([fault, at, once(), pauses]).toEqual([fault, at, true, [500]]);
    }
  }
});

test("a server that restarted is given the file from its beginning; the fourth time it waits as without a line", async () => {
  faults = [null, null, "restart"];
  const { result, seen } = upload();
  await result;
  expect([once(), seen.begun]).toEqual([true, ["u1", "u2"]]);
  faults = [null, "restart", null, "restart", null, "restart"];
  const again = upload();
  expect(await again.result.catch(({ status }) => status)).toBe(0);
  expect(again.seen.begun).toHaveLength(3);
  const later = upload(again.seen.begun[2]);
  await later.result;
  expect([stored.length, later.seen.begun]).toEqual([2, ["u6"]]);
});

test("without a line it ends after two pauses, and another page continues where it stopped", async () => {
  faults = [null, null, "no line", "no line", "no line"];
  const { result, seen } = upload();
  expect(await result.catch(({ status }) => status)).toBe(0);
  expect(pauses).toEqual([500, 2_000]);
  const later = upload(seen.begun[0]);
  await later.result;
  expect([once(), later.seen.begun, later.seen.parts[0]]).toEqual([true, [], PIECE / SIZE]);
});

test("a refusal is not repeated, nor is what was cancelled", async () => {
  faults = [null, "refused"];
  expect(await upload().result.catch(({ fields }) => fields.file)).toEqual(["By its bytes this is a GIF."]);
  const cancelled = new AbortController();
  faults = [null, "no line"];
  const { result } = upload(null, cancelled.signal);
  cancelled.abort();
  expect(await result.catch(() => "ended")).toBe("ended");
  expect([pauses, stored]).toEqual([[], []]);
});
