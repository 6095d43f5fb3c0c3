/** For operators: the server's health, its metrics, its backups and the check of its database. */
import { Type } from "@sinclair/typebox";
import { Instant, Nullable, OneOf } from "#src/core/schema.ts";
import { Data, declareRoutes, File } from "./declare.ts";
import { Counts, Finding, Named, OptionalCount, OptionalText, OptionalTime } from "./fragments.ts";

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

export const SampleView = Type.Object({
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
export const STEP_MINUTES = { "1": 1, "6": 5, "24": 15 } as const;

export const systemContract = declareRoutes({
  "GET /system/health": { needs: "server operator", input: {}, output: Data(HealthView) },
  "GET /system/findings": {
    needs: "server operator",
    input: {},
    output: Data(Type.Array(Type.Object({ ...Finding.properties, workspace: Nullable(Named) }))),
  },
  "GET /system/metrics": {
    needs: "server operator",
    input: { query: { hours: OneOf(["1", "6", "24"]) } },
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
  },
});

/** A violated invariant of the database. */
const InvariantFinding = Type.Object({
  name: Type.String(),
  sentence: Type.String(),
  count: Type.Integer(),
  of: Type.String(),
  ids: Type.Array(Type.Union([Type.Number(), Type.String()])),
  next: Type.String(),
});

const JobKind = OneOf(["backup", "verify", "drill", "check", "send"]);

const jobs = {
  current: Nullable(Type.Object({ kind: JobKind, name: OptionalText, started_at: Instant(), step: OptionalText })),
  /** Failures only: a success is visible at the backup that it made or verified. */
  failed: Type.Array(Type.Object({ kind: JobKind, name: OptionalText, at: Instant(), error: Type.String() })),
  /** The last database check since the server started. */
  check: Nullable(
    Type.Object({
      at: Instant(),
      error: OptionalText,
      checks: Type.Integer(),
      findings: Type.Array(InvariantFinding),
    }),
  ),
};
export const JobsView = Type.Object(jobs);

export const VerificationReportView = Type.Object({
  verified_at: Instant(),
  snapshot_at: OptionalTime,
  schema: Type.Integer(),
  is_older_schema: Type.Boolean(),
  checks: Type.Integer(),
  counts: Counts,
  findings: Type.Array(InvariantFinding),
  drill: Nullable(
    Type.Object({
      at: Instant(),
      took_ms: Type.Number(),
      counts: Counts,
      taken_over: Nullable(Counts),
      gap: OptionalText,
      flaws: Type.Array(Type.String()),
    }),
  ),
});

export const BackupView = Type.Object({
  name: Type.String(),
  bytes: Type.Integer(),
  made_at: Instant(),
  state: OneOf(["sound", "broken", "unverified"]),
  verification: Nullable(VerificationReportView),
});

const StartedJob = Type.Object({ kind: JobKind });
const name = Type.String();

export const backupContract = declareRoutes({
  "GET /system/backups": {
    needs: "server operator",
    input: {},
    output: Data(
      Type.Object({
        directory: Type.String(),
        schedule: OptionalText,
        keep: Type.Integer(),
        next_at: OptionalTime,
        free_bytes: OptionalNumber,
        /** Null: backups stay on this machine. */
        remote: Nullable(
          Type.Object({
            /** `s3://bucket/prefix/` */
            place: Type.String(),
            /** The time of the state in the newest archive that was read back. */
            newest_at: OptionalTime,
            /** Why the last attempt to send one failed; null if it did not. */
            failed: OptionalText,
          }),
        ),
        ...jobs,
        backups: Type.Array(BackupView),
      }),
    ),
  },
  "POST /system/backups": { needs: "server operator", input: {}, output: Data(StartedJob) },
  "POST /system/backups/{name}/verify": {
    needs: "server operator",
    input: { path: { name } },
    output: Data(StartedJob),
  },
  "POST /system/backups/{name}/drill": {
    needs: "server operator",
    input: { path: { name } },
    output: Data(StartedJob),
  },
  "GET /system/backups/{name}/file": {
    needs: "server operator",
    input: { path: { name } },
    output: File("application/vnd.sqlite3"),
  },
  "GET /system/check": { needs: "server operator", input: {}, output: Data(JobsView) },
  "POST /system/check": { needs: "server operator", input: {}, output: Data(StartedJob) },
});
