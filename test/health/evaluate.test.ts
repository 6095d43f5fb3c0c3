/**
 * Which conditions of the server need a person: none while all is well, else each with whom it affects and what to do.
 */
import { expect, test } from "bun:test";
import { evaluateHealth } from "#src/health/evaluate.ts";
import type { HealthFacts } from "#src/health/facts.ts";
import { fast, fine, well } from "#test/support/conditions.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const NOW = well.at;

const found = (change: Partial<HealthFacts>): string[] =>
  evaluateHealth({ ...well, ...change }).map(({ severity, id, next }) => {
    // In the row of its rule, or with what was found.
    expect([id, next]).toEqual([id, expect.stringMatching(/\w/)]);
    return `${severity} ${id}`;
  });

test("a healthy server has no conditions", () => {
  expect(found({})).toEqual([]);
  // One slow commit among few is not evidence.
  expect(found({ process: { ...fine, commits: { count: 12, p50: 0.1, p99: 2, failures: 0 } } })).toEqual([]);
});

test("a server that tells no operator is a warning", () => {
  expect(found({ lacksAlarms: true })).toEqual(["warning alarms_off"]);
});

test("each fault of the server is a condition of its own", () => {
  const { database, backup } = well;
  expect(found({ process: { ...fine, isWritable: false } })).toEqual(["critical database_not_writable"]);
  expect(found({ process: { ...fine, lastFailureAt: NOW - 1 } })).toEqual([
    "critical database_not_writable",
    "warning commits_failed",
  ]);
  expect(found({ process: { ...fine, lastFailureAt: NOW - 2 * HOUR_MS } })).toEqual([]);
  expect(found({ databaseFile: "gone" })).toEqual(["critical database_file"]);
  expect(found({ databaseFile: "replaced" })).toEqual(["critical database_file"]);
  expect(found({ disk: { freeBytes: 1e8, totalBytes: 1e11 } })).toEqual(["critical disk_full"]);
  expect(found({ disk: { freeBytes: 1.5e9, totalBytes: 1e11 } })).toEqual(["warning disk_low"]);
  expect(found({ disk: null })).toEqual([]);
  expect(found({ process: { ...fine, commits: { ...fast, p99: 0.4 } } })).toEqual(["warning commits_slow"]);
  expect(found({ process: { ...fine, newerVersion: "1.2.0" } })).toEqual(["warning newer_version"]);
  expect(found({ database: { ...database, walBytes: 2e9 } })).toEqual(["warning log_large"]);
  expect(found({ callbacksWaiting: 20_000 })).toEqual(["warning callbacks_waiting"]);
  expect(found({ callbacksAgeSeconds: 300 })).toEqual(["critical queue_stuck:callbacks"]);
  expect(found({ outbox: [{ kind: "deliver_webhook", rows: 1, ageSeconds: 300 }] })).toEqual([
    "critical queue_stuck:deliver_webhook",
  ]);
  expect(found({ backup: { ...backup, failedAt: NOW - 1 } })).toEqual(["critical backup_failed"]);
  expect(found({ backup: { ...backup, unwritable: "it is read-only" } })).toEqual(["warning backup_directory"]);
  expect(found({ certificate: { from: "files", path: "/c.pem", endsAt: NOW + 7 * DAY_MS, problem: null } })).toEqual([
    "critical certificate_ends",
  ]);
  expect(found({ certificate: { from: "files", path: "/c.pem", endsAt: null, problem: null } })).toEqual([
    "critical certificate_unreadable",
  ]);
  expect(found({ certificate: null })).toEqual([]);
});

test("a backup is too old after twice the interval of its schedule; before the first one, from when it was awaited", () => {
  const { backup } = well;
  expect(found({ backup: { ...backup, verifiedAt: NOW - 2 * DAY_MS } })).toEqual([]);
  expect(found({ backup: { ...backup, verifiedAt: NOW - 2 * DAY_MS - 1 } })).toEqual(["critical backup_old"]);
  expect(found({ backup: { ...backup, intervalMs: 7 * DAY_MS, verifiedAt: NOW - 13 * DAY_MS } })).toEqual([]);
  expect(found({ backup: { ...backup, verifiedAt: null, awaitedSince: NOW - 2 * DAY_MS } })).toEqual([]);
  expect(found({ backup: { ...backup, verifiedAt: null, awaitedSince: NOW - 3 * DAY_MS } })).toEqual([
    "critical backup_old",
  ]);
  const off = { ...backup, schedule: null, intervalMs: null };
  expect(found({ backup: { ...off, verifiedAt: null } })).toEqual(["warning backup_off"]);
  expect(found({ backup: { ...off, verifiedAt: NOW - 7 * DAY_MS } })).toEqual([]);
});

test("another process than the server's does not evaluate whether the server can write", () => {
  expect(found({ process: null })).toEqual([]);
});

test("a condition has the time since when it is known", () => {
  const [queue] = evaluateHealth({ ...well, outbox: [{ kind: "deliver_webhook", rows: 9, ageSeconds: 3_600 }] });
  expect(queue?.since).toBe(NOW - HOUR_MS);
});

test("an off-site backup is too old after twice the interval; a failure is a warning, and critical when it lasts", () => {
  const remoteOf = (remote: Partial<NonNullable<HealthFacts["backup"]["remote"]>>) => ({
    ...well,
    backup: {
      ...well.backup,
      remote: { place: "s3://b/", provedAt: NOW - DAY_MS, awaitedSince: null, failure: null, ...remote },
    },
  });
  const shown = (facts: HealthFacts) => evaluateHealth(facts).map(({ id, severity }) => [id, severity]);
  expect(shown(remoteOf({}))).toEqual([]);
  expect(shown(remoteOf({ provedAt: NOW - 2 * DAY_MS }))).toEqual([]);
  expect(shown(remoteOf({ provedAt: NOW - 2 * DAY_MS - 1 }))).toEqual([["remote_backup_old", "critical"]]);
  expect(shown(remoteOf({ provedAt: null, awaitedSince: NOW - 2 * DAY_MS }))).toEqual([]);
  expect(shown(remoteOf({ provedAt: null, awaitedSince: NOW - 3 * DAY_MS }))).toEqual([
    ["remote_backup_old", "critical"],
  ]);
  const failing = (attempts: number) => remoteOf({ failure: { since: NOW - 1, attempts, reason: "away" } });
  expect([1, 3, 4].flatMap((attempts) => shown(failing(attempts)))).toEqual([
    ["remote_backup_failed", "warning"],
    ["remote_backup_failed", "warning"],
    ["remote_backup_failed", "critical"],
  ]);
});
