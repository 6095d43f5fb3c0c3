/**
 * Three hundred planted words, in many scripts, are each found through the API and the console, and nothing that its caller
 * may not see: another workspace's, another number's, an erased person's.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { emptySearchIndex } from "#src/db/search-index.ts";
import { purgeInbounds } from "#src/domain/inbound/purge.ts";
import { REMOVED_MAX } from "#src/domain/search/entries.ts";
import { firstOperator, PASSWORD, person, Visitor } from "#test/support/console.ts";

import { startTestServer, type TestServer, type TestWorkspace } from "#test/support/server.ts";
import { rows } from "#test/support/whatsapp.ts";
import { Workshop } from "../cli/spawn.ts";

const SALES = "+911244009001";
const SUPPORT = "+911244009002";
const ASHA = "+919876540010";
const BOB = "+919876540020";

/** Made of syllables, so that none is the beginning of another: each ends with its own number. */
function made(count: number, syllables: readonly string[], end: (index: number) => string): string[] {
  return Array.from({ length: count }, (_, index) => {
    const parts = Array.from({ length: 3 }, (_, place) => syllables[(index * 7 + place * 3) % syllables.length]);
    return `${parts.join("")}${end(index)}`;
  });
}
const letters = (alphabet: string) => (index: number) => {
  const all = [...alphabet];
  return `${all[index % all.length]}${all[Math.floor(index / all.length) % all.length]}`;
};
const HAN = [..."春夏秋冬東西南北山川海空雨雪風花鳥月星火水木金土日年天地人心"];
const THAI = ["กา", "ขี", "คู", "งอ", "จะ", "ฉัน", "ชื่อ", "ซ้าย", "ดี", "ต้น"];
const EMOJI = [..."🚲🌵🧵🪁🎻🦔🫖🧭🪴🛶🎏🦚🥨🧊🪄🦩🛼🧩🪗🦦"];

const planted = {
  latin: made(40, ["mar", "tol", "vek", "sun", "pir", "gol"], letters("bcdfghjkm")),
  accents: made(40, ["çé", "ñü", "śł", "øå", "ãő", "ěť"], letters("bcdfghjkm")),
  devanagari: made(40, ["नम", "कि", "ताब", "दुका", "सम", "जल"], letters("कखगघचछज")),
  arabic: made(40, ["كتا", "مدر", "سوق", "باب", "قلم", "شجر"], letters("بتثجحخد")),
  han: Array.from(
    { length: 40 },
    (_, index) =>
      `${HAN[index % 30]}${HAN[(index * 11 + 5) % 30]}${HAN[(index * 17 + 9 + Math.floor(index / 30)) % 30]}`,
  ),
  kana: made(20, ["かわ", "サク", "ねこ", "トリ", "もり", "ガス"], letters("なニぬネのハひ")),
  thai: made(20, THAI, (index) => `${THAI[index % 10]}${THAI[Math.floor(index / 10)]}ม`),
  emoji: EMOJI,
  numbers: Array.from({ length: 20 }, (_, index) => String(71_043 + index * 1_311)),
  codes: Array.from({ length: 20 }, (_, index) => `A-${1_042 + index * 37}`),
};
const words = Object.values(planted).flat();

let app: TestServer;
let shop: TestWorkspace;
let other: TestWorkspace;
let owner: Visitor;
let agent: Visitor;
let workshop: Workshop;

beforeAll(async () => {
  app = await startTestServer();
  workshop = new Workshop();
  shop = await app.workspace({ name: "Shop", number: SALES });
  other = await app.workspace({ name: "Other", number: "+911244009003" });
  const operator = await firstOperator(app);
  owner = await person(app, "owner@example.com", "owner", shop.id);
  const support = (await owner.post(`/w/${shop.id}/numbers`, { phone: SUPPORT, name: "Support" })).body.data.id;
  const { token } = (
    await owner.post(`/w/${shop.id}/people`, { email: "agent@example.com", role: "agent", numbers: [support] })
  ).body.data;
  agent = new Visitor(app);
  expect((await agent.post("/links/use", { token, password: PASSWORD })).status).toBe(201);
  for (const [index, word] of words.entries()) await app.inbound(shop, ASHA, `Please look: ${word}! (${index % 9})`);
  await app.inbound(other, ASHA, "the foreign workspace wrote xylophone");
  const path = `/w/${shop.id}/simulator/phones/${encodeURIComponent(BOB)}/write`;
  expect((await operator.post(path, { text: "only support sees this trombone", number: support })).status).toBe(202);
  await indexed();
});
afterAll(async () => {
  await app[Symbol.asyncDispose]();
  workshop[Symbol.dispose]();
});

