import { expect, test } from "bun:test";
import fc from "fast-check";
import { fromNetwork } from "#src/core/phone.ts";
import { changeConsent } from "#src/domain/contacts/change-consent.ts";
import type { ConsentMove } from "#src/domain/contacts/consent.ts";
import { createContact } from "#src/domain/contacts/create.ts";
import { getContact } from "#src/domain/contacts/find.ts";
import { linkContacts } from "#src/domain/contacts/identity.ts";
import type { Contact } from "#src/domain/contacts/table.ts";
import { consentLogOf, eventTypesOf } from "#test/support/rows.ts";
import { openTestStore, type TestStore } from "#test/support/store.ts";

let count = 0;

function create({ store, shop }: TestStore): Promise<Contact> {
  count += 1;
  return store.write((tx) => createContact(tx, shop.id, { phone: fromNetwork(`9198${String(1_000_000 + count)}`) }));
}

function move({ store, shop }: TestStore, { id }: Contact, one: ConsentMove): Promise<Contact> {
  const isSaid = one.kind === "stop" || one.kind === "start";
  const why = { source: isSaid ? ("inbound_message" as const) : ("api" as const), evidence: { of: one.kind } };
  return store.write((tx) => changeConsent(tx, shop, getContact(tx, shop.id, id), one, why));
}

function join({ store, shop }: TestStore, one: Contact, other: Contact): Promise<void> {
  return store.write((tx) =>
    linkContacts(tx, shop, getContact(tx, shop.id, one.id), getContact(tx, shop.id, other.id)),
  );
}

function now({ store, shop }: TestStore, { id }: Contact): Contact {
  return store.read((tx) => getContact(tx, shop.id, id));
}

test("the STOP or START that the contact wrote last wins, in whatever order and however often they arrive", async () => {
  using at = await openTestStore(0);
  const word = fc.record({ kind: fc.constantFrom("stop" as const, "start" as const), second: fc.nat(5) });
  await fc.assert(
    fc.asyncProperty(fc.array(word, { minLength: 1, maxLength: 6 }), async (words) => {
      const contact = await create(at);
      for (const { kind, second } of words)
        await move(at, contact, { kind, saidAt: at.clock.now() + second * 1_000 - 10_000 });
      const last = Math.max(...words.map(({ second }) => second));
      const isOut = words.some(({ kind, second }) => kind === "stop" && second === last);
      expect(now(at, contact).consent === "opted_out").toBe(isOut);
    }),
    { numRuns: 150 },
  );
});

test("a START written between two STOPs that arrives last does not lift the opt-out", async () => {
  using at = await openTestStore(0);
  const contact = await create(at);
  const base = at.clock.now() - 60_000;
  await move(at, contact, { kind: "stop", saidAt: base });
  await move(at, contact, { kind: "stop", saidAt: base + 20_000 });
  await move(at, contact, { kind: "start", saidAt: base + 10_000 });
  expect(now(at, contact).consent).toBe("opted_out");
});

test("a START older than a STOP that followed an opt-out by others does not lift the opt-out", async () => {
  using at = await openTestStore(0);
  const contact = await create(at);
  await move(at, contact, { kind: "opt_out" });
  at.clock.advance(60_000);
  await move(at, contact, { kind: "stop", saidAt: at.clock.now() });
  await move(at, contact, { kind: "start", saidAt: at.clock.now() - 30_000 });
  expect(now(at, contact).consent).toBe("opted_out");
});

test("a STOP written before a START that arrives after it does not opt the contact out", async () => {
  using at = await openTestStore(0);
  const contact = await create(at);
  await move(at, contact, { kind: "start", saidAt: at.clock.now() });
  await move(at, contact, { kind: "stop", saidAt: at.clock.now() - 10_000 });
  expect(now(at, contact).consent).not.toBe("opted_out");
});

