/**
 * Which conditions of the server need a person: none while all is well, else each with whom it affects and what to do.
 */
import { expect, test } from "bun:test";
import type { PauseCause } from "#src/domain/broadcasts/broadcast.ts";
import { evaluateHealth, type WorkspaceState } from "#src/health/evaluate.ts";
import type { ServerStatus } from "#src/health/status.ts";

const NOW = Date.parse("2026-11-21T08:00:00Z");
const DAY_MS = 86_400_000;

const well: ServerStatus = {
  at: NOW,
  version: "1.0.0",
  commit: "",
  bun: "",
  sqlite: "",
  schema: 7,
  startedAt: NOW - DAY_MS,
  memoryBytes: 1e8,
  isWritable: true,
  database: { path: "/var/lib/waxwing/waxwing.db", bytes: 1e9, walBytes: 4e7 },
  disk: { freeBytes: 5e10, totalBytes: 1e11 },
  outbox: [{ kind: "deliver_webhook", rows: 12, ageSeconds: 3 }],
  callbacksWaiting: 4,
  commits: { count: 50_000, p50: 0.002, p99: 0.02, failures: 0 },
  backup: { directory: "/b", schedule: "0 3 * * *", nextAt: NOW + 1, verifiedAt: NOW - DAY_MS, failedAt: null },
};
const nobody: WorkspaceState = { workspaces: [], numbers: [], paused: [] };
const checksOf = (change: Partial<ServerStatus>, customers = nobody): string[] =>
  evaluateHealth({ ...well, ...change }, customers).map(({ level, check }) => `${level} ${check}`);

test("a healthy server has no conditions", () => {
  expect(checksOf({})).toEqual([]);
  // One slow commit among few is not evidence.
  expect(checksOf({ commits: { count: 12, p50: 0.1, p99: 2, failures: 0 } })).toEqual([]);
});

test("each fault is reported as its own condition", () => {
  const { database, backup, commits } = well;
  expect(checksOf({ isWritable: false })).toEqual(["problem write"]);
  expect(checksOf({ disk: { freeBytes: 1e8, totalBytes: 1e11 } })).toEqual(["problem disk"]);
  expect(checksOf({ disk: { freeBytes: 1.5e9, totalBytes: 1e11 } })).toEqual(["warning disk"]);
  expect(checksOf({ disk: null })).toEqual([]);
  expect(checksOf({ commits: { ...commits, failures: 1 } })).toEqual(["warning commit"]);
  expect(checksOf({ commits: { ...commits, p99: 0.4 } })).toEqual(["warning commit"]);
  expect(checksOf({ database: { ...database, walBytes: 2e9 } })).toEqual(["warning log"]);
  expect(checksOf({ callbacksWaiting: 20_000 })).toEqual(["warning callbacks"]);
  expect(checksOf({ backup: { ...backup, verifiedAt: null } })).toEqual(["warning backup"]);
  expect(checksOf({ backup: { ...backup, verifiedAt: NOW - 20 * DAY_MS } })).toEqual(["warning backup"]);
  expect(checksOf({ backup: { ...backup, failedAt: NOW - 1 } })).toEqual(["problem backup"]);
});

test("the condition that has been known for longest comes first, with the time since when", () => {
  const found = evaluateHealth(
    {
      ...well,
      isWritable: false,
      outbox: [{ kind: "deliver_webhook", rows: 9, ageSeconds: 3_600 }],
      backup: { ...well.backup, verifiedAt: NOW - 20 * DAY_MS },
    },
    nobody,
  );
  expect(found.map(({ check, since }) => [check, since])).toEqual([
    ["backup", NOW - 20 * DAY_MS],
    ["outbox", NOW - 3_600_000],
    ["write", null],
  ]);
});

test("a broadcast that waits for a person is reported; one that resumes automatically, or was paused manually, is not", () => {
  const causes: PauseCause[] = [
    "number",
    "workspace",
    "balance",
    "template",
    "unreachable",
    "manual",
    "late",
    "restored",
  ];
  const paused = causes.map((pauseCause, id) => ({
    id,
    name: pauseCause,
    workspaceId: 1,
    statusReason: "why",
    pauseCause,
  })) as unknown as WorkspaceState["paused"];
  const found = evaluateHealth(well, { ...nobody, paused });
  expect(found.map(({ check, subjectId, command }) => [check, subjectId, command])).toEqual([
    ["broadcast", 6, "waxwing broadcast show 6"],
    ["broadcast", 7, "waxwing broadcast show 7"],
  ]);
});