/** Rows reach the index within five seconds. */
const indexed = () => app.clock.advance(5_000);

interface Hit {
  kind: string;
  number: string | null;
  contact: { phone: string | null };
  file: string | null;
  snippet: { text: string; match: boolean }[];
}
const search = (q: string, more: Record<string, string> = {}, key = shop.key) =>
  app.call("GET", `/api/v1/search?${new URLSearchParams({ q, ...more })}`, { key });
async function hits(q: string, more: Record<string, string> = {}, key = shop.key): Promise<Hit[]> {
  const { status, body } = await search(q, more, key);
  expect([q, status]).toEqual([q, 200]);
  return body.data;
}
const textOf = ({ snippet }: Hit): string => snippet.map(({ text }) => text).join("");
const markedIn = ({ snippet }: Hit): string[] => snippet.filter(({ match }) => match).map(({ text }) => text);

test("each of 300 planted words is found, alone, and marked", async () => {
  expect(words.filter((word, index) => words.indexOf(word) !== index)).toEqual([]);
  expect(words.length).toBe(300);
  for (const [index, word] of words.entries()) {
    const found = await hits(word);
    expect([word, found.map((hit) => textOf(hit))]).toEqual([word, [`Please look: ${word}! (${index % 9})`]]);
    expect(markedIn(found[0] as Hit)).toEqual([word]);
  }
});

test("without accents, in capitals and by their beginnings, words are found as well", async () => {
  const plain = (word: string) => word.normalize("NFKD").replace(/[\u0300-\u036f]/g, "");
  for (const word of planted.accents) {
    // As one character each, as a letter and a mark, and without marks.
    for (const written of [word.normalize("NFC"), word.normalize("NFD"), plain(word)])
      expect([written, (await hits(written)).length]).toEqual([written, 1]);
  }
  for (const word of planted.latin) expect([word, (await hits(word.toUpperCase())).length]).toEqual([word, 1]);
  for (const word of [...planted.devanagari, ...planted.arabic]) {
    const found = await hits(word.slice(0, -1));
    expect([word, found.some((hit) => textOf(hit).includes(word))]).toEqual([word, true]);
  }
  // A part of a text without spaces, of one character and of two.
  for (const word of [...planted.han, ...planted.kana, ...planted.thai]) {
    for (const part of [word.slice(0, 1), word.slice(-2), word.slice(0, 2)]) {
      const found = await hits(part, { per_page: "500" });
      expect([word, part, found.some((hit) => textOf(hit).includes(word))]).toEqual([word, part, true]);
    }
  }
});

test("several words are all required, wherever they stand; the newest comes first, a page at a time", async () => {
  const [first = "", second = ""] = words;
  expect(await hits(`${first} ${second}`)).toEqual([]);
  expect((await hits(`look ${first}`)).length).toBe(1);
  const seen: string[] = [];
  for (let after: string | null = null; ; ) {
    const { body } = await search("look", { per_page: "70", ...(after === null ? {} : { after }) });
    seen.push(...body.data.map(textOf));
    after = body.meta.next;
    if (after === null) break;
  }
  expect(seen).toEqual(words.map((word, index) => `Please look: ${word}! (${index % 9})`).toReversed());
});

