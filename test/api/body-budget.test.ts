/**
 * The budget of unverified bodies alone: whatever order bodies arrive in, the budget is never exceeded and never
 * leaks.
 */
import { expect, test } from "bun:test";
import fc from "fast-check";
import type { Clock } from "#src/core/clock.ts";
import { BodyBudget, type Release } from "#src/http/body-budget.ts";

const LIMITS = { smallBytes: 100, largeBytes: 1_000, waiting: 3, waitMs: 50 };

/** Fires timers without the event loop, because nothing here waits for a socket. */
class PlainClock implements Clock {
  #time = 0;
  #timers: { at: number; fire: () => void }[] = [];

  now = (): number => this.#time;
  monotonic = (): number => this.#time;

  setTimer(delayMs: number, fire: () => void) {
    const timer = { at: this.#time + delayMs, fire };
    this.#timers.push(timer);
    return {
      cancel: () => {
        this.#timers = this.#timers.filter((other) => other !== timer);
      },
    };
  }

  pass(ms: number): void {
    const until = this.#time + ms;
    for (;;) {
      const [next] = this.#timers.filter(({ at }) => at <= until).sort((one, other) => one.at - other.at);
      if (next === undefined) break;
      this.#time = next.at;
      this.#timers = this.#timers.filter((timer) => timer !== next);
      next.fire();
    }
    this.#time = until;
  }

  get timerCount(): number {
    return this.#timers.length;
  }
}

type State = "waiting" | "held" | "evicted" | "refused" | "released";

interface Body {
  kind: "small" | "large";
  bytes: number;
  state: State;
  release: Release;
}

/** A budget together with what the senders know about it. */
class Model {
  readonly clock = new PlainClock();
  readonly budget = new BodyBudget(this.clock, LIMITS);
  readonly bodies: Body[] = [];

  small(bytes: number): void {
    const body: Body = { kind: "small", bytes, state: "held", release: () => undefined };
    body.release = this.budget.reserveSmall(bytes, () => {
      expect(body.state).toBe("held");
      // The body that began first is evicted.
      expect(this.bodies.find(({ kind, state }) => kind === "small" && state === "held")).toBe(body);
      body.state = "evicted";
    });
    this.bodies.push(body);
  }

  large(bytes: number): void {
    const body: Body = { kind: "large", bytes, state: "waiting", release: () => undefined };
    this.bodies.push(body);
    void this.budget.reserveLarge(bytes).then((release) => {
      // First come, first served: every body that came earlier has stopped waiting.
      const earlier = this.bodies.slice(0, this.bodies.indexOf(body));
      if (release !== null) expect(earlier.filter(({ state }) => state === "waiting")).toEqual([]);
      body.state = release === null ? "refused" : "held";
      if (release !== null) body.release = release;
    });
  }

  /** Releasing a body twice, or after its eviction, has no effect. */
  release(index: number): void {
    const body = this.bodies[index % Math.max(1, this.bodies.length)];
    if (body === undefined || body.state === "waiting") return;
    body.release();
    if (body.state === "held") body.state = "released";
  }

  async settle(): Promise<void> {
    for (let turn = 0; turn < 5; turn++) await Promise.resolve();
  }

  check(): void {
    const sum = (kind: Body["kind"]): number =>
      this.bodies
        .filter((body) => body.kind === kind && body.state === "held")
        .reduce((all, { bytes }) => all + bytes, 0);
    const waiting = this.bodies.filter(({ state }) => state === "waiting");
    expect(this.budget.held).toEqual({
      smallBytes: sum("small"),
      largeBytes: sum("large"),
      waiting: waiting.length,
    });
    expect(sum("small")).toBeLessThanOrEqual(LIMITS.smallBytes);
    expect(sum("large")).toBeLessThanOrEqual(LIMITS.largeBytes);
    expect(waiting.length).toBeLessThanOrEqual(LIMITS.waiting);
    // No body waits while the budget has room for it.
    if (waiting[0] !== undefined) expect(sum("large") + waiting[0].bytes).toBeGreaterThan(LIMITS.largeBytes);
  }
}

const step = fc.oneof(
  fc.record({ do: fc.constant("small" as const), value: fc.integer({ min: 0, max: LIMITS.smallBytes }) }),
  fc.record({ do: fc.constant("large" as const), value: fc.integer({ min: 1, max: LIMITS.largeBytes }) }),
  fc.record({ do: fc.constant("release" as const), value: fc.nat(60) }),
  fc.record({ do: fc.constant("pass" as const), value: fc.integer({ min: 0, max: LIMITS.waitMs }) }),
);

test("bodies that arrive, end, break off and wait in any order never exceed the budget, and leave all of it free", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const model = new Model();
      for (const { do: what, value } of steps) {
        if (what === "pass") model.clock.pass(value);
        else model[what](value);
        await model.settle();
        model.check();
      }
      model.clock.pass(LIMITS.waitMs);
      await model.settle();
      for (const index of model.bodies.keys()) model.release(index);
      expect(model.budget.held).toEqual({ smallBytes: 0, largeBytes: 0, waiting: 0 });
      expect(model.clock.timerCount).toBe(0);
      // The whole budget is available again.
      model.large(LIMITS.largeBytes);
      model.small(LIMITS.smallBytes);
      await model.settle();
      model.check();
      expect(model.bodies.slice(-2).map(({ state }) => state)).toEqual(["held", "held"]);
    }),
    { numRuns: 2_000 },
  );
});

test("a body is refused when every waiting place is taken, and when its waiting time is over", async () => {
  const model = new Model();
  for (let count = 0; count < 5; count++) model.large(LIMITS.largeBytes);
  await model.settle();
  expect(model.bodies.map(({ state }) => state)).toEqual(["held", "waiting", "waiting", "waiting", "refused"]);
  model.clock.pass(LIMITS.waitMs - 1);
  model.release(0);
  await model.settle();
  expect(model.bodies.map(({ state }) => state)).toEqual(["released", "held", "waiting", "waiting", "refused"]);
  model.clock.pass(1);
  await model.settle();
  expect(model.bodies.map(({ state }) => state)).toEqual(["released", "held", "refused", "refused", "refused"]);
});
