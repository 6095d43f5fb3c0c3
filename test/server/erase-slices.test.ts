/**
 * The erasure of a person of whom there is much: it begins at once, continues in slices of a bounded number of rows, and counts each row
 * once, however often it is cut off between two slices. `test/crash/person.test.ts` kills the process.
 */
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "#src/core/clock.ts";
import { fromNetwork } from "#src/core/phone.ts";
import { findOpenErasure, isBeingErased } from "#src/domain/contacts/being-erased.ts";
import { createContact } from "#src/domain/contacts/create.ts";
import { getContact } from "#src/domain/contacts/find.ts";
import type { Erasure } from "#src/domain/contacts/table.ts";
import { beginErasure } from "#src/domain/erasure/erasures.ts";
import { evaluateScheduled } from "#src/domain/messages/claim-scheduled.ts";
import { COMMAND_LINE } from "#src/domain/users/audit-log.ts";
import { MediaFiles } from "#src/media/files.ts";
import { SimulatedFiles } from "#src/networks/simulator/media.ts";
import { erasePerson } from "#src/server/erase-person.ts";
import { ImportFiles } from "#src/transfer/import-files.ts";
import { HandOutFiles } from "#src/transfer/person-data/hand-out-files.ts";
import { column, single } from "#test/support/database.ts";
import { openTestStore, type TestStore } from "#test/support/store.ts";

const ASHA = "+919812300001";
/** Of each kind: more than a slice erases. */
const ROWS = 130;
const SCHEDULED = 20;
const UPLOADS = 20;
/** Rows that one transaction may change, with those that triggers and indexes follow: some milliseconds. */
const CHANGES_MAX = 150;
const DAY = 86_400_000;

