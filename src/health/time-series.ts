/**
 * The process's metrics, minute by minute, for the last day; in memory, so a restart begins with none. Once a minute it
 * reads the totals of the metrics and keeps the increase; it counts nothing itself.
 */

import type { Clock } from "#src/core/clock.ts";
import type { Log } from "#src/core/log.ts";
import { type Histogram, LATENCY_SECONDS, type Labels, type Metrics } from "#src/core/metrics.ts";
import { type NextRun, ServiceLoop } from "#src/core/service-loop.ts";

interface TimeSeriesSources {
  metrics: Metrics;
  requests: Histogram;
  sends: Histogram;
  deliveries: Histogram;
  commits: Histogram;
}

const countNames = ["accepted", "refused", "unknown", "webhooksDelivered", "webhooksFailed"] as const;
type Counts = Record<(typeof countNames)[number], number>;

/** The increase between two samples; durations are counted by bucket. */
interface Minute extends Counts {
  /** When it ended, milliseconds. */
  at: number;
  times: Record<TimeName, number[]>;
  /** Jobs that wait; null: it could not be read. */
  waiting: number | null;
  /** Seconds since the oldest waiting job became due. */
  age: number | null;
  databaseBytes: number | null;
}

const timeNames = ["network", "api", "webhook", "commit"] as const;
type TimeName = (typeof timeNames)[number];

export interface Quantiles {
  /** Number of observations. */
  count: number;
  /** Seconds; null: no observations. */
  p50: number | null;
  p99: number | null;
}

export interface TimeSeriesSample extends Omit<Minute, "times">, Record<TimeName, Quantiles> {
  /** When it began, milliseconds. */
  from: number;
}

type Totals = Counts & Pick<Minute, "times">;

const MINUTE_MS = 60_000;
const RETENTION_MINUTES = 24 * 60;

interface TimeSeriesOptions {
  sources: TimeSeriesSources;
  clock: Clock;
  /** Real timers: a test that advances its clock by a day needs no thousand samples. */
  timers: Pick<Clock, "setTimer">;
  log: Log;
}

export class TimeSeries extends ServiceLoop {
  readonly #sources: TimeSeriesSources;
  readonly #clock: Clock;
  readonly #minutes: Minute[] = [];
  readonly startedAt: number;
  #totals: Totals;

  constructor({ sources, clock, timers, log }: TimeSeriesOptions) {
    super({
      name: "time_series",
      clock: timers,
      firstRunAfterMs: MINUTE_MS,
      retryAfterMs: MINUTE_MS,
      onError: (error) => log.error("metrics.failed", "Metrics could not be sampled", { error }),
    });
    this.#sources = sources;
    this.#clock = clock;
    this.startedAt = clock.now();
    this.#totals = this.#readTotals();
  }

  /** Never: a sample changes nothing, so neither a shutdown nor a test waits for it. */
  override get isActive(): boolean {
    return false;
  }

