/**
 * Messages by the network's id: whatever is stored, undone, moved, removed or restored, in this process or another one,
 * every message is found by its id and nothing else is.
 */
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eq } from "drizzle-orm";
import fc from "fast-check";
import { textHash } from "#src/core/text-hash.ts";
import { restoreSeed, restoreWorkspace, saveSeed } from "#src/db/seed.ts";
import type { Store } from "#src/db/store.ts";
import type { Tx } from "#src/db/transaction.ts";
import { addNetworkId, findByNetworkId, networkIdIndex, removeNetworkIds } from "#src/domain/messages/network-ids.ts";
import { messages } from "#src/domain/messages/table.ts";
import { countOf, indexerOf, openElsewhere, untilIdle } from "#test/support/indexers.ts";
import { inForm } from "#test/support/long-form.ts";
import { openTestStore, type TestStore } from "#test/support/store.ts";

const directory = mkdtempSync(join(tmpdir(), "waxwing-network-ids-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

test("the stored hashes are XXH32, whatever the runtime's version", () => {
  expect(["", "a", "wamid.HBgLMTY0NjcwNDM1OTUVAgARGBI4QTRDQkE1RUQ0AA=="].map(textHash)).toEqual([
    0x02cc5d05, 0x550d7456, 915170710,
  ]);
});

/** Two ids with the same hash. */
function findCollision(): [string, string] {
  const known = new Map<number, string>();
  for (let n = 0; ; n++) {
    const id = `wamid.${n}`;
    const other = known.get(textHash(id));
    if (other !== undefined) return [other, id];
    known.set(textHash(id), id);
  }
}

const IDS = [...findCollision(), "wamid.A", "wamid.B", "wamid.C"];

/** As the network's answer does: the row and its entry in one transaction. */
function store(tx: Tx, { shop, number }: TestStore, networkMessageId: string): number {
  const { id } = tx.db
    .insert(messages)
    .values({
      ...{ workspaceId: shop.id, numberId: number.id, origin: "api", type: "text", toPhone: "+919876543210" },
      ...{ fromPhone: number.phone, text: "Hello", status: "sent", outcomeUnknown: false, charged: false, rate: 0 },
      ...{
        sendToken: `token-${networkMessageId}-${Math.random()}`,
        money: "none",
        createdAt: tx.now,
        networkMessageId,
      },
    })
    .returning({ id: messages.id })
    .get();
  addNetworkId(tx, id, networkMessageId);
  return id;
}

type Batch = NonNullable<ReturnType<typeof networkIdIndex.plan>>;
const SLICES = 16;

type Step =
  | { do: "store"; id: string; where: "here" | "elsewhere" | "undone" | "found_in_group" }
  | { do: "remove"; id: string; isDeleted: boolean }
  | { do: "load" | "begin" | "end" | "end_stale" | "restart" | "save" | "restore" | "restore_workspace" }
  | { do: "copy"; slice: number }
  /** `meanwhile`: is stored when all others have been copied. */
  | { do: "move"; meanwhile: string };

const id = fc.constantFrom(...IDS);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    arbitrary: fc.record({
      do: fc.constant("store" as const),
      id,
      where: fc.constantFrom("here", "elsewhere", "undone", "found_in_group"),
    }),
    weight: 5,
  },
  fc.record({ do: fc.constant("remove" as const), id, isDeleted: fc.boolean() }),
  fc.record({
    do: fc.constantFrom("load", "begin", "end", "end_stale", "restart", "save", "restore", "restore_workspace"),
  }),
  fc.record({ do: fc.constant("move" as const), meanwhile: id }),
  fc.record({ do: fc.constant("copy" as const), slice: fc.nat(SLICES - 1) }),
);

test("a message is found by its network's id, and no other is", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40, size: "max" }), async (steps) => {
      using at = await openTestStore(0);
      using other = openElsewhere(at.store);
      await new Run(at, other.store).perform(steps);
    }),
    { numRuns: inForm({ short: 40, long: 600 }) },
  );
}, 120_000);

