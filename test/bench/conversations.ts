/**
 * Fills the database of a bench with conversations: people who wrote in six scripts and were answered, with states, owners,
 * tags, notes and files, over the last two months. SQL writes the rows, because the domain would take an hour; the search
 * index is built by the server's own function.
 */

import { Database, type Statement } from "bun:sqlite";
import { closeSync, fsyncSync, openSync } from "node:fs";
import { newInstanceId } from "#src/core/id.ts";
import { systemRandom } from "#src/core/random.ts";
import { readOrCreateInstanceId } from "#src/db/instance.ts";
import { openStore } from "#src/db/store.ts";
import { addNumber } from "#src/domain/numbers/add.ts";
import { indexRows } from "#src/domain/search/index-rows.ts";
import { inviteUser } from "#src/domain/users/invite.ts";
import type { World } from "./world.ts";

export interface Talk {
  /** Numbers of the workspace beside its first. */
  numbers: string[];
  /** Of the colleagues: with each, a user signs in once. */
  tokens: string[];
  tag: string;
  /** To search for, each in the script that its name says: in many texts, and in a single one. */
  common: Record<string, string>;
  rare: Record<string, string>;
  /** A name that one person has; the end of a number; a file's name; a word of one note. */
  name: string;
  phone: string;
  file: string;
  note: string;
}

const MESSAGES_A_CONVERSATION = 10;
const DAY_MS = 86_400_000;
const DAYS = 60;
const WORDS_A_TEXT = 8;
const TAG = "wholesale";
/** One conversation in so many has a note, one message in so many a file. */
const NOTES = 5;
const FILES = 40;
/** Rows that are written, or indexed, in one transaction. */
const BATCH = 50_000;

/** Syllables, of which a script's words are made. */
const SCRIPTS: Record<string, readonly string[]> = {
  latin: ["ção", "vér", "ma", "te", "ří", "lo", "nü", "sa", "dé", "ko", "pi", "ru", "ga", "be", "ho", "ñi"],
  devanagari: ["न", "मा", "कि", "ता", "ब", "दु", "का", "सम", "जल", "पा", "रो", "ली", "हे", "गु", "शा", "यो"],
  arabic: ["كت", "مد", "سو", "با", "قل", "شج", "نو", "حم", "رج", "عي", "فل", "هد", "طا", "بي", "صب", "لا"],
  han: ["春", "夏", "秋", "冬", "东", "西", "南", "北", "山", "川", "海", "空", "雨", "雪", "风", "花"],
  thai: ["กา", "ขี", "คู", "งอ", "จะ", "ฉัน", "ซ้าย", "ดี", "ต้น", "ถือ", "ทำ", "นา", "บ้าน", "ปี", "ผม", "ฝน"],
  cyrillic: ["ма", "то", "ве", "ли", "но", "са", "ги", "ре", "ду", "кы", "по", "зи", "шо", "бе", "ха", "ни"],
};
const VOCABULARY = 2_000;
const EMOJI = [..."🚲🌵🧵🪁🎻🧭🪴🎏🥨🧩"];

/** Words of different lengths; low ranks are as frequent as a language's are, which `wordOf` decides. */
const vocabularies = Object.entries(SCRIPTS).map(([script, syllables]) => ({
  script,
  words: Array.from({ length: VOCABULARY }, (_, rank) => {
    const at = (place: number): string => syllables[Math.floor(rank / 16 ** place) % 16] ?? "";
    return `${at(0)}${at(1)}${at(2)}${rank % 3 === 0 ? at(0) : ""}`;
  }),
}));

