/** Whatever happens in whatever order: a person who refused stays refused until that person takes it back. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import type { Contact } from "#src/domain/contacts/table.ts";
import type { OutboundMessage } from "#src/networks/network.ts";
import { bulkOptOut } from "#src/transfer/bulk-opt-out.ts";
import { importContacts } from "#src/transfer/import-contacts.ts";
import { getContactOf, optOutOf, putContactOf, reportControl, reportMove } from "#test/support/contacts.ts";
import { jumpingClock } from "#test/support/database.ts";
import { accepted, fakeNetwork } from "#test/support/fake-network.ts";
import { inForm } from "#test/support/long-form.ts";
import { reportInbound } from "#test/support/report.ts";
import { aliasesOf, contactsOf } from "#test/support/rows.ts";
import { startTestServer, type TestServer, type TestWorkspace } from "#test/support/server.ts";
import { summerSale } from "#test/support/templates.ts";

const RUNS = inForm({ short: 45, long: 400 });

let app: TestServer;
const network = fakeNetwork();
let directory = "";

beforeAll(async () => {
  app = await startTestServer({ networks: { simulator: network } });
  directory = mkdtempSync(join(tmpdir(), "waxwing-consent-"));
});
afterAll(async () => {
  await app[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true, force: true });
});

/** One person in each country whose numbers have two variants: two numbers, each in both variants. */
const people = [
  { country: "BR", phones: ["5511987654321", "551187654321", "5511976543210", "551176543210"] },
  { country: "MX", phones: ["525512345678", "5215512345678", "523312345678", "5213312345678"] },
  { country: "AR", phones: ["541143456789", "5491143456789", "543514234567", "5493514234567"] },
];

type Act =
  | { kind: "put"; by: number; consent: "opted_in" | "opted_out" | null }
  | { kind: "post"; by: number }
  | { kind: "send"; by: number }
  /** A file with everyone in `rows`; `optIn` says that they have agreed. Consent columns in the file are never read. */
  | { kind: "import"; rows: number[]; optIn: boolean; isDryRun: boolean }
  | { kind: "bulk"; rows: number[] }
  /** The network reports that the first number's owner has moved to the other one. */
  | { kind: "move"; by: number }
  /** A broadcast to everyone in `rows`, sent as far as it gets within a second. */
  | { kind: "broadcast"; rows: number[] }
  | { kind: "word"; by: number; text: "STOP" | "START" | "Hello"; ago: number; names: boolean }
  | { kind: "control"; by: number; value: "stop" | "resume"; ago: number };

const by = fc.integer({ min: 0, max: 3 });
/** Seconds before now by the network's clock: late arrivals, and several in the same second. */
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
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("import" as const),
      rows: fc.array(by, { minLength: 1, maxLength: 3 }),
      optIn: fc.boolean(),
      isDryRun: fc.constantFrom(false, false, false, true),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("bulk" as const),
      rows: fc.array(by, { minLength: 1, maxLength: 2 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("move" as const), by }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("broadcast" as const),
      rows: fc.array(by, { minLength: 1, maxLength: 3 }),
    }),
  },
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

const scenario = fc.record({
  person: fc.constantFrom(...people),
  acts: fc.array(fc.record({ act, after: fc.constantFrom(1, 400, 1_000, 10_000) }), { minLength: 4, maxLength: 14 }),
});

let fileCount = 0;

/** Writes each number in another format. */
function spell(phones: string[], rows: readonly number[]): string[] {
  return rows.map((by, index) => `${["+", "00", ""][index % 3]}${phones[by]}`);
}

/** Imports a real file through the real import. */
async function bringIn(
  shop: TestWorkspace,
  phones: string[],
  one: Extract<Act, { kind: "import" | "bulk" }>,
): Promise<void> {
  const path = join(directory, `${++fileCount}.csv`);
  const spelled = spell(phones, one.rows);
  const common = { store: app.store, clock: jumpingClock(), workspaceId: shop.id, path };
  const refuse = (_line: number, cells: readonly string[], reason: string): never => {
    throw new Error(`${cells.join()}: ${reason}`);
  };
  if (one.kind !== "import") {
    writeFileSync(path, spelled.map((phone) => `${phone}\n`).join(""));
    await bulkOptOut(common, shop.id, path, refuse);
    return;
  }
  const rows = spelled.map((phone) => `${phone},File ${fileCount},opted_in,yes,2020-01-01\n`);
  writeFileSync(path, `phone,city,consent,opted in,consent_at\n${rows.join("")}`);
  const told = { isServerRunning: () => true, onProgress: () => {}, onFound: () => {}, onFailure: refuse };
  await importContacts({ ...common, ...told, map: new Map(), optIn: one.optIn, isDryRun: one.isDryRun });
}