test("opting out twice keeps the first date and emits one event; every change is in the audit log with its evidence", async () => {
  using at = await openTestStore(0);
  const contact = await create(at);
  const first = await move(at, contact, { kind: "opt_out" });
  at.clock.advance(60_000);
  const second = await move(at, contact, { kind: "opt_out" });
  expect([second.consentAt, second.updatedAt]).toEqual([first.consentAt, first.updatedAt]);
  at.clock.advance(60_000);
  await move(at, contact, { kind: "start", saidAt: at.clock.now() });
  expect(eventTypesOf(at, at.shop)).toEqual(["contact.opted_out", "contact.opted_in"]);
  expect(consentLogOf(at).map(({ was, became, source, evidence }) => [was, became, source, evidence])).toEqual([
    ["unknown", "opted_out", "api", { of: "opt_out" }],
    ["opted_out", "opted_in", "inbound_message", { of: "start" }],
  ]);
});

test("linked contacts are opted out together, with the same source and time and one event each; START lifts both", async () => {
  using at = await openTestStore(0);
  const people = [await create(at), await create(at), await create(at)] as const;
  const [one, two, three] = people;
  await join(at, one, two);
  await join(at, two, three);
  at.clock.advance(60_000);
  await move(at, three, { kind: "stop", saidAt: at.clock.now() });
  const out = people.map((contact) => now(at, contact));
  expect(out.map(({ consent }) => consent)).toEqual(["opted_out", "opted_out", "opted_out"]);
  expect(
    new Set(out.map((contact) => [contact.consentSource, contact.consentAt, contact.updatedAt].join(" "))).size,
  ).toBe(1);
  expect(out[0]?.updatedAt).toBe(at.clock.now());
  expect(eventTypesOf(at, at.shop)).toEqual(["contact.opted_out", "contact.opted_out", "contact.opted_out"]);
  at.clock.advance(60_000);
  await move(at, one, { kind: "start", saidAt: at.clock.now() });
  expect(people.map((contact) => now(at, contact).consent)).toEqual(["opted_in", "opted_in", "opted_in"]);
  expect(eventTypesOf(at, at.shop).slice(3)).toEqual(["contact.opted_in", "contact.opted_in", "contact.opted_in"]);
});

test("an opt-in recorded by our side applies to the number that it was given for, not to linked contacts", async () => {
  using at = await openTestStore(0);
  const [one, two] = [await create(at), await create(at)];
  await join(at, one, two);
  await move(at, one, { kind: "opt_in" });
  expect([now(at, one).consent, now(at, two).consent]).toEqual(["opted_in", "unknown"]);
});

test("when two contacts are linked, an opt-out of either applies to both, with its source, and emits one event", async () => {
  using at = await openTestStore(0);
  const [out, free] = [await create(at), await create(at)];
  await move(at, free, { kind: "opt_in" });
  await move(at, out, { kind: "opt_out" });
  at.clock.advance(60_000);
  await join(at, free, out);
  const [left, joined] = [now(at, out), now(at, free)];
  expect(joined.consent).toBe("opted_out");
  expect([joined.consentSource, joined.consentAt]).toEqual([left.consentSource, left.consentAt]);
  expect(joined.updatedAt).toBe(at.clock.now());
  expect(eventTypesOf(at, at.shop)).toEqual(["contact.opted_out", "contact.opted_out"]);
});

test("when two contacts are linked, a START later than the other's STOP applies to both", async () => {
  using at = await openTestStore(0);
  const [stopped, started] = [await create(at), await create(at)];
  const base = at.clock.now();
  await move(at, stopped, { kind: "stop", saidAt: base - 20_000 });
  await move(at, started, { kind: "stop", saidAt: base - 15_000 });
  await move(at, started, { kind: "start", saidAt: base - 10_000 });
  await join(at, stopped, started);
  expect([now(at, stopped).consent, now(at, started).consent]).toEqual(["opted_in", "opted_in"]);
});
