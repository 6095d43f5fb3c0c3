// Copies what people write into a SQLite database, each message exactly once, whatever stops at which moment.
// node mirror.mjs shop.db    (Node 22.5 and later have SQLite)
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { Waxwing, WaxwingConnectionError, WaxwingError } from "waxwing-client";

const waxwing = new Waxwing({ baseUrl: process.env.WAXWING_URL, key: process.env.WAXWING_KEY });
const db = new DatabaseSync(process.argv[2] ?? "shop.db");
db.exec(`
  PRAGMA busy_timeout = 5000;
  CREATE TABLE IF NOT EXISTS waxwing_position (id INTEGER PRIMARY KEY CHECK (id = 1), cursor TEXT);
  INSERT OR IGNORE INTO waxwing_position (id, cursor) VALUES (1, NULL);
  CREATE TABLE IF NOT EXISTS received (event_id TEXT NOT NULL, phone TEXT, text TEXT);
`);
const readPosition = db.prepare("SELECT cursor FROM waxwing_position");
const movePosition = db.prepare("UPDATE waxwing_position SET cursor = ? WHERE cursor IS ?");
const addReceived = db.prepare("INSERT INTO received (event_id, phone, text) VALUES (?, ?, ?)");

/** What an event does in this database. */
function apply(event) {
  if (event.type !== "message.received") return;
  addReceived.run(event.id, event.data.contact.phone, event.data.message.text);
}

/** The effects of an event and the position behind it are one transaction: both are there, or neither is. */
function store(event, before, behind) {
  db.exec("BEGIN IMMEDIATE");
  try {
    apply(event);
    // Another copy of this program may have been here first.
    if (movePosition.run(behind, before).changes !== 1) throw new Error("another program reads into this database");
    db.exec("COMMIT");
  } catch (error) {
    db.exec("ROLLBACK");
    throw error;
  }
}

for (;;) {
  let { cursor } = readPosition.get();
  const events = waxwing.iterateEvents({ ...(cursor === null ? {} : { after: cursor }), wait: 30 });
  try {
    for await (const event of events) {
      store(event, cursor, events.cursor);
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
