/** Whatever happens in whatever order: whoever refused stays refused until they themselves say otherwise. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import type { Contact } from "#src/domain/contacts/table.ts";
import { getContactOf, optOutOf, putContactOf, reportControl } from "#test/support/contacts.ts";
import { accepted, fakeNetwork } from "#test/support/fake-network.ts";
import { reportInbound } from "#test/support/report.ts";
import { aliasesOf, contactsOf } from "#test/support/rows.ts";
import { startTestServer, type TestServer, type TestWorkspace } from "#test/support/server.ts";
import { summerSale } from "#test/support/templates.ts";

let app: TestServer;
const network = fakeNetwork();

beforeAll(async () => {
  app = await startTestServer({ networks: { simulator: network } });
});
afterAll(() => app[Symbol.asyncDispose]());

/** One person in every country that spells a phone in two ways: two numbers, each in both spellings. */
const people = [
  { country: "BR", phones: ["5511987654321", "551187654321", "5511976543210", "551176543210"] },
  { country: "MX", phones: ["525512345678", "5215512345678", "523312345678", "5213312345678"] },
  { country: "AR", phones: ["541143456789", "5491143456789", "543514234567", "5493514234567"] },
];

type Act =
  | { kind: "put"; by: number; consent: "opted_in" | "opted_out" | null }
  | { kind: "post"; by: number }
  | { kind: "send"; by: number }
  | { kind: "word"; by: number; text: "STOP" | "START" | "Hello"; ago: number; names: boolean }
  | { kind: "control"; by: number; value: "stop" | "resume"; ago: number };

const by = fc.integer({ min: 0, max: 3 });
/** Seconds before now, by the network's clock: what arrives late, and what arrives in the same second. */
const ago = fc.constantFrom(0, 0, 1, 5, 30, 600);

const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("put" as const),
      by,
      consent: fc.constantFrom("opted_in", "opted_out", null) as fc.Arbitrary<"opted_in" | "opted_out" | null>,
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("post" as const), by }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("send" as const), by }) },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant("word" as const),
      by,
      text: fc.constantFrom("STOP" as const, "START" as const, "Hello" as const),
      ago,
      names: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("control" as const),
      by,
      value: fc.constantFrom("stop" as const, "resume" as const),
      ago,
    }),
  },
);

const story = fc.record({
  person: fc.constantFrom(...people),
  acts: fc.array(fc.record({ act, after: fc.constantFrom(1, 400, 1_000, 10_000) }), { minLength: 4, maxLength: 14 }),
});

async function perform(shop: TestWorkspace, phones: string[], one: Act): Promise<number> {
  const digits = phones[one.by] ?? "";
  const at = app.clock.now() - ("ago" in one ? one.ago * 1_000 : 0);
  if (one.kind === "put") {
    const consent = one.consent === null ? {} : { consent: one.consent };
    return (await putContactOf(app, shop, `+${digits}`, { city: "Here", ...consent })).status;
  }
  if (one.kind === "post") return (await optOutOf(app, shop, `+${digits}`)).status;
  if (one.kind === "send") {
    // The network answers with the person's other number: the two turn out to be one.
    const other = phones[(one.by + 2) % 4] ?? "";
    network.always((handover) => accepted(handover, { recipientId: other }));
    return (await send(shop, digits)).status;
  }
  if (one.kind === "control") {
    await reportControl(app, shop, { value: one.value, waId: digits, at });
    return 0;
  }
  await reportInbound(app, shop, { from: digits, text: one.text, at, ...(one.names ? { userId: "XX.same" } : {}) });
  return 0;
}

function send(shop: TestWorkspace, digits: string) {
  return app.send("POST", "/api/v1/messages", { key: shop.key, body: { to: `+${digits}`, template: "summer_sale" } });
}

/** What is known of a contact beside its row: who made its opt-out, and the latest words by the network's clock. */
interface Said {
  refusedBy: "api" | "word" | "control" | null;
  refusedAt: number;
  stop: number;
  start: number;
}

const seconds = (ms: number): number => Math.floor(ms / 1_000);
const isOut = ({ consent }: Contact): boolean => consent === "opted_out";

/** The contacts of one person, as they are linked now. */
function together(all: Contact[], one: Contact): Contact[] {
  return all.filter(({ id, personId }) => id === one.id || (personId !== null && personId === one.personId));
}

/** Whether words of the person, or the control that refused, lead out of this refusal. */
function mayBeLifted(said: Said[], isResume: boolean): boolean {
  const stop = Math.max(...said.map((one) => one.stop));
  const start = Math.max(...said.map((one) => one.start));
  const refused = said.filter(({ refusedBy }) => refusedBy !== null);
  const byOthers = refused.filter(({ refusedBy }) => refusedBy === "api").map(({ refusedAt }) => seconds(refusedAt));
  if (start > stop && byOthers.every((at) => start >= at)) return true;
  return isResume && refused.every(({ refusedBy }) => refusedBy === "control");
}

