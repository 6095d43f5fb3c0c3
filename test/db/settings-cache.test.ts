/** Remembered rows: read once in a transaction, and never older than what a statement would read. */
import { expect, test } from "bun:test";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eq, sql } from "drizzle-orm";
import fc from "fast-check";
import { type Client, openClient } from "#src/db/driver.ts";
import { restoreSeed, saveSeed } from "#src/db/seed.ts";
import { remembered } from "#src/db/settings-cache.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { findAccount, setPrice } from "#src/domain/billing/account.ts";
import { billingAccounts } from "#src/domain/billing/table.ts";
import { findWebhook } from "#src/domain/webhooks/read.ts";
import { webhooks } from "#src/domain/webhooks/table.ts";
import { createKey, findBearer } from "#src/domain/workspaces/api-keys.ts";
import { findWorkspace } from "#src/domain/workspaces/read.ts";
import { apiKeys, workspaces } from "#src/domain/workspaces/table.ts";
import { openTestStore } from "../support/store.ts";

type Elsewhere = { kind: "other_process" | "other_key" | "other_account"; name: string };
type Step =
  | Elsewhere
  | { kind: "rename" | "address" | "price" | "uncharge"; name: string }
  | { kind: "fail"; name: string }
  | { kind: "commit_fails"; name: string }
  | { kind: "nested"; name: string; fails: boolean };

const name = fc.stringMatching(/^[a-z]{1,6}$/);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constantFrom("rename" as const, "address" as const, "price" as const, "uncharge" as const),
    name,
  }),
  fc.record({ kind: fc.constant("fail" as const), name }),
  fc.record({ kind: fc.constant("commit_fails" as const), name }),
  fc.record({ kind: fc.constant("nested" as const), name, fails: fc.boolean() }),
  fc.record({ kind: fc.constantFrom("other_process", "other_key", "other_account"), name }),
);

function isElsewhere(one: Step): one is Elsewhere {
  return one.kind === "other_process" || one.kind === "other_key" || one.kind === "other_account";
}

test("whatever is written, undone or committed elsewhere, a look-up returns what a statement reads", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(step, fc.boolean()), { maxLength: 12 }), async (steps) => {
      using at = await openTestStore(0);
      const other = openClient(at.store.client.name, { timeout: 5_000 });
      const { store, shop } = at;
      await store.write((tx) =>
        tx.db
          .insert(webhooks)
          .values({ workspaceId: shop.id, url: null, secret: "s", consecutiveTimeouts: 0, updatedAt: 0 })
          .run(),
      );
      const { key, id: keyId } = await store.write((tx) => createKey(tx, shop.id, "Key"));
      // Collected, because an error thrown in a transaction is also how it is undone here.
      const wrong: unknown[] = [];
      const compare = (found: unknown, read: unknown): void => {
        if (!Bun.deepEquals(found, read)) wrong.push({ found, read });
      };
      const check = (tx: ReadTx): void => {
        const [read] = tx.db.select().from(workspaces).where(eq(workspaces.id, shop.id)).all();
        compare(findWorkspace(tx, shop.id), read);
        const [address] = tx.db.select().from(webhooks).where(eq(webhooks.workspaceId, shop.id)).all();
        compare(findWebhook(tx, shop.id), address === undefined ? undefined : { id: 1, ...address });
        const [stored] = tx.db.select().from(apiKeys).where(eq(apiKeys.id, keyId)).all();
        compare(findBearer(tx, key)?.workspace, stored?.revokedAt === null ? read : undefined);
        const [account] = tx.db.select().from(billingAccounts).where(eq(billingAccounts.workspaceId, shop.id)).all();
        compare(findAccount(tx, shop.id), account);
      };
      const rename = (tx: Tx, to: string): void => {
        check(tx);
        tx.db.update(workspaces).set({ name: to }).where(eq(workspaces.id, shop.id)).run();
        check(tx);
      };
      let running: Promise<unknown>[] = [];
      for (const [one, waits] of steps) {
        if (isElsewhere(one)) {
          await Promise.all(running);
          running = [];
          if (one.kind === "other_process") other.prepare("UPDATE workspaces SET name = ?").run(one.name);
          else if (one.kind === "other_account") switchAccount(other, shop.id);
          else other.exec("UPDATE api_keys SET revoked_at = CASE WHEN revoked_at IS NULL THEN 1 END");
        } else {
          running.push(store.write((tx) => act(tx, one)).catch(() => undefined));
        }
        if (waits) {
          await Promise.all(running);
          running = [];
        }
        store.read(check);
      }
      await Promise.all(running);
      store.read(check);
      other.close();
      expect(wrong).toEqual([]);

      function act(tx: Tx, one: Exclude<Step, Elsewhere>): void {
        if (one.kind === "address") {
          check(tx);
          tx.db.run(sql`UPDATE webhooks SET url = ${one.name}`);
        } else if (one.kind === "price") {
          check(tx);
          setPrice(tx, shop.id, "EUR", one.name.length);
        } else if (one.kind === "uncharge") {
          check(tx);
          tx.db.delete(billingAccounts).run();
        } else if (one.kind !== "nested") rename(tx, one.name);
        else {
          try {
            tx.savepoint(() => {
              rename(tx, one.name);
              setPrice(tx, shop.id, "USD", one.name.length);
              if (one.fails) throw new Error("undo");
            });
          } catch {
            check(tx);
          }
        }
        if (one.kind === "fail") throw new Error("undo");
        if (one.kind === "commit_fails") {
          tx.db.run(sql`PRAGMA defer_foreign_keys = ON`);
          tx.db.run(sql`UPDATE webhooks SET workspace_id = 999`);
        }
        check(tx);
      }
    }),
    { numRuns: 60 },
  );
});

