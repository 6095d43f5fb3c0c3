/**
 * A certificate that does not come: the operator sees why in a condition, the log says it once, and the order is repeated
 * soon after the cause was corrected.
 */
import { afterAll, beforeEach, expect, test } from "bun:test";
import { AcmeProblem, AuthorityUnreachable, type CertificateAuthority } from "#src/certificates/authority.ts";
import { ORDERS_PER_HOUR_MAX, retryAt } from "#src/certificates/certificate.ts";
import type { Surroundings } from "#src/certificates/failure.ts";
import { CertificateKeeper } from "#src/certificates/keeper.ts";
import { createLog } from "#src/core/log.ts";
import { createSecretBox } from "#src/core/secret.ts";
import { seededRandom } from "#src/core/seeded-random.ts";
import { readCertificate } from "#src/health/certificate-facts.ts";
import { evaluateHealth } from "#src/health/evaluate.ts";
import { well } from "#test/support/conditions.ts";
import { openTestDatabase, standingClock } from "#test/support/database.ts";

const SITE = { domain: "wa.example.com", directory: "https://authority.test/directory" };
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
let now = Date.parse("2026-11-26T08:00:00Z");
const database = openTestDatabase({ schema: true, clock: { ...standingClock, now: () => now } });
afterAll(() => database[Symbol.asyncDispose]());
beforeEach(() => database.store.client.exec("DELETE FROM certificates; DELETE FROM acme_accounts"));

interface Situation {
  fault: () => Error;
  surroundings: () => Surroundings;
  /** Why port 80 cannot be listened on. */
  closed: string | null;
}

function begin(given: Partial<Situation> = {}) {
  const situation: Situation = {
    fault: () => new AcmeProblem("dns", "NXDOMAIN", null),
    surroundings: () => ({ domain: SITE.domain, resolved: ["203.0.113.1"], own: ["203.0.113.9"] }),
    closed: null,
    ...given,
  };
  const orderedAt: number[] = [];
  const logged: string[] = [];
  const refuse = async (): Promise<never> => {
    throw situation.fault();
  };
  const authority: CertificateAuthority = {
    account: async () => "account",
    order: async () => {
      orderedAt.push(now);
      return refuse();
    },
    readOrder: refuse,
    readChallenge: refuse,
    answerChallenge: refuse,
    finalize: refuse,
    download: refuse,
  };
  const random = seededRandom(3);
  const keeper = new CertificateKeeper({
    ...{ site: SITE, store: database.store, random, authority },
    box: createSecretBox(new Uint8Array(32).fill(1), random),
    clock: { ...standingClock, now: () => now },
    log: createLog({ level: "warn", format: "text", now: () => now, write: (line) => logged.push(line) }),
    challenges: { open: () => situation.closed, offer() {} },
    surroundings: async () => situation.surroundings(),
    onIssued() {},
  });
  Object.defineProperty(keeper, "isStopped", { get: () => false });
  return {
    ...{ situation, orderedAt, logged, keeper },
    /** Runs it as its loop does, until then. */
    async pass(ms: number): Promise<void> {
      const until = now + ms;
      for (let runs = 0; now < until; runs++) {
        expect(runs).toBeLessThan(20_000);
        // A run that throws is repeated after a minute.
        const next = await keeper.runOnce().catch(() => MINUTE_MS);
        now = Math.min(until, now + (next === "at_once" ? 50 : Math.ceil(next ?? MINUTE_MS)));
      }
    },
    async conditions() {
      const query = async (sql: string, parameters: (string | number | null)[] = []) =>
        database.store.client.prepare(sql).all(...parameters) as Record<string, unknown>[];
      const facts = await readCertificate({ ...SITE, tlsCert: null, tlsKey: null }, query);
      return evaluateHealth({ ...well, at: now, certificate: facts })
        .filter(({ check }) => check === "certificate")
        .map(({ id, severity, says }) => ({ id, severity, says }));
    },
  };
}

const unknown = (): Surroundings => ({ domain: SITE.domain, resolved: null, own: null });
const throwing = (): never => {
  throw new Error("uv_interface_addresses returned Unknown system error 97");
};
const failures: readonly { name: string; given: Partial<Situation>; says: string }[] = [
  { name: "wrong DNS", given: {}, says: "DNS has no usable address for wa.example.com." },
  {
    name: "a closed port 80",
    given: { fault: () => new AcmeProblem("connection", "timeout", null) },
    says: "cannot reach http://wa.example.com/ at port 80",
  },
  {
    name: "another server",
    given: { fault: () => new AcmeProblem("unauthorized", "404", null), surroundings: unknown },
    says: "Another server answers",
  },
  {
    name: "a port 80 that is taken",
    given: { closed: "another program already listens on [::]:80" },
    says: "listens on",
  },
  {
    name: "an authority that cannot be reached",
    given: { fault: () => new AuthorityUnreachable("authority.test", "it refused the connection") },
    says: "authority.test cannot be reached",
  },
  {
    name: "a system that does not tell its addresses",
    given: { surroundings: throwing },
    says: "DNS has no usable address",
  },
  {
    name: "a fault of the server",
    given: { fault: () => new TypeError("undefined is not an object") },
    says: "A fault of the server prevents a certificate: “undefined is not an object”",
  },
];