/** A person with many rows of every kind, as they are after years. Returns the contact's id. */
async function live({ store, shop, number, clock }: TestStore): Promise<number> {
  const { id } = await store.write((tx) => createContact(tx, shop.id, { phone: fromNetwork(ASHA.slice(1)) }));
  const now = clock.now();
  const rows = (count: number, sql: string): void => {
    store.client.exec(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count}) ${sql} FROM n`,
    );
  };
  const columns = `workspace_id, number_id, contact_id, origin, type, to_phone, from_phone, text, status, outcome_unknown,
    send_token, network_message_id, charged, rate, money, created_at`;
  const message = (status: string, first: number): string =>
    `${shop.id}, ${number.id}, ${id}, 'api', 'text', '${ASHA}', '+911244001100', 'Hello Asha', '${status}', 0,
    'token' || (${first} + i), 'wamid.' || (${first} + i), 0, 0, 'none', ${now} - i`;
  store.client.exec("BEGIN");
  rows(ROWS, `INSERT INTO messages (${columns}, dispatched_at) SELECT ${message("sent", 0)}, ${now} - i`);
  rows(SCHEDULED, `INSERT INTO messages (${columns}, send_at) SELECT ${message("pending", 1_000)}, ${now} - i`);
  store.client.exec(`INSERT INTO scheduled_messages (message_id, workspace_id, contact_id, content, cancel_on_reply, due_since)
    SELECT id, workspace_id, contact_id, '{"type":"text","text":"Hello Asha"}', 0, send_at FROM messages WHERE send_at IS NOT NULL`);
  store.client.exec(
    `INSERT INTO contact_messages SELECT contact_id, dispatched_at, id FROM messages WHERE id % 2 = 0 AND dispatched_at IS NOT NULL`,
  );
  rows(
    ROWS,
    `INSERT INTO inbounds (workspace_id, number_id, contact_id, network_message_id, type, text, received_at, created_at)
    SELECT ${shop.id}, ${number.id}, ${id}, 'wamid.in' || i, 'image', 'Hi from Asha', ${now} - i, ${now}`,
  );
  rows(
    ROWS + UPLOADS,
    `INSERT INTO media_files (workspace_id, hash, bytes, content_type, refs, upload_refs, created_at)
    SELECT ${shop.id}, printf('%064x', i), 10, 'image/png', 1, iif(i > ${ROWS}, 1, 0), ${now}`,
  );
  store.client.exec(`INSERT INTO media (workspace_id, number_id, inbound_id, network_media_id, state, file_id, created_at)
    SELECT ${shop.id}, ${number.id}, id, 'medium' || id, 'stored', id, ${now} FROM inbounds`);
  rows(
    UPLOADS,
    `INSERT INTO uploads (workspace_id, file_id, mime_type, state, created_at, used_at)
    SELECT ${shop.id}, ${ROWS} + i, 'image/png', 'stored', ${now}, ${now}`,
  );
  store.client.exec(`INSERT INTO upload_people SELECT id, ${id} FROM uploads`);
  rows(
    ROWS,
    `INSERT INTO conversation_notes (workspace_id, contact_id, number_id, author, text, created_at)
    SELECT ${shop.id}, ${id}, ${number.id}, 'Ben', 'About Asha', ${now}`,
  );
  rows(
    ROWS,
    `INSERT INTO consent_log (workspace_id, contact_id, was, became, source, evidence, at)
    SELECT ${shop.id}, ${id}, 'unknown', 'opted_in', 'api', '{"of":"Asha"}', ${now}`,
  );
  rows(
    ROWS,
    `INSERT INTO events (id, workspace_id, type, body, created_at) SELECT 'evt_' || i, ${shop.id}, 'message.sent',
    json_object('created_at', '', 'data', json_object('message', json_object('id', i, 'to', '${ASHA}'))), ${now}`,
  );
  store.client.exec(`UPDATE contacts SET name = 'Asha' WHERE id = ${id}`);
  store.client.exec("COMMIT");
  return id;
}

/** The rows that each transaction of the store changes, triggers and search index included. */
function watch({ store }: TestStore): number[] {
  const changes = (): number => single(store.client, "SELECT total_changes()") as number;
  const each: number[] = [];
  const write = store.write.bind(store);
  store.write = (operation) =>
    write((tx) => {
      const before = changes();
      const result = operation(tx);
      each.push(changes() - before);
      return result;
    });
  return each;
}

test("an erasure of a person with much begins at once, and continues in bounded slices that may be cut off anywhere", async () => {
  const directory = mkdtempSync(join(tmpdir(), "waxwing-erase-"));
  using at = await openTestStore(0);
  const { store, shop, clock } = at;
  const id = await live(at);
  // Another person's stay, and so does what both got.
  const other = await store.write((tx) => createContact(tx, shop.id, { phone: fromNetwork("919812300002") }));
  store.client.exec(`INSERT INTO upload_people SELECT id, ${other.id} FROM uploads WHERE id % 4 = 0`);
  const changes = watch(at);

  const { id: erasure } = await store.write((tx) =>
    beginErasure(tx, getContact(tx, shop.id, id), COMMAND_LINE, tx.now),
  );
  expect(store.read((tx) => findOpenErasure(tx, shop.id, { phone: ASHA, networkUserId: null }))).toBe(erasure);
  expect(store.read((tx) => [isBeingErased(tx, shop.id, id), isBeingErased(tx, shop.id, other.id)])).toEqual([
    true,
    false,
  ]);
  expect(single(store.client, `SELECT phone IS NULL AND name IS NULL FROM contacts WHERE id = ${id}`)).toBe(1);
  expect(single(store.client, `SELECT count(*) FROM conversations WHERE contact_id = ${id}`)).toBe(0);
  // What is due meanwhile is not sent.
  clock.advance(1_000);
  const scheduled = column(store.client, "SELECT message_id FROM scheduled_messages") as number[];
  expect(scheduled.length).toBe(SCHEDULED);
  const rules = { lateAfterMs: DAY, endOfQuiet: () => null, find: () => null } as never;
  for (const message of scheduled) expect(store.read((tx) => evaluateScheduled(tx, message, rules))?.kind).toBe("over");

  const database = join(directory, "waxwing.db");
  const options = {
    ...{ store, clock: systemClock },
    files: {
      imports: new ImportFiles(database),
      media: new MediaFiles(join(directory, "media")),
      simulated: new SimulatedFiles(join(directory, "simulated")),
      handOuts: new HandOutFiles(database),
    },
    config: {
      backup: { schedule: null, directory, retention: 1, remote: null },
      storage: { path: database },
    } as never,
  };
  let ended: Erasure | undefined;
  let cuts = 0;
  for (; ended === undefined; cuts++) {
    // Each time, a little further: the places of a search are lost with the process.
    let slices = 3 + 4 * cuts;
    ended = await erasePerson({ ...options, isStopped: () => slices-- <= 0 }, erasure);
  }
  expect(cuts).toBeGreaterThan(5);
  expect(ended.counts).toMatchObject({
    ...{ sent: ROWS, scheduled: SCHEDULED, received: ROWS, notes: ROWS },
    files: ROWS + UPLOADS - UPLOADS / 4,
    // One more for each message that fails.
    events: ROWS + SCHEDULED,
  });
  expect(ended.holders?.shared_uploads).toHaveLength(UPLOADS / 4);
  for (const [table, column] of [
    ["messages", "to_phone"],
    ["messages", "text"],
    ["inbounds", "text"],
    ["events", "body"],
    ["consent_log", "evidence"],
    ["conversation_notes", "text"],
  ])
    expect([
      table,
      single(
        store.client,
        `SELECT count(*) FROM ${table} WHERE ${column} LIKE '%Asha%' OR ${column} LIKE '%9812300001%'`,
      ),
    ]).toEqual([table, 0]);
  expect(single(store.client, "SELECT count(*) FROM scheduled_messages")).toBe(0);
  expect(column(store.client, "SELECT DISTINCT status FROM messages ORDER BY status")).toEqual(["failed", "sent"]);
  expect(single(store.client, `SELECT count(*) FROM upload_people WHERE contact_id = ${other.id}`)).toBe(UPLOADS / 4);

  // Far more rows than a slice, and no slice with more than its share.
  expect(changes.length).toBeGreaterThan(100);
  expect(changes.filter((count) => count > CHANGES_MAX)).toEqual([]);
  rmSync(directory, { recursive: true });
});

test("no slice of an erasure reads a table from its beginning, and none sorts", async () => {
  using at = await openTestStore(0);
  const { store, shop } = at;
  const id = await live(at);
  const directory = mkdtempSync(join(tmpdir(), "waxwing-erase-"));
  const texts = new Set<string>();
  const prepare = store.client.prepare.bind(store.client);
  store.client.prepare = ((sql: string) => {
    texts.add(sql);
    return prepare(sql);
  }) as typeof store.client.prepare;
  const { id: erasure } = await store.write((tx) =>
    beginErasure(tx, getContact(tx, shop.id, id), COMMAND_LINE, tx.now),
  );
  const database = join(directory, "waxwing.db");
  await erasePerson(
    {
      ...{ store, clock: systemClock },
      files: {
        imports: new ImportFiles(database),
        media: new MediaFiles(join(directory, "media")),
        simulated: new SimulatedFiles(join(directory, "simulated")),
        handOuts: new HandOutFiles(database),
      },
      config: {
        backup: { schedule: null, directory, retention: 1, remote: null },
        storage: { path: database },
      } as never,
    },
    erasure,
  );
  store.client.prepare = prepare;
  expect(texts.size).toBeGreaterThan(60);
  const large =
    "messages|contact_messages|inbounds|media|echoes|events|deliveries|delivery_attempts|conversation_notes|upload_people|consent_log|callbacks|audit_log|idempotency_keys|note_mentions|thread_calls|uploads";
  const scanned = [...texts].flatMap((sql) => {
    if (!/^\s*(SELECT|UPDATE|DELETE|WITH)/i.test(sql)) return [];
    const plan = store.client.prepare(`EXPLAIN QUERY PLAN ${sql}`);
    const places = (sql.match(/\?|:\w+/g) ?? []).length;
    const named = Object.fromEntries((sql.match(/:\w+/g) ?? []).map((name) => [name.slice(1), 1]));
    const details = (Object.keys(named).length > 0 ? plan.all(named) : plan.all(...Array(places).fill(1))) as {
      detail: string;
    }[];
    return details.flatMap(({ detail }) =>
      new RegExp(`SCAN (${large})\\b(?! USING COVERING INDEX \\S+ \\()|TEMP B-TREE FOR ORDER`).test(detail)
        ? `${detail}: ${sql}`
        : [],
    );
  });
  expect(scanned).toEqual([]);
  rmSync(directory, { recursive: true });
});
