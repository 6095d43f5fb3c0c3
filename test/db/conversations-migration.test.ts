/** Conversations of people become conversations on numbers, with what was unread, and without a word lost. */
import { expect, test } from "bun:test";
import { openClient } from "#src/db/driver.ts";
import { migrate } from "#src/db/migrate.ts";
import { migrations } from "#src/db/migrations.ts";

/** A database as it was before, with a shop that has two numbers. */
function before() {
  const client = openClient(":memory:", {});
  const place = migrations.findIndex(({ name }) => name === "conversations");
  migrate(client, migrations.slice(0, place));
  client.exec(
    `INSERT INTO workspaces (id, name, country, timezone, api_enabled, stop_words, start_words, created_at, updated_at) VALUES (1, 'Shop', 'IN', 'Asia/Kolkata', 1, '[]', '[]', 0, 0)`,
  );
  for (const id of [1, 2]) {
    client.exec(`INSERT INTO numbers (id, workspace_id, phone, name, network, throughput, throughput_given, ready, account_id, phone_number_id, created_at)
      VALUES (${id}, 1, '+4420794601${id}0', 'Shop', 'simulator', 80, 0, 1, 'simulator', 'n${id}', 0)`);
  }
  const contact = client.prepare(
    "INSERT INTO contacts (id, workspace_id, consent, created_at, updated_at) VALUES (?, 1, 'unknown', 0, 0)",
  );
  const inbound =
    client.prepare(`INSERT INTO inbounds (workspace_id, number_id, contact_id, network_message_id, type, received_at, created_at, origin)
    VALUES (1, ?, ?, hex(randomblob(8)), 'text', ?, 0, ?)`);
  const echo =
    client.prepare(`INSERT INTO echoes (workspace_id, number_id, contact_id, network_message_id, origin, type, sent_at, created_at)
    VALUES (1, ?, ?, hex(randomblob(8)), ?, 'text', ?, ?)`);
  return { client, contact, inbound, echo };
}

const after = (client: ReturnType<typeof openClient>) => {
  migrate(client);
  return client
    .prepare(
      "SELECT contact_id, number_id, last_inbound_id, wrote_at, unread, owner FROM conversations ORDER BY contact_id, number_id",
    )
    .all()
    .map((row) => Object.values(row as object));
};

test("each number has its own conversation; the newest inbounds stay unread where they arrived", () => {
  const { client, contact, inbound, echo } = before();
  for (const id of [1, 2, 3, 4]) contact.run(id);
  inbound.run(1, 1, 100, "messages");
  client.exec("UPDATE conversations SET unread = 0");
  inbound.run(2, 1, 300, "messages");
  inbound.run(1, 1, 200, "standby");
  inbound.run(1, 2, 150, "history");
  echo.run(2, 3, "phone", 400, 77);
  echo.run(2, 3, "phone", 500, 99);
  // All that the fourth wrote was deleted.
  inbound.run(2, 4, 600, "messages");
  client.exec("DELETE FROM inbounds WHERE contact_id = 4");
  expect(after(client)).toEqual([
    [1, 1, 3, 200, 1, null],
    [1, 2, 2, 300, 1, null],
    [2, 1, 0, 150, 0, null],
    [3, 2, 0, 400, 0, null],
    [4, 1, 5, 600, 0, null],
  ]);
  expect(client.prepare("SELECT id, shared_since FROM numbers ORDER BY id").all()).toEqual([
    { id: 1, shared_since: null },
    { id: 2, shared_since: 77 },
  ] as never);
  inbound.run(2, 1, 900, "messages");
  expect(
    client.prepare("SELECT unread, wrote_at FROM conversations WHERE contact_id = 1 AND number_id = 2").get(),
  ).toEqual({
    unread: 2,
    wrote_at: 900,
  } as never);
  client.close();
});
