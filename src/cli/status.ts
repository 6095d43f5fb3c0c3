/**
 * `waxwing status`: the conditions that need a person, with a running server or without one. It evaluates them itself;
 * what only the server's process knows comes from the list that the server stores.
 */

import { whyUnwritable } from "#src/backup/files.ts";
import { findMovedAway, type MovedAway } from "#src/backup/move/original.ts";
import { placeOf } from "#src/backup/remote/settings.ts";
import { lastProvedAt, readRemoteState } from "#src/backup/remote/state.ts";
import { scheduleInterval } from "#src/backup/schedule.ts";
import { lastSoundAt } from "#src/backup/verification-reports.ts";
import type { Config } from "#src/config/config.ts";
import { quoted } from "#src/core/foreign-text.ts";
import { formatInstant } from "#src/core/instant.ts";
import { visible } from "#src/core/shown-text.ts";
import { databaseFiles } from "#src/db/files.ts";
import { monthOf, viewUsage } from "#src/domain/messages/network-usage.ts";
import { listWorkspaces } from "#src/domain/workspaces/read.ts";
import { lacksAlarms } from "#src/health/alarm-channels.ts";
import { certificateSource } from "#src/health/certificate-facts.ts";
import { conditionFile, type HealthMemory, readMemory } from "#src/health/condition-file.ts";
import { type KnownCondition, lasts, processChecks, updateConditions } from "#src/health/conditions.ts";
import { readConnectionSettings } from "#src/health/connection-settings.ts";
import { evaluateHealth, probeWorkspaces } from "#src/health/evaluate.ts";
import { type BackupFacts, type RemoteFacts, readFacts } from "#src/health/facts.ts";
import type { UnusedCallbacks } from "#src/health/unused-callbacks.ts";
import { type Command, command } from "./command.ts";
import type { Context } from "./context.ts";
import { type Database, fileExists, isServed, noDatabase, withDatabase } from "./database.ts";
import { lines, type Report } from "./output.ts";

export const commands: readonly Command[] = [
  command(
    "status",
    {
      summary: "What needs attention: conditions of the server, its backups, numbers and broadcasts",
      details:
        "Works with a running server and without one. Exit code 1 if a condition is critical. The same list is in the console under Health,\nin /metrics and in alarms.",
    },
    {},
    async (context) => {
      const { database } = databaseFiles(context.loadConfig().storage.path);
      const memory = readMemory(conditionFile(database));
      const away = findMovedAway(database);
      if (away !== null) return reportMoved(away);
      if (fileExists(database))
        return withDatabase(context, "read", async (opened) => {
          const isRunning = isServed(database);
          const { conditions, unused } = await evaluate(context, opened, isRunning ? memory : withoutProcess(memory));
          return reportOf(conditions, unused, isRunning, readUsage(opened, context.io.clock.now()));
        });
      // A server whose file was taken away still runs, and has stored what it knows.
      if (!isServed(database)) throw noDatabase(database);
      return reportOf(memory.conditions.filter(lasts), null, true);
    },
  ),
];

/** Nothing of a closed database needs attention: it continues elsewhere. */
function reportMoved({ at, file, host, expiresAt }: MovedAway): Report {
  const moved = { at: formatInstant(at, "UTC"), file, host, code_valid_until: formatInstant(expiresAt, "UTC") };
  const text = [
    `This database is closed: it was moved out on ${moved.at} to ${file}.`,
    `The code was printed then; it is valid until ${moved.code_valid_until}.`,
    "To keep this server from starting: systemctl disable --now waxwing",
    "To reopen it as a copy, with its broadcasts held: waxwing move cancel",
  ].join("\n");
  return { json: { conditions: [], callbacks: null, server: { running: false }, usage: [], moved_out: moved }, text };
}

async function evaluate({ io }: Context, { config, store }: Database, memory: HealthMemory) {
  const now = io.clock.now();
  const { database } = databaseFiles(config.storage.path);
  const query = async (sql: string, parameters: (string | number | null)[] = []) =>
    store.client.prepare(sql).all(...parameters) as Record<string, unknown>[];
  const facts = await readFacts({
    ...{ clock: io.clock, query, database },
    databaseFile: () => "same",
    certificate: certificateSource(config),
    backup: () => readBackups(config, memory, now),
    process: async () => null,
    lacksAlarms: lacksAlarms(config.alerts),
  });
  const settings = {
    ...readConnectionSettings(config, io.env),
    verifyToken: config.whatsapp.verifyToken,
  };
  const found = [...evaluateHealth(facts), ...(await probeWorkspaces({ query, store, now, settings }))];
  const all = updateConditions(memory.conditions.filter(lasts), found, { now, unknown: processChecks });
  return { conditions: all.filter(lasts), unused: facts.unused };
}