/** Opens the account, or removes it. */
function switchAccount(client: Client, workspaceId: number): void {
  if (client.prepare("DELETE FROM billing_accounts").run().changes > 0) return;
  client
    .prepare(
      "INSERT INTO billing_accounts (workspace_id, currency, rate, credited, held, charged) VALUES (?, 'USD', 1, 0, 0, 0)",
    )
    .run(workspaceId);
}

test("a row is read once until it may have changed, and what is returned cannot be changed", async () => {
  using at = await openTestStore(0);
  const { store, shop } = at;
  const find = (tx: ReadTx) => findWorkspace(tx, shop.id);
  const first = await store.write(find);
  expect(Object.isFrozen(first)).toBe(true);
  await store.write((tx) => tx.db.run(sql`DELETE FROM events`));
  await Bun.sleep(0);
  expect(store.read(find)).toBe(first);
  await store.write((tx) => tx.db.run(sql`UPDATE workspaces SET name = name`));
  expect(store.read(find)).not.toBe(first);
  expect(store.read(find)).toEqual(first);
});

test.each([
  ["by the store's connection", "UPDATE numbers SET id = id"],
  ["by a statement that does not begin with its verb", "WITH one AS (SELECT 1) UPDATE numbers SET id = id"],
  ["by a trigger of another table", "UPDATE instance SET write_probe = 1"],
  ["as an account that is removed", "DELETE FROM billing_accounts"],
])("a row that is written %s counts at once", async (_, text) => {
  using at = await openTestStore(0);
  const { client } = at.store;
  client.exec(`CREATE TEMP TRIGGER indirect AFTER UPDATE ON main.instance
    BEGIN UPDATE numbers SET id = id; END`);
  const state = (): object => at.store.read((tx) => tx.settingsState);
  const before = state();
  client.exec("UPDATE billing_accounts SET held = 1");
  expect(state()).toBe(before);
  client.exec(text);
  expect(state()).not.toBe(before);
});

test("the first parked status counts at once, and no other one forgets what is remembered", async () => {
  using at = await openTestStore(0);
  const { client } = at.store;
  const state = (): object => at.store.read((tx) => tx.settingsState);
  const park = (id: string): unknown =>
    client
      .prepare("INSERT INTO parked_statuses (number_id, network_message_id, item, expires_at) VALUES (?, ?, '{}', 1)")
      .run(at.number.id, id);
  const before = state();
  park("wamid.1");
  const after = state();
  expect(after).not.toBe(before);
  park("wamid.2");
  expect(state()).toBe(after);
  client.exec("DELETE FROM parked_statuses");
  park("wamid.3");
  expect(state()).not.toBe(after);
});

test("the first message that a reply cancels counts at once, and no other one forgets what is remembered", async () => {
  using at = await openTestStore(0);
  const { client } = at.store;
  client.pragma("foreign_keys = OFF");
  const state = (): object => at.store.read((tx) => tx.settingsState);
  const schedule = (id: number, isCancelled: 0 | 1): unknown =>
    client
      .prepare(
        `INSERT INTO scheduled_messages (message_id, workspace_id, contact_id, content, cancel_on_reply, due_since)
         VALUES (?, ?, 1, '{}', ?, 1)`,
      )
      .run(id, at.shop.id, isCancelled);
  const before = state();
  schedule(1, 0);
  expect(state()).toBe(before);
  schedule(2, 1);
  const after = state();
  expect(after).not.toBe(before);
  schedule(3, 1);
  expect(state()).toBe(after);
});

test("the tables of all look-ups are watched", async () => {
  using at = await openTestStore(0);
  const { client } = at.store;
  at.store.read((tx) => findWorkspace(tx, at.shop.id));
  const watched = client
    .prepare("SELECT DISTINCT tbl_name FROM temp.sqlite_master WHERE type = 'trigger'")
    .pluck()
    .all();
  expect(watched.toSorted()).toEqual([
    "api_keys",
    "billing_accounts",
    "further_webhooks",
    "network_health",
    "numbers",
    "parked_statuses",
    "scheduled_messages",
    "templates",
    "unlisted_refusals",
    "webhooks",
    "workspaces",
  ]);
});

test("what a seed brings back counts at once, and so does what it could not bring back", async () => {
  using at = await openTestStore(0);
  const { store, shop } = at;
  const name = (): string | undefined => store.read((tx) => findWorkspace(tx, shop.id)?.name);
  const seed = join(mkdtempSync(join(tmpdir(), "waxwing-seed-")), "seed.db");
  saveSeed(store, seed);
  const rename = (to: string) => store.write((tx) => tx.db.run(sql`UPDATE workspaces SET name = ${to}`));
  await rename("Other");
  expect(name()).toBe("Other");
  await restoreSeed(store, seed);
  expect(name()).toBe(shop.name);
  await rename("Third");
  expect(name()).toBe("Third");
  await expect(restoreSeed(store, "/nowhere/seed.db")).rejects.toThrow();
  expect(name()).toBe("Third");
});

test("names that a caller makes up do not fill the memory", async () => {
  using at = await openTestStore(0);
  let rows = 0;
  const find = remembered((_tx, id: number) => {
    rows += 1;
    return { id };
  });
  await at.store.write((tx) => {
    for (let id = 0; id < 1_200; id += 1) find(tx, id);
    for (let id = 1_199; id > 1_000; id -= 1) find(tx, id);
    expect(rows).toBe(1_200);
    find(tx, 0);
    expect(rows).toBe(1_201);
  });
});