test("nothing of another workspace, or of a number that one may not see, is found", async () => {
  expect(await hits("xylophone")).toEqual([]);
  expect((await hits("xylophone", {}, other.key)).length).toBe(1);
  for (const word of words.slice(0, 20)) expect(await hits(word, {}, other.key)).toEqual([]);
  const console = async (visitor: Visitor, q: string): Promise<number> =>
    (await visitor.get(`/w/${shop.id}/search?${new URLSearchParams({ q })}`)).body.data.length;
  expect([await console(owner, "trombone"), await console(agent, "trombone")]).toEqual([1, 1]);
  expect([await console(owner, words[0] ?? ""), await console(agent, words[0] ?? "")]).toEqual([1, 0]);
  // People: an agent finds those who wrote to the agent's numbers.
  expect([await console(owner, ASHA), await console(agent, ASHA)]).toEqual([1, 0]);
  expect([await console(owner, BOB), await console(agent, BOB)]).toEqual([1, 1]);
  // A text cannot name a token of the index.
  expect((await search(`\uE000w${other.id}`)).status).toBe(200);
  expect(await hits(`\uE000w${shop.id} xylophone`)).toEqual([]);
});

test("people are found by name, tag and number, and again after a change; notes and file names by their words", async () => {
  const put = (body: object) => app.call("PUT", `/api/v1/contacts/${encodeURIComponent(BOB)}`, { key: shop.key, body });
  expect((await put({ name: "Zoë Quartermaine", add_tags: ["Wholesale"] })).status).toBe(200);
  await indexed();
  for (const q of ["zoe quarter", "wholesale", BOB, "98765 40020", "0020"])
    expect([q, (await hits(q, { kinds: "contacts" })).map(({ contact }) => contact.phone)]).toEqual([q, [BOB]]);
  await put({ name: "Maud Fenwick" });
  await indexed();
  expect(await hits("quartermaine")).toEqual([]);
  expect((await hits("fenwick")).map(({ kind }) => kind)).toEqual(["contact"]);

  const [{ id }] = (await app.call("GET", "/api/v1/conversations", { key: shop.key })).body.data;
  await app.call("POST", `/api/v1/conversations/${id}/notes`, { key: shop.key, body: { text: "Prefers marzipan" } });
  const file = { type: "document", link: "https://files.example/x.pdf", filename: "Kostenvoranschlag-77.pdf" };
  const message = { to: ASHA, from: SALES, media: file };
  expect((await app.send("POST", "/api/v1/messages", { key: shop.key, body: message })).status).toBe(201);
  await indexed();
  expect((await hits("marzipan")).map(({ kind }) => kind)).toEqual(["note"]);
  expect(await hits("marzipan", { kinds: "messages,contacts" })).toEqual([]);
  const found = await hits("kostenvoranschlag", { has_file: "true" });
  expect(found.map(({ kind, file: name }) => [kind, name])).toEqual([["message", "Kostenvoranschlag-77.pdf"]]);
  // Without words, the filters alone choose.
  const { body } = await app.call("GET", "/api/v1/search?has_file=true", { key: shop.key });
  expect(body.data.map((hit: Hit) => [hit.file, textOf(hit)])).toEqual([
    ["Kostenvoranschlag-77.pdf", "Kostenvoranschlag-77.pdf"],
  ]);
});

test("filters are combined, and a wrong one is named", async () => {
  const count = async (more: Record<string, string>) => (await hits("look", { per_page: "500", ...more })).length;
  expect(await count({ from: ASHA, number: SALES })).toBe(words.length);
  expect(await count({ from: BOB })).toBe(0);
  expect(await count({ from: "+919876549999" })).toBe(0);
  expect(await count({ number: SUPPORT })).toBe(0);
  expect(await count({ tag: "Wholesale" })).toBe(0);
  expect(await count({ tag: "unused" })).toBe(0);
  expect((await hits("trombone", { tag: "wholesale", number: SUPPORT })).length).toBe(1);
  const [{ at }] = (await search("look")).body.data;
  expect(await count({ since: at })).toBeGreaterThan(0);
  expect(await count({ until: "2001-01-01" })).toBe(0);
  expect(await count({ has_file: "true" })).toBe(0);
  const wrong = {
    kinds: "letters",
    from: "nobody",
    number: "+911244009999",
    since: "soon",
    until: "later",
    has_file: "maybe",
    per_page: "0",
    after: "x",
  };
  for (const [name, value] of Object.entries(wrong)) {
    const { status, body } = await search("look", { [name]: value });
    expect([name, status, Object.keys(body.error?.fields ?? {})]).toEqual([name, 400, [name]]);
  }
  for (const q of ["", "   ", "!?", "x".repeat(201)]) {
    const { status, body } = await search(q);
    expect([q, status, Object.keys(body.error.fields)]).toEqual([q, 400, ["q"]]);
  }
});

