/**
 * One mark is written into every text about a person that the product's doors take: the API, an import, and received
 * messages of every type. An owner hands all of it out, and then forgets the person, both in the console. Afterwards no file of
 * the data directory contains it, and no event shows it.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tablesWith } from "#src/db/table-policies.ts";
import { beginErasure } from "#src/domain/erasure/erasures.ts";
import { type PersonTable, personColumns } from "#src/domain/erasure/person-columns.ts";
import { COMMAND_LINE } from "#src/domain/users/audit-log.ts";
import { readTypes, setWebhook } from "#src/domain/webhooks/address.ts";
import { firstOperator, PASSWORD, person, type Visitor } from "#test/support/console.ts";
import { type AcceptedMessage, type Change, GRAPH_PHONE_NUMBER_ID } from "#test/support/graph.ts";
import { graphAccount, graphTemplate } from "#test/support/graph-account.ts";
import { GraphMedia } from "#test/support/graph-media.ts";
import { markedKinds } from "#test/support/message-kinds.ts";
import { contactOf } from "#test/support/rows.ts";
import { boxOf } from "#test/support/webhooks.ts";
import { FROM, rows, startWhatsapp, textFrom, type WhatsappWorld } from "#test/support/whatsapp.ts";
import { unzip } from "#test/support/zip.ts";
import { Workshop } from "../cli/spawn.ts";

const PERSON = "+4915112345671";
const OTHER = "+4915112345672";
const BASE = "/w/1";
const MARK = "Zqxmark";
/** Marks in the members that hold no free text. */
const NUMBER_MARK = 48.7310042;
const BIRTHDAY_MARK = "1897-03-14";
const USER_ID = `DE.${MARK}1`;
/** As a user writes the number. */
const SPELLED = "+49 (1511) 234-5671";
const MARKS = [MARK, String(NUMBER_MARK), BIRTHDAY_MARK, PERSON.slice(1), PERSON.slice(3), SPELLED, "234-5671"].map(
  (mark) => mark.toLowerCase(),
);

let world: WhatsappWorld;
let workshop: Workshop;
let member: Visitor;
const files = new GraphMedia();

beforeAll(async () => {
  const header = {
    type: "HEADER",
    format: "DOCUMENT",
    example: { header_handle: ["https://shop.example/sample.pdf"] },
  };
  const filed = graphTemplate("filed", { components: [header, { type: "BODY", text: "Hi {{1}}, here it is." }] });
  const place = [
    { type: "HEADER", format: "LOCATION" },
    { type: "BODY", text: "Come to {{1}}." },
    { type: "BUTTONS", buttons: [{ type: "URL", text: "Route", url: "https://shop.example/{{1}}" }] },
  ];
  const account = graphAccount({
    templates: [graphTemplate("greeting"), filed, graphTemplate("place", { components: place })],
  });
  world = await startWhatsapp({ account, graph: { media: files } });
  workshop = new Workshop();
  await firstOperator(world.app);
  // Not the event of the erasure, which names the person until it is delivered.
  await listenTo(world, "message.received,message.sent,contact.updated");
  member = await person(world.app, "member@example.com", "owner", world.workspace.id);
  // A receiver that echoes what it gets.
  world.webhooks.respond = ({ body }) => new Response(body);
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  workshop[Symbol.dispose]();
});

async function listenTo({ app, webhooks, workspace }: WhatsappWorld, list: string): Promise<void> {
  const types = readTypes(list);
  await app.store.write((tx) => setWebhook(tx, boxOf(app), workspace.id, webhooks.url, { types }));
}

const command = (...args: string[]) => workshop.json([...args, "--data", world.app.directory]);

const media = { mime_type: `image/${MARK}`, sha256: MARK, id: `media-${MARK}`, caption: MARK };
/** A file whose bytes are fetched. */
const fetched = files.add(`kept-${MARK}`, "application/pdf", Buffer.from(`%PDF-1.4 ${MARK}`));
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
  kept: { type: "document", document: { ...fetched, caption: MARK, filename: `${MARK}.pdf` } },
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

