// Copies what people write into a PostgreSQL database, each message exactly once, whatever stops at which moment.
// npm install pg && node mirror-postgres.mjs postgres:///shop
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { Waxwing, WaxwingConnectionError, WaxwingError } from "waxwing-client";

const waxwing = new Waxwing({ baseUrl: process.env.WAXWING_URL, key: process.env.WAXWING_KEY });
const db = new pg.Client({ connectionString: process.argv[2] ?? "postgres:///shop" });
await db.connect();
await db.query(`
  CREATE TABLE IF NOT EXISTS waxwing_position (id integer PRIMARY KEY CHECK (id = 1), cursor text);
  INSERT INTO waxwing_position (id, cursor) VALUES (1, NULL) ON CONFLICT DO NOTHING;
  CREATE TABLE IF NOT EXISTS received (event_id text NOT NULL, phone text, text text);
`);

/** What an event does in this database. */
async function apply(event) {
  if (event.type !== "message.received") return;
  const values = [event.id, event.data.contact.phone, event.data.message.text];
  await db.query("INSERT INTO received (event_id, phone, text) VALUES ($1, $2, $3)", values);
}

/** The effects of an event and the position behind it are one transaction: both are there, or neither is. */
async function store(event, before, behind) {
  await db.query("BEGIN");
  try {
    await apply(event);
    const moved = await db.query("UPDATE waxwing_position SET cursor = $1 WHERE cursor IS NOT DISTINCT FROM $2", [
      behind,
      before,
    ]);
    // Another copy of this program may have been here first.
    if (moved.rowCount !== 1) throw new Error("another program reads into this database");
    await db.query("COMMIT");
  } catch (error) {
    await db.query("ROLLBACK");
    throw error;
  }
}

for (;;) {
  let { cursor } = (await db.query("SELECT cursor FROM waxwing_position")).rows[0];
  const events = waxwing.iterateEvents({ ...(cursor === null ? {} : { after: cursor }), wait: 30 });
  try {
    for await (const event of events) {
      await store(event, cursor, events.cursor);
      cursor = events.cursor;
    }
  } catch (error) {
    // The position is older than the events that are kept, or the server was restored from a backup: a person decides.
    const isRefused = error instanceof WaxwingError && error.status < 500 && error.status !== 429;
    if (isRefused || !(error instanceof WaxwingError || error instanceof WaxwingConnectionError)) throw error;
    console.error(`no answer, trying again: ${error.message}`);
    await sleep(500);
  }
}
