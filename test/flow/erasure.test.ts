/**
 * A person with every kind of data on the server is erased. Afterwards no file of the server's directory names that
 * person, byte by byte, even if data of that person was being processed at that moment and the network mentions the
 * person later.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { tablesWith } from "#src/db/table-policies.ts";
import { TestClock } from "#test/support/clock.ts";
import { firstOperator, person, type Visitor } from "#test/support/console.ts";
import { type Change, GRAPH_PHONE_NUMBER_ID } from "#test/support/graph.ts";
import { FROM, rows, startWhatsapp, textFrom, type WhatsappWorld } from "#test/support/whatsapp.ts";
import { Workshop } from "../cli/spawn.ts";

const ZACH = "+4915112345671";
const ANNA = "+4915112345672";
/**
 * The strings that no file may contain afterwards. `digits` is the number as networks write it, `national` the same
 * without the country.
 */
const secrets = {
  digits: "4915112345671",
  national: "15112345671",
  name: "Zacharias Unmistakable",
  email: "zach@unmistakable.example",
  city: "Secretstadt",
  field: "a-value-of-his-own",
  written: "a word that he keeps to himself",
  answered: "an answer for him alone",
  variable: "Zachlein",
  imported: "Zach-from-the-file",
};

let world: WhatsappWorld;
let member: Visitor;
let workshop: Workshop;
let base: string;

beforeAll(async () => {
  // Commands write with the time of the machine, ahead of this clock.
  world = await startWhatsapp({ clock: TestClock.atPresent(-3 * 3_600_000) });
  workshop = new Workshop();
  await firstOperator(world.app);
  member = await person(world.app, "member@example.com", "owner", world.workspace.id);
  base = `/w/${world.workspace.id}`;
  // A receiver that echoes what it gets.
  world.webhooks.respond = ({ body }) => new Response(body);
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  workshop[Symbol.dispose]();
});

const command = (...args: string[]) => workshop.json([...args, "--data", world.app.directory]);

/** Which of the secrets are in which file, including files that are being written. */
function foundInFiles(): string[] {
  const paths = readdirSync(world.app.directory, { recursive: true, encoding: "utf8" })
    .map((name) => join(world.app.directory, name))
    .filter((path) => statSync(path).isFile());
  expect(paths.some((path) => path.endsWith("waxwing.db"))).toBe(true);
  return paths.flatMap((path) => {
    // In a process of its own: closing the database's file here would drop the locks that the server holds on it.
    const bytes = Buffer.from(Bun.spawnSync(["cat", path]).stdout);
    return Object.entries(secrets).flatMap(([what, secret]) => (bytes.includes(secret) ? [`${what} in ${path}`] : []));
  });
}

/** Which rows of which tables contain a secret: shows where to look when a file contains one. */
function foundInTables(): string[] {
  const tables = rows<{ name: string }>(
    world.app.store,
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'",
  );
  return tables.flatMap(({ name }) =>
    rows(world.app.store, `SELECT * FROM ${name}`).flatMap((row) => {
      const text = JSON.stringify(Object.values(row).filter((value) => typeof value === "string"));
      return Object.entries(secrets).flatMap(([what, secret]) => (text.includes(secret) ? [`${what} in ${name}`] : []));
    }),
  );
}

async function importFile(text: string): Promise<string> {
  const given = await fetch(`${world.app.server.url}/console/api${base}/imports?name=friends.csv`, {
    method: "POST",
    headers: {
      "sec-fetch-site": "same-origin",
      "content-type": "application/octet-stream",
      cookie: member.cookie ?? "",
    },
    body: text,
  });
  const { data } = (await given.json()) as { data: { id: number } };
  return `${base}/imports/${data.id}`;
}

async function runImport(path: string): Promise<void> {
  for (const [step, end] of [
    ["check", "checked"],
    ["run", "done"],
  ] as const) {
    const body = step === "check" ? { map: {}, opt_in: true, proof: "Signed" } : {};
    await done(member.post(`${path}/${step}`, body), 202);
    for (let turn = 0; turn < 200; turn += 1) {
      if ((await member.get(path)).body.data.state === end) break;
      await world.clock.advance(10);
    }
    expect((await member.get(path)).body.data.state).toBe(end);
  }
}

async function done(asked: Promise<{ status: number; text: string }>, status: number): Promise<void> {
  const answered = await asked;
  expect([answered.status, answered.text]).toEqual([status, expect.anything()]);
}

