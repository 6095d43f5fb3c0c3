/**
 * Values by position of a template with named placeholders follow the order in which the names were first approved here,
 * whatever an edit makes of the text. A name that leaves the text stops them until a person confirms.
 */
import { expect, test } from "bun:test";
import { migrations } from "#src/db/migrations.ts";
import { resumeManually } from "#src/domain/broadcasts/pause.ts";
import { getBroadcast } from "#src/domain/broadcasts/read.ts";
import { confirmByName } from "#src/domain/templates/decide.ts";
import { GRAPH_APP_SECRET } from "#test/support/graph.ts";
import { type GraphRow, graphAccount, graphTemplate } from "#test/support/graph-account.ts";
import { startTestServer } from "#test/support/server.ts";
import { startWhatsapp, VERIFY_TOKEN, type WhatsappWorld } from "#test/support/whatsapp.ts";

const HOUR = 3_600_000;
const FIRST = "Order {{order}} for {{name}} is on its way.";
const REORDERED = "{{name}}, your order {{order}} is on its way.";
const RIGHT = [
  { type: "text", parameter_name: "order", text: "A-17" },
  { type: "text", parameter_name: "name", text: "Ann" },
];

function named(text: string, more: object = {}): GraphRow {
  return graphTemplate("order", { parameter_format: "NAMED", components: [{ type: "BODY", text }], ...more });
}

async function start(text = FIRST, more: object = {}): Promise<WhatsappWorld> {
  return startWhatsapp({ account: graphAccount({ templates: [named(text, more)] }) });
}

/** Edits the template at the network, and lets the next sync see it. */
async function edit(world: WhatsappWorld, text: string, more: object = {}): Promise<void> {
  const templates = world.account.templates.map((row) => ({ ...row, components: [{ type: "BODY", text }], ...more }));
  world.account.templates = templates;
  await world.clock.advance(1.2 * HOUR);
}

const send = (world: WhatsappWorld, ...variables: string[]) => world.send({ template: "order", variables });

/** The body's parameters of each message that the network got. */
function sent({ graph }: WhatsappWorld): unknown[] {
  return graph.requests.map(({ body }) => {
    const { template } = body as { template: { components: { type: string; parameters: unknown[] }[] } };
    return template.components.find(({ type }) => type === "body")?.parameters;
  });
}

async function templateOf({ app, workspace }: WhatsappWorld) {
  const { body } = await app.send("GET", "/api/v1/templates", { key: workspace.key });
  return body.data[0];
}

test("a message keeps each value under its name after the text was reordered, and shows it in its place", async () => {
  await using world = await start();
  await edit(world, REORDERED);
  expect(await templateOf(world)).toMatchObject({ text: "{{2}}, your order {{1}} is on its way." });
  const { status, body } = await send(world, "A-17", "Ann");
  expect({ status, text: body.data.text }).toEqual({ status: 201, text: "Ann, your order A-17 is on its way." });
  expect(sent(world)).toEqual([RIGHT]);
});

test("a broadcast keeps each value under its name after the text was reordered, and shows it in its place", async () => {
  await using world = await start();
  await edit(world, REORDERED);
  const { key } = world.workspace;
  const body = { name: "Orders", to: ["+4915112345678"], template: "order", variables: ["A-17", "Ann"] };
  const headers = { "Idempotency-Key": "1" };
  const made = await world.app.send("POST", "/api/v1/broadcasts", { key, body, headers });
  expect(made.status).toBe(202);
  await world.clock.advance(60_000);
  expect(sent(world)).toEqual([RIGHT]);
  const thread = await world.app.send("GET", "/api/v1/contacts/+4915112345678/conversation", { key });
  expect(JSON.stringify(thread.body)).toContain("Ann, your order A-17 is on its way.");
});

test("the order outlives review, a second edit and a restart", async () => {
  await using world = await start();
  await edit(world, FIRST, { status: "PENDING" });
  await edit(world, REORDERED);
  await edit(world, REORDERED, { status: "APPROVED" });
  await edit(world, `Hello! ${REORDERED}`);
  const { app, clock, graph, workspace } = world;
  await app.stop();
  await using again = await startTestServer({
    directory: app.directory,
    clock,
    config: { whatsapp: { graphUrl: graph.url, appSecret: GRAPH_APP_SECRET, verifyToken: VERIFY_TOKEN } },
  });
  const answer = await again.send("POST", "/api/v1/messages", {
    key: workspace.key,
    body: { to: "+4915112345678", template: "order", variables: ["A-17", "Ann"] },
    headers: { "Idempotency-Key": "1" },
  });
  expect(answer.status).toBe(201);
  expect(sent(world)).toEqual([RIGHT]);
});

test("a text that was never approved sets no order", async () => {
  await using world = await start(REORDERED, { status: "PENDING" });
  await edit(world, FIRST, { status: "APPROVED" });
  expect((await send(world, "A-17", "Ann")).status).toBe(201);
  expect(sent(world)).toEqual([RIGHT]);
});