class Run {
  readonly #at: TestStore;
  readonly #other: Store;
  readonly #seed = join(directory, "seed.db");
  /** Ids of messages by their network's id. */
  #known = new Map<string, number>();
  #saved: Map<string, number> | null = null;
  /** It may end only when every slice has been copied. */
  #moving: { batch: Batch; uncopied: Set<number> } | null = null;
  /** Of a process that ended, or of rows that were replaced. */
  #stale: Batch | null = null;

  constructor(at: TestStore, other: Store) {
    this.#at = at;
    this.#other = other;
    at.store.read((tx) => networkIdIndex.watch(tx, 1, () => undefined));
  }

  async perform(steps: readonly Step[]): Promise<void> {
    for (const one of steps) {
      await this.#take(one);
      await this.#check();
    }
  }

  async #take(one: Step): Promise<void> {
    const { store: here } = this.#at;
    switch (one.do) {
      case "store":
        return this.#store(one.id, one.where);
      case "remove":
        return this.#remove(one.id, one.isDeleted);
      case "load":
        here.read((tx) => networkIdIndex.load(tx, 2));
        return;
      case "begin":
        this.#moving ??= this.#begin();
        return;
      case "copy":
        return this.#copy(one.slice);
      case "end":
        if (this.#moving?.uncopied.size === 0) await this.#end(this.#moving.batch);
        return;
      case "end_stale":
        if (this.#stale !== null) await this.#end(this.#stale);
        return;
      case "move":
        await this.#move(one.meanwhile);
        return;
      case "restart":
        this.#forget();
        return;
      case "save":
        saveSeed(here, this.#seed);
        this.#saved = new Map(this.#known);
        return;
      case "restore":
        if (this.#saved === null) return;
        await restoreSeed(here, this.#seed);
        this.#forget();
        this.#known = new Map(this.#saved);
        return;
      case "restore_workspace":
        if (this.#saved === null) return;
        this.#forget();
        await restoreWorkspace(here, this.#seed, this.#at.shop.id, null);
        this.#forget();
        this.#known = new Map(this.#saved);
    }
  }

  #begin(): { batch: Batch; uncopied: Set<number> } | null {
    const batch = this.#at.store.read((tx) => networkIdIndex.plan(tx, 1));
    return batch === null ? null : { batch, uncopied: new Set(Array(batch.steps).keys()) };
  }

  async #copy(slice: number): Promise<void> {
    const moving = this.#moving;
    if (moving === null) return;
    await this.#at.store.write((tx) => networkIdIndex.copy(tx, moving.batch, slice));
    moving.uncopied.delete(slice);
  }

  async #end(batch: Batch): Promise<void> {
    await this.#at.store.write((tx) => networkIdIndex.end(tx, batch));
    if (batch === this.#moving?.batch) this.#moving = null;
  }

  #forget(): void {
    this.#at.store.read(networkIdIndex.forget);
    this.#stale = this.#moving?.batch ?? this.#stale;
    this.#moving = null;
  }

  async #store(name: string, where: Extract<Step, { do: "store" }>["where"]): Promise<void> {
    if (this.#known.has(name)) return;
    const { store: here, number } = this.#at;
    const target = where === "elsewhere" ? this.#other : here;
    const stored = target.write((tx) => {
      const messageId = store(tx, this.#at, name);
      if (where === "undone") throw new Error("undone");
      return messageId;
    });
    if (where === "undone") {
      expect(await stored.catch(({ message }: Error) => message)).toBe("undone");
      return;
    }
    const found = where === "found_in_group" ? here.write((tx) => findByNetworkId(tx, number.id, name)?.id) : stored;
    this.#known.set(name, await stored);
    expect(await found).toBe(await stored);
  }

  async #remove(name: string, isDeleted: boolean): Promise<void> {
    const messageId = this.#known.get(name);
    if (messageId === undefined) return;
    await this.#at.store.write((tx) => {
      removeNetworkIds(tx, [{ id: messageId, networkMessageId: name }]);
      const isIt = eq(messages.id, messageId);
      if (isDeleted) tx.db.delete(messages).where(isIt).run();
      else tx.db.update(messages).set({ networkMessageId: null }).where(isIt).run();
    });
    this.#known.delete(name);
    expect(countOf(this.#at.store, `network_ids WHERE message_id = ${messageId}`)).toBe(0);
    expect(countOf(this.#at.store, `recent_network_ids WHERE message_id = ${messageId}`)).toBe(0);
  }

  async #move(meanwhile: string): Promise<void> {
    const { store: here } = this.#at;
    while (here.read((tx) => networkIdIndex.load(tx, 2)));
    this.#moving ??= this.#begin();
    if (this.#moving === null) return;
    for (let slice = 0; slice < SLICES; slice++) await this.#copy(slice);
    await this.#store(meanwhile, "here");
    await this.#end(this.#moving.batch);
  }

  async #check(): Promise<void> {
    const { store: here, number } = this.#at;
    const expected = IDS.map((name) => this.#known.get(name));
    const find = (numberId: number) => (tx: Parameters<typeof findByNetworkId>[0]) =>
      IDS.map((name) => findByNetworkId(tx, numberId, name)?.id);
    expect(here.read(find(number.id))).toEqual(expected);
    expect(await here.write(find(number.id))).toEqual(expected);
    // Reads of one turn share a view, which may be older than the last commit here.
    this.#other.dataVersion();
    expect(this.#other.read(find(number.id))).toEqual(expected);
    expect(here.read(find(number.id + 1))).toEqual(IDS.map(() => undefined));
  }
}

test("the indexer moves full batches only, one after the other, and also those of before its start", async () => {
  using at = await openTestStore(0);
  const { indexer } = indexerOf(at, networkIdIndex);
  const names = await storeMany(at, 0, 350);
  indexer.start();
  await untilIdle(indexer);
  expect(countOf(at.store, "network_ids")).toBe(300);
  names.push(...(await storeMany(at, 350, 100)));
  await untilIdle(indexer);
  expect(countOf(at.store, "network_ids")).toBe(400);
  expect(countOf(at.store, "recent_network_ids")).toBe(50);
  expect(at.store.read((tx) => names.filter((name) => !findByNetworkId(tx, at.number.id, name)))).toEqual([]);
  indexer.stop();
});

test("a move that fails is logged once and waits for its timer, however many messages come meanwhile", async () => {
  using at = await openTestStore(0);
  const { indexer, errors } = indexerOf(at, networkIdIndex);
  at.store.client.exec(
    "CREATE TEMP TRIGGER broken BEFORE INSERT ON main.network_ids BEGIN SELECT RAISE(ABORT, 'broken'); END",
  );
  indexer.start();
  const names = await storeMany(at, 0, 300);
  await untilIdle(indexer);
  expect(errors).toEqual(["network_ids.failed"]);
  at.store.client.exec("DROP TRIGGER broken");
  // As the timer does.
  indexer.notify();
  await untilIdle(indexer);
  expect(countOf(at.store, "network_ids")).toBe(200);
  expect(at.store.read((tx) => names.filter((name) => !findByNetworkId(tx, at.number.id, name)))).toEqual([]);
  indexer.stop();
});

test("an id that is not well-formed is found as it was stored", async () => {
  using at = await openTestStore(0);
  const stored = await at.store.write((tx) => store(tx, at, "wamid.\ud800"));
  expect(at.store.read((tx) => findByNetworkId(tx, at.number.id, "wamid.\ud800")?.id)).toBe(stored);
});

async function storeMany(at: TestStore, from: number, count: number): Promise<string[]> {
  const names = Array.from({ length: count }, (_, index) => `wamid.N${from + index}`);
  for (const name of names) await at.store.write((tx) => store(tx, at, name));
  return names;
}
