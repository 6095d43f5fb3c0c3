/**
 * The order of a certificate against a strict model of an authority: ended at every step and continued by the next
 * process, and under random faults for weeks. However it goes, the authority sees no more orders than its limits allow,
 * every certificate that it issues belongs to a key that was on disk before, and in the end there is a certificate.
 */
import { afterAll, expect, test } from "bun:test";
import { createPrivateKey, X509Certificate } from "node:crypto";
import fc from "fast-check";
import {
  AcmeProblem,
  AuthorityUnreachable,
  type CertificateAuthority,
  type Challenge,
  type Order,
} from "#src/certificates/authority.ts";
import {
  CERTIFICATES_PER_WEEK_MAX,
  certificateMoves,
  certificateStates,
  nextStep,
  ORDERS_PER_HOUR_MAX,
  type OrderFacts,
  renewAt,
  retryAt,
} from "#src/certificates/certificate.ts";
import { certificate, newPrivateKey } from "#src/certificates/der.ts";
import { CertificateKeeper } from "#src/certificates/keeper.ts";
import { certificateContext } from "#src/certificates/rows.ts";
import { createLog } from "#src/core/log.ts";
import { createSecretBox } from "#src/core/secret.ts";
import { seededRandom } from "#src/core/seeded-random.ts";
import type { Store } from "#src/db/store.ts";
import { openTestDatabase, standingClock } from "#test/support/database.ts";
import { inForm } from "#test/support/long-form.ts";

const SITE = { domain: "wa.example.com", directory: "https://authority.test/directory" };
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const LIFE_MS = 90 * DAY_MS;
const SPKI_BEGIN = Buffer.from("3059301306072a8648ce3d0201", "hex");
const SPKI_BYTES = 91;
const authorityKey = newPrivateKey();
const time: { of: { now: number } } = { of: { now: 0 } };
const database = openTestDatabase({ schema: true, clock: { ...standingClock, now: () => time.of.now } });
afterAll(() => database[Symbol.asyncDispose]());

class Ended extends Error {}

interface ModelOrder {
  at: number;
  status: "pending" | "ready" | "processing" | "valid" | "invalid";
  isAnswered: boolean;
  chain: string | null;
  fault: string | null;
}

/** What a process sees: one clock, one authority, and an end at one of its steps. */
class World {
  now = Date.parse("2026-11-22T08:00:00Z");
  readonly orders: ModelOrder[] = [];
  readonly issuedAt: number[] = [];
  /** Faults of the next orders: the type of a problem, or null. */
  faults: (string | null)[] = [];
  /** Until then, there is no answer. */
  downUntil = 0;
  offered: string | null = null;
  served: string | null = null;
  steps = 0;
  /** The process ends before or after this step; then nothing that it does has an effect. */
  endsAt: { step: number; after: boolean } | null = null;
  isOver = false;
  readonly random = seededRandom(7);
  readonly box = createSecretBox(new Uint8Array(32).fill(1), this.random);

  async step<T>(effect: () => T | Promise<T>): Promise<T> {
    const mine = this.steps++;
    if (this.isOver || (this.endsAt?.step === mine && !this.endsAt.after)) this.end();
    const result = await effect();
    if (this.endsAt?.step === mine) this.end();
    return result;
  }

  end(): never {
    this.isOver = true;
    throw new Ended();
  }
}