for (const { name, given, says } of failures) {
  test(`${name} is a critical condition at once, is in the log once a day, and is tried again within limits`, async () => {
    const world = begin(given);
    await world.pass(5 * MINUTE_MS);
    expect(await world.conditions()).toEqual([
      { id: "certificate_missing", severity: "critical", says: expect.stringContaining(says) },
    ]);
    await world.pass(DAY_MS - 10 * MINUTE_MS);
    // A fault of the server is an entry with its stack, and one with the reason.
    expect(world.logged.length).toBeLessThanOrEqual(2);
    expect(world.logged.join("")).toContain(says);
    await world.pass(10 * DAY_MS);
    expect(world.logged.length).toBeLessThanOrEqual(2 * 11);
    expect(world.orderedAt.length + (world.situation.closed === null ? 0 : 99)).toBeGreaterThan(40);
    const max = Math.max(0, ...world.orderedAt.map((from) => countIn(world.orderedAt, from, HOUR_MS)));
    expect(max).toBeLessThanOrEqual(ORDERS_PER_HOUR_MAX);
  });
}

function countIn(times: readonly number[], from: number, windowMs: number): number {
  return times.filter((at) => at >= from && at < from + windowMs).length;
}

test("a renewal that fails for weeks stays a warning while the certificate is valid", async () => {
  const world = begin();
  database.store.client
    .prepare(
      `INSERT INTO certificates (domain, directory, status, ordered_at, chain, private_key, starts_at, ends_at, renew_at)
      VALUES (?, ?, 'valid', ?, 'chain', 'key', ?, ?, ?)`,
    )
    .run(SITE.domain, SITE.directory, now, now - 60 * DAY_MS, now + 30 * DAY_MS, now);
  await world.pass(20 * DAY_MS);
  expect(world.orderedAt.length).toBeGreaterThan(60);
  expect(await world.conditions()).toEqual([
    { id: "certificate_not_renewed", severity: "warning", says: expect.stringContaining("could not be renewed") },
  ]);
});

test("an order follows within minutes after DNS was corrected, or at once when the operator asks", async () => {
  const world = begin();
  await world.pass(5 * DAY_MS);
  const before = world.orderedAt.length;
  await world.pass(10 * MINUTE_MS);
  const corrected = now;
  world.situation.surroundings = () => ({ domain: SITE.domain, resolved: ["203.0.113.9"], own: ["203.0.113.9"] });
  await world.pass(5 * MINUTE_MS);
  const [next = Number.POSITIVE_INFINITY] = world.orderedAt.slice(before).filter((at) => at >= corrected);
  expect(next - corrected).toBeLessThanOrEqual(3 * MINUTE_MS);

  await world.pass(2 * DAY_MS);
  const asked = world.orderedAt.length;
  world.keeper.retry();
  await world.pass(1_000);
  expect(world.orderedAt.length).toBe(asked + 1);
  // Asking all the time stays within the limits.
  for (let times = 0; times < 300; times++) {
    world.keeper.retry();
    await world.pass(MINUTE_MS);
  }
  const max = Math.max(...world.orderedAt.map((from) => countIn(world.orderedAt, from, HOUR_MS)));
  expect(max).toBeLessThanOrEqual(ORDERS_PER_HOUR_MAX);
});

test("a correction of DNS while the authority looks is followed by an order within minutes, too", async () => {
  const world = begin();
  await world.pass(5 * DAY_MS);
  const before = world.orderedAt.length;
  const { fault } = world.situation;
  world.situation.fault = () => {
    world.situation.surroundings = () => ({ domain: SITE.domain, resolved: ["203.0.113.9"], own: ["203.0.113.9"] });
    world.situation.fault = fault;
    return fault();
  };
  await world.pass(7 * HOUR_MS);
  const [corrected = 0, next = Number.POSITIVE_INFINITY] = world.orderedAt.slice(before);
  expect(next - corrected).toBeLessThanOrEqual(3 * MINUTE_MS);
});

test("an authority that is silent in the middle of an order is in the log once", async () => {
  const world = begin({ fault: () => new AuthorityUnreachable("authority.test", "it refused the connection") });
  database.store.client
    .prepare(
      "INSERT INTO certificates (domain, directory, status, ordered_at, order_url) VALUES (?, ?, 'validating', ?, 'x')",
    )
    .run(SITE.domain, SITE.directory, now);
  await world.pass(50 * MINUTE_MS);
  expect(world.logged).toEqual([expect.stringContaining("certificate.delayed")]);
});

test("what is corrected outside is tried once an hour for a day, later each six hours", () => {
  const waits = [1, 2, 3, 4, 5, 27, 28].map((count) =>
    retryAt({ kind: "dns", retryAfterMs: null, failures: count }, 0, 0),
  );
  expect(waits.map((ms) => ms / MINUTE_MS)).toEqual([2, 10, 30, 60, 60, 60, 360]);
});
