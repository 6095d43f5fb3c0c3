/**
 * Two people under phone numbers, user ids of two portfolios and a parent company's id, in whatever order the network
 * reveals them: no person is two people to us, no two people are one, no refusal is lost, and everybody can be answered.
 * The acts are Meta's own JSON, read by the connector's parser. Each run is rolled back.
 */
import { expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import fc from "fast-check";
import type { Tx } from "#src/db/transaction.ts";
import { resolveList } from "#src/domain/broadcasts/resolve-list.ts";
import { findByUserId, lookUpContact } from "#src/domain/contacts/find.ts";
import { optOutNumber } from "#src/domain/contacts/opt-out.ts";
import { type Contact, contactNetworkIds, contacts } from "#src/domain/contacts/table.ts";
import { changeNumber } from "#src/domain/inbound/change-number.ts";
import { applyPreference } from "#src/domain/inbound/marketing-preference.ts";
import { receive } from "#src/domain/inbound/receive.ts";
import { acceptMessage } from "#src/domain/messages/accept.ts";
import { applyStatus } from "#src/domain/messages/apply-status.ts";
import { planSend } from "#src/domain/messages/plan.ts";
import { recordAccepted } from "#src/domain/messages/record-outcome.ts";
import { addNumber } from "#src/domain/numbers/add.ts";
import { numbers as numbersTable, type SendingNumber } from "#src/domain/numbers/table.ts";
import { templates } from "#src/domain/templates/table.ts";
import { getWorkspace } from "#src/domain/workspaces/read.ts";
import type { Workspace } from "#src/domain/workspaces/table.ts";
import { parseCallback } from "#src/networks/whatsapp/callback.ts";
import { inForm } from "#test/support/long-form.ts";
import { BY_A_KEY, INSTANCE, openTestStore } from "#test/support/store.ts";

const RUNS = inForm({ short: 60, long: 10_000 });
const SEED = process.env.IDENTITY_SEED === undefined ? undefined : Number(process.env.IDENTITY_SEED);

const who = fc.constantFrom(0 as const, 0 as const, 1 as const);
const via = fc.constantFrom(0 as const, 0 as const, 1 as const);
/** Which of the person's names the network gives. */
const names = fc.constantFrom(...(["phone", "id", "both", "parent", "all"] as const));
type Names = "phone" | "id" | "both" | "parent" | "all";

const act = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("writes" as const),
      who,
      via,
      names,
      text: fc.constantFrom("Hello", "Hello", "Hello", "STOP", "START"),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("card" as const), who, via, isOwn: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("moves" as const), who, via, form: fc.nat({ max: 3 }) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("send" as const), who, via, name: fc.nat({ max: 9 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("opt_out" as const), who, name: fc.nat({ max: 9 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("control" as const), who, via, names }) },
);
type Act = typeof act extends fc.Arbitrary<infer One> ? One : never;

/** What the network alone knows of a person. */
interface Person {
  phone: string;
  ids: [string, string];
  parent: string;
}

class World {
  readonly #base: Tx;
  readonly workspace: Workspace;
  readonly numbers: readonly SendingNumber[];
  readonly people: Person[] = [];
  /** Every name that anybody ever had, and whose it is. */
  readonly ownerOf = new Map<string, number>();
  /** Names that the network has used; those revealed to be one person's share a root. */
  readonly #roots = new Map<string, string>();
  /** By root: times of STOP, START and of an opt-out by the customer. */
  readonly said = new Map<string, { stop: number; start: number; optOut: number }>();
  /** Numbers that changed owner: strangers. */
  readonly left = new Set<string>();
  #now: number;
  #count = 0;
  #idCount = 0;

  constructor(tx: Tx, workspace: Workspace, numbers: readonly SendingNumber[]) {
    this.#base = tx;
    this.#now = tx.now;
    this.workspace = workspace;
    this.numbers = numbers;
    for (const index of [0, 1]) {
      this.people.push({
        phone: this.#newPhone(index),
        ids: [this.#newId(index), this.#newId(index)],
        parent: this.#newId(index, "ENT."),
      });
    }
  }

  #newPhone(owner: number): string {
    const phone = `+9198765${String(10_000 + ++this.#idCount)}`;
    this.ownerOf.set(phone, owner);
    return phone;
  }

  #newId(owner: number, form = ""): string {
    const id = `IN.${form}${700_000 + ++this.#idCount}`;
    this.ownerOf.set(id, owner);
    return id;
  }

  get tx(): Tx {
    return Object.assign(Object.create(this.#base) as Tx, { now: this.#now });
  }

  number(via: number): SendingNumber {
    const number = this.numbers[via];
    if (number === undefined) throw new Error("no such number");
    return number;
  }

  person(who: number): Person {
    const person = this.people[who];
    if (person === undefined) throw new Error("no such person");
    return person;
  }

  /** The network has named these together. */
  reveal(...together: string[]): string {
    const roots = together.map((name) => this.rootOf(name));
    const [root = ""] = roots;
    for (const other of roots) {
      if (other === root) continue;
      const [one, two] = [this.#saidOf(root), this.#saidOf(other)];
      this.said.set(root, {
        stop: Math.max(one.stop, two.stop),
        start: Math.max(one.start, two.start),
        optOut: Math.max(one.optOut, two.optOut),
      });
      for (const [name, its] of this.#roots) if (its === other) this.#roots.set(name, root);
    }
    return root;
  }

  rootOf(name: string): string {
    const known = this.#roots.get(name);
    if (known === undefined) this.#roots.set(name, name);
    return known ?? name;
  }

  get revealed(): string[] {
    return [...this.#roots.keys()];
  }

  #saidOf(root: string) {
    return this.said.get(root) ?? { stop: -1, start: -1, optOut: -1 };
  }

  say(root: string, what: "stop" | "start" | "optOut"): void {
    this.said.set(root, { ...this.#saidOf(root), [what]: this.#now });
  }

  isRefused(root: string): boolean {
    const { stop, start, optOut } = this.#saidOf(root);
    return Math.max(stop, optOut) > start;
  }

  step(): void {
    this.#now += 10_000;
  }

  seconds(): string {
    return String(this.#now / 1_000);
  }

  newMessageId(): string {
    return `wamid.${++this.#count}`;
  }

  /** Posts a change as the network writes it. */
  post(via: number, value: Record<string, unknown>, field = "messages"): void {
    const number = this.number(via);
    const metadata = { display_phone_number: number.phone.slice(1), phone_number_id: number.phoneNumberId };
    const change = { field, value: { messaging_product: "whatsapp", metadata, ...value } };
    const body = JSON.stringify({ object: "whatsapp_business_account", entry: [{ id: "1", changes: [change] }] });
    for (const item of parseCallback(body)) {
      if (item.kind === "inbound") receive(this.tx, number, item);
      else if (item.kind === "number_change") changeNumber(this.tx, number, item);
      else if (item.kind === "status") applyStatus(this.tx, number, item, INSTANCE);
      else if (item.kind === "preference") applyPreference(this.tx, number, item);
      else throw new Error(`the parser made ${JSON.stringify(item)}`);
    }
  }

  contacts(): Contact[] {
    return this.tx.db
      .select()
      .from(contacts)
      .all()
      .filter(({ workspaceId }) => workspaceId === this.workspace.id);
  }

  namesOf(contact: Contact): string[] {
    const aliases = this.tx.db.select().from(contactNetworkIds).all();
    return [
      contact.phone,
      contact.networkUserId,
      ...aliases.filter(({ contactId }) => contactId === contact.id).map(({ networkId }) => networkId),
    ].filter((name) => name !== null);
  }
}

/** The members by which the network names a person, and the names in them. */
function named({ phone, ids, parent }: Person, via: number, given: Names) {
  const hasPhone = given === "phone" || given === "both" || given === "all";
  const hasId = given !== "phone";
  const hasParent = given === "parent" || given === "all";
  const id = ids[via] ?? "";
  return {
    names: [...(hasPhone ? [phone] : []), ...(hasId ? [id] : []), ...(hasParent ? [parent] : [])],
    contact: {
      profile: { name: "Asha", username: "@asha" },
      ...(hasPhone ? { wa_id: phone.slice(1) } : {}),
      ...(hasId ? { user_id: id } : {}),
      ...(hasParent ? { parent_user_id: parent } : {}),
    },
    sender: {
      ...(hasPhone ? { from: phone.slice(1) } : {}),
      ...(hasId ? { from_user_id: id } : {}),
      ...(hasParent ? { from_parent_user_id: parent } : {}),
    },
  };
}

function perform(world: World, one: Act): void {
  const person = world.person(one.who);
  switch (one.kind) {
    case "writes": {
      const { names: given, contact, sender } = named(person, one.via, one.names);
      const message = { ...sender, id: world.newMessageId(), timestamp: world.seconds() };
      world.post(one.via, { contacts: [contact], messages: [{ ...message, type: "text", text: { body: one.text } }] });
      const root = world.reveal(...given);
      if (one.text !== "Hello") world.say(root, one.text === "STOP" ? "stop" : "start");
      requireAnswer(world, given[0] ?? "", one.via);
      return;
    }
    case "card": {
      const { names: given, contact, sender } = named(person, one.via, "id");
      // A card that the person was not asked for may be anybody's.
      const { phone } = one.isOwn ? person : world.person(1 - one.who);
      const card = {
        name: { formatted_name: "Card" },
        phones: [{ phone, wa_id: phone.slice(1) }],
        origin: one.isOwn ? "contact_request" : "other",
      };
      const message = { ...sender, id: world.newMessageId(), timestamp: world.seconds() };
      world.post(one.via, { contacts: [contact], messages: [{ ...message, type: "contacts", contacts: [card] }] });
      world.reveal(...given, ...(one.isOwn ? [phone] : []));
      requireAnswer(world, given[0] ?? "", one.via);
      return;
    }
    case "moves":
      move(world, one.who, one.via, one.form);
      return;
    case "send":
      send(world, person, one.via, one.name);
      return;
    case "opt_out": {
      const name = pick(world, one.who, one.name);
      if (name === null) return;
      const root = world.rootOf(name);
      if (world.isRefused(root)) return;
      optOutNumber(world.tx, world.workspace, name, { source: "api", evidence: {} });
      world.say(root, "optOut");
      return;
    }
    case "control": {
      const { names: given, contact } = named(person, one.via, one.names);
      const { profile: _, ...ids } = contact;
      const preference = { ...ids, category: "marketing_messages", value: "stop", timestamp: world.seconds() };
      world.post(one.via, { contacts: [contact], user_preferences: [preference] }, "user_preferences");
      world.say(world.reveal(...given), "stop");
    }
  }
}

/** The person takes another number: the network gives them other user ids, and says so in its own ways. */
function move(world: World, who: number, via: number, form: number): void {
  const before = world.person(who);
  const after: Person = { ...before, phone: `${before.phone}${who}`, ids: [`${before.ids[0]}a`, `${before.ids[1]}a`] };
  if (after.phone.length > 18) return;
  const notices = [0, 1].map((at) => {
    const [former, next] = [before.ids[at] ?? "", after.ids[at] ?? ""];
    const system =
      form % 2 === 0
        ? { type: "user_changed_user_id", user_id: next, previous_user_id: former, body: "User changed" }
        : { type: "user_changed_user_id", user_id: next, body: `User A changed from ${former} to ${next}` };
    return () => {
      const from = form % 2 === 0 ? { from_user_id: next } : {};
      const item = { ...from, id: world.newMessageId(), timestamp: world.seconds(), type: "system", system };
      world.post(at, { messages: [item] });
    };
  });
  const phoneNotice = () => {
    const system = { type: "user_changed_number", body: "User changed number", wa_id: after.phone.slice(1) };
    const item = { from: before.phone.slice(1), id: world.newMessageId(), timestamp: world.seconds() };
    world.post(via, { messages: [{ ...item, type: "system", system }] });
  };
  for (const notice of form < 2 ? [phoneNotice, ...notices] : [...notices, phoneNotice]) notice();
  const isKnown = (name: string): boolean => world.revealed.includes(name);
  for (const [former, next] of [
    [before.phone, after.phone],
    [before.ids[0], after.ids[0]],
    [before.ids[1], after.ids[1]],
  ] as const) {
    world.ownerOf.set(next, who);
    if (isKnown(former)) world.reveal(former, next);
  }
  world.left.add(before.phone);
  world.people[who] = after;
}

/** A name of the person that the network has used and that still leads to them. */
function pick(world: World, who: number, index: number): string | null {
  const known = world.revealed.filter((name) => world.ownerOf.get(name) === who && !world.left.has(name));
  return known[index % Math.max(1, known.length)] ?? null;
}

function send(world: World, person: Person, via: number, index: number): void {
  const to = pick(world, world.people.indexOf(person), index);
  if (to === null) return;
  const number = world.number(via);
  const content = { type: "template" as const, name: "order_shipped", language: null, media: null };
  const variables = { isList: true, header: [], body: [] };
  const input = { to, from: number.phone, reference: null, content: { ...content, variables } };
  let accepted: ReturnType<typeof acceptMessage>;
  try {
    const options = {
      origin: "api" as const,
      reference: null,
      sentBy: BY_A_KEY,
      instanceId: INSTANCE,
      idempotencyKey: null,
    };
    const { tx, workspace } = world;
    accepted = tx.savepoint(() => acceptMessage(tx, planSend(tx, workspace.id, input), options));
  } catch (error) {
    requireRefusal(world, error, to);
    return;
  }
  expect(world.isRefused(world.rootOf(to))).toBe(false);
  const { plan, message } = accepted;
  requireCurrent(world, person, via, plan.phone ?? plan.networkUserId ?? "");
  const networkMessageId = world.newMessageId();
  const userId = person.ids[via] ?? "";
  const named = plan.phone === null ? { recipientId: null, recipientNetworkUserId: userId } : null;
  const outcome = named ?? { recipientId: person.phone.slice(1), recipientNetworkUserId: null };
  recordAccepted(world.tx, message, { kind: "accepted", networkMessageId, ...outcome });
  const recipient = { recipient_id: person.phone.slice(1), recipient_user_id: userId };
  const status = { id: networkMessageId, status: "delivered", timestamp: world.seconds(), ...recipient };
  world.post(via, { statuses: [{ ...status, biz_opaque_callback_data: message.sendToken }] });
  world.reveal(to, person.phone, userId);
}

function requireRefusal(world: World, error: unknown, to: string): void {
  const { code } = error as { code?: string };
  const root = world.rootOf(to);
  if (code === "opted_out") expect(world.isRefused(root)).toBe(true);
  else {
    // Only a person without a phone number and without an id of this portfolio cannot be sent to.
    expect(code).toBe("invalid_number");
    const known = world.revealed.filter((name) => world.rootOf(name) === root && !world.left.has(name));
    expect(known.filter((name) => name.startsWith("+"))).toEqual([]);
  }
}

function requireCurrent(world: World, person: Person, via: number, address: string): void {
  const current = [person.phone, person.ids[via]];
  if (!current.includes(address)) throw new Error(`sent to ${address}, and the person is ${current.join(" or ")}`);
  expect(world.ownerOf.get(address)).toBe(world.people.indexOf(person));
}

/** A free text to the person who has just written, under the name that the network used, from the number written to. */
function requireAnswer(world: World, name: string, via: number): void {
  const input = { to: name, from: world.number(via).phone, reference: null };
  const plan = () => planSend(world.tx, world.workspace.id, { ...input, content: { type: "text", body: "Hello" } });
  if (world.isRefused(world.rootOf(name))) {
    expect(plan).toThrow(/opted out/);
    return;
  }
  const { phone, networkUserId } = plan();
  requireCurrent(world, world.person(world.ownerOf.get(name) ?? 0), via, phone ?? networkUserId ?? "");
}

function requireTruth(world: World): void {
  const all = world.contacts();
  const seen = new Map<string, number>();
  const identityOf = ({ id, identityId }: Contact): string => String(identityId ?? `alone ${id}`);
  const rootsOf = new Map<string, Set<string>>();
  for (const contact of all) {
    const held = world.namesOf(contact).map((name) => (/^\d/.test(name) ? `+${name}` : name));
    // No two people are one.
    expect(new Set(held.map((name) => world.ownerOf.get(name))).size).toBeLessThanOrEqual(1);
    for (const name of held) {
      expect([name, seen.get(name)]).toEqual([name, undefined]);
      seen.set(name, contact.id);
      const root = world.rootOf(name);
      rootsOf.set(root, (rootsOf.get(root) ?? new Set()).add(identityOf(contact)));
      // No refusal is lost, and none is invented.
      expect([name, contact.consent === "opted_out"]).toEqual([name, world.isRefused(root)]);
    }
  }
  // No person is two: what the network revealed to be one person is one contact, or linked ones.
  for (const [root, identities] of rootsOf) expect([root, identities.size]).toEqual([root, 1]);
  // Every name that the network used, and that was not given up, leads to its person.
  const current = world.revealed.filter((name) => !world.left.has(name));
  for (const name of current) {
    const found = lookUpContact(world.tx, world.workspace.id, name, "IN")?.contact;
    expect([name, found === null]).toEqual([name, false]);
    if (!name.startsWith("+")) expect(findByUserId(world.tx, world.workspace.id, name)?.id).toBe(found?.id ?? 0);
  }
  // A broadcast to all of these names reaches each person once.
  const options = { workspace: world.workspace, variables: { isList: true, header: [], body: [] }, address: null };
  const reached = resolveList(world.tx, current, { ...options, isCapChecked: false }).filter(
    ({ skip }) => skip === null,
  );
  const people = reached.map(({ input }) => world.rootOf(input));
  expect(new Set(people).size).toBe(people.length);
}

test(
  "two people in whatever order their names appear: no person twice, no refusal lost, everybody answerable",
  async () => {
    using opened = await openTestStore(100_000_000);
    const { store, shop, number } = opened;
    const other = await store.write((tx) => {
      const route = { network: "simulator" as const };
      const added = addNumber(tx, shop.id, { phone: "+911244001199", name: "Second", throughput: 80, route });
      // Another account, with the same templates.
      tx.db.update(numbersTable).set({ accountId: "2" }).where(eq(numbersTable.id, added.id)).run();
      for (const { id: _, ...template } of tx.db.select().from(templates).all()) {
        tx.db
          .insert(templates)
          .values({ ...template, accountId: "2" })
          .run();
      }
      return { ...added, accountId: "2" };
    });
    const numbers = [number, other];
    const counts = { acts: 0, runs: 0 };
    const rolledBack = new Error("rolled back");
    const { seed } = await store.write((tx) => {
      const property = fc.property(fc.array(act, { minLength: 2, maxLength: 14 }), (acts) => {
        try {
          tx.savepoint(() => {
            const world = new World(tx, getWorkspace(tx, shop.id), numbers);
            for (const one of acts) {
              world.step();
              perform(world, one);
              requireTruth(world);
              counts.acts += 1;
            }
            counts.runs += 1;
            throw rolledBack;
          });
        } catch (error) {
          if (error !== rolledBack) throw error;
        }
      });
      const details = fc.check(property, { numRuns: RUNS, ...(SEED === undefined ? {} : { seed: SEED }) });
      if (details.failed) throw new Error(fc.defaultReportMessage(details), { cause: details.errorInstance });
      return { seed: details.seed };
    });
    if (RUNS > 1_000) console.log(`seed ${seed}: ${counts.runs} interleavings, ${counts.acts} acts`);
    expect(counts.runs).toBe(RUNS);
  },
  60_000 + RUNS * 100,
);