function authorityOf(world: World, store: Store): CertificateAuthority {
  const accounts = new Map<string, string>();
  const ask = <T>(answer: () => T): Promise<T> =>
    world.step(() => {
      if (world.now < world.downUntil) throw new AuthorityUnreachable("authority.test", "it refused the connection");
      return answer();
    });
  const find = (url: string): ModelOrder => {
    const order = world.orders[Number(url)];
    if (order === undefined) throw new AcmeProblem("malformed", "no such order", null);
    return order;
  };
  return {
    account: (key) =>
      ask(() => {
        const url = accounts.get(key) ?? `account-${accounts.size}`;
        accounts.set(key, url);
        return url;
      }),
    order: () =>
      ask(() => {
        const [fault = null] = world.faults.splice(0, 1);
        world.orders.push({ at: world.now, status: "pending", isAnswered: false, chain: null, fault });
        if (fault === "rateLimited") throw new AcmeProblem("rateLimited", "too many", 3 * HOUR_MS);
        return String(world.orders.length - 1);
      }),
    readOrder: (_key, _account, url): Promise<Order> =>
      ask(() => {
        const order = find(url);
        const { status } = order;
        if (status === "processing") order.status = "valid";
        return {
          ...{ status, authorizationUrl: url, finalizeUrl: url, retryAfterMs: null, problem: null },
          certificateUrl: status === "valid" ? url : null,
        };
      }),
    readChallenge: (_key, _account, url): Promise<Challenge> =>
      ask(() => {
        const { status, isAnswered, fault } = find(url);
        return {
          ...{ status: status === "pending" ? "pending" : status === "invalid" ? "invalid" : "valid", url, isAnswered },
          ...{ token: `t${url}`, keyAuthorization: `t${url}.x` },
          problem: status === "invalid" ? new AcmeProblem(fault ?? "unknown", "no", null) : null,
        };
      }),
    answerChallenge: (_key, _account, url) =>
      ask(() => {
        const order = find(url);
        order.isAnswered = true;
        // It looks at once: the answer has to be offered before it is told to look.
        order.status = order.fault === null && world.offered === `t${url}.x` ? "ready" : "invalid";
      }),
    finalize: (_key, _account, url, csr) =>
      ask(() => {
        const order = find(url);
        if (order.status !== "ready") throw new AcmeProblem("orderNotReady", "not ready", null);
        const from = Buffer.from(csr).indexOf(SPKI_BEGIN);
        const publicKey = csr.subarray(from, from + SPKI_BYTES);
        const [startsAt, endsAt] = [world.now - HOUR_MS, world.now - HOUR_MS + LIFE_MS];
        const serial = Uint8Array.of(0x40, world.issuedAt.length + 1);
        order.chain = certificate({
          ...{ domain: SITE.domain, startsAt, endsAt, serial, publicKey },
          signingKey: authorityKey,
        });
        order.status = "processing";
        world.issuedAt.push(world.now);
        // The key was on disk before.
        const kept = store.client
          .prepare("SELECT id, private_key FROM certificates WHERE private_key IS NOT NULL")
          .all();
        const keys = kept as { id: number; private_key: string }[];
        const issued = new X509Certificate(order.chain);
        const hasKey = keys.some(({ id, private_key }) =>
          issued.checkPrivateKey(createPrivateKey(world.box.open(private_key, certificateContext(id)))),
        );
        expect(hasKey).toBe(true);
      }),
    download: (_key, _account, url) => ask(() => find(url).chain ?? ""),
  };
}

/** A process: runs until it ends automatically, or `until` of the world's time. */
async function live(world: World, until: number): Promise<void> {
  const { store } = database;
  world.isOver = false;
  world.offered = null;
  const keeper = new CertificateKeeper({
    site: SITE,
    store: {
      read: store.read.bind(store) as Store["read"],
      write: (operation) => world.step(() => store.write(operation)),
    },
    box: world.box,
    clock: { now: () => world.now, monotonic: () => world.now, setTimer: () => ({ cancel() {} }) },
    random: world.random,
    log: createLog({ level: "error", format: "text", now: () => world.now, write: () => {} }),
    authority: authorityOf(world, store),
    challenges: {
      open: () => null,
      offer: (token) => {
        world.offered = token?.keyAuthorization ?? null;
      },
    },
    surroundings: async () => ({ domain: SITE.domain, resolved: null, own: [] }),
    onIssued: ({ cert }) => {
      world.served = cert;
    },
  });
  // As a start marks it; its own loop is not used.
  Object.defineProperty(keeper, "isStopped", { get: () => world.isOver });
  world.served = keeper.issued()?.cert ?? null;
  while (world.now < until) {
    try {
      const next = await keeper.runOnce();
      if (world.isOver) return;
      world.now += next === "at_once" || next === null ? 50 : Math.ceil(next);
    } catch (error) {
      if (error instanceof Ended || world.isOver) return;
      throw error;
    }
  }
}

/** The world that the next processes live in. */
function begin(): World {
  const world = new World();
  time.of = world;
  database.store.client.exec("DELETE FROM certificates; DELETE FROM acme_accounts");
  return world;
}

function requireWithinLimits({ orders, issuedAt }: World): void {
  const max = (times: number[], windowMs: number): number =>
    Math.max(0, ...times.map((from) => times.filter((at) => at >= from && at < from + windowMs).length));
  expect(
    max(
      orders.map(({ at }) => at),
      HOUR_MS,
    ),
  ).toBeLessThanOrEqual(ORDERS_PER_HOUR_MAX);
  expect(max(issuedAt, 7 * DAY_MS)).toBeLessThanOrEqual(CERTIFICATES_PER_WEEK_MAX);
}