test("a search says when rows are still missing", async () => {
  await app.inbound(shop, ASHA, "a brand new rhubarb");
  const before = (await search("rhubarb")).body;
  expect([before.data.length, before.meta.behind]).toEqual([0, true]);
  await indexed();
  const after = (await search("rhubarb")).body;
  expect([after.data.length, after.meta.behind]).toEqual([1, false]);
});

test("of a text that is longer than WhatsApp's, the beginning is found", async () => {
  // A character of two code units stands on the border.
  const text = `quartzite ${"a".repeat(4_072)} obsidian ${"🎂".repeat(20)} basalt ${"gneiss ".repeat(7_000)}`;
  await app.inbound(shop, ASHA, text.slice(0, 65_000));
  await indexed();
  const found = await Promise.all(["quartzite", "obsidian", "basalt"].map(async (word) => (await hits(word)).length));
  expect(found).toEqual([1, 1, 0]);
});

test("an emptied index, as in a copy, is filled again", async () => {
  await app.store.write(() => emptySearchIndex(app.store.client));
  expect((await search(words[0] ?? "")).body).toMatchObject({ data: [], meta: { behind: true } });
  await indexed();
  for (const word of words.slice(0, 30)) expect([word, (await hits(word)).length]).toEqual([word, 1]);
});

test("nothing of an erased person is found, or stands in any file as bytes", async () => {
  const secret = "unrepeatable secret pomegranate";
  const stem = "pomegranat";
  const EVA = "+919876540033";
  await app.inbound(shop, EVA, `the ${secret}`);
  const contact = { name: "Evangeline Pomegranatova" };
  await app.call("PUT", `/api/v1/contacts/${encodeURIComponent(EVA)}`, { key: shop.key, body: contact });
  await indexed();
  expect((await hits(stem)).map(({ kind }) => kind)).toEqual(["message", "contact"]);
  // Merges of the index move what it holds.
  await app.store.write(({ db }) => db.run("INSERT INTO search_index (search_index) VALUES ('optimize')"));
  const erased = workshop.json(["contact", "erase", EVA, "--workspace", String(shop.id), "--data", app.directory]);
  expect(await erased).toMatchObject({ erased: true });
  await indexed();
  expect(await hits(stem)).toEqual([]);
  expect(await hits("98765 40033")).toEqual([]);
  const found = rows<{ count: number }>(
    app.store,
    `SELECT count(*) AS count FROM search_index WHERE terms LIKE '%${stem}%'`,
  );
  expect(found).toEqual([{ count: 0 }]);
  const files = readdirSync(app.directory, { recursive: true, encoding: "utf8" }).map((name) =>
    join(app.directory, name),
  );
  for (const path of files.filter((one) => statSync(one).isFile())) {
    const bytes = Buffer.from(Bun.spawnSync(["cat", path]).stdout);
    for (const text of [stem, "evangelin", "9876540033"])
      expect([path, text, bytes.includes(text)]).toEqual([path, text, false]);
  }
});

test("retention removes rows from the index too, a few in each transaction", async () => {
  const indexedNow = () =>
    rows<{ n: number }>(app.store, "SELECT count(*) AS n FROM search_index WHERE rowid > 0")[0]?.n ?? 0;
  await indexed();
  const before = indexedNow();
  const full = rows(app.store, "SELECT id FROM inbounds WHERE text IS NOT NULL").length;
  expect(full).toBeGreaterThan(10);
  const steps: number[] = [];
  for (let after: number | null = 0; after !== null; ) {
    const [from, was]: [number, number] = [after, indexedNow()];
    after = await app.store.write((tx) => purgeInbounds(tx, { before: tx.now + 1, afterId: from, limit: 200 }));
    steps.push(was - indexedNow());
  }
  expect(Math.max(...steps)).toBe(REMOVED_MAX);
  expect(rows(app.store, "SELECT id FROM inbounds WHERE text IS NOT NULL")).toEqual([]);
  expect(before - indexedNow()).toBe(steps.reduce((sum, step) => sum + step, 0));
  expect(before - indexedNow()).toBeGreaterThan(10);
});