/** What others wrote to the person, and what they had written before. */
function otherSenders(): Change[] {
  const id = ZACH.slice(1);
  const timestamp = String(Math.floor(world.clock.now() / 1_000));
  const text = { timestamp, type: "text", text: { body: secrets.answered } };
  const metadata = { display_phone_number: FROM.slice(1), phone_number_id: GRAPH_PHONE_NUMBER_ID };
  const value = { messaging_product: "whatsapp", metadata };
  const threads = [
    {
      id,
      messages: [
        { ...text, id: `wamid.${id}.1`, from: id, text: { body: secrets.written } },
        { ...text, id: `wamid.${id}.2`, from: FROM.slice(1), to: id },
      ],
    },
  ];
  const contact = { phone_number: id, full_name: secrets.name, first_name: secrets.name };
  return [
    { field: "history", value: { ...value, history: [{ metadata: { progress: 100 }, threads }] } },
    { field: "smb_message_echoes", value: { ...value, message_echoes: [{ ...text, id: `wamid.${id}.3`, to: id }] } },
    {
      field: "smb_app_state_sync",
      value: { ...value, state_sync: [{ type: "contact", contact, action: "add", metadata: { timestamp } }] },
    },
    {
      field: "messaging_handovers",
      value: {
        recipient: { phone_number_id: GRAPH_PHONE_NUMBER_ID },
        sender: { phone_number: id },
        timestamp,
        type: "control_passed",
        control_passed: { conversation_context: { summary: { text: secrets.answered } } },
      },
    },
  ];
}

/** Everything that a person can leave behind. */
async function live(): Promise<{ release: () => void; lastAnswer: Promise<{ status: number; text: string }> }> {
  const { app, graph, hear, send, workspace } = world;
  const { key } = workspace;
  await command("field", "add", "--workspace", "1", "--key", "tier", "--kind", "text", "--label", "Tier");
  const about = {
    name: secrets.name,
    first_name: secrets.variable,
    email: secrets.email,
    city: secrets.city,
    fields: { tier: secrets.field },
    add_tags: ["VIP"],
    add_to_groups: ["Regulars"],
    consent: "opted_in",
  };
  await done(app.call("PUT", `/api/v1/contacts/${ZACH}`, { key, body: about }), 201);
  await app.call("PUT", `/api/v1/contacts/${ANNA}`, { key, body: { name: "Anna", add_to_groups: ["Regulars"] } });
  await member.ask("PUT", `${base}/contacts/${ZACH}`, { company: secrets.name }, { key: "form-1" });
  // A file of the console, once imported and once not.
  await runImport(await importFile(`phone,name\n${ZACH},${secrets.imported}\n`));
  await member.ask("PUT", `${base}/contacts/${ZACH}`, { name: secrets.name });

  // Refused requests, whose answers are kept under their keys.
  const optOut = { key, headers: { "Idempotency-Key": "out-1" } };
  await done(app.call("POST", `/api/v1/contacts/${ZACH}/opt-out`, optOut), 200);
  await done(send({ to: ZACH }, "refused-1"), 422);
  for (const text of ["START", secrets.written]) {
    await world.clock.advance(5_000);
    await hear(textFrom(graph, ZACH, text, { timestamp: String(Math.floor(world.clock.now() / 1_000)) }));
  }

  await hear(otherSenders());

  // Messages that were sent, delivered, refused by the network, answered from the console, and part of a broadcast.
  await done(send({ to: ZACH, template: undefined, variables: undefined, text: secrets.answered }), 201);
  await done(send({ to: ZACH, variables: [secrets.variable] }), 201);
  const words = `Recipient ${secrets.digits} is not in the allowed list`;
  graph.fault({ to: ZACH, fault: { kind: "error", status: 400, error: { code: 131030, message: words } } as never });
  await done(send({ to: ZACH, variables: [secrets.variable] }), 502);
  const reply = { to: ZACH, text: secrets.answered };
  await done(member.post(`${base}/messages`, reply, { key: "form-2" }), 201);
  await done(member.post(`${base}/drafts`, { template: "greeting", to: [ZACH, ANNA] }, { key: "form-3" }), 201);
  const variables = [{ field: "first_name", fallback: "there" }];
  const broadcast = { name: "Hello", template: "greeting", variables, to: [ZACH, ANNA] };
  const later = new Date(world.clock.now() + 86_400_000).toISOString();
  for (const more of [{}, { send_at: later }]) {
    await done(app.send("POST", "/api/v1/broadcasts", { key, body: { ...broadcast, ...more } }), 202);
  }
  await world.clock.advance(5_000);
  for (const message of graph.accepted.filter(({ to }) => to === ZACH)) {
    await hear([graph.status(message, "sent"), graph.status(message, "delivered")]);
  }
  await world.clock.advance(1_000);
  await member.post(`${base}/bulk`, { people: { phones: [ZACH] }, change: { add_tag: "seen" }, count: 1 });
  await world.clock.advance(2_000);

  // A message that is being sent while the person is erased.
  const { promise, resolve } = Promise.withResolvers<void>();
  graph.fault({ to: ZACH, fault: { kind: "delay", until: promise } });
  const open = graph.accepted.length;
  const lastAnswer = app.call("POST", "/api/v1/messages", {
    key,
    body: { to: ZACH, template: "greeting", variables: [secrets.variable] },
    headers: { "Idempotency-Key": "open-1" },
  });
  while (graph.accepted.length === open) await Bun.sleep(5);
  return { release: resolve, lastAnswer };
}

