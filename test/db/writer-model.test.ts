/**
 * Random operations, run by the writer and by a short model: insert, throw, nested transactions, caught or not. Table,
 * effects and rejections must be the same, whether operations are repeatable, and run without savepoints, or not.
 */
import { expect, setDefaultTimeout, test } from "bun:test";
import { sql } from "drizzle-orm";
import fc from "fast-check";
import { StorageUnavailable } from "#src/db/failure.ts";
import type { Tx } from "#src/db/transaction.ts";
import { column, openTestDatabase } from "../support/database.ts";

// Real processes and real commits on a machine that may be busy with other tests.
setDefaultTimeout(60_000);

const insert = (tx: Tx, id: number): void => {
  tx.db.run(sql`INSERT INTO rows (id) VALUES (${id})`);
};

/** The steps of an operation, in order. */
type Step =
  | { do: "insert"; id: number }
  | { do: "effect"; name: number }
  | { do: "throw" }
  | { do: "part"; steps: Step[]; isCaught: boolean };

interface World {
  insert(id: number): void;
  effect(name: number): void;
  part(run: () => void): void;
}

function perform(steps: Step[], world: World): void {
  for (const step of steps) {
    if (step.do === "insert") world.insert(step.id);
    else if (step.do === "effect") world.effect(step.name);
    else if (step.do === "throw") throw new Error("thrown");
    else {
      try {
        world.part(() => perform(step.steps, world));
      } catch (error) {
        if (!step.isCaught) throw error;
      }
    }
  }
}

class Model implements World {
  ids: number[] = [];
  effects: number[] = [];

  insert(id: number): void {
    if (this.ids.includes(id)) throw new Error("a duplicate");
    this.ids.push(id);
  }

  effect(name: number): void {
    this.effects.push(name);
  }

  part(run: () => void): void {
    const [idCount, effectCount] = [this.ids.length, this.effects.length];
    try {
      run();
    } catch (error) {
      this.ids.length = idCount;
      this.effects.length = effectCount;
      throw error;
    }
  }

  /** True if it threw. */
  operation(steps: Step[]): boolean {
    try {
      this.part(() => perform(steps, this));
      return false;
    } catch {
      return true;
    }
  }
}

const { steps: someSteps } = fc.letrec<{ steps: Step[]; step: Step }>((tie) => ({
  step: fc.oneof(
    { maxDepth: 3 },
    { weight: 6, arbitrary: fc.record({ do: fc.constant("insert" as const), id: fc.integer({ min: 1, max: 40 }) }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant("effect" as const), name: fc.nat(999) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("throw" as const) }) },
    {
      weight: 3,
      arbitrary: fc.record({ do: fc.constant("part" as const), steps: tie("steps"), isCaught: fc.boolean() }),
    },
  ),
  steps: fc.array(tie("step"), { maxLength: 6 }),
}));

/** Half of the groups are of repeatable operations alone. */
const someGroup = fc.boolean().chain((areAll) =>
  fc.array(fc.record({ steps: someSteps, isRepeatable: areAll ? fc.constant(true) : fc.boolean() }), {
    minLength: 1,
    maxLength: 8,
  }),
);

test("whatever operations do, throw and catch, the table and the effects are those of the operations that succeeded", async () => {
  await using database = openTestDatabase({ schema: "CREATE TABLE rows (id INTEGER PRIMARY KEY) STRICT" });
  const { store } = database;
  const outside = database.connect();
  await fc.assert(
    fc.asyncProperty(fc.array(someGroup, { maxLength: 4 }), async (groups) => {
      await store.write((tx) => void tx.db.run(sql`DELETE FROM rows`));
      const model = new Model();
      const effects: number[] = [];
      for (const group of groups) {
        const results = await Promise.allSettled(
          group.map(({ steps, isRepeatable }) => {
            const run = (tx: Tx): void =>
              perform(steps, {
                insert: (id) => insert(tx, id),
                effect: (name) => tx.afterCommit(() => effects.push(name)),
                part: (work) => tx.savepoint(work),
              });
            return isRepeatable ? store.writeRepeatable(run) : store.write(run);
          }),
        );
        const threw = group.map(({ steps }) => model.operation(steps));
        expect(results.map(({ status }) => status === "rejected")).toEqual(threw);
        // Each rejects with its own error: the storage has not failed here.
        for (const result of results) {
          if (result.status === "rejected") expect(result.reason).not.toBeInstanceOf(StorageUnavailable);
        }
        expect(column(outside, "SELECT id FROM rows ORDER BY id")).toEqual([...model.ids].sort((a, b) => a - b));
        expect(effects).toEqual(model.effects);
      }
    }),
    { numRuns: 300 },
  );
});
