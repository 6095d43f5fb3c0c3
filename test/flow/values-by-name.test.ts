/**
 * Values of named placeholders are given by name, in single messages, broadcasts and previews. They become positions once
 * the template is known, so what is sent, stored and shown is what the same values by position would give.
 */
import { describe, expect, test } from "bun:test";
import { confirmByName } from "#src/domain/templates/decide.ts";
import { type GraphRow, graphAccount, graphTemplate } from "#test/support/graph-account.ts";
import { startWhatsapp, type WhatsappWorld } from "#test/support/whatsapp.ts";

const HOUR = 3_600_000;
const TO = "+4915112345678";
const HEADER = "Order {{order}}";
const BODY = "Order {{order}} for {{name}} is on its way.";

function named(components: object[]): GraphRow {
  return graphTemplate("order", { parameter_format: "NAMED", components });
}

const withHeader = [
  { type: "HEADER", format: "TEXT", text: HEADER },
  { type: "BODY", text: BODY },
];

async function start(components: object[] = withHeader): Promise<WhatsappWorld> {
  const numbered = graphTemplate("numbered", { components: [{ type: "BODY", text: "Hello {{1}}." }] });
  return startWhatsapp({ account: graphAccount({ templates: [named(components), numbered] }) });
}

/** Edits the template at the network, and lets the next sync see it. */
async function edit(world: WhatsappWorld, body: string): Promise<void> {
  const [order, ...others] = world.account.templates;
  const components = [withHeader[0], { type: "BODY", text: body }];
  world.account.templates = [{ ...order, components } as GraphRow, ...others];
  await world.clock.advance(1.2 * HOUR);
}

const send = (world: WhatsappWorld, variables: unknown, template = "order") => world.send({ template, variables });

let keys = 0;

/** A broadcast to one person; `preview`: what it would do. */
function broadcast({ app, workspace }: WhatsappWorld, variables: unknown, path = "/api/v1/broadcasts") {
  const body = { name: "Orders", to: [TO], template: "order", variables };
  keys += 1;
  const headers = path.endsWith("preview") ? {} : { "Idempotency-Key": `by-name-${keys}` };
  return app.send("POST", path, { key: workspace.key, body, headers });
}

const doors = {
  message: (world: WhatsappWorld, variables: unknown) => send(world, variables),
  broadcast: (world: WhatsappWorld, variables: unknown) => broadcast(world, variables),
  preview: (world: WhatsappWorld, variables: unknown) => broadcast(world, variables, "/api/v1/broadcasts/preview"),
};

/** The parameters of each message that the network got, by component. */
function sent({ graph }: WhatsappWorld): Record<string, unknown>[] {
  return graph.requests.map(({ body }) => {
    const { template } = body as { template: { components: { type: string; parameters: unknown[] }[] } };
    return Object.fromEntries(template.components.map(({ type, parameters }) => [type, parameters]));
  });
}

const parameter = (name: string, text: string) => ({ type: "text", parameter_name: name, text });
const ORDER = parameter("order", "A-17");
const EXPECTED = { header: [ORDER], body: [ORDER, parameter("name", "Asha")] };
const GIVEN = { header: { order: "A-17" }, body: { name: "Asha", order: "A-17" } };

test("a message by name is sent, stored and shown as the same message by position", async () => {
  await using world = await start();
  const byName = await send(world, GIVEN);
  const byPosition = await send(world, { header: ["A-17"], body: ["A-17", "Asha"] });
  expect([byName.status, byPosition.status]).toEqual([201, 201]);
  expect(sent(world)).toEqual([EXPECTED, EXPECTED]);
  const text = "Order A-17\n\nOrder A-17 for Asha is on its way.";
  expect([byName.body.data.text, byPosition.body.data.text]).toEqual([text, text]);
  const rows = world.app.store.client
    .prepare("SELECT type, text, variables, origin FROM messages ORDER BY id")
    .all() as unknown[];
  expect(rows[0]).toEqual(rows[1]);
});

test("a number is a value by name too, and a header alone may be named", async () => {
  await using world = await start([
    { type: "HEADER", format: "TEXT", text: HEADER },
    { type: "BODY", text: "It is on its way." },
  ]);
  expect((await send(world, { header: { order: 17 } })).status).toBe(201);
  expect(sent(world)[0]?.header).toEqual([parameter("order", "17")]);
});