/** Repeatable, and fast. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Fills the workspace of the world's key, which has id 1. */
export async function fillConversations(world: World, people: number, colleagues: number): Promise<Talk> {
  const store = openStore(world.database, { busyTimeoutMs: 5_000 });
  // As the first start does it: the moves below leave a mark there.
  readOrCreateInstanceId(store.client, Date.now(), () => newInstanceId(systemRandom));
  const { numbers, tokens } = await store.write((tx) => ({
    numbers: ["+911244001201", "+911244001202"].map(
      (phone) => addNumber(tx, 1, { phone, name: phone, throughput: null, route: { network: "simulator" } }).phone,
    ),
    tokens: Array.from({ length: colleagues }, (_, index) => {
      const email = `colleague${index}@example.com`;
      return inviteUser(tx, { email, role: index === 0 ? "owner" : "agent", workspaceId: 1 }).link?.token ?? "";
    }),
  }));
  store.close();
  const client = new Database(world.database);
  client.exec("PRAGMA synchronous = OFF; PRAGMA cache_size = -200000");
  const talk = write(client, people, colleagues);
  client.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  client.close();
  await buildIndex(world.database);
  return { numbers, tokens, tag: TAG, ...talk };
}

type Found = Omit<Talk, "numbers" | "tokens" | "tag">;

