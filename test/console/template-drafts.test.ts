/**
 * The studio's routes: a draft is kept as it was left, is never a template, and becomes at most one, whatever becomes of
 * WhatsApp's answer. The network is the fake Cloud API.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { auditEntries, firstOperator, person, type Visitor } from "#test/support/console.ts";
import { graphAccount, graphTemplate } from "#test/support/graph-account.ts";
import { rows, startWhatsapp, type WhatsappWorld } from "#test/support/whatsapp.ts";

const MINUTE = 60_000;

let world: WhatsappWorld;
let member: Visitor;
let stranger: Visitor;
let root: string;

beforeAll(async () => {
  world = await startWhatsapp({
    account: graphAccount({ templates: [graphTemplate("order_shipped")] }),
  });
  const { app, workspace } = world;
  await firstOperator(app);
  member = await person(app, "member@example.com", "member", workspace.id);
  const other = await app.workspace({ name: "Other", number: "+911244001200" });
  stranger = await person(app, "stranger@example.com", "owner", other.id);
  root = `/w/${workspace.id}/template-drafts`;
});
afterAll(() => world[Symbol.asyncDispose]());

let written = 0;
/** A template of its own words. */
function parcel(more: object = {}): Record<string, unknown> {
  written += 1;
  const components = [
    { type: "BODY", text: `Your parcel ${written} for {{1}} is here.`, example: { body_text: [["Ann"]] } },
  ];
  return { name: `drafted_${written}`, language: "en_US", category: "UTILITY", components, ...more };
}

async function draftOf(content: Record<string, unknown>): Promise<string> {
  const { status, body } = await member.post(root, { content });
  expect([status, body]).toMatchObject([201, { data: { corrects: null, template_id: null } }]);
  return `${root}/${body.data.id}`;
}

async function draftFrom(template: number, as: string): Promise<{ path: string; content: Record<string, unknown> }> {
  const { status, body } = await member.post(root, { from: { template, as } });
  expect(status).toBe(201);
  return { path: `${root}/${body.data.id}`, content: body.data.content };
}

const send = (path: string, content: Record<string, unknown>) => member.post(`${path}/send`, content);
const submitted = () => world.account.submitted;
const listed = async (): Promise<{ name: string }[]> =>
  (await member.get(`/w/${world.workspace.id}/templates?per_page=500`)).body.data;

