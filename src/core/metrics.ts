/**
 * Metrics of the process in Prometheus' text format (exposition format 0.0.4): counters, gauges and histograms, each
 * declared once with its help text. Counting is a map lookup; a gauge is read on demand. Written here because these few
 * lines are all that is used: prom-client adds three packages for exemplars and summaries, and 60 kB to the executable.
 */
import { visible } from "./shown-text.ts";

export type Labels = Readonly<Record<string, string | number>>;

class Counter {
  readonly #series: Map<string, number>;

  /** `known`: series that exist from the start. Of one that appears with its first event, a rate does not see that event. */
  constructor(known: readonly Labels[]) {
    this.#series = new Map(known.map((labels) => [keyOf(labels), 0]));
  }

  add(labels: Labels = {}, by = 1): void {
    const key = keyOf(labels);
    this.#series.set(key, (this.#series.get(key) ?? 0) + by);
  }

  lines(name: string): string[] {
    return [...this.#series].map(([key, value]) => `${name}${braces(key)} ${value}`);
  }
}

export interface Observation {
  labels: Labels;
  /** One count per bucket; the last counts values above all bounds. */
  counts: number[];
  sum: number;
}

export class Histogram {
  readonly #bounds: readonly number[];
  readonly #series = new Map<string, Observation>();

  /** Upper bounds, ascending. */
  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
  }

  observe(value: number, labels: Labels = {}): void {
    this.observeIn(this.seriesOf(labels), value);
  }

  /** The series of these labels, for callers that observe often: finding it costs more than an observation. */
  seriesOf(labels: Labels): Observation {
    const key = keyOf(labels);
    let observation = this.#series.get(key);
    if (observation === undefined) {
      observation = { labels, counts: new Array<number>(this.#bounds.length + 1).fill(0), sum: 0 };
      this.#series.set(key, observation);
    }
    return observation;
  }

  observeIn(observation: Observation, value: number): void {
    let bucket = 0;
    while (bucket < this.#bounds.length && value > (this.#bounds[bucket] ?? 0)) bucket += 1;
    observation.counts[bucket] = (observation.counts[bucket] ?? 0) + 1;
    observation.sum += value;
  }

  /** Observations since the process started; cumulative. */
  get series(): Iterable<Readonly<Observation>> {
    return this.#series.values();
  }

  lines(name: string): string[] {
    return [...this.#series].flatMap(([key, { counts, sum }]) => {
      let total = 0;
      const buckets = counts.map((count, index) => {
        total += count;
        const bound = this.#bounds[index];
        return `${name}_bucket${braces(joined(key, `le="${bound ?? "+Inf"}"`))} ${total}`;
      });
      return [...buckets, `${name}_sum${braces(key)} ${sum}`, `${name}_count${braces(key)} ${total}`];
    });
  }
}

/** A gauge's current value, with its labels. */
export type Sample = readonly [labels: Labels, value: number];

type ReadGauge = () => readonly Sample[] | Promise<readonly Sample[]>;

interface Family {
  kind: "counter" | "gauge" | "histogram";
  help: string;
  lines: () => string[] | Promise<string[]>;
}

export class Metrics {
  readonly #families = new Map<string, Family>();
  readonly #gauges = new Map<string, ReadGauge>();
  /** The names of metrics that are read at every scrape. */
  readonly #observed = new Set<string>();

  /** `known`: the labels that it may have; by default it has none. */
  counter(name: string, help: string, known: readonly Labels[] = [{}]): Counter {
    const counter = new Counter(known);
    this.#declare(name, { kind: "counter", help, lines: () => counter.lines(name) });
    return counter;
  }

  histogram(name: string, help: string, bounds: readonly number[]): Histogram {
    const histogram = new Histogram(bounds);
    this.#declare(name, { kind: "histogram", help, lines: () => histogram.lines(name) });
    return histogram;
  }

  /** `read` is called at every scrape. */
  gauge(name: string, help: string, read: ReadGauge): void {
    this.#gauges.set(name, read);
    this.#declareRead(name, { kind: "gauge", help }, read);
  }

  /** A counter that is kept elsewhere: `read` is called at every scrape, and its values only grow. */
  observedCounter(name: string, help: string, read: ReadGauge): void {
    this.#declareRead(name, { kind: "counter", help }, read);
  }

  /** Their sources are about to be replaced, and declare them again. */
  removeObserved(): void {
    for (const name of this.#observed) this.#families.delete(name);
    this.#observed.clear();
    this.#gauges.clear();
  }

  #declareRead(name: string, family: Pick<Family, "kind" | "help">, read: ReadGauge): void {
    this.#observed.add(name);
    this.#declare(name, {
      ...family,
      lines: async () => (await read()).map(([labels, value]) => `${name}${braces(keyOf(labels))} ${value}`),
    });
  }

  /** The current values of one gauge; null if reading it fails. */
  async readGauge(name: string): Promise<readonly Sample[] | null> {
    const read = this.#gauges.get(name);
    if (read === undefined) throw new Error(`there is no gauge ${name}`);
    return Promise.resolve()
      .then(read)
      .catch(() => null);
  }

  /** All metrics as text. A metric that cannot be read is omitted; the others stay. */
  async text(): Promise<string> {
    const parts: string[] = [];
    for (const [name, { kind, help, lines }] of this.#families) {
      const shown = await Promise.resolve()
        .then(lines)
        .catch(() => []);
      if (shown.length > 0) parts.push(`# HELP ${name} ${help}\n# TYPE ${name} ${kind}\n${shown.join("\n")}\n`);
    }
    return parts.join("");
  }

  #declare(name: string, family: Family): void {
    if (this.#families.has(name)) throw new Error(`the metric ${name} is declared twice`);
    this.#families.set(name, family);
  }
}

/** Bucket bounds in seconds, from a read in memory to a slow network. */
export const LATENCY_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

function keyOf(labels: Labels): string {
  let key = "";
  for (const name in labels) key = joined(key, `${name}="${escaped(String(labels[name]))}"`);
  return key;
}

function joined(key: string, more: string): string {
  return key === "" ? more : `${key},${more}`;
}

function braces(key: string): string {
  return key === "" ? "" : `{${key}}`;
}

function escaped(value: string): string {
  if (!/[\\"\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(value)) return value;
  const lines = value.split("\n").map((line) => visible(line).replace(/[\\"]/g, "\\$&"));
  return lines.join("\\n");
}
