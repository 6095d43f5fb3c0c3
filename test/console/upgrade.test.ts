/** The page about upgrades: nothing is asked before an operator presses the button, and nothing is installed from it. */
import { afterAll, expect, test } from "bun:test";
import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { firstOperator, person } from "#test/support/console.ts";
import { startTestServer } from "#test/support/server.ts";
import { writeRelease } from "#test/support/upgrades.ts";

const workshop = mkdtempSync(join(tmpdir(), "waxwing-upgrade-page-"));
const { privateKey, publicKey } = generateKeyPairSync("ed25519");
const key = String(publicKey.export({ type: "spki", format: "pem" }));
writeFileSync(join(workshop, "program"), "x");
writeRelease(join(workshop, "release"), {
  ...{ version: "9.9.9", schema: 9_999, executable: join(workshop, "program"), key: privateKey },
  changelog: "## 9.9.9 – 2027-01-01\n\n- A change.\n\n## 0.0.1 – 2026-01-01\n\n- Known already.\n",
});

afterAll(() => rmSync(workshop, { recursive: true, force: true }));

test("an operator sees what changed after pressing the button, and the command; before, nothing is asked", async () => {
  let asked = 0;
  using place = Bun.serve({
    port: 0,
    fetch({ url, headers }) {
      asked += 1;
      expect(headers.get("authorization")).toBeNull();
      return new Response(Bun.file(join(workshop, "release", new URL(url).pathname)));
    },
  });
  const address = String(place.url);
  await using app = await startTestServer({ releases: { address, key } });
  const operator = await firstOperator(app);
  const shop = await app.workspace();
  const owner = await person(app, "owner@example.com", "owner", shop.id);
  const before = (await operator.get("/system/upgrade")).body.data;
  expect(before).toMatchObject({ place: address, checked_at: null, failure: null, release: null, asks_daily: false });
  // Asked daily, it would be a minute after the start.
  await app.clock.advance(3_600_000);
  expect(asked).toBe(0);

  const checked = await operator.post("/system/upgrade/check");
  expect([checked.status, checked.body.data]).toEqual([
    200,
    expect.objectContaining({
      ...{ command: "sudo waxwing upgrade", way_back: "sudo waxwing upgrade back", failure: null },
      release: {
        ...{ version: "9.9.9", migrates: true, is_newer: true },
        changes: [{ version: "9.9.9", date: "2027-01-01", groups: [{ title: null, items: ["A change."] }] }],
      },
    }),
  ]);
  expect((await operator.get("/system/upgrade")).body.data).toEqual(checked.body.data);
  expect((await owner.get("/system/upgrade")).status).toBe(404);
  expect((await owner.post("/system/upgrade/check")).status).toBe(404);

  await place.stop(true);
  const offline = (await operator.post("/system/upgrade/check")).body.data;
  expect([offline.failure, offline.release.version]).toEqual([expect.stringContaining("cannot be fetched"), "9.9.9"]);
});

test("an executable that was not made from a release says that it knows no place", async () => {
  await using app = await startTestServer();
  const operator = await firstOperator(app);
  const { body } = await operator.post("/system/upgrade/check");
  expect(body.data).toMatchObject({ place: null, command: null, release: null, failure: expect.any(String) });
});
