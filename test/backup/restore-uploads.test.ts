/** Uploads in backups: what was erased stays erased, what came later is there, and a file that is missing is found. */
import { expect, test } from "bun:test";
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { openClient } from "#src/db/driver.ts";
import { startWhatsapp, textFrom, type WhatsappWorld } from "#test/support/whatsapp.ts";
import { CallingWorkshop } from "../cli/spawn.ts";

const ZACH = "+4915112345671";
const ANNA = "+4915112345672";

async function upload({ app, workspace }: WhatsappWorld, name: string): Promise<number> {
  const body = new FormData();
  body.append("file", new File([`%PDF-1.7 ${name}`], name));
  const headers = { authorization: `Bearer ${workspace.key}` };
  const answered = await fetch(`${app.server.url}/api/v1/media`, { method: "POST", headers, body });
  return ((await answered.json()) as { data: { id: number } }).data.id;
}

async function send(world: WhatsappWorld, to: string, id: number): Promise<void> {
  await world.hear(textFrom(world.graph, to, "Hello", { timestamp: String(Math.floor(world.clock.now() / 1_000)) }));
  const answered = await world.send({ to, template: undefined, variables: undefined, media: { id } });
  expect([answered.status, answered.text]).toEqual([201, expect.anything()]);
}

function rowsOf(path: string, sql: string): unknown[] {
  const client = openClient(path, { readonly: true });
  try {
    return client.prepare(sql).all();
  } finally {
    client.close();
  }
}

test("after a restore, an upload that was erased stays erased, and a later one is there with the network's id of it", async () => {
  using workshop = new CallingWorkshop();
  await using world = await startWhatsapp();
  const { app, workspace } = world;
  workshop.data = app.directory;
  await send(world, ZACH, await upload(world, "Zach.pdf"));
  const backup = workshop.path("backup.db");
  await workshop.json(["backup", backup]);
  expect(rowsOf(backup, "SELECT filename FROM uploads")).toEqual([{ filename: "Zach.pdf" }]);

  await workshop.json(["contact", "erase", "--workspace", String(workspace.id), ZACH]);
  const later = await upload(world, "Anna.pdf");
  await send(world, ANNA, later);
  const database = `${app.directory}/waxwing.db`;
  await app.stop();
  const tables = [
    "uploads",
    "network_uploads",
    "upload_people",
    "upload_days",
    "user_upload_days",
    "media_files",
    "media_usage",
  ];
  const all = () => tables.map((table) => rowsOf(database, `SELECT * FROM ${table}`));
  const before = all();
  expect(before[0]).toMatchObject([{ id: later, filename: "Anna.pdf" }]);
  expect(await workshop.json(["restore", backup])).toMatchObject({ gap: null });
  expect(all()).toEqual(before);

  const media = join(app.directory, "media");
  const [file = "", ...others] = readdirSync(media);
  expect(others).toEqual([]);
  expect((await workshop.run(["check"])).code).toBe(0);
  rmSync(join(media, file));
  const checked = await workshop.run(["check"]);
  expect([checked.code, checked.stdout + checked.stderr]).toEqual([1, expect.stringContaining(file)]);
});
