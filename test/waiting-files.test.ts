/** Files in the queue of what waits for the line: uploaded first, sent once and in order, for their user alone, and kept for 30 days. */
import { afterEach, beforeEach, expect, setSystemTime, test } from "bun:test";

interface Place {
  userId: number;
  workspaceId: number;
  contactId: number;
}
interface Waiting extends Place {
  key: string;
  refusal: string | null;
  file?: { id: number | null };
}
interface Sent extends Place {
  key: string;
  seen: string | null;
  text: string;
  what: { message: object };
}
interface Files {
  dropFile(name: string): Promise<void>;
  keepFile(name: string, place: Place, file: File, fileKey: string): Promise<boolean>;
  readKept(name: string): Promise<{ fileKey: string } | null>;
}
interface Outbox {
  confirmWaiting(waiting: Waiting): void;
  sendOrWait(sent: Sent, send: () => Promise<void>): Promise<void>;
  sendWaiting(userId: number, client: object): Promise<void>;
  waitingIn(place: Place): Waiting[];
  waitWithFile(sent: Sent, given: { file: File; fileKey: string; resume: null }): Promise<boolean>;
}

/** The browser's modules, which the types of the server do not know. */
const data = (name: string) => import(new URL(`../src/web/data/${name}`, import.meta.url).href);
const { dropFile, keepFile, readKept }: Files = await data("kept-files.ts");
const { ApiError }: { ApiError: new (status: number, code: string, message: string) => Error } = await data("api.ts");
const { confirmWaiting, sendOrWait, sendWaiting, waitingIn, waitWithFile }: Outbox = await data("outbox.ts");

const HOUR = 3_600_000;
const ASHA = { userId: 7, workspaceId: 1, contactId: 3 };
const BOB = { ...ASHA, userId: 8 };
const menu = () => new File(["%PDF-1.7 menu"], "menu.pdf", { type: "application/pdf" });
const real = globalThis.fetch;
const kept = new Map<string, unknown>();
/** What the server was asked, and how it answers. */
let asked: string[];
let hasLine: boolean;
let refusal: string | null;
let uploaded: number;

/** As much of IndexedDB as the console uses: one transaction after the other, each request of it in turn. */
let last: Promise<void> = Promise.resolve();
const database = {
  transaction() {
    const done: { oncomplete?: () => void } = {};
    const before = last;
    const ended = Promise.withResolvers<void>();
    last = ended.promise;
    let open = 0;
    /** `run` calls what it is given once for each result. */
    const ask = (run: (tell: (result: unknown) => void) => void) => {
      const request: { result: unknown; onsuccess?: () => void } = { result: undefined };
      open += 1;
      const answer = () => {
        run((result) => {
          request.result = result;
          request.onsuccess?.();
        });
        open -= 1;
        if (open > 0) return;
        done.oncomplete?.();
        ended.resolve();
      };
      void before.then(() => setTimeout(answer));
      return request;
    };
    const store = {
      get: (name: string) => ask((tell) => tell(kept.get(name))),
      getAll: () => ask((tell) => tell([...kept.values()])),
      put: (value: unknown, name: string) => ask((tell) => tell(kept.set(name, value))),
      delete: (name: string) => ask((tell) => tell(kept.delete(name))),
      openCursor: () =>
        ask((tell) => {
          for (const [name, value] of kept) tell({ value, delete: () => kept.delete(name), continue: () => undefined });
          tell(null);
        }),
    };
    return Object.assign(done, { objectStore: () => store });
  },
};

class Storage {
  getItem = (name: string) => (this as unknown as Record<string, string>)[name] ?? null;
  setItem = (name: string, value: string) => Object.assign(this, { [name]: value });
  removeItem = (name: string) => Reflect.deleteProperty(this, name);
}

/** The small file of these tests is uploaded as a form. */
class FakeXhr {
  upload = {};
  status = 201;
  responseText = "";
  onload = () => undefined;
  onerror = () => undefined;
  open = () => undefined;
  setRequestHeader = () => undefined;
  getResponseHeader = () => null;
  abort = () => undefined;
  send() {
    if (!hasLine) return void setTimeout(() => this.onerror());
    uploaded += 1;
    asked.push(`upload ${uploaded}`);
    this.responseText = JSON.stringify({ data: { id: 1_000 + uploaded, mime_type: "application/pdf" } });
    setTimeout(() => this.onload());
  }
}

beforeEach(() => {
  kept.clear();
  [asked, hasLine, refusal, uploaded] = [[], true, null, 0];
  const open = () => {
    const request: { result: unknown; onsuccess?: () => void } = { result: database };
    setTimeout(() => request.onsuccess?.());
    return request;
  };
  const fetched = (_: string, { body, headers }: RequestInit) => {
    if (!hasLine) return Promise.reject(new TypeError("no line"));
    const { media, text } = JSON.parse(String(body));
    asked.push(`${new Headers(headers).get("idempotency-key")}: ${media === undefined ? text : `file ${media.id}`}`);
    const error = { code: "invalid_request", message: refusal ?? "", fields: {} };
    return Promise.resolve(
      refusal === null ? Response.json({ data: { id: asked.length } }) : Response.json({ error }, { status: 400 }),
    );
  };
  Object.assign(globalThis, { localStorage: new Storage(), indexedDB: { open } });
  Object.assign(globalThis, {
    XMLHttpRequest: FakeXhr,
    fetch: Object.assign(fetched, { preconnect: () => undefined }),
  });
});