test("an added name comes last wherever it stands, and fewer values are refused", async () => {
  await using world = await start();
  await edit(world, `On {{day}}: ${REORDERED}`);
  expect(await send(world, "A-17", "Ann")).toMatchObject({
    status: 422,
    body: { error: { code: "missing_variable" } },
  });
  expect((await send(world, "A-17", "Ann", "Monday")).status).toBe(201);
  expect(sent(world)).toEqual([[...RIGHT, { type: "text", parameter_name: "day", text: "Monday" }]]);
});

test("after a name was changed, values are refused until the new order is confirmed", async () => {
  await using world = await start();
  const renamed = "{{customer}}, your order {{order}} is on its way.";
  await edit(world, renamed);
  const refused = await send(world, "A-17", "Ann");
  expect(refused).toMatchObject({ status: 400, body: { error: { code: "invalid_request" } } });
  expect(refused.body.error.fields.variables[0]).toContain("waxwing template order");
  expect((await templateOf(world)).sendable).toBe(false);
  expect(world.graph.requests).toEqual([]);
  await world.app.store.write((tx) => void confirmByName(tx, world.workspace.id, "order", "en_US"));
  expect((await send(world, "A-17", "Ann")).status).toBe(201);
  expect(sent(world)).toEqual([[RIGHT[0], { type: "text", parameter_name: "customer", text: "Ann" }]]);
});

/** A broadcast of two hours from now, after the template was edited at the network; true: it could be resumed. */
async function resumeAfter(world: WhatsappWorld, text: string): Promise<boolean> {
  const { app, clock, workspace } = world;
  const body = {
    ...{ name: "Orders", to: ["+4915112345678"], template: "order", variables: ["A-17", "Ann"] },
    send_at: new Date(clock.now() + 2 * HOUR).toISOString(),
  };
  const headers = { "Idempotency-Key": "1" };
  const made = await app.send("POST", "/api/v1/broadcasts", { key: workspace.key, body, headers });
  expect(made.status).toBe(202);
  await edit(world, text);
  await app.store.write((tx) => void confirmByName(tx, workspace.id, "order", "en_US"));
  await clock.advance(HOUR);
  const { id } = made.body.data;
  expect(app.store.read((tx) => getBroadcast(tx, id).pauseCause)).toBe("template_changed");
  const isResumed = await app.store
    .write((tx) => resumeManually(tx, getBroadcast(tx, id)))
    .then(
      () => true,
      () => false,
    );
  await clock.advance(60_000);
  return isResumed;
}

test("a broadcast is resumed after a reordering, and each value goes to its name", async () => {
  await using world = await start();
  expect(await resumeAfter(world, REORDERED)).toBe(true);
  expect(sent(world)).toEqual([RIGHT]);
});

test("a broadcast is not resumed with its values under other names, even as many", async () => {
  await using world = await start();
  expect(await resumeAfter(world, "{{name}}, your order comes on {{day}} at last.")).toBe(false);
  expect(sent(world)).toEqual([]);
});

test("a name that comes back while nothing was confirmed has its old place, and names that came meanwhile are last", async () => {
  await using world = await start();
  await edit(world, "{{day}}, your order {{order}} is on its way.");
  expect(await templateOf(world)).toMatchObject({ parameter_order: { header: [], body: ["order", "day"] } });
  await edit(world, "On {{day}}: {{name}}, your order {{order}} is on its way.");
  expect(await templateOf(world)).toMatchObject({
    sendable: true,
    parameter_names: { header: [], body: ["day", "name", "order"] },
    parameter_order: { header: [], body: ["order", "name", "day"] },
    text: "On {{3}}: {{2}}, your order {{1}} is on its way.",
  });
});

test("a template that was known before the upgrade keeps the order of the text that it has then", async () => {
  await using world = await start(FIRST, { status: "PENDING" });
  const upgrades = migrations.filter(({ name }) =>
    [
      ...["parameter_order", "template_parts", "category_changes", "template_submissions", "generated_templates"],
      "broadcast_changes",
    ].includes(name),
  );
  const columns = [
    "templates.parameter_order",
    "templates.was_approved",
    "broadcasts.template_order",
    "broadcasts.parts",
    "templates.category_change",
    "templates.category_change_at",
    "templates.network_id",
    "templates.generated",
    "broadcasts.again_of",
    "broadcasts.is_again_unknown",
    "broadcast_drafts.changes_id",
    "broadcast_drafts.again_of",
    "broadcast_drafts.is_again_unknown",
  ];
  const { client } = world.app.store;
  for (const index of ["templates_category_change", "broadcasts_again", "broadcast_drafts_changes"])
    client.exec(`DROP INDEX ${index}`);
  client.exec("DROP TABLE template_submissions");
  for (const column of columns) client.exec(`ALTER TABLE ${column.replace(".", " DROP COLUMN ")}`);
  for (const { sql } of upgrades) client.exec(sql);
  await edit(world, REORDERED, { status: "APPROVED" });
  expect((await send(world, "A-17", "Ann")).status).toBe(201);
  expect(sent(world)).toEqual([RIGHT]);
});