async function perform(shop: TestWorkspace, phones: string[], one: Act): Promise<number> {
  if (one.kind === "import" || one.kind === "bulk") {
    await bringIn(shop, phones, one);
    return 0;
  }
  if (one.kind === "broadcast") {
    network.always((outbound) => accepted(outbound));
    const body = { name: "Sale", template: "summer_sale", to: spell(phones, one.rows) };
    const { status } = await app.send("POST", "/api/v1/broadcasts", { key: shop.key, body });
    await app.clock.advance(1_000);
    return status;
  }
  const digits = phones[one.by] ?? "";
  const at = app.clock.now() - ("ago" in one ? one.ago * 1_000 : 0);
  if (one.kind === "put") {
    const consent = one.consent === null ? {} : { consent: one.consent };
    return (await putContactOf(app, shop, `+${digits}`, { city: "Here", ...consent })).status;
  }
  if (one.kind === "post") return (await optOutOf(app, shop, `+${digits}`)).status;
  if (one.kind === "send") {
    // The network answers with the person's other number, so the two contacts turn out to be one person.
    const other = phones[(one.by + 2) % 4] ?? "";
    network.always((outbound) => accepted(outbound, { recipientId: other }));
    return (await send(shop, digits)).status;
  }
  if (one.kind === "move") {
    await reportMove(app, shop, { from: digits, to: phones[(one.by + 2) % 4] ?? "", id: `wamid.move.${++fileCount}` });
    return 0;
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

/**
 * What is known about a contact beside its row: the source of its opt-out, and its latest STOP and START by the
 * network's clock.
 */
interface Said {
  refusedBy: "api" | "word" | "control" | null;
  refusedAt: number;
  /** The contact was refused in another way after the marketing preference. */
  refusedAgain: boolean;
  stop: number;
  start: number;
}

const seconds = (ms: number): number => Math.floor(ms / 1_000);
const isOut = ({ consent }: Contact): boolean => consent === "opted_out";

/** The linked contacts of one person, as of now. */
function together(all: Contact[], one: Contact): Contact[] {
  return all.filter(({ id, identityId }) => id === one.id || (identityId !== null && identityId === one.identityId));
}

/** Whether this act refuses in another way than by the network's marketing preference. */
function refuses(one: Act): boolean {
  if (one.kind === "put") return one.consent === "opted_out";
  return one.kind === "post" || (one.kind === "word" && one.text === "STOP");
}

/** Whether the person's words, or the marketing preference that refused, may lift this refusal. */
function mayBeLifted(said: Said[], isResume: boolean): boolean {
  const stop = Math.max(...said.map((one) => one.stop));
  const start = Math.max(...said.map((one) => one.start));
  const refused = said.filter(({ refusedBy }) => refusedBy !== null);
  const byOthers = refused.filter(({ refusedBy }) => refusedBy === "api").map(({ refusedAt }) => seconds(refusedAt));
  if (start > stop && byOthers.every((at) => start >= at)) return true;
  return isResume && refused.every(({ refusedBy, refusedAgain }) => refusedBy === "control" && !refusedAgain);
}

async function tell(person: (typeof people)[number], acts: { act: Act; after: number }[]): Promise<void> {
  const shop = await app.workspace({ country: person.country });
  await app.template(shop, summerSale);
  const ofShop = () => contactsOf(app).filter(({ workspaceId }) => workspaceId === shop.id);
  const known = new Map<number, Said>();
  const knownOf = ({ id }: Contact): Said => {
    const said = known.get(id) ?? { refusedBy: null, refusedAt: 0, refusedAgain: false, stop: -1, start: -1 };
    known.set(id, said);
    return said;
  };
  for (const { act: one, after } of acts) {
    const before = ofShop();
    const status = await perform(shop, person.phones, one);
    const now = ofShop();
    // Broadcasts of earlier runs may still be running, so count this workspace's messages only.
    const sent = network.sent.splice(0).filter(({ sender }) => sender.phoneNumberId.startsWith(`sim-${shop.id}-`));
    expectNobodyReached(sent, before, person.phones, one);
    const named = "rows" in one ? one.rows.map((by) => contactNamed(now, person.phones, by)) : [];
    const addressed = "by" in one ? contactNamed(now, person.phones, one.by) : undefined;
    if (addressed !== undefined && "ago" in one) {
      const at = seconds(app.clock.now() - one.ago * 1_000);
      const said = knownOf(addressed);
      const word = one.kind === "word" ? one.text : one.value === "stop" ? "STOP" : null;
      if (word === "STOP") said.stop = Math.max(said.stop, at);
      if (word === "START") said.start = Math.max(said.start, at);
    }
    for (const contact of one.kind === "bulk" ? named : refuses(one) ? [addressed] : []) {
      if (contact === undefined) continue;
      const linked = together(now, contact);
      const start = Math.max(...linked.map((other) => knownOf(other).start));
      const isRequeued = one.kind === "word" && start > seconds(app.clock.now() - one.ago * 1_000);
      const isOlder = (other: Contact): boolean => before.some((was) => was.id === other.id && isOut(was));
      if (!isRequeued) for (const other of linked) knownOf(other).refusedAgain ||= isOlder(other);
    }
    const isResume = one.kind === "control" && one.value === "resume";
    for (const contact of now) {
      const was = before.find(({ id }) => id === contact.id);
      const said = knownOf(contact);
      const linked = together(now, contact);
      if (was !== undefined && isOut(was) && !isOut(contact)) {
        expect(mayBeLifted(linked.map(knownOf), isResume)).toBe(true);
      }
      // Linked contacts are opted out together or not at all.
      expect(new Set(linked.map(isOut)).size).toBe(1);
      if (isOut(contact) && (was === undefined || !isOut(was))) {
        const by = linked.map((other) => knownOf(other).refusedBy).find((maker) => maker !== null);
        said.refusedBy = by ?? (one.kind === "word" ? "word" : one.kind === "control" ? "control" : "api");
        said.refusedAt = contact.consentAt ?? 0;
      }
    }
    for (const contact of now) {
      if (!isOut(contact)) Object.assign(knownOf(contact), { refusedBy: null, refusedAgain: false });
    }
    if (one.kind === "bulk") for (const contact of named) expect(contact?.consent).toBe("opted_out");
    // A refusal takes effect: a call of the customer at once, a STOP unless a later START is known.
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
  await checkEveryVariant(shop, person.phones, ofShop());
}

/**
 * No message reaches a contact who was opted out when the act began, unless the act itself may bring the contact back.
 */
function expectNobodyReached(sent: readonly OutboundMessage[], before: Contact[], phones: string[], one: Act): void {
  const comesBack = (one.kind === "word" && one.text === "START") || (one.kind === "control" && one.value === "resume");
  if (comesBack) return;
  for (const { to } of sent) {
    const contact = contactNamed(before, phones, phones.indexOf(to?.slice(1) ?? ""));
    expect([to, contact !== undefined && isOut(contact)]).toEqual([to, false]);
  }
}

/** The contact of a number, found by either variant or by the network's name for it. */
function contactNamed(all: Contact[], phones: string[], by: number): Contact | undefined {
  const first = by < 2 ? 0 : 2;
  const variants = phones.slice(first, first + 2);
  const stored = all.find(({ phone }) => variants.includes(phone?.slice(1) ?? ""));
  if (stored !== undefined) return stored;
  const ids = aliasesOf(app).filter(({ networkId }) => variants.includes(networkId));
  return all.find(({ id }) => ids.some(({ contactId }) => contactId === id));
}

/** A contact who refused is reached under no variant of the number, with a plus or without. */
async function checkEveryVariant(shop: TestWorkspace, phones: string[], all: Contact[]): Promise<void> {
  network.always((outbound) => accepted(outbound));
  for (const [index, digits] of phones.entries()) {
    const contact = contactNamed(all, phones, index);
    if (contact === undefined) continue;
    for (const variant of [digits, `+${digits}`, `00${digits}`]) {
      expect((await getContactOf(app, shop, variant)).body.data.consent.status).toBe(contact.consent);
    }
    if (!isOut(contact)) continue;
    const dispatched = network.sent.length;
    expect((await send(shop, digits)).body.error.code).toBe("opted_out");
    expect((await putContactOf(app, shop, `+${digits}`, { consent: "opted_in" })).status).toBe(422);
    expect(network.sent).toHaveLength(dispatched);
  }
}

/**
 * Too rare to be left to chance: after the marketing preference comes another refusal, and then the preference is
 * lifted; and a contact is linked to two, of whom a START could lift the refusal of one alone.
 */
const press = (value: "stop" | "resume"): Act => ({ kind: "control", by: 0, value, ago: 0 });
const refusals: Act[] = [
  { kind: "post", by: 1 },
  { kind: "put", by: 0, consent: "opted_out" },
  { kind: "bulk", rows: [1] },
  { kind: "word", by: 0, text: "STOP", ago: 0, names: false },
];
const linking: Act[] = [
  { kind: "post", by: 2 },
  { kind: "word", by: 0, text: "START", ago: 0, names: false },
  { kind: "post", by: 0 },
  { kind: "move", by: 0 },
  { kind: "send", by: 0 },
];
const examples = people.flatMap((person) =>
  [...refusals.map((refusal) => [press("stop"), refusal, press("resume")]), linking].map(
    (acts): [{ person: typeof person; acts: { act: Act; after: number }[] }] => [
      { person, acts: acts.map((act) => ({ act, after: 10_000 })) },
    ],
  ),
);

test(
  "after an opt-out only START, or the marketing preference that refused, makes a person reachable, under any number and link",
  async () => {
    await fc.assert(
      fc.asyncProperty(scenario, ({ person, acts }) => tell(person, acts)),
      { examples, numRuns: RUNS },
    );
  },
  120_000 + RUNS * 1_000,
);