describe("a draft", () => {
  test("is kept as it was left, also wrong, and is no template", async () => {
    const path = await draftOf({ name: "Half", components: [{ type: "BODY", text: "{{1}}" }] });
    const content = { name: "half", components: "none", own: [1] };
    expect((await member.ask("PUT", path, content)).status).toBe(200);
    expect((await member.get(path)).body.data.content).toEqual(content);
    expect((await member.get(root)).body.data[0].content).toEqual(content);
    expect((await listed()).map(({ name }) => name)).not.toContain("half");
    const { body } = await world.app.send("GET", "/api/v1/templates?per_page=500", { key: world.workspace.key });
    expect(body.data.map(({ name }: { name: string }) => name)).not.toContain("half");
    expect((await member.ask("DELETE", path)).status).toBe(200);
    expect((await member.get(path)).status).toBe(404);
  });

  test("of another workspace is not found", async () => {
    const content = parcel();
    const path = await draftOf(content);
    for (const [method, at] of [
      ["GET", path],
      ["PUT", path],
      ["DELETE", path],
      ["POST", `${path}/check`],
      ["POST", `${path}/send`],
    ] as const) {
      expect([method, (await stranger.ask(method, at, content)).status]).toEqual([method, 404]);
    }
  });

  test("is at most 64 kB, and a workspace keeps 200", async () => {
    const path = await draftOf({});
    const huge = { components: [{ type: "BODY", text: "b".repeat(65 * 1024) }] };
    const refused = await member.ask("PUT", path, huge);
    expect([refused.status, refused.body.error.fields]).toEqual([400, { content: ["A draft has at most 64 kB."] }]);
    const other = await person(world.app, "many@example.com", "owner", world.workspace.id);
    for (;;) {
      const { status, body } = await other.post(root, {});
      if (status === 201) continue;
      expect(body.error.fields).toEqual({ draft: ["A workspace keeps 200 drafts of templates: discard one first."] });
      break;
    }
    const { client } = world.app.store;
    expect(client.prepare("SELECT count(*) FROM template_drafts WHERE template_id IS NULL").pluck().get()).toBe(200);
    client.prepare("DELETE FROM template_drafts").run();
  });

  test("that is wrong stays, with a sentence for each field, and nothing leaves", async () => {
    const before = submitted().length;
    const content = parcel({ components: [{ type: "BODY", text: "{{1}} is here, and it waits." }] });
    const path = await draftOf({});
    const { status, body } = await send(path, content);
    expect([status, Object.keys(body.error.fields)]).toEqual([
      400,
      ["components.0.text", "components.0.example.body_text"],
    ]);
    expect((await member.post(`${path}/check`, content)).body.data.map(({ path: at }: { path: string }) => at)).toEqual(
      expect.arrayContaining(["components.0.text", "components.0.example.body_text"]),
    );
    // What was sent is what is kept.
    expect((await member.get(path)).body.data).toMatchObject({ content, template_id: null });
    expect(submitted().length).toBe(before);
  });

  test("becomes one template, however often it is sent", async () => {
    const before = submitted().length;
    const content = parcel();
    const path = await draftOf(content);
    const [one, two] = await Promise.all([send(path, content), send(path, content)]);
    const first = one?.status === 200 ? one : two;
    expect(first?.body.data).toMatchObject({ name: content.name, status: "PENDING" });
    const again = await send(path, parcel());
    expect([again.status, again.body.data.id]).toEqual([200, first?.body.data.id]);
    expect(
      submitted()
        .slice(before)
        .map(({ body }) => body),
    ).toEqual([content]);
    expect((await member.get(path)).body.data).toMatchObject({ template_id: first?.body.data.id, content: {} });
    expect((await member.ask("PUT", path, content)).status).toBe(400);
    expect((await member.get(root)).body.data.map(({ id }: { id: number }) => `${root}/${id}`)).not.toContain(path);
    expect(auditEntries(world.app)[0]).toMatchObject({ action: "template.submit", subject: content.name });
  });

  test("whose answer was lost is looked for, and is not sent twice", async () => {
    const content = parcel();
    const path = await draftOf(content);
    world.account.loses.answers = 1;
    world.account.refuse = ({ method, path: at }) =>
      method === "GET" && at.includes("message_templates") ? { code: 2, status: 503 } : null;
    const lost = await send(path, content);
    expect([lost.status, lost.body.error.outcome]).toEqual([503, "unknown"]);
    world.account.refuse = null;
    expect((await send(path, content)).body.error.outcome).toBe("unknown");
    expect((await member.get(path)).body.data).toMatchObject({ content, template_id: null });
    await world.clock.advance(MINUTE);
    const later = await send(path, content);
    expect([later.status, later.body.data?.name]).toEqual([200, content.name]);
    expect(submitted().filter(({ body }) => JSON.stringify(body).includes(`"${content.name}"`)).length).toBe(1);
  });
});

describe("a draft that begins with a template", () => {
  let id: number;
  beforeAll(async () => {
    const content = parcel({ name: "first_words" });
    const sent = await send(await draftOf(content), content);
    id = sent.body.data.id;
  });

  test("has its samples, another name as a copy, and no language as a further one", async () => {
    const copy = await draftFrom(id, "copy");
    expect(copy.content).toMatchObject({
      name: "first_words_copy",
      language: "en_US",
      components: [{ type: "BODY", example: { body_text: [["Ann"]] } }],
    });
    expect((await draftFrom(id, "language")).content).toMatchObject({ name: "first_words", language: "" });
    const foreign = { from: { template: id, as: "copy" } };
    expect((await stranger.post("/w/2/template-drafts", foreign)).status).toBe(404);
  });

  test("corrects a rejected one under its name, whatever the draft says", async () => {
    const row = world.account.templates.find(({ name }) => name === "first_words");
    Object.assign(row ?? {}, { status: "REJECTED" });
    await world.clock.advance(2 * 60 * MINUTE);
    const { path, content } = await draftFrom(id, "correction");
    const components = [{ type: "BODY", text: "Other words for {{1}} are here.", example: { body_text: [["Ann"]] } }];
    const { status, body } = await send(path, { ...content, name: "another", components });
    expect([status, body.data]).toMatchObject([200, { id, name: "first_words", status: "PENDING" }]);
    const last = submitted().at(-1);
    expect(last?.body).toEqual({ category: "UTILITY", components } as never);
    expect(rows(world.app.store, "SELECT count(*) AS n FROM templates WHERE name = 'another'")).toEqual([{ n: 0 }]);
  });

  test("is deleted at WhatsApp, once", async () => {
    const at = `/w/${world.workspace.id}/templates/${id}`;
    expect((await stranger.ask("DELETE", at)).status).toBe(404);
    const before = submitted().length;
    expect((await member.ask("DELETE", at)).status).toBe(200);
    // The answer may have been lost: the second press is told the same.
    expect((await member.ask("DELETE", at)).status).toBe(200);
    expect(submitted().slice(before)).toMatchObject([{ method: "DELETE" }]);
    expect(auditEntries(world.app)[0]).toMatchObject({ action: "template.delete", subject: "first_words" });
  });
});