/** What others wrote to the person, what they had written before, and how the phone's owner calls them. */
function otherSenders(timestamp: string): Change[] {
  const id = PERSON.slice(1);
  const text = { timestamp, type: "text", text: { body: MARK } };
  const metadata = { display_phone_number: FROM.slice(1), phone_number_id: GRAPH_PHONE_NUMBER_ID };
  const value = { messaging_product: "whatsapp", metadata };
  const messages = [
    { ...text, id: `wamid.${MARK}.1`, from: id },
    { ...text, id: `wamid.${MARK}.2`, from: FROM.slice(1), to: id },
  ];
  const place = {
    ...inbounds.location,
    timestamp,
    type: "location",
    id: `wamid.${MARK}.4`,
    from: FROM.slice(1),
    to: id,
  };
  const contact = { phone_number: id, full_name: MARK, first_name: MARK };
  const summary = { conversation_context: { summary: { text: MARK } } };
  const parts = { recipient: { phone_number_id: GRAPH_PHONE_NUMBER_ID }, sender: { phone_number: id } };
  return [
    { field: "history", value: { ...value, history: [{ metadata: { progress: 100 }, threads: [{ id, messages }] }] } },
    {
      field: "smb_message_echoes",
      value: { ...value, message_echoes: [{ ...text, id: `wamid.${MARK}.3`, to: id }, place] },
    },
    {
      field: "smb_app_state_sync",
      value: { ...value, state_sync: [{ type: "contact", contact, action: "add", metadata: { timestamp } }] },
    },
    {
      field: "messaging_handovers",
      value: { ...parts, timestamp, type: "control_passed", control_passed: summary },
    },
    // A field that is not handled stays as it came.
    { field: "zodiac", value: { ...value, of: { phone: id, sign: MARK } } },
  ];
}

async function done(asked: Promise<{ status: number; text: string }>, status: number): Promise<void> {
  const answered = await asked;
  expect([answered.status, answered.text]).toEqual([status, expect.anything()]);
}

/** Writes the mark through the API and the command line. */
async function introduce(): Promise<void> {
  const { app, workspace } = world;
  const { key } = workspace;
  await command("field", "add", "--workspace", "1", "--key", "source", "--kind", "text", "--label", "Source");
  const about = {
    ...{ name: MARK, first_name: MARK, last_name: MARK, email: `${MARK}@example.com`, city: MARK, state: MARK },
    ...{ postal_code: MARK, company: MARK, birthday: BIRTHDAY_MARK, anniversary: BIRTHDAY_MARK },
    ...{ fields: { source: MARK }, add_tags: ["vip"], add_to_groups: ["Regulars"] },
    people: [{ name: MARK, first_name: MARK, ref: MARK, birthday: BIRTHDAY_MARK }],
    ...{ consent: "opted_in", consent_purpose: MARK, consent_notice: MARK },
  };
  await done(app.call("PUT", `/api/v1/contacts/${PERSON}`, { key, body: about }), 201);
  const row = [PERSON, `${MARK} again`, MARK, "yes", MARK, MARK].join(",");
  const file = workshop.write("people.csv", `phone,name,source,consent,consent_purpose,consent_notice\n${row}\n`);
  await command("contact", "import", "--workspace", "1", file);
}

/** Messages of every type from the person, and what the network says about them. */
async function write(): Promise<void> {
  const { clock, graph, hear } = world;
  const now = (): string => String(Math.floor(clock.now() / 1_000));
  const messages = [
    ...Object.entries(inbounds).map(([type, more]) => ({ type, text: undefined, ...more })),
    ...interactive.map((one) => ({ type: "interactive", text: undefined, interactive: one })),
  ];
  for (const more of messages) {
    await clock.advance(1_000);
    const change = textFrom(graph, PERSON, MARK, { id: `wamid.${MARK}.${now()}`, timestamp: now(), referral, ...more });
    const profile = { name: MARK, username: MARK };
    const contacts = [{ wa_id: PERSON.slice(1), user_id: USER_ID, parent_user_id: `DE.ENT.${MARK}`, profile }];
    expect(await hear({ ...change, value: { ...change.value, contacts } })).toBe(200);
  }
  expect(await hear(otherSenders(now()))).toBe(200);
  // A status that came before its message, and will wait for it; one that names no message at all.
  const status = { id: `wamid.${MARK}.early`, status: "sent", timestamp: now(), recipient_id: PERSON.slice(1) };
  const metadata = { display_phone_number: FROM.slice(1), phone_number_id: GRAPH_PHONE_NUMBER_ID };
  for (const one of [status, { ...status, id: undefined }]) {
    const value = { messaging_product: "whatsapp", metadata, statuses: [one] };
    expect(await hear({ field: "messages", value })).toBe(200);
  }
}

/** A code that this version does not know. */
const UNLISTED = 199_999;

