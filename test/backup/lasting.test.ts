/** What the receipt of an erasure says about copies is when they are really gone. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { formatFileTime } from "#src/backup/files.ts";
import { KeptCopies } from "#src/backup/kept-copies.ts";
import { listLastingCopies } from "#src/backup/lasting.ts";
import { surplusArchives } from "#src/backup/remote/names.ts";
import type { RemoteSettings } from "#src/backup/remote/settings.ts";
import { changeRemoteState } from "#src/backup/remote/state.ts";
import { backupName, removeOldBackups } from "#src/backup/rotation.ts";
import { scheduledRun } from "#src/backup/schedule.ts";
import type { Clock } from "#src/core/clock.ts";
import type { Log } from "#src/core/log.ts";

const DAY = 24 * 60 * 60_000;
const SCHEDULE = "30 2 * * *";
const NOW = Date.parse("2026-11-26T12:00:00Z");
const KEEP = 3;

let data: string;
let directory: string;
let database: string;
beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), "waxwing-lasting-"));
  directory = join(data, "backups");
  database = join(data, "waxwing.db");
  mkdirSync(directory);
});
afterEach(() => rmSync(data, { recursive: true }));

const list = (more: { schedule?: string | null; remote?: RemoteSettings | null } = {}) =>
  listLastingCopies({ database, schedule: SCHEDULE, directory, keep: KEEP, remote: null, now: NOW, ...more });

const runAt = (count: number): number => scheduledRun(SCHEDULE, NOW, count) ?? Number.NaN;

function makeBackup(at: number): string {
  const file = backupName(directory, at);
  writeFileSync(file, "");
  removeOldBackups(directory, { file, findings: [] }, KEEP);
  return file;
}

test("without a copy there is nothing to name", () => {
  expect(list()).toEqual([]);
});

test("a scheduled backup of now is there until the run that is named, and gone after it", () => {
  const before = makeBackup(NOW - 1_000);
  const [named] = list();
  expect(named).toEqual({ kind: "scheduled", place: directory, until: runAt(KEEP) });
  const gone = [1, 2, 3].find((count) => {
    makeBackup(runAt(count));
    return !existsSync(before);
  });
  expect(runAt(gone ?? 0)).toBe(named?.until ?? Number.NaN);
});

test("without a schedule no backup is ever deleted", () => {
  makeBackup(NOW - 1_000);
  expect(list({ schedule: null })).toEqual([{ kind: "scheduled", place: directory, until: null }]);
});

test("archives off-site last as many runs as are kept there, and for ever if all are kept", () => {
  const remote = { bucket: "shop", prefix: null, keep: 2 } as RemoteSettings;
  const place = "s3://shop/";
  expect(list({ remote })).toEqual([]);
  const sent = { key: "a-0", takenAt: NOW } as never;
  changeRemoteState(directory, place, () => ({ archives: [sent] }));
  expect(list({ remote })).toEqual([{ kind: "off_site", place, until: runAt(2) }]);
  expect(surplusArchives(["a-0", "a-1"], "a-1", 2)).toEqual([]);
  expect(surplusArchives(["a-0", "a-1", "a-2"], "a-2", 2)).toEqual(["a-0"]);
  expect(list({ remote: { ...remote, keep: 0 } })).toEqual([{ kind: "off_site", place, until: null }]);
});

test("a copy that an upgrade put aside is gone by the day that is named; the newest stays until a person deletes it", async () => {
  const copies = [NOW - 2 * DAY, NOW - 10 * DAY].map((at) => `${database}.before-schema-4-${formatFileTime(at)}`);
  for (const copy of copies) writeFileSync(copy, "");
  const [newest, older] = list();
  expect(newest).toEqual({ kind: "kept", place: copies[0] ?? "", until: null });
  expect(older).toEqual({ kind: "kept", place: copies[1] ?? "", until: NOW + 21 * DAY });
  for (const [at, left] of [
    [NOW + 20 * DAY - 1_000, [true, true]],
    [NOW + 21 * DAY, [true, false]],
  ] as const) {
    const clock = { now: () => at } as Clock;
    const log = { info: () => undefined } as unknown as Log;
    await new KeptCopies({ database, clock, log }).runOnce();
    expect(copies.map((copy) => existsSync(copy))).toEqual([...left]);
  }
});
