/** The database of the broadcast benchmarks: one workspace with many contacts who have opted in, in static groups. */
import { join } from "node:path";
import { loadKeys } from "#src/core/key-file.ts";
import { systemRandom } from "#src/core/random.ts";
import { createSecretBox } from "#src/core/secret.ts";
import { createPrivateDirectory } from "#src/db/files.ts";
import { migrate } from "#src/db/migrate.ts";
import { openStore } from "#src/db/store.ts";
import { addNumber } from "#src/domain/numbers/add.ts";
import { numbers } from "#src/domain/numbers/table.ts";
import { addTemplate, readNewTemplate } from "#src/domain/templates/add.ts";
import { templates } from "#src/domain/templates/table.ts";
import { createKey } from "#src/domain/workspaces/api-keys.ts";
import { createWorkspace } from "#src/domain/workspaces/update.ts";
import { accessTokenContext } from "#src/networks/credentials.ts";

export interface Crowd {
  directory: string;
  key: string;
  accountId: string;
  /** Sends at full speed, or at its own pace. */
  fastNumber: string;
  /** The network's id of that number. */
  fastNumberId: string;
  /** Sends at the given pace. */
  pacedNumber: string;
  /** Ids of the groups, in the order of the sizes. */
  groups: number[];
  /** Contacts who wrote a moment ago and are in no group. */
  writers: string[];
}

const ACCOUNT_ID = "102290129340398";
const FAST_NUMBER_ID = "106540352242922";
const WRITERS = 200;
const BATCH = 10_000;

const card = {
  components: [
    { type: "HEADER", format: "IMAGE" },
    { type: "BODY", text: "For {{1}}: {{2}} percent off." },
    {
      type: "BUTTONS",
      buttons: [
        { type: "URL", text: "Look", url: "https://shop.example/offers/{{1}}" },
        { type: "QUICK_REPLY", text: "Not now" },
      ],
    },
  ],
};
const carousel = {
  name: "november_cards",
  language: "en_US",
  category: "MARKETING",
  components: [
    { type: "BODY", text: "Hi {{1}}, everything is 20 percent off until Sunday." },
    { type: "CAROUSEL", cards: [card, card, card] },
  ],
};

const firstName = { field: "first_name", fallback: "there" };
/** What a broadcast sends: a text with a contact's value, or a carousel with seven. */
export const offers = {
  text: { template: "november_offer", variables: [firstName] },
  cards: {
    template: "november_cards",
    variables: [firstName],
    cards: ["a", "b", "c"].map((name) => ({
      media: { link: `https://files.example.com/${name}.jpg` },
      body: [firstName, "20"],
      buttons: [firstName, null],
    })),
  },
};

export async function makeCrowd(
  directory: string,
  people: number,
  sizes: readonly number[],
  pace: number,
  fastPace = 100_000,
): Promise<Crowd> {
  createPrivateDirectory(directory);
  const keyFile = join(directory, "waxwing.key");
  const box = createSecretBox(loadKeys({ keyFile, env: {}, random: systemRandom }, true), systemRandom);
  const store = openStore(join(directory, "waxwing.db"), { busyTimeoutMs: 5_000 });
  migrate(store.client);
  const { client } = store;
  const made = await store.write((tx) => {
    const settings = { country: "IN", timezone: "Asia/Kolkata", dailyCap: null, stopWords: [], startWords: [] };
    const { id } = createWorkspace(tx, { ...settings, name: "Crowd" }, true);
    const add = (phone: string, phoneNumberId: string, throughput: number): string =>
      addNumber(tx, id, {
        phone,
        name: "Crowd",
        throughput,
        route: {
          network: "whatsapp",
          phoneNumberId,
          accountId: ACCOUNT_ID,
          accessToken: box.seal("bench-token", accessTokenContext(phoneNumberId)),
          appSecret: null,
        },
      }).phone;
    const fastNumber = add("+911244001100", FAST_NUMBER_ID, fastPace);
    const pacedNumber = add("+911244001101", "106540352242923", pace);
    tx.db.update(numbers).set({ ready: true, unreadyReason: null }).run();
    const body = { type: "BODY", text: "Hi {{1}}, everything is 20 percent off until Sunday." };
    const template = { name: "november_offer", language: "en_US", category: "MARKETING", components: [body] };
    addTemplate(tx, id, readNewTemplate(template), "APPROVED");
    addTemplate(tx, id, readNewTemplate(carousel), "APPROVED");
    tx.db.update(templates).set({ accountId: ACCOUNT_ID }).run();
    return { id, key: createKey(tx, id, "bench").key, fastNumber, pacedNumber };
  });
  // Inserted into the tables directly: the speed of an import is another measurement.
  const now = Date.now();
  const contact = client.prepare(
    "INSERT INTO contacts (workspace_id, phone, name, first_name, consent, consent_source, consent_at, last_message_at, created_at, updated_at) VALUES (?, ?, ?, ?, 'opted_in', 'import', ?, ?, ?, ?)",
  );
  for (let start = 0; start < people; start += BATCH) {
    client.exec("BEGIN");
    for (let index = start; index < Math.min(start + BATCH, people); index++) {
      contact.run(made.id, phoneOf("9190", index), `Person ${index}`, `Person${index}`, now, null, now, now);
    }
    client.exec("COMMIT");
  }
  const writers = Array.from({ length: WRITERS }, (_, index) => phoneOf("9180", index));
  client.exec("BEGIN");
  for (const phone of writers) contact.run(made.id, phone, "Writer", null, now, now, now, now);
  const groups = sizes.map((size, place) => {
    const row = client
      .prepare("INSERT INTO groups (workspace_id, name, folded, member_count, created_at) VALUES (?, ?, ?, 0, ?)")
      .run(made.id, `List ${place}`, `list ${place}`, now);
    const id = Number(row.lastInsertRowid);
    client
      .prepare(
        "INSERT INTO group_members (group_id, contact_id) SELECT ?, id FROM contacts WHERE workspace_id = ? AND phone LIKE '+9190%' ORDER BY id LIMIT ?",
      )
      .run(id, made.id, size);
    return id;
  });
  client.exec("COMMIT");
  store.checkpoint();
  store.close();
  return { directory, groups, writers, accountId: ACCOUNT_ID, fastNumberId: FAST_NUMBER_ID, ...made };
}

function phoneOf(prefix: string, index: number): string {
  return `+${prefix}${String(index).padStart(8, "0")}`;
}

/** A broadcast in the API's answers, as far as the benchmarks need it. */
export interface ShownBroadcast {
  status: string;
  counts: { sent: number; read: number };
}

/** Starts a broadcast to a group of the crowd, from one of its numbers; returns its id. `api`: with its prefix. */
export async function beginBroadcast(
  api: string,
  crowd: Crowd,
  group: number,
  from: string,
  offer: object = offers.text,
): Promise<number> {
  const answer = await fetch(`${api}/broadcasts`, {
    method: "POST",
    headers: { authorization: `Bearer ${crowd.key}`, "content-type": "application/json" },
    body: JSON.stringify({ name: "Bench", ...offer, group, from }),
  });
  if (answer.status !== 202) throw new Error(`the broadcast was answered ${answer.status}: ${await answer.text()}`);
  return ((await answer.json()) as { data: { id: number } }).data.id;
}

export async function showBroadcast(api: string, { key }: Crowd, id: number): Promise<ShownBroadcast> {
  const answer = await fetch(`${api}/broadcasts/${id}`, { headers: { authorization: `Bearer ${key}` } });
  return ((await answer.json()) as { data: ShownBroadcast }).data;
}