/** WhatsApp refuses the next message to the person with words that name it. */
function refuse(code: number): void {
  const details = `${PERSON} ${MARK} is not in the list`;
  world.graph.fault({ to: PERSON, fault: { kind: "error", code, details } });
}

/** Messages of every kind to the person: alone, refused, from the console, of broadcasts. */
async function answer(): Promise<void> {
  const { app, clock, send, workspace } = world;
  const { key } = workspace;
  const reply = { to: PERSON, template: undefined, variables: undefined, text: MARK, reference: MARK };
  await done(send(reply, `${MARK}-1`), 201);
  await done(send({ to: PERSON, variables: [MARK], reference: MARK }, `${MARK}-2`), 201);
  const kinds = Object.values(markedKinds(MARK, NUMBER_MARK));
  for (const [index, kind] of kinds.entries()) {
    const body = { to: PERSON, template: undefined, variables: undefined, reference: MARK, ...kind };
    await done(send(body, `${MARK}-kind-${index}`), 201);
  }
  const [conversation] = (await app.call("GET", "/api/v1/conversations", { key })).body.data;
  const note = { key, body: { text: MARK } };
  await done(app.call("POST", `/api/v1/conversations/${conversation.id}/notes`, note), 201);
  const form = new FormData();
  form.append("file", new File([MARK], `${MARK}.txt`));
  const headers = { authorization: `Bearer ${key}` };
  const uploaded = await fetch(`${app.server.url}/api/v1/media`, { method: "POST", headers, body: form });
  const { data } = (await uploaded.json()) as { data: { id: number } };
  await done(send({ ...reply, text: undefined, media: { id: data.id } }, `${MARK}-upload`), 201);
  const media = { link: `https://${MARK}.example/a.pdf`, caption: MARK };
  const later = { ...reply, text: undefined, media, send_at: new Date(clock.now() + 86_400_000).toISOString() };
  await done(send(later, `${MARK}-later`), 202);
  refuse(UNLISTED);
  await done(send({ to: PERSON, variables: [MARK], reference: MARK }, `${MARK}-3`), 502);
  await done(member.post(`${BASE}/messages`, { to: PERSON, text: MARK }, { key: "form-1" }), 201);
  const written = { content: { text: MARK }, key: MARK, replaces: null, age_ms: 0 };
  const [row] = (await member.get(`${BASE}/inbox`)).body.data;
  await done(member.ask("PUT", `${BASE}/inbox/${row.contact_id}/draft`, written), 200);
  const marked = { latitude: NUMBER_MARK, longitude: NUMBER_MARK, name: MARK, address: MARK };
  const placed = { template: "place", location: marked, variables: { body: [MARK], buttons: [MARK] } };
  await done(send({ to: PERSON, ...placed, reference: MARK }, `${MARK}-place`), 201);
  const draft = { ...placed, to: [PERSON], variables: { header: [], ...placed.variables } };
  await done(member.post(`${BASE}/drafts`, draft, { key: "form-2" }), 201);
  await done(member.post(`${BASE}/drafts`, { template: "greeting", to: [SPELLED, OTHER] }, { key: "form-4" }), 201);
  await done(
    member.ask("PUT", `${BASE}/contacts/${encodeURIComponent(SPELLED)}`, { city: MARK }, { key: "form-5" }),
    200,
  );
  expect((await member.get(`${BASE}/contacts?q=${MARK}`)).body.meta.total).toBe(1);
  await done(member.ask("PUT", `${BASE}/contacts/${PERSON}`, { company: MARK }, { key: "form-3" }), 200);
  const variables = [{ field: "first_name", fallback: "there" }];
  for (const more of [{}, { send_at: new Date(clock.now() + 86_400_000).toISOString() }]) {
    refuse(UNLISTED);
    const body = { name: "Hello", template: "greeting", variables, to: [PERSON, OTHER], ...more };
    await done(app.send("POST", "/api/v1/broadcasts", { key, body }), 202);
    await clock.advance(10_000);
  }
  // Only to this person: the values are this person's.
  const alone = { name: "One", template: "greeting", variables: [MARK], to: [PERSON] };
  const scheduled = {
    ...placed,
    name: "Later",
    to: [PERSON],
    send_at: new Date(clock.now() + 86_400_000).toISOString(),
  };
  for (const body of [alone, scheduled]) await done(app.send("POST", "/api/v1/broadcasts", { key, body }), 202);
  await clock.advance(60_000);
}

