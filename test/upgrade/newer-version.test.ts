/** A newer release is a condition, if it is signed by the key that is trusted. */
import { afterAll, expect, test } from "bun:test";
import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Log } from "#src/core/log.ts";
import { NewerVersionNotice } from "#src/upgrade/newer-version.ts";
import { writeRelease } from "#test/support/upgrades.ts";

const workshop = mkdtempSync(join(tmpdir(), "waxwing-notice-"));
const { privateKey, publicKey } = generateKeyPairSync("ed25519");
const key = String(publicKey.export({ type: "spki", format: "pem" }));
writeFileSync(join(workshop, "program"), "x");
writeRelease(join(workshop, "release"), {
  ...{ version: "1.2.0", schema: 1, executable: join(workshop, "program"), key: privateKey },
});

afterAll(() => rmSync(workshop, { recursive: true, force: true }));

function notice(version: string, trusted = key) {
  const logged: string[] = [];
  const log = { info: (event: string) => logged.push(event) } as unknown as Log;
  const made = new NewerVersionNotice({
    ...{ clock: { setTimer: () => ({ cancel: () => undefined }) }, log, version, key: trusted },
    ...{ address: join(workshop, "release"), platform: `${process.platform}-${process.arch}` },
  });
  return { made, logged };
}

test("a newer release is known and logged once; an older or the same one is not", async () => {
  const older = notice("1.1.9");
  for (const _ of [1, 2]) expect(await older.made.runOnce()).toBe(24 * 3_600_000);
  expect([older.made.newer, older.logged]).toEqual(["1.2.0", ["upgrade.available"]]);
  for (const version of ["1.2.0", "1.10.0"]) {
    const { made, logged } = notice(version);
    await made.runOnce();
    expect([made.newer, logged]).toEqual([null, []]);
  }
});

test("a release that another key signed is never announced", async () => {
  const other = String(generateKeyPairSync("ed25519").publicKey.export({ type: "spki", format: "pem" }));
  const { made } = notice("1.0.0", other);
  expect(String(await made.runOnce().catch((error) => error))).toContain("not signed");
  expect(made.newer).toBeNull();
});
