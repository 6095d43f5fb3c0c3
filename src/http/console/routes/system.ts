/** The state of the server, for operators: health conditions, findings of the doctor, metrics over time. */

import type { Static } from "@sinclair/typebox";
import { listNumbers } from "#src/domain/numbers/read.ts";
import { listWorkspaces } from "#src/domain/workspaces/read.ts";
import type { KnownCondition } from "#src/health/conditions.ts";
import { runDoctor } from "#src/health/doctor.ts";
import type { TimeSeriesSample } from "#src/health/time-series.ts";
import { answerData } from "../../endpoint.ts";
import { type SampleView, STEP_MINUTES, systemContract } from "../contract/system.ts";
import { attachHandlers } from "../route.ts";
import { whenUtc } from "../view.ts";

export const systemRoutes = attachHandlers(systemContract, {
  "GET /system/health": async ({ system }) => {
    const [status, conditions] = [await system.status(), await system.conditions()];
    const { database, disk, backup, outbox } = status;
    const { isWritable, commits } = status.process;
    return answerData(200, {
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
    });
  },
  // Asks the networks, so it may take a while; changes nothing.
  "GET /system/findings": async ({ store, clock, random, box, doctor: settings, dispatch, system }) => {
    const workspaces = store.read((tx) => listWorkspaces(tx));
    const numbers = store.read((tx) => workspaces.flatMap(({ id }) => listNumbers(tx, id)));
    const port = async () => dispatch.networks.whatsapp.account;
    const all = await runDoctor({ store, clock, random, box: () => box, port, settings }, numbers, false);
    // The same screen shows the conditions, in the same words.
    const shown = new Set<string>((await system.conditions()).map(({ id }) => id));
    const findings = all.filter(({ conditionId }) => conditionId === null || !shown.has(conditionId));
    return answerData(
      200,
      findings.map(({ level, check, numberId, message, next }) => {
        const number = numbers.find(({ id }) => id === numberId);
        const workspace = workspaces.find(({ id }) => id === number?.workspaceId);
        return {
          level,
          check,
          message,
          next,
          workspace: workspace === undefined ? null : { id: workspace.id, name: workspace.name },
        };
      }),
    );
  },
  "GET /system/metrics": async ({ system, query, clock }) => {
    const hours = query.get("hours") ?? "1";
    const step = STEP_MINUTES[hours];
    const samples = await system.timeSeries.samples(Number(hours) * 60, step);
    const disk = system.disk();
    return answerData(200, {
      at: whenUtc(clock.now()),
      started_at: whenUtc(system.timeSeries.startedAt),
      hours: Number(hours),
      step_minutes: step,
      free_bytes: disk?.freeBytes ?? null,
      points: samples.map(viewSample),
    });
  },
});

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
  const { from, accepted, refused, unknown, webhooksDelivered, webhooksFailed, waiting, age } = sample;
  return {
    from: whenUtc(from),
    accepted,
    refused,
    unknown,
    webhooks_succeeded: webhooksDelivered,
    webhooks_failed: webhooksFailed,
    waiting,
    age_seconds: age,
    database_bytes: sample.databaseBytes,
    network: sample.network,
    api: sample.api,
    webhook: sample.webhook,
    commit: sample.commit,
  };
}
