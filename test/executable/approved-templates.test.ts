/** The approved templates of shops, sent by the executable alone and in broadcasts, over real sockets to the fake Cloud API. */
import { expect, test } from "bun:test";
import { approvedTemplates } from "#test/support/approved-templates.ts";
import { graphTemplate } from "#test/support/graph-account.ts";
import { startShop, until } from "#test/support/whatsapp-process.ts";

const cases = Object.entries(approvedTemplates);
const forBroadcasts = cases.filter(([, { isSingle }]) => isSingle !== true);
const inAccount = cases.map(([name, { category, components, isNamed }]) =>
  graphTemplate(name, { category, components, ...(isNamed === true ? { parameter_format: "NAMED" } : {}) }),
);

test("each approved template leaves as Meta's page shows it, alone and in a broadcast", async () => {
  await using shop = await startShop({ templates: inAccount });
  let people = 0;
  const newPerson = (): string => `+49151123${10_000 + people++}`;
  const sent = () =>
    shop.graph.requests
      .filter(({ path }) => path.includes("/messages"))
      .map(({ body }) => (body as { template: { name: string; components?: unknown } }).template);
  await until(
    "the templates are there",
    () => shop.rows("SELECT id FROM templates WHERE status = 'APPROVED'").length === cases.length,
  );

  for (const [name, { body, sent: components }] of cases) {
    const { status } = await shop.call("POST", "/messages", { body: { to: newPerson(), template: name, ...body } });
    expect([name, status]).toEqual([name, 201]);
    expect(sent().at(-1)).toEqual({ name, language: { code: "en_US" }, ...(components && { components }) } as never);
  }

  const alone = sent().length;
  for (const [name, { body }] of forBroadcasts) {
    const order = { name, template: name, to: [newPerson()], ...body };
    expect([name, (await shop.call("POST", "/broadcasts", { body: order })).status]).toEqual([name, 202]);
  }
  await until("all broadcasts are sent", () => sent().length === alone + forBroadcasts.length);
  const found = new Map(
    sent()
      .slice(alone)
      .map((one) => [one.name, one.components]),
  );
  for (const [name, { sent: components }] of forBroadcasts) expect([name, found.get(name)]).toEqual([name, components]);
}, 300_000);