  /** Ends the current minute. */
  async runOnce(): Promise<NextRun> {
    const { minute, totals } = await this.#measure();
    this.#totals = totals;
    this.#minutes.push(minute);
    if (this.#minutes.length > RETENTION_MINUTES) this.#minutes.shift();
    return MINUTE_MS;
  }

  /** The last `minutes` in steps of `stepMinutes`, the oldest first, the current one last. */
  async samples(minutes: number, stepMinutes: number): Promise<TimeSeriesSample[]> {
    const shown = await this.#last(minutes);
    const stepMs = stepMinutes * MINUTE_MS;
    const groups = Map.groupBy(shown, ({ at }) => Math.ceil(at / stepMs) * stepMs);
    return [...groups].map(([until, group]) => toSample(until - stepMs, group)).toSorted((a, b) => a.at - b.at);
  }

  /** The last `minutes` as one sample. */
  async summarize(minutes: number): Promise<TimeSeriesSample> {
    return toSample(this.#clock.now() - minutes * MINUTE_MS, await this.#last(minutes));
  }

  async #last(minutes: number): Promise<Minute[]> {
    const { minute } = await this.#measure();
    const since = this.#clock.now() - minutes * MINUTE_MS;
    return [...this.#minutes, minute].filter(({ at }) => at > since);
  }

  async #measure(): Promise<{ minute: Minute; totals: Totals }> {
    const { metrics } = this.#sources;
    const [depths, ages, bytes] = await Promise.all([
      metrics.readGauge("waxwing_outbox_rows"),
      metrics.readGauge("waxwing_outbox_age_seconds"),
      metrics.readGauge("waxwing_database_bytes"),
    ]);
    const totals = this.#readTotals();
    const before = this.#totals;
    const minute: Minute = {
      at: this.#clock.now(),
      ...byName(countNames, (name) => totals[name] - before[name]),
      times: byName(timeNames, (name) => totals.times[name].map((count, at) => count - (before.times[name][at] ?? 0))),
      waiting: depths?.reduce((total, [, value]) => total + value, 0) ?? null,
      age: ages?.reduce((oldest, [, value]) => Math.max(oldest, value), 0) ?? null,
      databaseBytes: bytes?.[0]?.[1] ?? null,
    };
    return { minute, totals };
  }

  #readTotals(): Totals {
    const { requests, sends, deliveries, commits } = this.#sources;
    const isAccepted = ({ outcome }: Labels): boolean => outcome === "accepted";
    const isUnknown = ({ outcome }: Labels): boolean => outcome === "unknown";
    const isDelivered = ({ result }: Labels): boolean => result === "2xx";
    return {
      accepted: countOf(sends, isAccepted),
      refused: countOf(sends, (labels) => !isAccepted(labels) && !isUnknown(labels)),
      unknown: countOf(sends, isUnknown),
      webhooksDelivered: countOf(deliveries, isDelivered),
      webhooksFailed: countOf(deliveries, (labels) => !isDelivered(labels)),
      times: {
        network: bucketsOf(sends),
        api: bucketsOf(requests),
        webhook: bucketsOf(deliveries),
        commit: bucketsOf(commits),
      },
    };
  }
}

function countOf({ series }: Histogram, matches: (labels: Labels) => boolean): number {
  let total = 0;
  for (const { labels, counts } of series) if (matches(labels)) total += sum(counts);
  return total;
}

function bucketsOf({ series }: Histogram): number[] {
  const total = new Array<number>(LATENCY_SECONDS.length + 1).fill(0);
  for (const { counts } of series) add(total, counts);
  return total;
}

function toSample(from: number, group: readonly Minute[]): TimeSeriesSample {
  const quantiles = (name: TimeName): Quantiles => {
    const counts = new Array<number>(LATENCY_SECONDS.length + 1).fill(0);
    for (const { times } of group) add(counts, times[name]);
    return { count: sum(counts), p50: quantileOf(counts, 0.5), p99: quantileOf(counts, 0.99) };
  };
  const last = group.at(-1);
  return {
    from,
    at: last?.at ?? from,
    ...byName(countNames, (name) => sum(group.map((minute) => minute[name]))),
    // The maximum: an average would hide a delay.
    waiting: max(group.map(({ waiting }) => waiting)),
    age: max(group.map(({ age }) => age)),
    databaseBytes: last?.databaseBytes ?? null,
    ...byName(timeNames, quantiles),
  };
}

function byName<Name extends string, T>(names: readonly Name[], find: (name: Name) => T): Record<Name, T> {
  return Object.fromEntries(names.map((name) => [name, find(name)])) as Record<Name, T>;
}

/** Like `histogram_quantile` of Prometheus: linear within a bucket; beyond the last bound, that bound. */
export function quantileOf(counts: readonly number[], share: number): number | null {
  const all = sum(counts);
  if (all === 0) return null;
  const rank = share * all;
  let below = 0;
  for (const [at, count] of counts.entries()) {
    if (below + count >= rank && count > 0) {
      const lower = LATENCY_SECONDS[at - 1] ?? 0;
      const upper = LATENCY_SECONDS[at];
      return upper === undefined ? lower : lower + ((upper - lower) * (rank - below)) / count;
    }
    below += count;
  }
  return LATENCY_SECONDS.at(-1) ?? null;
}

function max(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : Math.max(...known);
}

function sum(values: readonly number[]): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}

function add(total: number[], counts: readonly number[]): void {
  for (const [at, count] of counts.entries()) total[at] = (total[at] ?? 0) + count;
}