test("nothing names an erased person any more, whatever was being processed and whatever the network reports later", async () => {
  const { release, lastAnswer } = await live();
  const before = [...foundInTables(), ...foundInFiles()].map((one) => one.split(" ")[0]);
  expect(new Set(before)).toEqual(new Set(Object.keys(secrets)));
  // No table that names the person says of itself that it does not.
  const naming = new Set(foundInTables().map((one) => one.split(" ").at(-1)));
  expect(tablesWith("person", "nobody").filter((table) => naming.has(table))).toEqual([]);

  const backup = workshop.path("before.db");
  await command("backup", backup);
  expect(await command("contact", "erase", "--workspace", "1", ZACH)).toMatchObject({ erased: true });
  // The workspace has yet to be told whom to erase elsewhere.
  expect(foundInTables()).toEqual(["digits in events", "national in events"]);
  release();
  const answered = await lastAnswer;
  expect([answered.status, Object.values(secrets).filter((secret) => answered.text.includes(secret))]).toEqual([
    201,
    [],
  ]);
  for (const message of world.graph.accepted.filter(({ to }) => to === ZACH)) {
    expect(await world.hear(world.graph.status(message, "read"))).toBe(200);
  }
  await world.clock.advance(3_600_000);
  // Only the event that tells of the erasure still names the person: the command ran in real time, ahead of the clock.
  expect(foundInTables()).toEqual(["digits in events", "national in events"]);
  expect(
    rows(world.app.store, "SELECT id FROM messages WHERE to_phone = '[erased]' AND network_message_id IS NOT NULL"),
  ).toEqual([]);
  // Kept answers too keep their shape.
  const kept = rows<{ status: number; body: string }>(
    world.app.store,
    "SELECT status, body FROM idempotency_keys WHERE body LIKE '%[erased]%'",
  );
  expect(kept.length).toBeGreaterThan(0);
  for (const { status, body } of kept) {
    const { data, error } = JSON.parse(body);
    if (status < 300) expect(data).toBeObject();
    else expect(error).toMatchObject({ code: expect.any(String), retryable: expect.any(Boolean) });
  }
  // The counts stay, and so do all other contacts.
  expect(
    rows(world.app.store, "SELECT count(*) AS read FROM messages WHERE to_phone = '[erased]' AND status = 'read'"),
  ).toEqual([{ read: 5 }]);
  await done(world.app.call("GET", `/api/v1/contacts/${ANNA}`, { key: world.workspace.key }), 200);

  await world.clock.advance(Date.now() - world.clock.now() + 60_000);
  const told = world.webhooks.received.find(({ event }) => event.type === "contact.erased");
  expect(told?.event.data).toEqual({ phone: ZACH, user_id: null });
  expect(foundInTables()).toEqual([]);

  // What was emptied keeps its shape: a program that reads it again finds the members that it expects.
  const bodies = rows<{ body: string }>(world.app.store, "SELECT body FROM events WHERE type LIKE 'message.%'");
  const emptied = bodies
    .map(({ body }) => JSON.parse(body).data.message)
    .filter(({ to, from }) => [to, from].includes("[erased]"));
  expect(emptied.length).toBeGreaterThan(3);
  for (const message of emptied) {
    expect(message).toMatchObject({ id: expect.any(Number), type: expect.any(String), text: "[erased]" });
  }

  await world.app.stop();
  expect(foundInFiles()).toEqual([]);
  expect((await workshop.run(["check", "--data", world.app.directory])).code).toBe(0);

  // A backup from before the erasure does not bring anything back.
  expect(await command("restore", backup)).toMatchObject({ gap: null, taken_over: { people_erased: 1 } });
  expect(foundInFiles()).toEqual([]);
});