afterEach(() => {
  setSystemTime();
  globalThis.fetch = real;
  for (const name of ["localStorage", "indexedDB", "XMLHttpRequest"]) Reflect.deleteProperty(globalThis, name);
});

const sentBy = (place: typeof ASHA, key: string, message: object) => ({
  ...{ ...place, key, seen: null, text: key },
  what: { message: { to: "+919876540010", ...message } },
});
const wait = (place: typeof ASHA, key: string) =>
  waitWithFile(sentBy(place, key, { media: { id: 0 } }), { file: menu(), fileKey: key, resume: null });
const send = ({ userId }: typeof ASHA) => sendWaiting(userId, { invalidateQueries: () => Promise.resolve() });

test("a file goes before the text behind it, each once, and its bytes leave the browser", async () => {
  expect(await wait(ASHA, "a")).toBe(true);
  await sendOrWait(sentBy(ASHA, "b", { text: "There it is" }), () => Promise.reject(new Error("it waits")));
  hasLine = false;
  await send(ASHA);
  expect([asked, waitingIn(ASHA).length, kept.size]).toEqual([[], 2, 1]);
  hasLine = true;
  await send(ASHA);
  await send(ASHA);
  expect(asked).toEqual(["upload 1", "a: file 1001", "b: There it is"]);
  expect([waitingIn(ASHA), kept.size]).toEqual([[], 0]);
});

test("after the upload a lost answer repeats the same message, and a refusal uploads again once a person says so", async () => {
  await wait(ASHA, "a");
  const { fetch: answered } = globalThis;
  globalThis.fetch = Object.assign(() => Promise.reject(new TypeError("no line")), { preconnect: () => undefined });
  await send(ASHA);
  expect(waitingIn(ASHA)[0]).toMatchObject({
    key: "a",
    file: { id: 1_001 },
    what: { message: { media: { id: 1_001 } } },
  });
  globalThis.fetch = answered;
  refusal = "The window has closed.";
  await send(ASHA);
  expect(asked).toEqual(["upload 1", "a: file 1001"]);
  const [refused] = waitingIn(ASHA);
  expect([refused?.refusal, refused?.file?.id, kept.size]).toEqual(["The window has closed.", null, 1]);
  await send(ASHA);
  expect(asked).toHaveLength(2);
});

test("after 25 hours it asks; another account neither sees nor sends it; after 30 days the file is gone, in words", async () => {
  await wait(ASHA, "a");
  const began = Date.now();
  expect(waitingIn(BOB)).toEqual([]);
  await send(BOB);
  setSystemTime(began + 25 * HOUR);
  await send(ASHA);
  expect([asked, waitingIn(ASHA).length]).toEqual([[], 1]);
  setSystemTime(began + 31 * 24 * HOUR);
  for (const one of waitingIn(ASHA)) confirmWaiting(one);
  await send(ASHA);
  expect([asked, kept.size]).toEqual([[], 0]);
  expect(waitingIn(ASHA)[0]?.refusal).toBe("The file is not in this browser any more. Cancel, then attach it again.");
});

test("a browser keeps 200 MB, no file beyond it, and none if it has no storage", async () => {
  const large = Object.defineProperty(menu(), "size", { value: 199 * 1024 * 1024 });
  expect(await keepFile("draft 7 1 3", ASHA, large, "s")).toBe(true);
  const second = Object.defineProperty(menu(), "size", { value: 2 * 1024 * 1024 });
  expect(await keepFile("draft 7 1 4", ASHA, second, "t")).toBe(false);
  await dropFile("draft 7 1 3");
  expect(await keepFile("draft 7 1 4", ASHA, second, "t")).toBe(true);
  expect((await readKept("draft 7 1 4"))?.fileKey).toBe("t");
});

test("a file that is dropped while it is being kept is gone", async () => {
  const keeping = keepFile("draft 7 1 3", ASHA, menu(), "s");
  await dropFile("draft 7 1 3");
  expect(await keeping).toBe(true);
  expect(await readKept("draft 7 1 3")).toBeNull();
});

test("what was refused because others wrote goes, once a person says so, with what the refusal knew in sight, and nothing newer", async () => {
  const versions: (string | null)[] = [];
  const refused = (_: unknown, { headers }: RequestInit = {}) => {
    // Behind it are the messages that the page has sent.
    versions.push(new Headers(headers).get("if-match")?.split(" ")[0] ?? null);
    const error = { code: "conversation_changed", message: "Bob answered.", version: `c3-seen-${versions.length}` };
    return Promise.resolve(Response.json({ error }, { status: 409 }));
  };
  globalThis.fetch = Object.assign(refused, { preconnect: () => undefined });
  const lost = new ApiError(0, "no_answer", "No line.");
  await sendOrWait({ ...sentBy(ASHA, "a", { text: "a" }), seen: "c3-seen-0" }, () => Promise.reject(lost));
  for (let tries = 0; tries < 2; tries += 1) {
    await send(ASHA);
    for (const one of waitingIn(ASHA)) confirmWaiting(one);
  }
  expect(versions).toEqual(["c3-seen-0", "c3-seen-1"]);
  expect(waitingIn(ASHA)).toMatchObject([{ refusal: null, text: "a" }]);
});
