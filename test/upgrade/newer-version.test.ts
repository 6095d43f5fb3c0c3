/** A newer release is a condition, if it is signed by the key that is trusted. */
import { afterAll, expect, test } from "bun:test";
import { generateKeyPairSync } from "node:crypto";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Log } from "#src/core/log.ts";
import { NewerVersionNotice } from "#src/upgrade/newer-version.ts";
import { writeRelease } from "#test/support/upgrades.ts";

const CHANGELOG = `# Changelog

Changes that people notice.

## 1.3.0 – unreleased

- Not yet.

## 1.2.0 – 2026-11-28

One sentence
on two lines.

### Added

#### API

- \`GET /me\` says
  more.
- A second change.

### Fixed

- A fault.

## 1.1.9 – 2026-10-01

- What 1.1.9 brought.

## 1.1.8 - 2026-09-01

- Older.

## Before

- Not a version.
`;

const workshop = mkdtempSync(join(tmpdir(), "waxwing-notice-"));
const { privateKey, publicKey } = generateKeyPairSync("ed25519");
const key = String(publicKey.export({ type: "spki", format: "pem" }));
writeFileSync(join(workshop, "program"), "x");
writeRelease(join(workshop, "release"), {
  ...{ version: "1.2.0", schema: 1, executable: join(workshop, "program"), key: privateKey },
  changelog: CHANGELOG,
});

afterAll(() => rmSync(workshop, { recursive: true, force: true }));

function notice(version: string, trusted = key, address = join(workshop, "release")) {
  const logged: string[] = [];
  const log = { info: (event: string) => logged.push(event) } as unknown as Log;
  const made = new NewerVersionNotice({
    ...{ clock: { setTimer: () => ({ cancel: () => undefined }), now: () => 1_000 }, log, version, key: trusted },
    ...{ address, platform: `${process.platform}-${process.arch}` },
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

test("what changed since the installed version is read with the release, newest first, and only when it is newer", async () => {
  const changes = async (version: string) => (await notice(version).made.check()).release?.changes;
  expect(await changes("1.1.8")).toEqual([
    {
      ...{ version: "1.2.0", date: "2026-11-28" },
      groups: [
        { title: null, items: ["One sentence on two lines."] },
        { title: "API", items: ["`GET /me` says more.", "A second change."] },
        { title: "Fixed", items: ["A fault."] },
      ],
    },
    { version: "1.1.9", date: "2026-10-01", groups: [{ title: null, items: ["What 1.1.9 brought."] }] },
  ]);
  expect((await changes("1.1.9"))?.map(({ version }) => version)).toEqual(["1.2.0"]);
  expect(await changes("1.2.0")).toEqual([]);
});

test("a changelog that was changed after it was signed is refused, as the release is", async () => {
  const folder = join(workshop, "changed");
  cpSync(join(workshop, "release"), folder, { recursive: true });
  writeFileSync(join(folder, "CHANGELOG.md"), CHANGELOG.replace("A fault.", "Nothing."));
  const { made } = notice("1.0.0", key, folder);
  const state = await made.check();
  expect([state.release, state.failure]).toEqual([null, expect.stringContaining("CHANGELOG.md")]);
  expect(made.newer).toBeNull();
});

test("a place that does not answer is said, what was known stays, and one question is asked at a time", async () => {
  let asked = 0;
  let isDown = false;
  using server = Bun.serve({
    port: 0,
    fetch({ url }) {
      asked += 1;
      return isDown
        ? new Response("down", { status: 503 })
        : new Response(Bun.file(join(workshop, "release", new URL(url).pathname)));
    },
  });
  const { made } = notice("1.1.9", key, String(server.url));
  expect(made.state).toEqual({ checkedAt: null, release: null, failure: null });
  await Promise.all([made.check(), made.check(), made.check()]);
  expect([asked, made.newer]).toEqual([4, "1.2.0"]);
  isDown = true;
  const state = await made.check();
  expect([state.failure, state.release?.version, made.newer]).toEqual([
    expect.stringContaining("503"),
    "1.2.0",
    "1.2.0",
  ]);
  expect(notice("1.0.0", "", "").made.place).toBeNull();
});