/** A server that does not run is neither writing nor sending alarms. */
function withoutProcess(memory: HealthMemory): HealthMemory {
  return { ...memory, conditions: memory.conditions.filter(({ check }) => !processChecks.includes(check)) };
}

function readBackups({ backup }: Config, memory: HealthMemory, now: number): BackupFacts {
  const { schedule, directory, remote } = backup;
  const { backupFailedAt: failedAt } = memory;
  const verifiedAt = lastSoundAt(directory);
  return {
    ...{ directory, schedule, verifiedAt, nextAt: null, unwritable: whyUnwritable(directory) },
    intervalMs: scheduleInterval(schedule, now),
    awaitedSince: memory.backupAwaitedSince,
    failedAt: failedAt !== null && verifiedAt !== null && verifiedAt > failedAt ? null : failedAt,
    remote: remote === null ? null : readRemote(directory, placeOf(remote), memory),
  };
}

function readRemote(directory: string, place: string, memory: HealthMemory): RemoteFacts {
  const state = readRemoteState(directory, place);
  return { place, provedAt: lastProvedAt(state), awaitedSince: memory.remoteAwaitedSince, failure: state.failure };
}

type WorkspaceUsage = ReturnType<typeof readUsage>[number];

/** What Meta bills this month, of the workspaces for which it bills anything. */
function readUsage({ store }: Database, now: number) {
  return store.read((tx) =>
    listWorkspaces(tx)
      .map((one) => ({ workspace_id: one.id, workspace: one.name, ...viewUsage(tx, one, monthOf(now, one.timezone)) }))
      .filter(({ messages }) => messages > 0),
  );
}

function usageLines(usage: readonly WorkspaceUsage[]): string[] {
  if (usage.length === 0) return [];
  const lines = usage.flatMap(({ workspace, month, categories }) =>
    categories.map(
      ({ category, type, billable, messages }) =>
        `  ${quoted(workspace)}, ${month}: ${messages} ${category} (${type}${billable ? "" : ", not billed"})`,
    ),
  );
  return ["", "Delivered messages as Meta bills them:", ...lines];
}

/** `unused`: null where there is no database to read. */
function reportOf(
  conditions: readonly KnownCondition[],
  unused: UnusedCallbacks | null,
  isRunning: boolean,
  usage: readonly WorkspaceUsage[] = [],
): Report {
  const json = {
    conditions: conditions.map(({ id, severity, since, subject, says, next, command: suggestion, hits }) => ({
      ...{ id, severity, since: formatInstant(since, "UTC"), subject, says, next, command: suggestion, affects: hits },
    })),
    callbacks: unused === null ? null : viewUnused(unused),
    server: { running: isRunning },
    usage,
    moved_out: null,
  };
  const critical = conditions.filter(({ severity }) => severity === "critical").length;
  const text = lines(
    ...conditions.flatMap(({ severity, subject, says, since, next, command: suggestion }) => [
      `${severity === "critical" ? "CRITICAL" : "warning "}  ${visible(subject)}: ${visible(says)}`,
      `          since ${formatInstant(since, "UTC")}`,
      `          next: ${visible(next)}${suggestion === null ? "" : ` (${visible(suggestion)})`}`,
    ]),
    conditions.length > 0 && "",
    conditions.length === 0
      ? "Nothing needs attention."
      : `${critical} critical, ${conditions.length - critical} to watch.`,
    unused !== null && describeUnused(unused),
    isRunning ? "The server is running." : "No server is running on this database.",
    ...usageLines(usage),
  );
  return { json, text, exitCode: critical === 0 ? 0 : 1 };
}

function viewUnused({ items, refused }: UnusedCallbacks) {
  return {
    without_effect: items.map(({ reason, about, count, lastAt }) => ({
      ...{ reason, about, count },
      last_at: formatInstant(lastAt, "UTC"),
    })),
    refused: refused.map(({ hour, reason, numberId, count }) => ({
      ...{ hour: formatInstant(hour, "UTC"), reason },
      ...{ number_id: numberId, count },
    })),
  };
}

/** What arrived within a day and had no effect. */
function describeUnused({ items, refused }: UnusedCallbacks): string[] {
  const lines = [
    ...refused.map(({ hour, reason, numberId, count }) => {
      const about = numberId === null ? "" : ` for number ${numberId}`;
      return `  ${count} refused${about}: ${reason}, in the hour from ${formatInstant(hour, "UTC")}`;
    }),
    ...items.map(({ reason, about, count }) => `  ${count} ${reason}: ${quoted(about)}`),
  ];
  return lines.length === 0 ? [] : ["Callbacks without effect in the last 24 hours:", ...lines];
}
