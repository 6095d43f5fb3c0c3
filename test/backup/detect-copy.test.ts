/** Databases copied by hand: recognised by their file identity, forked once, and never giving out an id twice. */
import { expect, test } from "bun:test";
import { renameSync } from "node:fs";
import { openClient } from "#src/db/driver.ts";
import { isSameFile, readFileIdentity } from "#src/db/file-identity.ts";
import { readInstance } from "#src/db/instance.ts";
import { busyShop } from "#test/support/busy-shop.ts";
import { TestClock } from "#test/support/clock.ts";
import { imageOf } from "#test/support/crash.ts";
import { reportStatus } from "#test/support/report.ts";
import { messagesOf } from "#test/support/rows.ts";
import { startTestServer } from "#test/support/server.ts";
import { shipped } from "#test/support/templates.ts";

const clockAt = (at: number): TestClock => new TestClock(new Date(at).toISOString());

test("a copy made with cp forks once; the original, and the copy at its next start, continue unchanged", async () => {
  const original = await startTestServer({ readFileIdentity });
  await using _ = original;
  const shop = await busyShop(original);
  using copy = imageOf(original.directory);
  const at = original.clock.now();
  const first = nameOf(`${original.directory}/waxwing.db`);

  const app = await startTestServer({ directory: copy.directory, clock: clockAt(at), readFileIdentity });
  expect(app.logged.join("")).toContain("event=database.copied ");
  const sent = await app.send("POST", "/api/v1/messages", { key: shop.key, body: shipped("+919876540004") });
  expect(sent.body.data.id).toBe(1_000_006);
  await app.stop();
  const renamed = nameOf(`${copy.directory}/waxwing.db`);
  expect(renamed).not.toBe(first);

  const again = await startTestServer({ directory: copy.directory, clock: clockAt(at + 60_000), readFileIdentity });
  const next = await again.send("POST", "/api/v1/messages", { key: shop.key, body: shipped("+919876540004") });
  expect([next.body.data.id, nameOf(`${copy.directory}/waxwing.db`)]).toEqual([1_000_007, renamed]);
  expect(again.logged.join("")).not.toContain("event=database.copied ");
  await again.stop();
  expect(nameOf(`${original.directory}/waxwing.db`)).toBe(first);
});

test("a copy ignores a status of a message that only the original sent, and applies one of a message that both know", async () => {
  const original = await startTestServer({ readFileIdentity });
  await using _ = original;
  const shop = await busyShop(original);
  using copy = imageOf(original.directory);
  await original.send("POST", "/api/v1/messages", { key: shop.key, body: shipped("+919876540004") });
  const [both, alone] = [messagesOf(original).find(({ status }) => status === "sent"), messagesOf(original).at(-1)];
  const app = await startTestServer({
    directory: copy.directory,
    clock: clockAt(original.clock.now()),
    readFileIdentity,
  });
  await reportStatus(app, shop, { id: "wamid.a", status: "delivered", sendToken: alone?.sendToken ?? "" });
  expect(messagesOf(app)).toHaveLength(5);
  expect(app.store.client.prepare("SELECT count(*) FROM parked_statuses").pluck().get()).toBe(0);
  await reportStatus(app, shop, { id: "wamid.b", status: "read", sendToken: both?.sendToken ?? "" });
  expect(messagesOf(app).find(({ id }) => id === both?.id)).toMatchObject({ status: "read" });
  await app.stop();
});

test("a renamed data directory is still the same database", async () => {
  const app = await startTestServer({ readFileIdentity });
  await busyShop(app);
  await app.stop();
  const first = nameOf(`${app.directory}/waxwing.db`);
  renameSync(app.directory, `${app.directory}-moved`);
  const moved = await startTestServer({
    directory: `${app.directory}-moved`,
    clock: clockAt(app.clock.now()),
    readFileIdentity,
  });
  await moved.stop();
  expect(nameOf(`${app.directory}-moved/waxwing.db`)).toBe(first);
  renameSync(`${app.directory}-moved`, app.directory);
  await app[Symbol.asyncDispose]();
});

test("the inode alone identifies the file where its creation time is unknown", () => {
  expect(isSameFile({ inode: "7", createdAt: null }, { inode: "7", createdAt: 5 })).toBe(true);
  expect(isSameFile({ inode: "7", createdAt: 4 }, { inode: "7", createdAt: 5 })).toBe(false);
  expect(isSameFile({ inode: "7", createdAt: 4 }, { inode: "8", createdAt: 4 })).toBe(false);
});

function nameOf(path: string): string {
  const client = openClient(path, { readonly: true });
  try {
    return readInstance(client)?.instanceId ?? "";
  } finally {
    client.close();
  }
}