async function tell(person: (typeof people)[number], acts: { act: Act; after: number }[]): Promise<void> {
  const shop = await app.workspace({ country: person.country });
  await app.template(shop, summerSale);
  const ofShop = () => contactsOf(app).filter(({ workspaceId }) => workspaceId === shop.id);
  const known = new Map<number, Said>();
  const knownOf = ({ id }: Contact): Said => {
    const said = known.get(id) ?? { refusedBy: null, refusedAt: 0, stop: -1, start: -1 };
    known.set(id, said);
    return said;
  };
  for (const { act: one, after } of acts) {
    const before = ofShop();
    const status = await perform(shop, person.phones, one);
    const now = ofShop();
    const addressed = contactNamed(now, person.phones, one.by);
    if (addressed !== undefined && "ago" in one) {
      const at = seconds(app.clock.now() - one.ago * 1_000);
      const said = knownOf(addressed);
      const word = one.kind === "word" ? one.text : one.value === "stop" ? "STOP" : null;
      if (word === "STOP") said.stop = Math.max(said.stop, at);
      if (word === "START") said.start = Math.max(said.start, at);
    }
    const isResume = one.kind === "control" && one.value === "resume";
    for (const contact of now) {
      const was = before.find(({ id }) => id === contact.id);
      const said = knownOf(contact);
      const linked = together(now, contact);
      if (was !== undefined && isOut(was) && !isOut(contact)) {
        expect(mayBeLifted(linked.map(knownOf), isResume)).toBe(true);
      }
      // Whoever is one person is refused, or not, as one.
      expect(new Set(linked.map(isOut)).size).toBe(1);
      if (isOut(contact) && (was === undefined || !isOut(was))) {
        const by = linked.map((other) => knownOf(other).refusedBy).find((maker) => maker !== null);
        said.refusedBy = by ?? (one.kind === "word" ? "word" : one.kind === "control" ? "control" : "api");
        said.refusedAt = contact.consentAt ?? 0;
      }
    }
    for (const contact of now) if (!isOut(contact)) Object.assign(knownOf(contact), { refusedBy: null });
    // What refuses, refuses: a call of the customer's at once, STOP unless a later START is known.
    if (addressed !== undefined) {
      const said = together(now, addressed).map(knownOf);
      const isLast = Math.max(...said.map(({ stop }) => stop)) >= Math.max(...said.map(({ start }) => start));
      if (one.kind === "post" || (one.kind === "put" && one.consent === "opted_out"))
        expect(isOut(addressed)).toBe(true);
      if (one.kind === "word" && one.text === "STOP" && one.ago === 0 && isLast) expect(isOut(addressed)).toBe(true);
      const wasOut = before.some((other) => other.id === addressed.id && isOut(other));
      const isRefused = one.kind === "send" || (one.kind === "put" && one.consent === "opted_in");
      if (isRefused) expect(status === 422).toBe(wasOut);
    }
    await app.clock.advance(after);
  }
  await checkEverySpelling(shop, person.phones, ofShop());
}

/** The contact of a number, in either spelling, or by what the network calls it. */
function contactNamed(all: Contact[], phones: string[], by: number): Contact | undefined {
  const first = by < 2 ? 0 : 2;
  const spellings = phones.slice(first, first + 2);
  const stored = all.find(({ phone }) => spellings.includes(phone?.slice(1) ?? ""));
  if (stored !== undefined) return stored;
  const ids = aliasesOf(app).filter(({ networkId }) => spellings.includes(networkId));
  return all.find(({ id }) => ids.some(({ contactId }) => contactId === id));
}

/** In no spelling, with a plus or without, is anybody reached who refused. */
async function checkEverySpelling(shop: TestWorkspace, phones: string[], all: Contact[]): Promise<void> {
  network.always((handover) => accepted(handover));
  for (const [index, digits] of phones.entries()) {
    const contact = contactNamed(all, phones, index);
    if (contact === undefined) continue;
    for (const spelling of [digits, `+${digits}`, `00${digits}`]) {
      expect((await getContactOf(app, shop, spelling)).body.data.consent.status).toBe(contact.consent);
    }
    if (!isOut(contact)) continue;
    const handedOver = network.sent.length;
    expect((await send(shop, digits)).body.error.code).toBe("opted_out");
    expect((await putContactOf(app, shop, `+${digits}`, { consent: "opted_in" })).status).toBe(422);
    expect(network.sent).toHaveLength(handedOver);
  }
}

test("after an opt-out nothing but START, or the control that refused, makes a person reachable, under no number and no link", async () => {
  await fc.assert(
    fc.asyncProperty(story, ({ person, acts }) => tell(person, acts)),
    { numRuns: Number(process.env.CONSENT_RUNS ?? 60) },
  );
}, 120_000);
