/**
 * The messages of a person: whatever is accepted, undone, dispatched again, moved to the index, deleted or restored, every
 * connection finds each dispatched message of a contact once, the newest first, and no other.
 */
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eq } from "drizzle-orm";
import fc from "fast-check";
import { restoreSeed, restoreWorkspace, saveSeed } from "#src/db/seed.ts";
import type { Store } from "#src/db/store.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { contacts } from "#src/domain/contacts/table.ts";
import { idsOfContact } from "#src/domain/messages/contact-message-statements.ts";
import {
  type ContactMove,
  contactMessageIndex,
  indexAllOf,
  lastDispatchedAt,
  listDispatchedPlaces,
  noteAccepted,
  noteDispatchedAgain,
} from "#src/domain/messages/contact-messages.ts";
import { messageById } from "#src/domain/messages/statements.ts";
import { messages } from "#src/domain/messages/table.ts";
import { invariants } from "#src/health/invariants.ts";
import { countOf, indexerOf, openElsewhere, untilIdle } from "#test/support/indexers.ts";
import { inForm } from "#test/support/long-form.ts";
import { openTestStore, type TestStore } from "#test/support/store.ts";

const directory = mkdtempSync(join(tmpdir(), "waxwing-contact-messages-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const PEOPLE = 3;
const NEWEST = { at: Number.MAX_SAFE_INTEGER, id: Number.MAX_SAFE_INTEGER };

type Step =
  | { do: "accept"; person: number; isUndone: boolean }
  | { do: "dispatch_again" | "delete"; which: number }
  /** `skip`: the copies begin there, and the first ones come last. */
  | { do: "move"; skip: number; meanwhile: Step[]; isEnded: boolean }
  | { do: "wait" | "restart" | "load" | "save" | "restore" | "restore_workspace" };

const single: fc.Arbitrary<Step> = fc.oneof(
  {
    arbitrary: fc.record({ do: fc.constant("accept" as const), person: fc.nat(PEOPLE - 1), isUndone: fc.boolean() }),
    weight: 4,
  },
  fc.record({ do: fc.constantFrom("dispatch_again" as const, "delete" as const), which: fc.nat() }),
  fc.constant({ do: "wait" as const }),
);
const step: fc.Arbitrary<Step> = fc.oneof(
  { arbitrary: single, weight: 6 },
  {
    arbitrary: fc.record({
      do: fc.constant("move" as const),
      skip: fc.nat(3),
      meanwhile: fc.array(single, { maxLength: 4 }),
      isEnded: fc.boolean(),
    }),
    weight: 2,
  },
  fc.record({ do: fc.constantFrom("restart", "load", "save", "restore", "restore_workspace") }),
);

test("each message of a person is found once, by every connection", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40, size: "max" }), async (steps) => {
      using at = await openTestStore(0);
      using other = openElsewhere(at.store);
      const run = new Run(at, other.store, await storePeople(at, PEOPLE));
      for (const one of steps) {
        await run.take(one);
        await run.check();
      }
    }),
    { numRuns: inForm({ short: 40, long: 600 }) },
  );
}, 120_000);

interface Known {
  id: number;
  contactId: number;
  at: number;
}

class Run {
  readonly #at: TestStore;
  readonly #other: Store;
  readonly #people: readonly number[];
  readonly #seed = join(directory, "seed.db");
  #known: Known[] = [];
  #saved: Known[] | null = null;

  constructor(at: TestStore, other: Store, people: readonly number[]) {
    this.#at = at;
    this.#other = other;
    this.#people = people;
    at.store.read((tx) => contactMessageIndex.watch(tx, 1, () => undefined));
  }

