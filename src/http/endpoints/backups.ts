/**
 * Backups, for operators: list them with their verification reports, make one, verify one, run a restore drill,
 * download one; and check the database. Long work runs in the server's backup jobs, one at a time. There is no route
 * for a restore, because it requires a stopped server.
 */
import { dirname, join } from "node:path";
import { type Static, Type } from "@sinclair/typebox";
import type { BackupJobRequest } from "#src/backup/backup-worker.ts";
import type { FinishedJob } from "#src/backup/jobs.ts";
import { lastProvedAt } from "#src/backup/remote/state.ts";
import {
  faultsOf,
  isBackupName,
  type ListedBackup,
  type VerificationReport,
} from "#src/backup/verification-reports.ts";
import { notFound } from "#src/core/problem.ts";
import { Instant, Nullable, OneOf } from "#src/core/schema.ts";
import { readDisk } from "#src/health/facts.ts";
import { answerDownload } from "../console/csv-file.ts";
import { whenUtc } from "../times.ts";
import { change, Refusal, recordAct, type UserCall, type UserCallWith } from "./call.ts";
import { Data, endpoint, File } from "./endpoint.ts";
import { Counts, OptionalText, OptionalTime } from "./fragments.ts";

const OptionalNumber = Nullable(Type.Number());

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

const JobsView = Type.Object(jobs);

