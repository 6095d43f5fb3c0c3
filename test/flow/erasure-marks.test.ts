/**
 * One mark is written into every text about a person that the product's doors take: the API, an import, and received
 * messages of every type. After the erasure no file of the data directory contains it, and no event shows it.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { readTypes, setWebhook } from "#src/domain/webhooks/address.ts";
import { boxOf } from "#test/support/webhooks.ts";
import { rows, startWhatsapp, textFrom, type WhatsappWorld } from "#test/support/whatsapp.ts";
import { Workshop } from "../cli/spawn.ts";

const PERSON = "+4915112345671";
const MARK = "Zqxmark";
/** As a number: a mark in the members that hold no text. */
const NUMBER_MARK = 48.7310042;

let world: WhatsappWorld;
let workshop: Workshop;

beforeAll(async () => {
  world = await startWhatsapp();
  workshop = new Workshop();
  // A receiver that echoes what it gets.
  world.webhooks.respond = ({ body }) => new Response(body);
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  workshop[Symbol.dispose]();
});

const command = (...args: string[]) => workshop.json([...args, "--data", world.app.directory]);

const media = { mime_type: "image/jpeg", sha256: MARK, id: `media-${MARK}`, caption: MARK };
/** Members of the inbound, by type. */
const inbounds: Record<string, object> = {
  text: { text: { body: MARK } },
  button: { button: { text: MARK, payload: MARK } },
  location: {
    location: { latitude: NUMBER_MARK, longitude: NUMBER_MARK, name: MARK, address: MARK, url: `https://${MARK}/` },
  },
  contacts: {
    contacts: [
      {
        name: { formatted_name: MARK },
        org: { company: MARK },
        phones: [{ phone: MARK }],
        emails: [{ email: `${MARK}@example.com` }],
      },
    ],
  },
  order: {
    order: {
      text: MARK,
      product_items: [{ product_retailer_id: MARK, quantity: 1, item_price: NUMBER_MARK, currency: "EUR" }],
    },
  },
  reaction: { reaction: { emoji: MARK, message_id: MARK } },
  image: { image: media },
  document: { document: { ...media, filename: `${MARK}.pdf` } },
  unsupported: { unsupported: { type: MARK }, errors: [{ code: 131051, title: MARK, error_data: { details: MARK } }] },
  // A type that is not known here keeps the network's JSON, whose members have any name.
  parcel: { parcel: { source: MARK, status: MARK, reason: MARK, type: MARK, at: MARK, template: { text: MARK } } },
};
const interactive: object[] = [
  { type: "button_reply", button_reply: { id: MARK, title: MARK } },
  { type: "list_reply", list_reply: { id: MARK, title: MARK, description: MARK } },
  {
    type: "nfm_reply",
    nfm_reply: {
      name: MARK,
      body: MARK,
      response_json: JSON.stringify({
        ...{ source: MARK, reason: MARK, template: MARK, height: NUMBER_MARK },
        nested: { code: MARK },
      }),
    },
  },
];
const referral = {
  ...{ source_url: `https://shop.example/?ad=${MARK}`, source_type: MARK, source_id: MARK },
  ...{ headline: MARK, body: MARK, ctwa_clid: MARK },
};

async function live(): Promise<void> {
  const { app, clock, graph, hear, send, workspace } = world;
  const { key } = workspace;
  await command("field", "add", "--workspace", "1", "--key", "source", "--kind", "text", "--label", "Source");
  const about = {
    ...{ name: MARK, first_name: MARK, last_name: MARK, email: `${MARK}@example.com`, city: MARK, state: MARK },
    ...{ postal_code: MARK, company: MARK, fields: { source: MARK }, people: [{ name: MARK, ref: MARK }] },
    ...{ consent: "opted_in", consent_purpose: MARK, consent_notice: MARK },
  };
  const put = await app.call("PUT", `/api/v1/contacts/${PERSON}`, { key, body: about });
  expect([put.status, put.text]).toEqual([201, expect.anything()]);
  const file = workshop.write("people.csv", `phone,name,source\n${PERSON},${MARK} again,${MARK}\n`);
  await command("contact", "import", "--workspace", "1", file, "--purpose", MARK, "--notice", MARK);
  const messages = [
    ...Object.entries(inbounds).map(([type, more]) => ({ type, text: undefined, ...more })),
    ...interactive.map((one) => ({ type: "interactive", text: undefined, interactive: one })),
  ];
  for (const more of messages) {
    await clock.advance(1_000);
    const timestamp = String(Math.floor(clock.now() / 1_000));
    expect(await hear(textFrom(graph, PERSON, MARK, { timestamp, referral, ...more }))).toBe(200);
  }
  const reply = { to: PERSON, template: undefined, variables: undefined, text: MARK, reference: MARK };
  for (const body of [reply, { to: PERSON, variables: [MARK], reference: MARK }]) {
    const sent = await send(body);
    expect([sent.status, sent.text]).toEqual([201, expect.anything()]);
  }
  await clock.advance(60_000);
}

/** Where the mark stands, in which rows: shows where to look. */
function foundInTables(): string[] {
  const tables = rows<{ name: string }>(
    world.app.store,
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'",
  );
  return tables.flatMap(({ name }) =>
    rows(world.app.store, `SELECT * FROM ${name}`).flatMap((row) =>
      Object.entries(row)
        .filter(([, value]) => typeof value === "string" && isMarked(value))
        .map(([column, value]) => `${name}.${column}: ${String(value)}`),
    ),
  );
}