test("a broadcast by name takes texts and contact fields, and is built like one by position", async () => {
  await using world = await start();
  const { app, workspace } = world;
  await app.send("PUT", `/api/v1/contacts/${TO}`, { key: workspace.key, body: { first_name: "Asha" } });
  const variables = {
    header: { order: "A-17" },
    body: { name: { field: "first_name", fallback: "you" }, order: "A-17" },
  };
  expect((await broadcast(world, variables)).status).toBe(202);
  await world.clock.advance(60_000);
  expect(sent(world)).toEqual([EXPECTED]);
  const stored = app.store.client.prepare("SELECT variables FROM broadcasts").get() as { variables: string };
  expect(JSON.parse(stored.variables)).toEqual({
    isList: false,
    header: [{ text: "A-17" }],
    body: [{ text: "A-17" }, { field: "first_name", fallback: "you" }],
  });
});

test("a fallback by name is used, and a person without a value and a fallback is skipped in preview and broadcast", async () => {
  await using world = await start();
  const of = (name: object) => ({ ...GIVEN, body: { order: "A-17", name } });
  const skipped = await broadcast(world, of({ field: "city" }));
  expect(skipped.body.data.skipped).toEqual([{ to: TO, reason: "missing_variable" }]);
  const preview = await doors.preview(world, of({ field: "city" }));
  expect(preview).toMatchObject({ status: 200, body: { data: { reached: 0, skipped: { missing_variable: 1 } } } });
  expect(await doors.preview(world, of({ field: "city", fallback: "you" }))).toMatchObject({
    body: { data: { reached: 1 } },
  });
  expect((await broadcast(world, of({ field: "city", fallback: "you" }))).status).toBe(202);
  await world.clock.advance(60_000);
  expect(sent(world).map(({ body }) => body)).toEqual([[ORDER, parameter("name", "you")]]);
});

describe.each(Object.keys(doors) as (keyof typeof doors)[])("refusals of a %s", (door) => {
  const refusal = async (variables: unknown) => {
    await using world = await start();
    const { status, body } = await doors[door](world, variables);
    expect(world.graph.requests).toEqual([]);
    const stored = world.app.store.client.prepare("SELECT count(*) AS n FROM messages").get();
    expect(stored).toEqual({ n: 0 });
    return { status, error: body.error };
  };

  test("an unknown name is 400 in its own field, with the name that was probably meant", async () => {
    const { status, error } = await refusal({ header: GIVEN.header, body: { order: "A-17", nmae: "Asha" } });
    expect(status).toBe(400);
    expect(error.fields).toEqual({
      "variables.body.nmae": ['The template\'s body has no placeholder "nmae". It has order, name. Did you mean name?'],
    });
    expect(error.faults).toMatchObject([{ field: "variables.body.nmae", rule: "unknown", suggestion: "name" }]);
  });

  test("a missing name is 422 and said", async () => {
    const { status, error } = await refusal({ header: GIVEN.header, body: { name: "Asha" } });
    expect({ status, code: error.code, message: error.message }).toEqual({
      status: 422,
      code: "missing_variable",
      message: "The template's body needs a value for order, which was not given.",
    });
    const both = await refusal({});
    expect(both.error.code).toBe("missing_variable");
    const named = await refusal({ body: {} });
    expect(named.error.message).toBe("The template's header needs a value for order, which was not given.");
  });

  test("positions and names together are 400", async () => {
    const { status, error } = await refusal({ header: ["A-17"], body: GIVEN.body });
    expect(status).toBe(400);
    expect(Object.keys(error.fields)).toEqual(["variables.header", "variables.body"]);
    expect(error.faults[0].rule).toBe("conflict");
  });

  test("a value by name follows the rules of values, under its own field", async () => {
    const { status, error } = await refusal({ header: GIVEN.header, body: { order: "A\n17", name: "" } });
    expect(status).toBe(400);
    expect(Object.keys(error.fields)).toEqual(["variables.body.order", "variables.body.name"]);
  });

  test("names beside header and body are 400 and say where they stand", async () => {
    const { status, error } = await refusal({ name: "Asha", order: "A-17" });
    expect(status).toBe(400);
    expect(error.fields["variables.name"][0]).toContain('"body": {"name": …}');
  });

  test("more names than any template has are one fault, and `__proto__` is a name like another", async () => {
    const many = Object.fromEntries(Array.from({ length: 4_000 }, (_, index) => [`name_${index}`, "x"]));
    const { status, error } = await refusal({ body: many });
    expect(status).toBe(400);
    expect(error.faults).toMatchObject([{ field: "variables.body", rule: "too_many", limit: 100 }]);
    const odd = await refusal({
      header: GIVEN.header,
      body: JSON.parse('{"order": "a", "name": "b", "__proto__": "c"}'),
    });
    expect(Object.keys(odd.error.fields)).toEqual(["variables.body.__proto__"]);
  });
});

