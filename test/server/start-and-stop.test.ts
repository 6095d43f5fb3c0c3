/** In what order the server starts and stops its parts, and what a stop leaves behind. */
import { afterEach, expect, mock, spyOn, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ServiceLoop } from "#src/core/service-loop.ts";
import { Store } from "#src/db/store.ts";
import { fakeNetwork, gate } from "#test/support/fake-network.ts";
import { messageOf } from "#test/support/rows.ts";
import { startTestServer } from "#test/support/server.ts";
import { orderShipped, shipped } from "#test/support/templates.ts";

afterEach(() => {
  mock.restore();
});

/** What happens to services and the database, one entry each, while the original code runs. */
function record(): string[] {
  const entries: string[] = [];
  const { start, stop } = ServiceLoop.prototype;
  spyOn(ServiceLoop.prototype, "start").mockImplementation(function (this: ServiceLoop) {
    entries.push(`start ${this.name}`);
    start.call(this);
  });
  spyOn(ServiceLoop.prototype, "stop").mockImplementation(function (this: ServiceLoop) {
    entries.push(`stop ${this.name}`);
    stop.call(this);
  });
  const { close } = Store.prototype;
  spyOn(Store.prototype, "close").mockImplementation(function (this: Store) {
    entries.push("close the database");
    close.call(this);
  });
  return entries;
}

const NAMES = [
  "refused_callbacks",
  "request_log",
  "clock_watch",
  "wall_clock",
  "apply_callbacks",
  "deliver_webhook",
  "end_deliveries",
  "expire_message",
  "tell_contact",
  "start_broadcast",
  "review_broadcast",
  "send_message",
  "cancel_replied",
  "end_snooze",
  "resolve_block",
  "run_broadcasts",
  "sync_account",
  "fetch_media",
  "mail_link",
  "mail_owners",
  "erase_person",
  "join_contacts",
  "hand_out",
  "unused_media",
  "index_network_ids",
  "index_contact_messages",
  "search_index",
  "housekeeping",
  "other_commits",
  "backups",
  "kept_copies",
  "time_series",
  "conditions",
  "alarms",
];

test("services start in their order and stop in the reverse order; the database closes last", async () => {
  // The first server of a process makes, and closes, the database that later ones copy.
  await (await startTestServer())[Symbol.asyncDispose]();
  const entries = record();
  const on = await startTestServer();
  expect(on.server.services.map(({ name }) => name)).toEqual(NAMES);
  expect(entries.splice(0)).toEqual(NAMES.map((name) => `start ${name}`));
  await on.stop();
  expect(entries).toEqual([...NAMES.toReversed().map((name) => `stop ${name}`), "close the database"]);
  expect(on.server.services.filter(({ isActive }) => isActive)).toEqual([]);
  await on[Symbol.asyncDispose]();
});

test("a stop waits for a message in flight, and closes the database after its outcome is written", async () => {
  const network = fakeNetwork();
  const directory = mkdtempSync(join(tmpdir(), "waxwing-stop-"));
  try {
    const on = await startTestServer({ directory, networks: { simulator: network } });
    const shop = await on.workspace();
    await on.template(shop, orderShipped);
    const waiting = gate();
    network.next(waiting.answer);
    const answer = on.call("POST", "/api/v1/messages", { key: shop.key, body: shipped() });
    await on.clock.until(waiting.reached);
    const entries = record();
    const stopped = on.stop();
    await Promise.race([stopped, on.clock.rest()]);
    expect(entries).toEqual(NAMES.toReversed().map((name) => `stop ${name}`));
    waiting.open("accepted");
    expect((await answer).status).toBe(201);
    await stopped;
    expect(entries.at(-1)).toBe("close the database");
    await on[Symbol.asyncDispose]();
    await using next = await startTestServer({ directory });
    expect(messageOf(next).status).toBe("sent");
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});

test("a stopped service stays stopped: a later notification or a second stop begins nothing", async () => {
  const on = await startTestServer();
  await on.stop();
  const runs: string[] = [];
  for (const service of on.server.services) {
    spyOn(service, "runOnce").mockImplementation(async () => {
      runs.push(service.name);
      return null;
    });
    service.stop();
    service.notify();
  }
  await on.clock.advance(3_600_000);
  expect(runs).toEqual([]);
  await on[Symbol.asyncDispose]();
});

test("a start on an address that is taken closes the database again", async () => {
  await using other = await startTestServer();
  const directory = mkdtempSync(join(tmpdir(), "waxwing-stop-"));
  try {
    // Without a database, the address is tried before one is made.
    await (await startTestServer({ directory })).stop();
    const entries = record();
    const { port } = new URL(other.server.url);
    const listen = { host: "127.0.0.1", port: Number(port) };
    const started = startTestServer({ directory, config: { server: { listen } } });
    await expect(started).rejects.toMatchObject({ code: "EADDRINUSE" });
    expect(entries).toEqual(["close the database"]);
    // The lock is free again.
    await using _ = await startTestServer({ directory });
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});