function write(client: Database, people: number, colleagues: number): Found {
  const random = randomFrom(20_261_128);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  const now = Date.now();
  const numberIds = column(client.query("SELECT id FROM numbers WHERE workspace_id = 1 ORDER BY id"));
  const userIds = column(client.query("SELECT id FROM users ORDER BY id DESC LIMIT ?"), colleagues);
  // A third of all words are among the first few of a language.
  const wordOf = (words: readonly string[]): string => words[Math.floor(VOCABULARY * random() ** 4)] ?? "";
  const textOf = (index: number): string => {
    const { words } = vocabularies[index % vocabularies.length] ?? { words: [] };
    const written = Array.from({ length: WORDS_A_TEXT }, () => wordOf(words));
    return `${written.join(" ")}${random() < 0.1 ? ` ${pick(EMOJI)}` : ""} ${Math.floor(random() * 100_000)}`;
  };
  const found: Found = { common: {}, rare: {}, name: "Quartermaine", phone: "77012345", file: "", note: "marzipan" };
  for (const { script, words } of vocabularies) {
    found.common[script] = words[1] ?? "";
    // Syllables in an order that no other word has.
    found.rare[script] = [7, 7, 9, 9, 7].map((place) => SCRIPTS[script]?.[place] ?? "").join("");
  }
  const tagId = id(client, `INSERT INTO tags (workspace_id, name, folded) VALUES (1, '${TAG}', '${TAG}')`);
  const contact =
    client.query(`INSERT INTO contacts (id, workspace_id, phone, name, consent, last_message_at, created_at, updated_at)
    VALUES (?1, 1, ?2, ?3, 'opted_in', ?4, ?4, ?4)`);
  const tagged = client.query("INSERT INTO contact_tags (tag_id, contact_id) VALUES (?, ?)");
  const inbound = client.query(`INSERT INTO inbounds
    (workspace_id, number_id, contact_id, network_message_id, type, text, details, received_at, created_at)
    VALUES (1, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7)`);
  const message = client.query(`INSERT INTO messages
    (workspace_id, number_id, contact_id, origin, type, to_phone, from_phone, text, status, outcome_unknown, send_token, charged,
      rate, money, created_at, dispatched_at, sent_at, delivered_at, read_at)
    VALUES (1, ?1, ?2, ?3, 'text', ?4, '', ?5, 'read', 0, ?6, 0, 0, 'none', ?7, ?7, ?7, ?7, ?7)`);
  const state = client.query(`UPDATE conversations SET state = ?1, snoozed_until = ?2, assignee_id = ?3,
    unread = iif(?4, unread, 0) WHERE contact_id = ?5`);
  const note =
    client.query(`INSERT INTO conversation_notes (workspace_id, contact_id, number_id, user_id, author, text, created_at)
    VALUES (1, ?1, ?2, ?3, 'A colleague', ?4, ?5)`);

  const first = 1 + Number(column(client.query("SELECT max(id) FROM contacts"))[0]);
  const phoneOf = (index: number): string => `+9177${String((index * 7_368_787) % 100_000_000).padStart(8, "0")}`;
  client.exec("BEGIN");
  for (let index = 0; index < people; index++) {
    const isLast = index === people - 1;
    const name = isLast ? `Maud ${found.name}` : textOf(index).split(" ").slice(0, 2).join(" ");
    contact.run(first + index, isLast ? `+91${found.phone}` : phoneOf(index), name, wroteAtOf(index));
    if (index % 50 === 0) tagged.run(tagId, first + index);
  }
  client.exec("COMMIT");

  function wroteAtOf(index: number): number {
    return now - Math.floor(((people - index) / people) * DAYS * DAY_MS);
  }
  const turns = (people * MESSAGES_A_CONVERSATION) / 2;
  client.exec("BEGIN");
  for (let turn = 0; turn < turns; turn++) {
    if (turn % BATCH === BATCH - 1) client.exec("COMMIT; BEGIN");
    // Each person's five turns lie a few days apart, the last at the time that the contact says.
    const round = Math.floor(turn / people);
    const index = turn % people;
    const contactId = first + index;
    const at = wroteAtOf(index) - (MESSAGES_A_CONVERSATION / 2 - 1 - round) * DAY_MS;
    const numberId = numberIds[index % numberIds.length] ?? 0;
    const isRare = round === 2 && index < vocabularies.length;
    const rare = isRare ? ` ${Object.values(found.rare)[index]}` : "";
    const isFile = turn % FILES === 0;
    const filename = `Rechnung-${turn}.pdf`;
    if (isFile) found.file = `rechnung ${turn}`;
    const media = { media: { id: null, mime_type: "application/pdf", sha256: null, filename, state: "expired" } };
    inbound.run(
      numberId,
      contactId,
      `in-${turn}`,
      isFile ? "document" : "text",
      textOf(index) + rare,
      isFile ? JSON.stringify(media) : null,
      at,
    );
    // Of the last words, a third wait for an answer.
    const isAnswered = round < MESSAGES_A_CONVERSATION / 2 - 1 || index % 3 !== 0;
    const answeredAt = isAnswered ? at + 600_000 : at - 3_600_000;
    message.run(
      numberId,
      contactId,
      turn % 2 === 0 ? "console" : "api",
      phoneOf(index),
      textOf(index),
      `seed-${turn}`,
      answeredAt,
    );
  }
  client.exec("COMMIT; BEGIN");
  for (let index = 0; index < people; index++) {
    const [contactId, chance] = [first + index, random()];
    const name = chance < 0.5 ? "open" : chance < 0.55 ? "snoozed" : "done";
    state.run(
      name,
      name === "snoozed" ? now + DAY_MS : null,
      index % 3 === 1 ? pick(userIds) : null,
      index % 10 === 0,
      contactId,
    );
    if (index % NOTES !== 0) continue;
    const text = `${textOf(index)}${index === 0 ? ` ${found.note}` : ""}`;
    note.run(contactId, numberIds[index % numberIds.length] ?? 0, pick(userIds), text, wroteAtOf(index));
  }
  // What a server does when thousands have accumulated.
  client.exec(`INSERT OR IGNORE INTO contact_messages SELECT contact_id, dispatched_at, id FROM messages ORDER BY 1, 2, 3;
    UPDATE instance SET contact_messages_until = (SELECT max(id) FROM messages); COMMIT`);
  return found;
}

function column(query: Statement, ...parameters: number[]): number[] {
  return query.values(...parameters).map(([value]) => Number(value));
}

function id(client: Database, insert: string): number {
  return Number(client.query(insert).run().lastInsertRowid);
}

async function buildIndex(database: string): Promise<void> {
  const store = openStore(database, { busyTimeoutMs: 5_000 });
  store.client.exec("PRAGMA synchronous = OFF; PRAGMA cache_size = -200000");
  let isMore = true;
  while (isMore) {
    isMore = await store.write((tx) => {
      let left = BATCH;
      let more = true;
      while (more && left > 0) more = indexRows(tx, () => left-- > 0);
      return more;
    });
  }
  store.checkpoint();
  store.close();
  // Otherwise the server's first sync would wait for what the system has not written yet.
  const file = openSync(database, "r+");
  fsyncSync(file);
  closeSync(file);
}