test("a process that ends at any step, before or after its effect, leaves an order that the next one completes", async () => {
  const quiet = begin();
  await live(quiet, quiet.now + HOUR_MS);
  const stepsOfOne = quiet.steps;
  expect(stepsOfOne).toBeGreaterThan(10);
  expect(quiet.orders).toHaveLength(1);

  for (let step = 0; step < stepsOfOne; step++) {
    for (const after of [false, true]) {
      const world = begin();
      const end = world.now + DAY_MS;
      world.endsAt = { step, after };
      await live(world, end);
      world.endsAt = null;
      await live(world, end);
      requireWithinLimits(world);
      expect(world.served).not.toBeNull();
      // The authority issued at most one more than is used: one whose order was lost on the way.
      expect(world.orders.length).toBeLessThanOrEqual(2);
      const rows = database.store.client.prepare("SELECT status FROM certificates ORDER BY id").pluck().all();
      expect(rows.at(-1)).toBe("valid");
    }
  }
});

test("a process that ends again and again at the same step stays within the limits", async () => {
  for (let step = 0; step < 16; step++) {
    const world = begin();
    for (let run = 0; run < 200; run++) {
      world.steps = 0;
      world.endsAt = { step, after: true };
      const { now } = world;
      await live(world, now + 10 * 60_000);
      world.now += 5_000;
    }
    requireWithinLimits(world);
  }
});

test("under random faults and ends for months, limits hold, and a certificate is renewed before it ends", async () => {
  const fault = fc.constantFrom(null, null, "connection", "dns", "unauthorized", "rateLimited");
  const event = fc.record({
    afterHours: fc.integer({ min: 1, max: 24 * 20 }),
    faults: fc.array(fault, { maxLength: 4 }),
    downHours: fc.integer({ min: 0, max: 12 }),
    endsIn: fc.option(fc.record({ step: fc.integer({ min: 0, max: 30 }), after: fc.boolean() })),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(event, { minLength: 3, maxLength: 8 }), async (events) => {
      const world = begin();
      for (const { afterHours, faults, downHours, endsIn } of events) {
        const end = world.now + afterHours * HOUR_MS;
        world.faults = [...faults];
        world.downUntil = world.now + downHours * HOUR_MS;
        world.steps = 0;
        world.endsAt = endsIn;
        while (world.now < end) {
          await live(world, end);
          world.endsAt = null;
          world.now += 5_000;
        }
        requireWithinLimits(world);
      }
      world.faults = [];
      await live(world, world.now + 100 * DAY_MS);
      requireWithinLimits(world);
      const issued = new X509Certificate(world.served ?? "");
      expect(Date.parse(issued.validTo) - world.now).toBeGreaterThan(29 * DAY_MS - 2 * HOUR_MS);
    }),
    { numRuns: inForm({ short: 5, long: 500 }) },
  );
});

test("states: every move leads to an end, and only a valid or failed order is followed by another", () => {
  for (const from of certificateStates) {
    const isFinal = certificateMoves[from].length === 0;
    expect(isFinal).toBe(from === "valid" || from === "failed");
    if (!isFinal) expect(certificateMoves[from]).toContain("failed");
    const order: OrderFacts = { id: 1, status: from, orderedAt: 0, renewAt: null, retryAt: null };
    const { kind } = nextStep([order], 1_000 * DAY_MS);
    expect(kind).toBe(isFinal ? "order" : from === "ordering" ? "interrupted" : "continue");
  }
});

test("renewal comes with a third of the life left or up to a tenth of that earlier; retries wait longer and longer", () => {
  const life = { startsAt: 0, endsAt: 90 * DAY_MS };
  expect(renewAt(life, 0)).toBe(60 * DAY_MS);
  expect(renewAt(life, 1)).toBe(57 * DAY_MS);
  const waits = [1, 2, 3, 4, 5, 6, 60].map((failures) =>
    retryAt({ kind: "refused", retryAfterMs: null, failures }, 0, 0),
  );
  expect(waits.map((ms) => ms / 60_000)).toEqual([2, 10, 30, 60, 120, 360, 360]);
  expect(retryAt({ kind: "limited", retryAfterMs: 5 * HOUR_MS, failures: 1 }, 0, 0)).toBe(5 * HOUR_MS);
  expect(retryAt({ kind: "limited", retryAfterMs: null, failures: 1 }, 0, 0)).toBe(HOUR_MS);
});