/** Broadcasts: one whose file waits for its time, one with a refused message, and two whose refusal a status reports. */
async function broadcast(): Promise<void> {
  const { app, clock, graph, send, workspace } = world;
  const { key } = workspace;
  const start = async (name: string, body: object): Promise<AcceptedMessage | undefined> => {
    const wanted = { name, template: "greeting", variables: [MARK], to: [PERSON], ...body };
    await done(app.send("POST", "/api/v1/broadcasts", { key, body: wanted }), 202);
    await clock.advance(10_000);
    return graph.accepted.findLast(({ to }) => to === PERSON);
  };
  const file = { template: "filed", media: { link: "https://shop.example/price.pdf", filename: `${MARK}.pdf` } };
  await start("Filed", { ...file, send_at: new Date(clock.now() + 86_400_000).toISOString() });
  const ofWholeList = await start("Sent", {});
  const ofTemplate = await start("Sent, too", {});
  graph.fault({ to: OTHER, fault: { kind: "lost" } });
  // The values of a list are the workspace's.
  const ofOpenList = await start("In doubt", { to: [PERSON, OTHER], variables: ["Anna"] });
  await report(ofOpenList, ACCOUNT_LOCKED);
  refuse(MESSAGE_INVALID);
  await start("Refused", {});
  refuse(UNLISTED);
  await done(send({ to: PERSON, variables: [MARK] }, `${MARK}-4`), 502);
  refuse(NETWORK_TROUBLE);
  await start("Retried", {});
  // Stops the template, and then the number.
  await report(ofTemplate, TEMPLATE_PAUSED);
  await report(ofWholeList, ACCOUNT_LOCKED);
}

const MESSAGE_INVALID = 131_009;
const NETWORK_TROUBLE = 131_000;
const ACCOUNT_LOCKED = 131_031;
const TEMPLATE_PAUSED = 132_015;

/** A status says so of this message, in words that name the person. */
async function report(message: AcceptedMessage | undefined, code: number): Promise<void> {
  if (message === undefined) throw new Error("nothing was sent to the person");
  const errors = [{ code, title: MARK, error_data: { details: `${PERSON} ${MARK}: refused` } }];
  expect(await world.hear(world.graph.status(message, "failed", { errors }))).toBe(200);
  await world.clock.advance(10_000);
}