const VerificationReportView = Type.Object({
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

const BackupView = Type.Object({
  name: Type.String(),
  bytes: Type.Integer(),
  made_at: Instant(),
  state: OneOf(["sound", "broken", "unverified"]),
  verification: Nullable(VerificationReportView),
});

const StartedJob = Type.Object({ kind: JobKind });
const name = Type.String();

const ofBackup = { session: "server operator", params: { name }, output: Data(StartedJob) } as const;

export const backupEndpoints = {
  "GET /system/backups": endpoint({
    session: "server operator",
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
  }).load(async ({ system }) => {
    const { jobs, backups } = system;
    // If the directory does not exist yet, it will be created in its parent.
    const disk = readDisk(jobs.directory) ?? readDisk(dirname(jobs.directory));
    return {
      directory: jobs.directory,
      schedule: backups.expression,
      keep: backups.retention,
      next_at: whenUtc(backups.nextAt()),
      free_bytes: disk?.freeBytes ?? null,
      remote: viewRemote(system),
      ...viewJobs(system),
      backups: jobs.list().map(viewBackup),
    };
  }),
  // A manual backup deletes no old ones; the next scheduled backup does.
  "POST /system/backups": endpoint({ session: "server operator", isSensitive: true, output: Data(StartedJob) }).answer(
    (call) => startJob(call, { kind: "backup", retention: null }, "backup.make", call.system.jobs.directory),
  ),
  "POST /system/backups/{name}/verify": endpoint(ofBackup).answer((call) => {
    const { name } = requireBackup(call);
    return startJob(call, { kind: "verify", name }, "backup.verify", name);
  }),
  "POST /system/backups/{name}/drill": endpoint(ofBackup).answer((call) => {
    const { name } = requireBackup(call);
    return startJob(call, { kind: "drill", name }, "backup.drill", name);
  }),
  "GET /system/backups/{name}/file": endpoint({
    session: "server operator",
    isSensitive: true,
    params: { name },
    output: File("application/vnd.sqlite3"),
  }).answer(async (call) => {
    const { store, system, keepOpen } = call;
    const { name, bytes } = requireBackup(call);
    const audit = { action: "backup.download", subject: name, details: { bytes } };
    await store.write((tx) => recordAct(tx, call, audit));
    // On a slow line the download may take hours.
    keepOpen();
    return answerDownload(Bun.file(join(system.jobs.directory, name)), "application/vnd.sqlite3", name);
  }),
  "GET /system/check": endpoint({ session: "server operator", output: Data(JobsView) }).load(({ system }) =>
    viewJobs(system),
  ),
  "POST /system/check": endpoint({ session: "server operator", output: Data(StartedJob) }).answer((call) =>
    startJob(call, { kind: "check" }, "database.check", "waxwing.db"),
  ),
};

/** The job starts once its audit entry is on disk. */
function startJob(call: UserCall, request: BackupJobRequest, action: string, subject: string) {
  const { jobs } = call.system;
  return change(call, (tx) => {
    if (jobs.current !== null)
      throw new Refusal(409, "running", "Another database job is running. Wait until it has finished.");
    tx.afterCommit(() => jobs.startNext(request));
    return { status: 202, data: { kind: request.kind }, audit: { action, subject } };
  });
}

/** Throws `not_found`, also for names that would leave the directory. */
function requireBackup({ system, path: { name } }: UserCallWith<{ name: string }>): ListedBackup {
  const found = isBackupName(name) ? system.jobs.list().find((one) => one.name === name) : undefined;
  if (found === undefined) throw notFound("backup");
  return found;
}

function viewRemote({ remote }: UserCall["system"]) {
  if (remote === null) return null;
  const { place, state } = remote;
  return { place, newest_at: whenUtc(lastProvedAt(state)), failed: state.failure?.reason ?? null };
}

function viewJobs({ jobs }: UserCall["system"]): Static<typeof JobsView> {
  const { current } = jobs;
  return {
    current:
      current === null
        ? null
        : {
            kind: current.request.kind,
            name: "name" in current.request ? current.request.name : null,
            started_at: whenUtc(current.startedAt),
            step: current.step,
          },
    /** Failures only: a success is visible at the backup that it made or verified. */
    failed: (["backup", "verify", "drill"] as const).flatMap((kind) => {
      const job = jobs.findLast(kind);
      return job === null || job.error === null ? [] : [viewFailed(job, job.error)];
    }),
    check: viewCheck(jobs.findLast("check")),
  };
}

function viewFailed({ request, endedAt }: Readonly<FinishedJob>, error: string) {
  return { kind: request.kind, name: "name" in request ? request.name : null, at: whenUtc(endedAt), error };
}

/** The last database check since the server started. */
function viewCheck(job: Readonly<FinishedJob> | null) {
  if (job === null) return null;
  const health = job.outcome?.kind === "check" ? job.outcome.result : null;
  return {
    at: whenUtc(job.endedAt),
    error: job.error,
    checks: health?.checked.length ?? 0,
    findings: (health?.findings ?? []).map(viewFinding),
  };
}

function viewFinding({ name, sentence, count, of, ids, next }: Static<typeof InvariantFinding>) {
  return { name, sentence, count, of, ids, next };
}

function viewBackup({ name, bytes, createdAt, verificationReport }: ListedBackup): Static<typeof BackupView> {
  return {
    name,
    bytes,
    made_at: whenUtc(createdAt),
    state: verificationReport === null ? "unverified" : faultsOf(verificationReport).length > 0 ? "broken" : "sound",
    verification: verificationReport === null ? null : viewVerificationReport(verificationReport),
  };
}

function viewVerificationReport(verificationReport: VerificationReport): Static<typeof VerificationReportView> {
  const { at, verifiedAt, schema, checks, counts, restoreDrill } = verificationReport;
  return {
    verified_at: whenUtc(verifiedAt),
    snapshot_at: whenUtc(at),
    schema,
    is_older_schema: verificationReport.findings.some(({ name }) => name === "schema"),
    checks,
    counts,
    findings: faultsOf(verificationReport).map(viewFinding),
    drill:
      restoreDrill === null
        ? null
        : {
            at: whenUtc(restoreDrill.at),
            took_ms: restoreDrill.durationMs,
            counts: restoreDrill.counts,
            taken_over: restoreDrill.merged === null ? null : { ...restoreDrill.merged },
            gap: restoreDrill.gap,
            flaws: restoreDrill.flaws,
          },
  };
}
