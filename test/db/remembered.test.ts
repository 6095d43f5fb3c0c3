/** Remembered rows: read once in a transaction, and never older than what a statement would read. */
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { eq, sql } from "drizzle-orm";
import fc from "fast-check";
import { openClient } from "#src/db/driver.ts";
import { SETTINGS_TABLES, writesSettings } from "#src/db/remembered.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { findWebhook } from "#src/domain/webhooks/read.ts";
import { webhooks } from "#src/domain/webhooks/table.ts";
import { findWorkspace } from "#src/domain/workspaces/read.ts";
import { workspaces } from "#src/domain/workspaces/table.ts";
import { openTestStore } from "../support/store.ts";

const schema = readFileSync(join(import.meta.dir, "../../migrations/schema.sql"), "utf8");

describe("which statements make remembered rows be forgotten", () => {
  test.each([
    "UPDATE workspaces SET name = 'x'",
    'update "workspaces" set "name" = ?',
    "UPDATE OR IGNORE numbers SET ready = 1",
    'insert into "network_health" ("number_id") values (?) on conflict do nothing',
    "INSERT OR REPLACE INTO webhooks (workspace_id) VALUES (1)",
    "REPLACE INTO templates (id) VALUES (1)",
    "  DELETE FROM numbers WHERE id = 1",
    "WITH old AS (SELECT 1) UPDATE messages SET text = NULL",
  ])("%s", (text) => {
    expect(writesSettings(text)).toBe(true);
  });

  test.each(["UPDATE messages SET text = NULL", 'insert into "events" ("id") values (?)', "DELETE FROM outbox"])(
    "not %s",
    (text) => {
      expect(writesSettings(text)).toBe(false);
    },
  );

  test("no trigger and no foreign key changes their tables", () => {
    const triggers = [...schema.matchAll(/CREATE TRIGGER (\w+) AFTER \w+[\s\S]*?\bEND;/g)];
    expect(triggers.length).toBeGreaterThan(5);
    for (const [text] of triggers) {
      for (const [, table = ""] of text.matchAll(/(?:INTO|UPDATE|DELETE FROM) (\w+)/g)) {
        expect([table, table !== "OF" && table !== "SET" && SETTINGS_TABLES.has(table)]).toEqual([table, false]);
      }
    }
    for (const [text, table = ""] of schema.matchAll(/CREATE TABLE (\w+) \([\s\S]*?\n\)/g)) {
      if (SETTINGS_TABLES.has(table)) expect(text).not.toMatch(/ON (DELETE|UPDATE) (CASCADE|SET)/);
    }
  });
});

type Step =
  | { kind: "rename" | "address"; name: string }
  | { kind: "fail"; name: string }
  | { kind: "nested"; name: string; fails: boolean }
  | { kind: "other_process"; name: string };

const name = fc.stringMatching(/^[a-z]{1,6}$/);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constantFrom("rename" as const, "address" as const), name }),
  fc.record({ kind: fc.constant("fail" as const), name }),
  fc.record({ kind: fc.constant("nested" as const), name, fails: fc.boolean() }),
  fc.record({ kind: fc.constant("other_process" as const), name }),
);

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
      // Collected, because an error thrown in a transaction is also how it is undone here.
      const wrong: unknown[] = [];
      const compare = (found: unknown, read: unknown): void => {
        if (!Bun.deepEquals(found, read)) wrong.push({ found, read });
      };
      const check = (tx: ReadTx): void => {
        const [read] = tx.db.select().from(workspaces).where(eq(workspaces.id, shop.id)).all();
        compare(findWorkspace(tx, shop.id), read);
        const [address] = tx.db.select().from(webhooks).where(eq(webhooks.workspaceId, shop.id)).all();
        compare(findWebhook(tx, shop.id), address);
      };
      const rename = (tx: Tx, to: string): void => {
        check(tx);
        tx.db.update(workspaces).set({ name: to }).where(eq(workspaces.id, shop.id)).run();
        check(tx);
      };
      let running: Promise<unknown>[] = [];
      for (const [one, waits] of steps) {
        if (one.kind === "other_process") {
          await Promise.all(running);
          running = [];
          other.prepare("UPDATE workspaces SET name = ?").run(one.name);
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

      function act(tx: Tx, one: Exclude<Step, { kind: "other_process" }>): void {
        if (one.kind === "address") {
          check(tx);
          tx.db.run(sql`UPDATE webhooks SET url = ${one.name}`);
        } else if (one.kind !== "nested") rename(tx, one.name);
        else {
          try {
            tx.savepoint(() => {
              rename(tx, one.name);
              if (one.fails) throw new Error("undo");
            });
          } catch {
            check(tx);
          }
        }
        if (one.kind === "fail") throw new Error("undo");
        check(tx);
      }
    }),
    { numRuns: 60 },
  );
});

test("in one group a row is read once, and what is returned cannot be changed", async () => {
  using at = await openTestStore(0);
  const { store, shop } = at;
  const [first, second] = await Promise.all([
    store.write((tx) => ({ found: findWorkspace(tx, shop.id) })),
    store.write((tx) => ({ found: findWorkspace(tx, shop.id) })),
  ]);
  expect(first.found).toBe(second.found);
  expect(Object.isFrozen(first.found)).toBe(true);
  const later = await store.write((tx) => ({ found: findWorkspace(tx, shop.id) }));
  expect(later.found).not.toBe(first.found);
});