async function live(): Promise<void> {
  await introduce();
  await write();
  await answer();
  await broadcast();
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

function isMarked(text: string): boolean {
  const folded = text.toLowerCase();
  return MARKS.some((mark) => folded.includes(mark));
}

/** Columns that the erasure deletes or empties, and that no door writes with a caller's text. */
const WITHOUT_MARK: Readonly<Record<string, string>> = {
  "contact_network_ids.of_phone": "the person has no further number; test/flow/join-contacts.test.ts has one who did",
  "contact_network_ids.portfolio": "of the account",
  "contacts.network_portfolio": "of the account",
  "conversations.owner": "a word of ours",
  "conversations.owner_role": "of another sender",
  "conversations.state": "a word of ours",
  "conversation_notes.author": "of the staff",
  "conversation_notes.form_key": "of the staff's browser",
  "away_days.day": "a day",
  "blocks.asked": "a word of ours",
  "thread_calls.action": "a word of ours",
  "thread_calls.target_role": "a word of the network's",
  "thread_calls.outcome": "a word of ours",
  "thread_calls.code": "a code of the network",
  "erasures.address": "of the user",
  "erasures.person": "no person is being erased",
  "erasures.counts": "counts",
  "erasures.holders": "places of ours",
  "hand_outs.address": "of the user",
  "hand_outs.state": "a word of ours",
  "hand_outs.report": "counts, and names of files that are gone",
  "hand_outs.reason": "words of ours",
  "audit_log.details": "ids and words of ours; the person is the subject",
  "messages.network_message_id": "of the network, which has no mark to put into it",
  "former_phones.phone": "the person has not moved here; the test below has one who did",
  "former_phones.moved_to": "as phone",
  "media.reason": "a word of ours",
  "media_files.hash": "a hash of the bytes",
  "media_files.content_type": "a word of ours",
  "network_uploads.network_media_id": "an id of the network",
  "uploads.mime_type": "a word of ours",
  "uploads.state": "a word of ours",
  "parked_statuses.send_token": "random",
  "provider_requests.send_token": "random",
  "provider_requests.outcome": "a word of ours",
  "provider_requests.code": "a code of the network",
};

/** Of the tables that hold people's data: the text columns whose content goes. */
function columnsToMark(): string[] {
  const gone = ["emptied", "mentions", "deleted", "removed"] as const;
  return gone
    .flatMap((policy) => tablesWith("person", policy))
    .flatMap((table) => {
      const texts = rows<{ name: string }>(
        world.app.store,
        `SELECT name FROM pragma_table_info('${table}') WHERE type = 'TEXT'`,
      ).map(({ name }) => name);
      const kept: readonly string[] = table in personColumns ? personColumns[table as PersonTable].kept : [];
      return texts.filter((name) => !kept.includes(name)).map((name) => `${table}.${name}`);
    });
}

/** The table says of itself that it names no person, or the column that it stays. */
function isOfNobody(column: string): boolean {
  const [table = "", name = ""] = column.split(".");
  if (!(table in personColumns)) return (tablesWith("person", "nobody") as string[]).includes(table);
  return (personColumns[table as PersonTable].kept as readonly string[]).includes(name);
}

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

/** Columns that are not in the archive. */
const NOT_IN_ARCHIVE: Readonly<Record<string, string>> = { "media.network_media_id": "an id of the network" };

/** Tables whose rows are about the person alone. The others repeat what these hold: events, callbacks, jobs. */
const handedOut: readonly string[] = [
  ...tablesWith("person", "deleted"),
  ...["contacts", "consent_log", "messages", "inbounds", "echoes", "media"],
];

/** The texts in a value, which may be JSON. */
function leavesOf(value: string): string[] {
  try {
    const read: unknown = JSON.parse(value);
    const leaves = (one: unknown): string[] =>
      typeof one === "object" && one !== null ? Object.values(one).flatMap(leaves) : [String(one)];
    return leaves(read);
  } catch {
    return [value];
  }
}

/** What is handed to the person has every text about them. */
async function handOutData(): Promise<void> {
  const out = workshop.path("person.zip");
  await download(out);
  const archive = await unzip(out);
  const json = String(archive["data.json"]);
  expect(() => JSON.parse(json)).not.toThrow();
  const missing = foundInTables().filter((found) => {
    const [, table = "", column = "", value = ""] = /^(\w+)\.(\w+): (.*)$/s.exec(found) ?? [];
    if (!handedOut.includes(table) || `${table}.${column}` in NOT_IN_ARCHIVE) return false;
    return leavesOf(value).some((leaf) => isMarked(leaf) && !json.includes(JSON.stringify(leaf).slice(1, -1)));
  });
  expect(missing).toEqual([]);
  const names = Object.keys(archive).filter((name) => name.startsWith("files/"));
  expect(names.map((name) => isMarked(String(archive[name])))).toEqual([true]);
  const page = String(archive["index.html"]);
  for (const name of names) expect(page).toContain(`href="${name.replaceAll(/[^/]+$/g, encodeURIComponent)}"`);
  expect(page).not.toContain("<script");
}

/** Makes the archive in the console, and downloads it. */
async function download(out: string): Promise<void> {
  expect((await member.post("/me/confirmation", { password: PASSWORD })).status).toBe(200);
  await done(member.post(`${BASE}/contacts/${PERSON}/hand-out`, {}, { key: "form-archive" }), 202);
  for (;;) {
    await world.clock.advance(1_000);
    const { data } = (await member.get(`${BASE}/contacts/${PERSON}/hand-out`)).body;
    if (data.state === "making") continue;
    expect(data).toMatchObject({ state: "ready", report: { files: 1, notes: 1, missing: [] } });
    const address = `${world.app.server.url}/console/api${BASE}/hand-outs/${data.id}/file`;
    const answered = await fetch(address, {
      headers: { "sec-fetch-site": "same-origin", cookie: member.cookie ?? "" },
    });
    expect([answered.status, answered.headers.get("content-type")]).toEqual([200, "application/zip"]);
    const bytes = await answered.bytes();
    expect(bytes).toHaveLength(data.report.bytes);
    writeFileSync(out, bytes);
    return;
  }
}

/** Forgets the person in the console; returns what the erasure has erased. */
async function forget(): Promise<Record<string, number>> {
  const shown = (await member.get(`${BASE}/contacts/${PERSON}/forget`)).body.data;
  const asked = await member.post(`${BASE}/contacts/${PERSON}/forget`, { typed: SPELLED }, { key: "form-forget" });
  expect([asked.status, asked.body.data.state]).toEqual([202, "running"]);
  expect((await member.get(`${BASE}/contacts/${PERSON}`)).status).toBe(404);
  for (;;) {
    await world.clock.advance(1_000);
    const { data } = (await member.get(`${BASE}/erasures/${asked.body.data.id}`)).body;
    if (data.state === "running") continue;
    // What was shown before is what was erased, except events: some came with the erasure, and are about it.
    const { events, ...before } = shown.counts;
    expect(data.counts).toMatchObject(before);
    expect(data.counts.events).toBeGreaterThanOrEqual(events);
    expect(data.holders).toMatchObject({ log_emptied: true, backups: [], is_replicated: false });
    return data.counts;
  }
}

test("no event, table or file holds anything that an erased person wrote, was called or came from", async () => {
  await live();
  const before = await shownEvents();
  expect(before.filter((event) => event.includes("shop.example")).length).toBeGreaterThan(12);
  const columns = new Set(foundInTables().map((one) => one.split(":")[0] ?? ""));
  expect(columnsToMark().filter((column) => !columns.has(column) && !(column in WITHOUT_MARK))).toEqual([]);
  expect(Object.keys(WITHOUT_MARK).filter((column) => columns.has(column))).toEqual([]);
  expect([...columns].filter((column) => isOfNobody(column))).toEqual([]);
  expect(foundInFiles()).not.toEqual([]);

  await handOutData();
  expect(foundInFiles().some((path) => path.endsWith(".zip"))).toBe(true);

  const counts = await forget();
  expect(Object.entries(counts).filter(([, count]) => count === 0)).toEqual([]);
  const after = await shownEvents();
  // The erasure itself, and the scheduled message that failed with it.
  expect(after.length).toBe(before.length + 2);
  expect(after.filter(isMarked)).toEqual([]);
  expect(foundInTables()).toEqual([]);
  const receipts = rows<{ action: string; subject: string; user_id: number; details: string }>(
    world.app.store,
    "SELECT action, subject, user_id, details FROM audit_log WHERE action LIKE 'contact.data%' OR action LIKE 'contact.erase%' ORDER BY id",
  );
  expect(receipts.map(({ action, user_id }) => [action, user_id])).toEqual(
    ["contact.data", "contact.data-download", "contact.erase", "contact.erased"].map((action) => [action, 2]),
  );
  expect(JSON.parse(receipts.at(-1)?.details ?? "")).toMatchObject({ erased: counts, still_holding: { backups: [] } });
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
  await listenTo(moved, "contact.updated,message.received");
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
      naming.filter((body) => body.includes(MARK) || body.includes(FRESH.slice(1))),
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
  expect(bodiesOf(moved, "SELECT body FROM events").filter((body) => body.includes(MARK))).toEqual([]);
});

test("a key that named an erased person still keeps the same request from sending again", async () => {
  await using kept = await startWhatsapp();
  const { app, graph, send } = kept;
  const key = `order-of-${PERSON.slice(1)}`;
  const first = await send({ to: PERSON }, key);
  expect(first.status).toBe(201);
  await workshop.json(["contact", "erase", "--workspace", "1", PERSON, "--data", app.directory]);
  const again = await send({ to: PERSON }, key);
  expect([again.status, again.body.data.id, again.headers.get("idempotent-replayed")]).toEqual([
    201,
    first.body.data.id,
    "true",
  ]);
  expect((await send({ to: OTHER }, key)).body.error.code).toBe("idempotency_conflict");
  expect(graph.accepted).toHaveLength(1);
  expect(rows(app.store, `SELECT id FROM idempotency_keys WHERE key LIKE '%${PERSON.slice(1)}%'`)).toEqual([]);
});

test("an erasure whose command was killed is finished by the same command, once", async () => {
  await using cut = await startWhatsapp();
  const { app, workspace } = cut;
  await app.call("PUT", `/api/v1/contacts/${PERSON}`, { key: workspace.key, body: { name: MARK } });
  const contact = contactOf(app, PERSON);
  await app.store.write((tx) => void beginErasure(tx, contact, COMMAND_LINE, tx.now + 60_000));
  const words = ["contact", "erase", "--workspace", "1", PERSON, "--data", app.directory];
  expect(await workshop.json(words)).toMatchObject({ erased: true });
  expect(rows(app.store, "SELECT action FROM audit_log WHERE action LIKE 'contact.erase%' ORDER BY id")).toEqual([
    { action: "contact.erase" },
    { action: "contact.erased" },
  ]);
  expect((await workshop.run(words)).code).toBe(1);
});
