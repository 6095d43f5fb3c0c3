/** The errors file is on the disk before a commit says what it has: a power cut never takes refused rows that were counted. */
import { expect, test } from "bun:test";
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { noInterposer } from "#test/support/interposer.ts";
import { makeRecorder, readRecords } from "#test/support/power-loss.ts";

const main = join(import.meta.dir, "../../src/main.ts");

function run(data: string, env: Record<string, string>, ...words: string[]): string {
  const cmd = [process.execPath, main, "--data", data, "--json", ...words];
  const { stdout, stderr } = Bun.spawnSync({ cmd, cwd: data, env: { ...process.env, ...env } });
  if (stdout.length === 0) throw new Error(String(stderr));
  return String(stdout);
}

test.skipIf(noInterposer !== null)(
  "the errors file and its name are synced before the commit that names it",
  () => {
    const data = realpathSync(mkdtempSync(join(tmpdir(), "waxwing-errors-")));
    using recorder = makeRecorder();
    try {
      run(data, {}, "workspace", "create", "--name", "Shop", "--country", "IN", "--timezone", "Asia/Kolkata");
      const people = join(data, "people.csv");
      writeFileSync(people, "phone,name\n9876543210,Asha\n12,Nobody\n");
      const env = recorder.env(data);
      expect(JSON.parse(run(data, env, "contact", "import", "--workspace", "1", people))).toMatchObject({ failed: 1 });

      const records = [...readRecords(readFileSync(recorder.log))];
      const errors = `${people}.errors.csv`;
      const { length } = readFileSync(errors);
      const names = `"errors":{"bytes":${length},`;
      const syncedAt = records.findIndex(({ kind, path }) => kind === "S" && path === errors);
      const nameSyncedAt = records.findIndex(({ kind, path }, at) => kind === "S" && path === data && at > syncedAt);
      const namedAt = records.findIndex(({ kind, data: written }) => kind === "W" && written.includes(names));
      expect(syncedAt).toBeGreaterThan(-1);
      expect(nameSyncedAt).toBeGreaterThan(syncedAt);
      expect(namedAt).toBeGreaterThan(nameSyncedAt);
    } finally {
      rmSync(data, { recursive: true, force: true });
    }
  },
  30_000,
);
