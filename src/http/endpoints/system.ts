/** The state of the server, for operators: health conditions, findings of the doctor, metrics over time. */
import { type Static, Type } from "@sinclair/typebox";
import { Instant, Nullable, OneOf } from "#src/core/schema.ts";
import { listNumbers } from "#src/domain/numbers/read.ts";
import { listWorkspaces } from "#src/domain/workspaces/read.ts";
import type { KnownCondition } from "#src/health/conditions.ts";
import { runDoctor } from "#src/health/doctor.ts";
import type { TimeSeriesSample } from "#src/health/time-series.ts";
import { answerData } from "../answer.ts";
import { whenUtc } from "../times.ts";
import { recordAct } from "./call.ts";
import { Data, endpoint } from "./endpoint.ts";
import { Finding, Named, OptionalCount, OptionalText, OptionalTime } from "./fragments.ts";
import { show } from "./show.ts";

const OptionalNumber = Nullable(Type.Number());

const HealthView = Type.Object({
  at: Instant(),
  findings: Type.Array(
    Type.Object({
      /** As in `waxwing status`, the metrics and alarms. */
      id: Type.String(),
      level: OneOf(["warning", "problem"]),
      check: Type.String(),
      /** What it is about, in words. */
      subject: Type.String(),
      message: Type.String(),
      since: OptionalTime,
      /** Who is affected; null if no one is yet. */
      hits: OptionalText,
      next: Type.String(),
      /** A command to copy; null if none helps. */
      command: OptionalText,
      /** For a finding about a workspace: its id, and the id of the number or broadcast concerned. */
      workspace_id: OptionalCount,
      subject_id: OptionalCount,
    }),
  ),
  version: Type.String(),
  commit: OptionalText,
  bun: Type.String(),
  sqlite: Type.String(),
  schema: Type.Integer(),
  started_at: Instant(),
  memory_bytes: Type.Number(),
  is_writable: Type.Boolean(),
  database: Type.Object({ path: Type.String(), bytes: Type.Number(), wal_bytes: Type.Number() }),
  disk: Nullable(Type.Object({ free_bytes: Type.Number(), total_bytes: Type.Number() })),
  outbox: Type.Array(Type.Object({ kind: Type.String(), rows: Type.Number(), age_seconds: Type.Number() })),
  callbacks_waiting: Type.Number(),
  /** What arrived within a day and had no effect. */
  callbacks_without_effect: Type.Array(
    Type.Object({ reason: Type.String(), about: Type.String(), count: Type.Number(), last_at: OptionalTime }),
  ),
  callbacks_refused: Type.Array(
    Type.Object({ hour: Instant(), reason: Type.String(), number_id: OptionalCount, count: Type.Number() }),
  ),
  commits: Type.Object({
    last_hour: Type.Number(),
    failures: Type.Number(),
    p50_seconds: OptionalNumber,
    p99_seconds: OptionalNumber,
  }),
  backup: Type.Object({ schedule: OptionalText, next_at: OptionalTime, verified_at: OptionalTime }),
});

const Quantiles = Type.Object({ count: Type.Number(), p50: OptionalNumber, p99: OptionalNumber });

const SampleView = Type.Object({
  from: Instant(),
  accepted: Type.Number(),
  refused: Type.Number(),
  unknown: Type.Number(),
  webhooks_succeeded: Type.Number(),
  webhooks_failed: Type.Number(),
  waiting: OptionalNumber,
  age_seconds: OptionalNumber,
  database_bytes: OptionalNumber,
  network: Quantiles,
  api: Quantiles,
  webhook: Quantiles,
  commit: Quantiles,
});

/** Selectable hours, each with its step in minutes, so that a chart never has more points than fit on a screen. */
const STEP_MINUTES = { "1": 1, "6": 5, "24": 15 } as const;

const LogLevel = OneOf(["debug", "info", "warn", "error"]);
/** Entries of the log that one answer has. */
const LOG_ENTRIES_SHOWN = 200;

