/**
 * Backups, for operators: which there are and what each has proven, making one, looking one over, rehearsing its
 * restore, taking it along; and the check of the database itself. Long work runs in the server's copy jobs, one at a
 * time; a restore is no route: it needs a server that stands still.
 */
import { dirname, join } from "node:path";
import type { CopyOrder } from "#src/backup/backup-worker.ts";
import type { EndedJob } from "#src/backup/jobs.ts";
import { faultsOf, isBackupName, type ListedBackup, type Proof } from "#src/backup/verification-reports.ts";
import { notFound } from "#src/core/problem.ts";
import { recordDeed } from "#src/domain/users/audit-log.ts";
import { diskOf } from "#src/health/status.ts";
import { answerData } from "../../endpoint.ts";
import { type ConsoleRoute, change, Refusal, type UserCall } from "../route.ts";
import { whenUtc } from "../view.ts";

const BASE = "/system/backups";

export const backupRoutes: readonly ConsoleRoute[] = [
  {
    method: "GET",
    path: BASE,
    needs: "server operator",
    handle: async ({ system }) => {
      const { jobs, backups } = system;
      // Where there is no directory yet, it will be made in one that there is.
      const disk = (await diskOf(jobs.directory)) ?? (await diskOf(dirname(jobs.directory)));
      return answerData(200, {
        directory: jobs.directory,
        schedule: backups.expression,
        keep: backups.keep,
        next_at: whenUtc(backups.nextAt()),
        free_bytes: disk?.freeBytes ?? null,
        ...viewJobs(system),
        backups: jobs.list().map(viewBackup),
      });
    },
  },
  {
    method: "POST",
    path: BASE,
    needs: "server operator",
    // Those that are made by hand take nothing away: the schedule does, with its next.
    handle: (call) => begin(call, { kind: "backup", keep: null }, "backup.make", call.system.jobs.directory),
  },
  {
    method: "POST",
    path: `${BASE}/{name}/verify`,
    needs: "server operator",
    handle: (call) => {
      const { name } = requireBackup(call);
      return begin(call, { kind: "verify", name }, "backup.verify", name);
    },
  },
  {
    method: "POST",
    path: `${BASE}/{name}/drill`,
    needs: "server operator",
    handle: (call) => {
      const { name } = requireBackup(call);
      return begin(call, { kind: "drill", name }, "backup.drill", name);
    },
  },
  {
    method: "GET",
    path: `${BASE}/{name}/file`,
    needs: "server operator",
    handle: async (call) => {
      const { store, user, address, system, keepOpen } = call;
      const { name, bytes } = requireBackup(call);
      const deed = { workspaceId: null, action: "backup.download", subject: name, details: { bytes } };
      await store.write((tx) => recordDeed(tx, { userId: user.id, address }, deed));
      // However slow the line is: it may take hours.
      keepOpen();
      return new Response(Bun.file(join(system.jobs.directory, name)), {
        headers: {
          "content-type": "application/vnd.sqlite3",
          "content-disposition": `attachment; filename="${name}"`,
          "cache-control": "no-store",
          "x-content-type-options": "nosniff",
        },
      });
    },
  },
  {
    method: "GET",
    path: "/system/check",
    needs: "server operator",
    handle: ({ system }) => answerData(200, viewJobs(system)),
  },
  {
    method: "POST",
    path: "/system/check",
    needs: "server operator",
    handle: (call) => begin(call, { kind: "check" }, "database.check", "waxwing.db"),
  },
];

/** Written down first, begun when that is on disk. */
function begin(call: UserCall, order: CopyOrder, action: string, subject: string) {
  const { jobs } = call.system;
  return change(call, (tx) => {
    if (jobs.current !== null)
      throw new Refusal(409, "running", "Other work on the database is under way. Wait until it has ended.");
    tx.afterCommit(() => jobs.startNext(order));
    return { status: 202, data: { kind: order.kind }, deed: { action, subject } };
  });
}

/** Throws `not_found`, also for names that lead elsewhere. */
function requireBackup({ system, path }: UserCall): ListedBackup {
  const name = path.name ?? "";
  const found = isBackupName(name) ? system.jobs.list().find((one) => one.name === name) : undefined;
  if (found === undefined) throw notFound("backup");
  return found;
}

function viewJobs({ jobs }: UserCall["system"]) {
  const { current } = jobs;
  return {
    current:
      current === null
        ? null
        : {
            kind: current.order.kind,
            name: "name" in current.order ? current.order.name : null,
            started_at: whenUtc(current.startedAt),
            step: current.step,
          },
    /** What failed: whatever went well stands with the backup that it made or proved. */
    failed: (["backup", "verify", "drill"] as const)
      .map((kind) => jobs.lastOf(kind))
      .filter((job) => job !== null && job.error !== null)
      .map((job) => viewFailed(job as EndedJob)),
    check: viewCheck(jobs.lastOf("check")),
  };
}

function viewFailed({ order, endedAt, error }: EndedJob) {
  return { kind: order.kind, name: "name" in order ? order.name : null, at: whenUtc(endedAt), error };
}

/** The last check of the database since the start of the server. */
function viewCheck(job: Readonly<EndedJob> | null) {
  if (job === null) return null;
  const health = job.outcome?.kind === "check" ? job.outcome.health : null;
  return {
    at: whenUtc(job.endedAt),
    error: job.error,
    checks: health?.checked.length ?? 0,
    findings: (health?.findings ?? []).map(({ name, sentence, count, of, ids, next }) => ({
      name,
      sentence,
      count,
      of,
      ids,
      next,
    })),
  };
}

function viewBackup({ name, bytes, madeAt, proof }: ListedBackup) {
  return {
    name,
    bytes,
    made_at: whenUtc(madeAt),
    state: proof === null ? "unproven" : faultsOf(proof).length > 0 ? "broken" : "sound",
    proof: proof === null ? null : viewProof(proof),
  };
}

function viewProof(proof: Proof) {
  const { at, provenAt, schema, checks, counts, drill } = proof;
  return {
    proven_at: whenUtc(provenAt),
    shows_at: whenUtc(at),
    schema,
    is_older_schema: proof.findings.some(({ name }) => name === "schema"),
    checks,
    counts,
    findings: faultsOf(proof).map(({ name, sentence, count, of, ids, next }) => ({
      name,
      sentence,
      count,
      of,
      ids,
      next,
    })),
    drill:
      drill === null
        ? null
        : {
            at: whenUtc(drill.at),
            took_ms: drill.tookMs,
            counts: drill.counts,
            taken_over: drill.takenOver,
            gap: drill.gap,
            flaws: drill.flaws,
          },
  };
}