test("a contact's field by name is refused in a single message, and an unknown field in a broadcast, under the name", async () => {
  await using world = await start();
  const message = await send(world, { ...GIVEN, body: { order: "A-17", name: { field: "first_name" } } });
  expect(Object.keys(message.body.error.fields)).toEqual(["variables.body.name"]);
  const many = await broadcast(world, { ...GIVEN, body: { order: "A-17", name: { field: "frist_name" } } });
  expect(Object.keys(many.body.error.fields)).toEqual(["variables.body.name.field"]);
});

test("numbered placeholders take a list, and say so", async () => {
  await using world = await start();
  const { status, body } = await send(world, { body: { "1": "Asha" } }, "numbered");
  expect(status).toBe(400);
  expect(body.error.fields).toEqual({
    "variables.body": ["The template's placeholders are numbered: give the values as a list."],
  });
  expect((await send(world, ["Asha"], "numbered")).status).toBe(201);
});

test("an idempotency key knows the form: the same names in another order are the same request, positions are another", async () => {
  await using world = await start();
  const { app, workspace } = world;
  const post = (variables: unknown) =>
    app.send("POST", "/api/v1/messages", {
      key: workspace.key,
      body: { to: TO, template: "order", variables },
      headers: { "Idempotency-Key": "one" },
    });
  const first = await post(GIVEN);
  const again = await post({ body: { order: "A-17", name: "Asha" }, header: { order: "A-17" } });
  expect([first.status, again.status, again.body.data.id]).toEqual([201, 201, first.body.data.id]);
  expect((await post({ header: ["A-17"], body: ["A-17", "Asha"] })).status).toBe(409);
  expect(world.graph.requests).toHaveLength(1);
});

test("values by name go to their names whatever an edit makes of the text", async () => {
  await using world = await start();
  await edit(world, "{{name}}, your order {{order}} is on its way.");
  expect((await send(world, GIVEN)).status).toBe(201);
  expect(sent(world)).toEqual([EXPECTED]);
});

test("values by name work while the new order is not confirmed, in messages and broadcasts, and after it is", async () => {
  await using world = await start();
  await edit(world, "{{customer}}, your order {{order}} is on its way.");
  const renamed = { header: GIVEN.header, body: { order: "A-17", customer: "Asha" } };
  const expected = { header: [ORDER], body: [ORDER, parameter("customer", "Asha")] };
  const byPosition = { header: ["A-17"], body: ["A-17", "Asha"] };
  for (const door of [doors.message, doors.broadcast]) {
    expect((await door(world, byPosition)).status).toBe(400);
    const { status, body } = await door(world, GIVEN);
    expect([status, Object.keys(body.error.fields)]).toEqual([400, ["variables.body.name"]]);
  }
  expect((await send(world, renamed)).status).toBe(201);
  expect((await broadcast(world, renamed)).status).toBe(202);
  await world.clock.advance(60_000);
  expect(sent(world)).toEqual([expected, expected]);
  await world.app.store.write((tx) => void confirmByName(tx, world.workspace.id, "order", "en_US"));
  expect((await send(world, renamed)).status).toBe(201);
  expect((await send(world, byPosition)).status).toBe(201);
  expect(sent(world).slice(2)).toEqual([expected, expected]);
});