  async take(one: Step): Promise<void> {
    const { store: here, clock } = this.#at;
    switch (one.do) {
      case "accept":
        return this.#accept(this.#people[one.person] ?? 0, one.isUndone);
      case "dispatch_again":
        return this.#dispatchAgain(one.which);
      case "delete":
        return this.#delete(one.which);
      case "wait":
        return clock.advance(1_000);
      case "move":
        return this.#move(one);
      case "load":
        here.read((tx) => contactMessageIndex.load(tx, 1));
        return;
      case "restart":
        return here.read(contactMessageIndex.forget);
      case "save":
        saveSeed(here, this.#seed);
        this.#saved = [...this.#known];
        return;
      case "restore":
        if (this.#saved === null) return;
        await restoreSeed(here, this.#seed);
        here.read(contactMessageIndex.forget);
        this.#known = [...this.#saved];
        return;
      case "restore_workspace":
        if (this.#saved === null) return;
        await restoreWorkspace(here, this.#seed, this.#at.shop.id, null);
        await here.write((tx) => indexAllOf(tx, this.#at.shop.id));
        here.read(contactMessageIndex.forget);
        this.#known = [...this.#saved];
    }
  }

  async #accept(contactId: number, isUndone: boolean): Promise<void> {
    const accepted = this.#at.store.write((tx) => {
      const id = accept(tx, this.#at, contactId);
      if (isUndone) throw new Error("undone");
      return { id, contactId, at: tx.now };
    });
    if (isUndone) expect(await accepted.catch(({ message }: Error) => message)).toBe("undone");
    else this.#known.push(await accepted);
  }

  async #dispatchAgain(which: number): Promise<void> {
    const known = this.#known[which % this.#known.length];
    if (known === undefined) return;
    const at = await this.#at.store.write((tx) => {
      const before = messageById(tx).get({ id: known.id });
      if (before === undefined) throw new Error("gone");
      tx.db.update(messages).set({ dispatchedAt: tx.now }).where(eq(messages.id, known.id)).run();
      noteDispatchedAgain(tx, before, { ...before, dispatchedAt: tx.now });
      return tx.now;
    });
    this.#known = this.#known.map((one) => (one === known ? { ...one, at } : one));
  }

  async #delete(which: number): Promise<void> {
    const known = this.#known[which % this.#known.length];
    if (known === undefined) return;
    await this.#at.store.write((tx) => tx.db.delete(messages).where(eq(messages.id, known.id)).run());
    this.#known = this.#known.filter((one) => one !== known);
    expect(countOf(this.#at.store, `contact_messages WHERE message_id = ${known.id}`)).toBe(0);
  }

  async #move({ skip, meanwhile, isEnded }: Extract<Step, { do: "move" }>): Promise<void> {
    const { store: here } = this.#at;
    const move = here.read((tx) => contactMessageIndex.plan(tx, 1));
    if (move === null) return;
    // A border at each person, so that a few messages take several steps.
    const inSteps: ContactMove = { ...move, borders: [...this.#people] };
    const steps = Array.from({ length: inSteps.borders.length + 1 }, (_, index) => index);
    for (const copied of [...steps.slice(skip), ...steps.slice(0, skip)]) {
      await here.write((tx) => contactMessageIndex.copy(tx, inSteps, copied));
      const next = meanwhile[copied];
      if (next !== undefined) await this.take(next);
      await this.check();
    }
    if (isEnded) await here.write((tx) => contactMessageIndex.end(tx, inSteps));
  }

  async check(): Promise<void> {
    const { store: here, shop } = this.#at;
    const expected = this.#people.map((contactId) => {
      const own = this.#known.filter((one) => one.contactId === contactId);
      return { ids: own.toSorted((one, two) => two.at - one.at || two.id - one.id).map(({ id }) => id), all: own };
    });
    const find = (tx: ReadTx) =>
      this.#people.map((id) =>
        listDispatchedPlaces(tx, { id, workspaceId: shop.id }, NEWEST, 100).map((place) => place.id),
      );
    const ids = expected.map((one) => one.ids);
    expect(here.read(find)).toEqual(ids);
    expect(await here.write(find)).toEqual(ids);
    // Reads of one turn share a view, which may be older than the last commit here.
    this.#other.dataVersion();
    expect(this.#other.read(find)).toEqual(ids);
    for (const [index, { all }] of expected.entries()) {
      const contact = { id: this.#people[index] ?? 0, workspaceId: shop.id };
      const last = all.length === 0 ? null : Math.max(...all.map((one) => one.at));
      expect(here.read((tx) => lastDispatchedAt(tx, contact))).toBe(last);
      const sql = idsOfContact(String(contact.id), String(shop.id), { broadcasts: true });
      const found = here.client.prepare(`SELECT DISTINCT * FROM (${sql}) ORDER BY 1`).pluck().all() as number[];
      expect(found).toEqual(all.map(({ id }) => id).toSorted((one, two) => one - two));
    }
    const { sql = "" } = invariants.find(({ name }) => name === "messages_of_people_are_found") ?? {};
    expect(here.client.prepare(sql).all({ from: 0, to: Number.MAX_SAFE_INTEGER })).toEqual([]);
  }
}

test("the indexer moves full batches only, in steps, and also those of before its start", async () => {
  using at = await openTestStore(0);
  const people = await storePeople(at, 40);
  const { indexer } = indexerOf(at, contactMessageIndex);
  await acceptMany(at, people, 90);
  indexer.start();
  await untilIdle(indexer);
  expect(countOf(at.store, "contact_messages")).toBe(0);
  await acceptMany(at, people, 20);
  await untilIdle(indexer);
  // What came after the hundredth was there when the move was planned, or waits for the next.
  const moved = countOf(at.store, "contact_messages");
  expect(moved).toBeGreaterThanOrEqual(100);
  await acceptMany(at, people, 290);
  await untilIdle(indexer);
  expect(countOf(at.store, "contact_messages")).toBeGreaterThan(300);
  const found = people.map(
    (id) => at.store.read((tx) => listDispatchedPlaces(tx, { id, workspaceId: at.shop.id }, NEWEST, 100)).length,
  );
  expect(found.reduce((sum, one) => sum + one, 0)).toBe(400);
  indexer.stop();
});

test("more messages than a step has, most of them to one person, move whole", async () => {
  using at = await openTestStore(0);
  const people = await storePeople(at, 5);
  const [first = 0] = people;
  await at.store.write((tx) => {
    for (let n = 0; n < 2_600; n++) accept(tx, at, n % 2 === 0 ? first : (people[n % 5] ?? 0));
  });
  const move = at.store.read((tx) => contactMessageIndex.plan(tx, 1));
  expect(move?.borders.length).toBeGreaterThan(0);
  const { indexer } = indexerOf(at, contactMessageIndex);
  indexer.start();
  await untilIdle(indexer);
  expect(countOf(at.store, "contact_messages")).toBe(2_600);
  expect(countOf(at.store, "instance WHERE contact_messages_until >= 2600")).toBe(1);
  indexer.stop();
});

test("a move that fails is logged once and waits for its timer, however many messages come meanwhile", async () => {
  using at = await openTestStore(0);
  const people = await storePeople(at, 5);
  const { indexer, errors } = indexerOf(at, contactMessageIndex);
  at.store.client.exec(
    "CREATE TEMP TRIGGER broken BEFORE INSERT ON main.contact_messages BEGIN SELECT RAISE(ABORT, 'broken'); END",
  );
  indexer.start();
  await acceptMany(at, people, 300);
  await untilIdle(indexer);
  expect(errors).toEqual(["contact_messages.failed"]);
  at.store.client.exec("DROP TRIGGER broken");
  // As the timer does.
  indexer.notify();
  await untilIdle(indexer);
  expect(countOf(at.store, "contact_messages")).toBe(300);
  indexer.stop();
});

/** As a request does: the row, and what is noted with it. */
function accept(tx: Tx, { shop, number }: TestStore, contactId: number): number {
  const { id } = tx.db
    .insert(messages)
    .values({
      ...{
        workspaceId: shop.id,
        numberId: number.id,
        contactId,
        origin: "api",
        type: "text",
        toPhone: "+919876543210",
      },
      ...{ fromPhone: number.phone, text: "Hello", status: "sending", outcomeUnknown: false, charged: false, rate: 0 },
      ...{ sendToken: `token-${Math.random()}`, money: "none", createdAt: tx.now, dispatchedAt: tx.now },
    })
    .returning({ id: messages.id })
    .get();
  noteAccepted(tx, { id, contactId });
  return id;
}

async function acceptMany(at: TestStore, people: readonly number[], count: number): Promise<void> {
  for (let n = 0; n < count; n++) await at.store.write((tx) => accept(tx, at, people[n % people.length] ?? 0));
}

function storePeople({ store, shop }: TestStore, count: number): Promise<number[]> {
  return store.write((tx) =>
    Array.from({ length: count }, (_, index) => {
      const times = { createdAt: tx.now, updatedAt: tx.now };
      const values = {
        workspaceId: shop.id,
        phone: `+91987654${3_210 + index}`,
        consent: "unknown",
        ...times,
      } as const;
      return tx.db.insert(contacts).values(values).returning({ id: contacts.id }).get().id;
    }),
  );
}
