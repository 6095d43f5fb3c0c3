/** The order of a template's named values through the console's routes: what waits, who confirms it, and what is refused. */
import { expect, test } from "bun:test";
import { firstOperator, person } from "#test/support/console.ts";
import { graphAccount, graphTemplate } from "#test/support/graph-account.ts";
import { startWhatsapp } from "#test/support/whatsapp.ts";

const HOUR = 3_600_000;

const templateOf = (text: string) =>
  graphTemplate("order", { parameter_format: "NAMED", components: [{ type: "BODY", text }] });

test("an owner confirms the new order that the page showed, once and with an audit entry; a member and a stale page do not", async () => {
  const account = graphAccount({ templates: [templateOf("Order {{order}} for {{name}} is on its way.")] });
  await using world = await startWhatsapp({ account });
  const { app, workspace, clock } = world;
  await firstOperator(app);
  const owner = await person(app, "owner@example.com", "owner", workspace.id);
  const member = await person(app, "member@example.com", "member", workspace.id);
  const path = `/w/${workspace.id}/templates/1`;
  const shown = async () => (await member.get(path)).body.data;
  const before = { header: [], body: ["order", "name"] };
  expect(await shown()).toMatchObject({ sendable: true, parameter_order: before, order_to_confirm: null });

  const edit = async (text: string): Promise<void> => {
    account.templates = [templateOf(text)];
    await clock.advance(1.2 * HOUR);
  };
  await edit("{{customer}}, your order {{order}} is on its way.");
  const stale = { header: [], body: ["order", "customer"] };
  expect(await shown()).toMatchObject({
    sendable: false,
    unsupported: null,
    parameter_order: stale,
    order_to_confirm: before,
  });
  await edit("{{buyer}}, your order {{order}} is on its way.");
  const after = { header: [], body: ["order", "buyer"] };
  const confirm = (who: typeof owner, body: object) => who.ask("PUT", `${path}/order`, body, { key: "o1" });
  expect((await confirm(member, after)).status).toBe(404);
  const changed = await owner.ask("PUT", `${path}/order`, stale, { key: "o0" });
  expect([changed.status, changed.body.error.code]).toEqual([409, "changed"]);
  expect(await shown()).toMatchObject({ sendable: false, order_to_confirm: before });

  const confirmed = await confirm(owner, after);
  expect([confirmed.status, confirmed.body.data]).toMatchObject([
    200,
    { sendable: true, parameter_order: after, order_to_confirm: null },
  ]);
  expect((await confirm(owner, after)).text).toBe(confirmed.text);
  const log = app.store.client
    .prepare("SELECT subject, details FROM audit_log WHERE action = 'template.order'")
    .all() as { subject: string; details: string }[];
  expect(log.map(({ subject, details }) => [subject, JSON.parse(details)])).toEqual([
    ["order", { language: "en_US", was: before, became: after }],
  ]);
});