export const systemEndpoints = {
  "GET /system/health": endpoint({ session: "server operator", output: Data(HealthView) }).load(async ({ system }) => {
    const [status, conditions] = [await system.status(), await system.conditions()];
    const { database, disk, backup, outbox } = status;
    const { isWritable, commits } = status.process;
    return {
      at: whenUtc(status.at),
      findings: conditions.map(viewCondition),
      version: status.version,
      commit: status.commit === "" ? null : status.commit,
      bun: status.bun,
      sqlite: status.sqlite,
      schema: status.schema,
      started_at: whenUtc(status.startedAt),
      memory_bytes: status.memoryBytes,
      is_writable: isWritable,
      database: { path: database.path, bytes: database.bytes, wal_bytes: database.walBytes },
      disk: disk === null ? null : { free_bytes: disk.freeBytes, total_bytes: disk.totalBytes },
      outbox: outbox.map(({ kind, rows, ageSeconds }) => ({ kind, rows, age_seconds: Math.round(ageSeconds) })),
      callbacks_waiting: status.callbacksWaiting,
      callbacks_without_effect: status.unused.items.map(({ reason, about, count, lastAt }) => ({
        ...{ reason, about, count },
        last_at: whenUtc(lastAt),
      })),
      callbacks_refused: status.unused.refused.map(({ hour, reason, numberId, count }) => ({
        ...{ hour: whenUtc(hour), reason },
        ...{ number_id: numberId, count },
      })),
      commits: {
        last_hour: commits.count,
        failures: commits.failures,
        p50_seconds: commits.p50,
        p99_seconds: commits.p99,
      },
      backup: {
        schedule: backup.schedule,
        next_at: whenUtc(backup.nextAt),
        verified_at: whenUtc(backup.verifiedAt),
      },
    };
  }),
  // Asks the networks, so it may take a while; changes nothing.
  "GET /system/findings": endpoint({
    session: "server operator",
    output: Data(Type.Array(Type.Object({ ...Finding.properties, workspace: Nullable(Named) }))),
  }).load(async ({ store, clock, random, box, doctor: settings, dispatch, system }) => {
    const workspaces = store.read((tx) => listWorkspaces(tx));
    const numbers = store.read((tx) => workspaces.flatMap(({ id }) => listNumbers(tx, id)));
    const port = async () => dispatch.networks.whatsapp.account;
    const all = await runDoctor({ store, clock, random, box: () => box, port, settings }, numbers, false);
    // The same screen shows the conditions, in the same words.
    const shown = new Set<string>((await system.conditions()).map(({ id }) => id));
    const findings = all.filter(({ conditionId }) => conditionId === null || !shown.has(conditionId));
    return findings.map(({ level, check, numberId, says, next }) => {
      const number = numbers.find(({ id }) => id === numberId);
      const workspace = workspaces.find(({ id }) => id === number?.workspaceId);
      return {
        level,
        check,
        message: says,
        next,
        workspace: workspace === undefined ? null : { id: workspace.id, name: workspace.name },
      };
    });
  }),
  "POST /system/alarms/test": endpoint({
    session: "server operator",
    isSensitive: true,
    /** `failure`: why the alarm did not arrive; null: it did. No entry: no channel is configured. */
    output: Data(Type.Array(Type.Object({ channel: Type.String(), failure: OptionalText }))),
  }).answer(async (call) => {
    await call.store.write((tx) => recordAct(tx, call, { action: "alarm.test", subject: "alarms" }));
    return answerData(200, await call.system.testAlarms());
  }),
  "GET /system/configuration": endpoint({
    session: "server operator",
    output: Data(
      Type.Object({
        file: OptionalText,
        settings: Type.Array(
          Type.Object({
            path: Type.String(),
            /** As in the file; null: a secret, which is set. */
            value: OptionalText,
            /** The file, the variable or the option that gives it; null: the default, or what follows from others. */
            source: OptionalText,
            line: OptionalCount,
            description: Type.String(),
          }),
        ),
      }),
    ),
  }).load(async ({ system }) => ({
    file: system.settings.file,
    settings: system.settings.settings.map(({ path, value, place, description }) => ({
      path,
      value: value === null ? null : JSON.stringify(value),
      source: place?.source ?? null,
      line: place?.line ?? null,
      description,
    })),
  })),
  "GET /system/log": endpoint({
    session: "server operator",
    query: { level: LogLevel, q: Type.String() },
    output: Data(
      Type.Array(
        Type.Object({
          id: Type.Integer(),
          time: Instant(),
          level: LogLevel,
          event: Type.String(),
          message: Type.String(),
          text: Type.String(),
        }),
      ),
    ),
  }).load(async ({ system, query }) =>
    system.log.newest({ level: query.get("level") ?? "debug", words: query.get("q") ?? "", limit: LOG_ENTRIES_SHOWN }),
  ),
  "GET /system/metrics": endpoint({
    session: "server operator",
    query: { hours: OneOf(["1", "6", "24"]) },
    output: Data(
      Type.Object({
        at: Instant(),
        started_at: Instant(),
        hours: Type.Integer(),
        step_minutes: Type.Integer(),
        free_bytes: OptionalNumber,
        points: Type.Array(SampleView),
      }),
    ),
  }).load(async ({ system, query, clock }) => {
    const hours = query.get("hours") ?? "1";
    const step = STEP_MINUTES[hours];
    const samples = await system.timeSeries.samples(Number(hours) * 60, step);
    const disk = system.disk();
    return {
      at: whenUtc(clock.now()),
      started_at: whenUtc(system.timeSeries.startedAt),
      hours: Number(hours),
      step_minutes: step,
      free_bytes: disk?.freeBytes ?? null,
      points: samples.map(viewSample),
    };
  }),
};

function viewCondition(condition: KnownCondition) {
  const { id, severity, check, subject, says, since, hits, next, command, workspaceId, subjectId } = condition;
  return {
    ...{ id, check, subject, message: says },
    level: severity === "critical" ? ("problem" as const) : ("warning" as const),
    since: whenUtc(since),
    ...{ hits, next, command },
    workspace_id: workspaceId ?? null,
    subject_id: subjectId ?? null,
  };
}

function viewSample(sample: TimeSeriesSample): Static<typeof SampleView> {
  const { webhooksDelivered, age } = sample;
  return show(SampleView, sample, whenUtc, { webhooks_succeeded: webhooksDelivered, age_seconds: age });
}
