/** A workspace's own retention: what it keeps for a shorter time than the server is deleted, and another's stays. */
import { expect, test } from "bun:test";
import { updateWorkspace } from "#src/domain/workspaces/update.ts";
import type { WorkspaceSettings } from "#src/domain/workspaces/workspace.ts";
import { firstOperator, person } from "#test/support/console.ts";
import { startTestServer, type TestServer, type TestWorkspace } from "#test/support/server.ts";
import { orderShipped, shipped } from "#test/support/templates.ts";
import { DAY, HOUR } from "#test/support/webhooks.ts";

const MINUTE = 60_000;

const forEver = { events: null, raw: null, messages: null, inbound: null, media: null };

interface Shop extends TestWorkspace {
  person: string;
}

async function shopOf(app: TestServer, number: string, person: string): Promise<Shop> {
  const shop = await app.workspace({ number });
  await app.template(shop, orderShipped);
  return { ...shop, person };
}

/** The shop sends to the person, who answers. */
async function talk(app: TestServer, shop: Shop): Promise<void> {
  await app.send("POST", "/api/v1/messages", { key: shop.key, body: shipped(shop.person) });
  await app.inbound(shop, shop.person, "Thanks a lot");
  await app.clock.advance(5_000);
}

function keptOf(app: TestServer, { id }: Shop): [messages: number, texts: number, rows: number] {
  const count = (from: string): number =>
    Number(app.store.client.prepare(`SELECT count(*) FROM ${from}`).pluck().get());
  return [
    count(`messages WHERE workspace_id = ${id}`),
    count(`inbounds WHERE workspace_id = ${id} AND text IS NOT NULL`),
    count(`inbounds WHERE workspace_id = ${id}`),
  ];
}

const set = (app: TestServer, { id }: Shop, changes: Partial<WorkspaceSettings>) =>
  app.store.write((tx) => updateWorkspace(tx, id, changes));

/** As if everything had happened earlier by this much; then housekeeping runs. */
async function age(app: TestServer, ms: number): Promise<void> {
  for (const table of ["messages", "inbounds"])
    app.store.client.exec(`UPDATE ${table} SET created_at = created_at - ${ms}`);
  await app.clock.advance(11 * MINUTE);
}

test("messages and texts go after the workspace's own time, those of another workspace stay, and a later choice finds the old rows", async () => {
  await using app = await startTestServer({ config: { retention: forEver } });
  const brief = await shopOf(app, "+911244001101", "+919876540009");
  const long = await shopOf(app, "+911244001102", "+919876540010");
  await set(app, brief, { messageRetention: "30 days", inboundRetention: "30 days" });
  for (const shop of [brief, long]) await talk(app, shop);
  await age(app, 30 * DAY - HOUR);
  expect([keptOf(app, brief), keptOf(app, long)]).toEqual([
    [1, 1, 1],
    [1, 1, 1],
  ]);
  await talk(app, brief);
  await age(app, HOUR);
  // The row of a text stays, so that the network may repeat it; the younger ones stay whole.
  expect([keptOf(app, brief), keptOf(app, long)]).toEqual([
    [1, 1, 2],
    [1, 1, 1],
  ]);
  // Its rows were passed as another workspace's.
  await set(app, long, { messageRetention: "7 days", inboundRetention: "30 days" });
  await age(app, 0);
  expect(keptOf(app, long)).toEqual([0, 0, 1]);
  await set(app, brief, { messageRetention: "server", inboundRetention: "server" });
  await age(app, 60 * DAY);
  expect(keptOf(app, brief)).toEqual([1, 1, 2]);
});

test("the server's retention holds where it is shorter, and the preview counts what a shorter one would delete", async () => {
  await using app = await startTestServer({
    config: { retention: { ...forEver, inbound: { kind: "ms", ms: 20 * DAY } } },
  });
  await firstOperator(app);
  const shop = await shopOf(app, "+911244001101", "+919876540009");
  const owner = await person(app, "owner@example.com", "owner", shop.id);
  const removed = async (changes: object) =>
    (await owner.post(`/w/${shop.id}/settings/preview`, changes)).body.data.removed;
  await talk(app, shop);
  await age(app, 10 * DAY);
  expect(await removed({ inbound_retention: "30 days", message_retention: "30 days" })).toEqual([]);
  expect(await removed({ inbound_retention: "7 days", message_retention: "7 days" })).toEqual([
    { key: "message_retention", count: 1, is_more: false },
    { key: "inbound_retention", count: 1, is_more: false },
  ]);
  // It was a question.
  expect(keptOf(app, shop)).toEqual([1, 1, 1]);
  await set(app, shop, { inboundRetention: "10 years" });
  await age(app, 11 * DAY);
  expect(keptOf(app, shop)).toEqual([1, 0, 1]);
});