const isMarked = (text: string): boolean =>
  text.toLowerCase().includes(MARK.toLowerCase()) || text.includes(String(NUMBER_MARK));

function foundInFiles(): string[] {
  const paths = readdirSync(world.app.directory, { recursive: true, encoding: "utf8" })
    .map((name) => join(world.app.directory, name))
    .filter((path) => statSync(path).isFile());
  expect(paths.some((path) => path.endsWith("waxwing.db"))).toBe(true);
  // In a process of its own: closing the database's file here would drop the locks that the server holds on it.
  return paths.filter((path) => isMarked(Buffer.from(Bun.spawnSync(["cat", path]).stdout).toString("latin1")));
}

async function shownEvents(): Promise<string[]> {
  const { status, body } = await world.app.call("GET", "/api/v1/events?per_page=100", { key: world.workspace.key });
  expect(status).toBe(200);
  return (body.data as unknown[]).map((event) => JSON.stringify(event));
}

test("no event, table or file holds anything that an erased person wrote, was called or came from", async () => {
  await live();
  const before = await shownEvents();
  expect(before.filter((event) => event.includes("shop.example")).length).toBeGreaterThan(12);
  const columns = new Set(foundInTables().map((one) => one.split(":")[0]));
  expect([...columns]).toEqual(
    expect.arrayContaining([
      ...["contacts.name", "contacts.email", "contact_fields.text_value", "contact_people.name", "events.body"],
      ...["consent_log.evidence", "inbounds.text", "inbounds.details", "messages.text", "messages.reference"],
      ...["media.filename", "callbacks.body", "delivery_attempts.response"],
    ]),
  );
  expect(foundInFiles()).not.toEqual([]);

  expect(await command("contact", "erase", "--workspace", "1", PERSON)).toMatchObject({ erased: true });
  const after = await shownEvents();
  expect(after.length).toBe(before.length + 1);
  expect(after.filter(isMarked)).toEqual([]);
  expect(foundInTables()).toEqual([]);
  await world.app.stop();
  expect(foundInFiles()).toEqual([]);
});

const [OLD, FRESH] = [PERSON, "+4915112345679"];

/** A person writes, moves to another number, and the old number's next owner writes. */
async function moveAway(moved: WhatsappWorld): Promise<void> {
  const { app, clock, graph, hear, workspace } = moved;
  const say = async (from: string, more: object): Promise<void> => {
    await clock.advance(61_000);
    const timestamp = String(Math.floor(clock.now() / 1_000));
    expect(await hear(textFrom(graph, from, MARK, { timestamp, ...more }))).toBe(200);
  };
  const types = readTypes("contact.updated,message.received");
  await app.store.write((tx) => setWebhook(tx, boxOf(app), workspace.id, moved.webhooks.url, { types }));
  await say(OLD, { referral });
  await app.call("PUT", `/api/v1/contacts/${OLD}`, { key: workspace.key, body: { name: MARK } });
  await clock.advance(61_000);
  const system = { type: "user_changed_number", body: "moved", wa_id: FRESH.slice(1) };
  await say(OLD, { type: "system", text: undefined, system });
  await say(OLD, { text: { body: "I am the next owner" } });
  await clock.advance(61_000);
}

const bodiesOf = ({ app }: WhatsappWorld, query: string): string[] =>
  rows<{ body: string }>(app.store, query).map(({ body }) => body);

test("what was stored before a change of number is emptied too, and what the old number's next owner wrote stays", async () => {
  await using moved = await startWhatsapp();
  await moveAway(moved);
  const erased = await workshop.json(["contact", "erase", "--workspace", "1", FRESH, "--data", moved.app.directory]);
  expect(erased).toMatchObject({ erased: true });
  for (const table of ["events", "callbacks"]) {
    const naming = bodiesOf(moved, `SELECT body FROM ${table} WHERE body LIKE '%${OLD.slice(1)}%'`);
    expect([
      table,
      naming.length > 0,
      naming.filter((body) => isMarked(body) || body.includes(FRESH.slice(1))),
    ]).toEqual([table, true, []]);
    // The next owner's: a message, and the contact made for it.
    expect(naming.filter((body) => !body.includes("I am the next owner") && !body.includes("contact.updated"))).toEqual(
      [],
    );
  }
});

test("a contact that lost its number to a known contact is erased with that contact: they are one person", async () => {
  await using moved = await startWhatsapp();
  const { app, workspace } = moved;
  await app.call("PUT", `/api/v1/contacts/${FRESH}`, { key: workspace.key, body: { name: "Known here" } });
  await moveAway(moved);
  expect(rows(app.store, `SELECT id FROM contacts WHERE phone IS NULL AND name = '${MARK}'`)).toHaveLength(1);
  await workshop.json(["contact", "erase", "--workspace", "1", FRESH, "--data", app.directory]);
  expect(rows(app.store, "SELECT phone, name FROM contacts ORDER BY id")).toEqual([
    { phone: null, name: null },
    { phone: null, name: null },
    { phone: OLD, name: null },
  ]);
  expect(bodiesOf(moved, "SELECT body FROM events").filter(isMarked)).toEqual([]);
});
