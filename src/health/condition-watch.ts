/**
 * Keeps the list of conditions current: evaluates every half minute, looks after the database file every few seconds,
 * and stores the list together with the alarms that follow from it before anything is sent.
 */
import type { Clock } from "#src/core/clock.ts";
import { quoted } from "#src/core/foreign-text.ts";
import type { Log } from "#src/core/log.ts";
import { type NextRun, ServiceLoop } from "#src/core/service-loop.ts";
import { channelConditionId, planAlarms } from "./alarms.ts";
import type { ConditionFile, HealthMemory } from "./condition-file.ts";
import { type Condition, condition, type KnownCondition, lasts, updateConditions } from "./conditions.ts";
import { evaluateHealth } from "./evaluate.ts";
import type { HealthFacts } from "./facts.ts";
import type { Check } from "./rule.ts";
import { serverRules } from "./server-rules.ts";

interface WatchOptions {
  clock: Clock;
  /** Its own timers: a test that advances its clock by a day needs no thousands of evaluations. */
  timers: Pick<Clock, "setTimer" | "monotonic">;
  log: Log;
  file: ConditionFile;
  database: string;
  databaseFile: () => HealthFacts["databaseFile"];
  facts: () => Promise<HealthFacts>;
  workspaces: () => Promise<Condition[]>;
  alarms: { channels: readonly string[]; repeatAfterMs: number };
  /** Called when alarms may be waiting to be sent. */
  onPlanned: () => void;
}

/** What must outlive a restart to know whether backups fail. */
type BackupMemory = Partial<Pick<HealthMemory, "backupFailedAt" | "backupAwaitedSince" | "remoteAwaitedSince">>;

const FIRST_RUN_MS = 1_000;
const TICK_MS = 5_000;
const EVALUATE_EVERY_MS = 30_000;
/** Everything that cannot be evaluated while the database cannot be read. */
const READ_CHECKS: readonly Check[] = [
  ...["disk", "commit", "log", "queue", "callbacks", "backup", "certificate", "workspace", "number"],
  ...["connection", "balance", "broadcast", "configuration"],
] as Check[];

export class ConditionWatch extends ServiceLoop {
  readonly #options: WatchOptions;
  #evaluation: Promise<void> | null = null;
  #evaluatedAt: number | null = null;
  #fileState: HealthFacts["databaseFile"] = "same";
  #isStored = true;

  constructor(options: WatchOptions) {
    const { log, timers } = options;
    super({
      name: "conditions",
      clock: timers,
      firstRunAfterMs: FIRST_RUN_MS,
      retryAfterMs: TICK_MS,
      onError: (error) => log.error("health.failed", "The server's conditions could not be evaluated", { error }),
    });
    this.#options = options;
  }

  /** The lasting conditions as of the last evaluation. */
  get current(): KnownCondition[] {
    return this.#options.file.memory.conditions.filter(lasts);
  }

  /** Evaluates now, and returns the lasting conditions. Concurrent callers share one evaluation. */
  async evaluate(): Promise<KnownCondition[]> {
    this.#evaluation ??= this.#evaluateNow().finally(() => {
      this.#evaluation = null;
    });
    await this.#evaluation;
    return this.current;
  }

  async runOnce(): Promise<NextRun> {
    const { timers, databaseFile } = this.#options;
    const fileState = databaseFile();
    const isDue = this.#evaluatedAt === null || timers.monotonic() - this.#evaluatedAt >= EVALUATE_EVERY_MS;
    if (isDue || fileState !== this.#fileState) await this.evaluate();
    else this.#store(this.#options.file.memory.conditions);
    this.#fileState = fileState;
    return TICK_MS;
  }

  async #evaluateNow(): Promise<void> {
    const { clock, timers, file } = this.#options;
    const { found, unknown, backup } = await this.#find();
    if (this.isStopped && found.length === 0 && unknown.length > 0) return;
    this.#evaluatedAt = timers.monotonic();
    const { conditions } = file.memory;
    const all = [...found, ...this.#undelivered()];
    this.#store(updateConditions(conditions, all, { now: clock.now(), unknown }), backup);
  }

  async #find(): Promise<{ found: Condition[]; unknown: readonly Check[]; backup: BackupMemory }> {
    const { facts, workspaces, databaseFile, database } = this.#options;
    try {
      const [read, ofWorkspaces] = await Promise.all([facts(), workspaces()]);
      const { failedAt, awaitedSince, remote } = read.backup;
      const backup = {
        ...{ backupFailedAt: failedAt, backupAwaitedSince: awaitedSince },
        remoteAwaitedSince: remote?.awaitedSince ?? null,
      };
      return { found: [...evaluateHealth(read), ...ofWorkspaces], unknown: [], backup };
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      const file = serverRules.database_file.evaluate({ databaseFile: databaseFile(), database: { path: database } });
      const found = file === null ? [] : [condition("database_file", file)];
      found.push(condition("database_unreadable", `The database cannot be read: ${reason}`));
      return { found, unknown: READ_CHECKS, backup: {} };
    }
  }

  #undelivered(): Condition[] {
    return Object.entries(this.#options.file.memory.failing).map(([channel, { since, error }]) =>
      condition(channelConditionId(channel), {
        subject: `alarms by ${channel}`,
        says: `Alarms by ${channel} do not arrive: ${quoted(error)}`,
        since,
      }),
    );
  }

  /** The alarms of this moment are stored with the list; what cannot be stored is sent all the same. */
  #store(conditions: readonly KnownCondition[], backup: BackupMemory = {}): void {
    const { file, clock, log, alarms, onPlanned } = this.#options;
    const planned = planAlarms({ ...file.memory, conditions }, { now: clock.now(), ...alarms });
    this.#tell(file.memory.conditions, planned.conditions);
    try {
      file.change({ ...planned, ...backup });
      this.#isStored = true;
    } catch (error) {
      if (this.#isStored)
        log.error("health.not_stored", "The list of conditions could not be stored; a restart forgets it", { error });
      this.#isStored = false;
    }
    onPlanned();
  }

  #tell(before: readonly KnownCondition[], after: readonly KnownCondition[]): void {
    const { log } = this.#options;
    const [old, now] = [before, after].map((all) => new Set(all.filter(lasts).map(({ id }) => id)));
    for (const { id, severity, says } of after.filter(lasts))
      if (!old?.has(id)) log.warn("health.condition_began", "A condition needs attention", { id, severity, says });
    for (const { id, severity } of before.filter(lasts))
      if (!now?.has(id)) log.info("health.condition_over", "A condition is over", { id, severity });
  }
}
