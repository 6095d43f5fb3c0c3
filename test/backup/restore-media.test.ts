/** What a restore takes over beside messages and consent: files, portfolios, conversations, and what Meta bills. */
import { expect, test } from "bun:test";
import { openClient } from "#src/db/driver.ts";
import { GraphMedia } from "#test/support/graph-media.ts";
import { startWhatsapp, type WhatsappWorld } from "#test/support/whatsapp.ts";
import { CallingWorkshop } from "../cli/spawn.ts";

const JPEG = Buffer.concat([Buffer.from("\xff\xd8\xff\xe0picture", "latin1"), Buffer.alloc(200, 5)]);
const ZACH = "4915112345671";
const ANNA = "4915112345672";

async function document(world: WhatsappWorld, media: GraphMedia, from: string, id: string): Promise<void> {
  const stated = { ...media.add(id, "image/jpeg", JPEG), filename: `letter of ${id}.jpg` };
  const timestamp = String(Math.floor(world.clock.now() / 1000));
  await world.hear(world.graph.inbound({ from, id: `wamid.${id}`, timestamp, type: "document", document: stated }));
  await world.clock.rest();
}

function rowsOf(path: string, sql: string): unknown[] {
  const client = openClient(path, { readonly: true });
  try {
    return client.prepare(sql).all();
  } finally {
    client.close();
  }
}

test("after a restore, erased files stay erased, later ones are known, and a later portfolio, a conversation and usage are there", async () => {
  using workshop = new CallingWorkshop();
  const media = new GraphMedia();
  await using world = await startWhatsapp({ graph: { media } });
  const { app, workspace } = world;
  workshop.data = app.directory;
  await document(world, media, ZACH, "zach");
  const backup = workshop.path("backup.db");
  await workshop.json(["backup", backup]);

  await workshop.json(["contact", "erase", "--workspace", String(workspace.id), `+${ZACH}`]);
  await document(world, media, ANNA, "anna");
  expect((await world.send({ to: `+${ANNA}` })).status).toBe(201);
  const pricing = { billable: true, pricing_model: "PMP", type: "regular", category: "utility" };
  for (const one of world.graph.accepted) await world.hear(world.graph.status(one, "delivered", { pricing }));
  await world.addNumber(workspace.id, { phone: "+493099999", phoneNumberId: "77700077", accountId: "88800088" });
  const database = `${app.directory}/waxwing.db`;
  const MEDIA = "SELECT id, state, filename, file_id, network_media_id FROM media ORDER BY id";
  const PORTFOLIOS =
    "SELECT n.phone, p.name, p.people, p.person_limit FROM numbers n JOIN portfolios p ON p.id = n.portfolio_id";
  const call = (method: string, path: string, body: object) =>
    app.call(method, `/api/v1${path}`, { key: workspace.key, body });
  const [conversation] = (await app.call("GET", "/api/v1/conversations", { key: workspace.key })).body.data;
  expect((await call("PATCH", `/conversations/${conversation.id}`, { state: "done" })).status).toBe(200);
  expect((await call("POST", `/conversations/${conversation.id}/notes`, { text: "Paid" })).status).toBe(201);
  const CONVERSATIONS = "SELECT contact_id, last_inbound_id, unread, state FROM conversations ORDER BY contact_id";
  const NOTES = "SELECT contact_id, text FROM conversation_notes";
  const USAGE = "SELECT * FROM network_usage ORDER BY month, number_id";
  await app.stop();
  const later = [rowsOf(database, CONVERSATIONS), rowsOf(database, USAGE), rowsOf(database, NOTES)];
  expect(later).toMatchObject([[{ unread: 1, state: "done" }], [{}], [{ text: "Paid" }]]);
  const before = [rowsOf(database, MEDIA), rowsOf(database, PORTFOLIOS)];
  expect(before[0]).toMatchObject([
    { state: "erased", filename: null, file_id: null },
    { state: "stored", filename: "letter of anna.jpg" },
  ]);
  expect(before[1]).toHaveLength(2);

  expect(await workshop.json(["restore", backup])).toMatchObject({ gap: null });
  expect([rowsOf(database, MEDIA), rowsOf(database, PORTFOLIOS)]).toEqual(before);
  expect([rowsOf(database, CONVERSATIONS), rowsOf(database, USAGE), rowsOf(database, NOTES)]).toEqual(later);
});
