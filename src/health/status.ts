/**
 * The status of the server: version, disk space, waiting work, commit times, backups. It adds to the facts from which
 * conditions are evaluated what only the process knows about itself.
 */
import type { Metrics } from "#src/core/metrics.ts";
import { commit, version } from "#src/core/version.ts";
import type { Store } from "#src/db/store.ts";
import { type FactSources, type HealthFacts, readFacts } from "./facts.ts";
import type { TimeSeries } from "./time-series.ts";

export interface ServerStatus extends HealthFacts {
  version: string;
  /** Empty when run from source. */
  commit: string;
  bun: string;
  sqlite: string;
  schema: number;
  startedAt: number;
  memoryBytes: number;
  process: NonNullable<HealthFacts["process"]>;
}

interface StatusSources extends Omit<FactSources, "process"> {
  store: Store;
  metrics: Metrics;
  timeSeries: TimeSeries;
  process: () => Promise<ServerStatus["process"]>;
}

export async function readStatus(sources: StatusSources): Promise<ServerStatus> {
  const { store, metrics, timeSeries } = sources;
  const [process, memory] = await Promise.all([sources.process(), metrics.readGauge("process_resident_memory_bytes")]);
  const facts = await readFacts({ ...sources, process: async () => process });
  return {
    ...facts,
    process,
    version,
    commit,
    bun: Bun.version,
    sqlite: String(store.client.prepare("SELECT sqlite_version()").pluck().get()),
    schema: Number(store.client.pragma("user_version", { simple: true })),
    startedAt: timeSeries.startedAt,
    memoryBytes: memory?.[0]?.[1] ?? 0,
  };
}
