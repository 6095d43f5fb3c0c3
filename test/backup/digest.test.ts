/** A backup that differs from the one that was verified is refused, by one bit as by its tail. */
import { expect, test } from "bun:test";
import { appendFileSync, copyFileSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";

import { busyShop } from "#test/support/busy-shop.ts";
import { inForm } from "#test/support/long-form.ts";
import { startTestServer } from "#test/support/server.ts";
import { CallingWorkshop } from "../cli/spawn.ts";
import { SeededRandom } from "../sim/random.ts";

const ROUNDS = inForm({ short: 60, long: 1_000 });
const PAGE_BYTES = 4_096;

async function backedUp(workshop: CallingWorkshop): Promise<string> {
  await using app = await startTestServer({ directory: workshop.path("data") });
  await busyShop(app);
  const file = workshop.path("good.db");
  await workshop.json(["backup", file]);
  return file;
}

test("a backup with one bit, one page or its tail changed is refused by check and by restore, and nothing is replaced", async () => {
  using workshop = new CallingWorkshop();
  const good = await backedUp(workshop);
  const bytes = readFileSync(good);
  const random = new SeededRandom(27);
  const place = (below: number): number => Math.floor(random.fraction() * below);
  const file = workshop.path("copy.db");
  const changes = [
    () => {
      const changed = Buffer.from(bytes);
      const at = place(bytes.length);
      changed[at] = (changed[at] ?? 0) ^ (1 << place(8));
      writeFileSync(file, changed);
    },
    () => {
      const changed = Buffer.from(bytes);
      const page = place(bytes.length / PAGE_BYTES) * PAGE_BYTES;
      changed.copyWithin(page, page === 0 ? PAGE_BYTES : 0, page === 0 ? 2 * PAGE_BYTES : PAGE_BYTES);
      writeFileSync(file, changed);
    },
    () => truncateSync(file, bytes.length - 1 - place(3 * PAGE_BYTES)),
    () => appendFileSync(file, Buffer.alloc(1 + place(PAGE_BYTES))),
  ];
  const before = readFileSync(workshop.path("data/waxwing.db"));
  const accepted: string[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    copyFileSync(good, file);
    copyFileSync(`${good}.sha256`, `${file}.sha256`);
    changes[round % changes.length]?.();
    const checked = await workshop.run(["check", file, "--json"]);
    const restored = await workshop.run(["restore", file, "--accept-gap", "--json"]);
    if (checked.code !== 1 || JSON.parse(checked.stdout).digest !== false) accepted.push(`check ${round}`);
    if (restored.code !== 1 || !restored.stdout.includes("digest")) accepted.push(`restore ${round}`);
  }
  expect(accepted).toEqual([]);
  expect(readFileSync(workshop.path("data/waxwing.db")).equals(before)).toBe(true);
}, 600_000);

test("a backup with its digest says so; one without is checked as before and called so; a log beside it is refused", async () => {
  using workshop = new CallingWorkshop();
  const good = await backedUp(workshop);
  expect(readFileSync(`${good}.sha256`, "utf8")).toMatch(/^[0-9a-f]{64} {2}good\.db\n$/);
  const sum = Bun.spawnSync(["sha256sum", "-c", "good.db.sha256"], { cwd: workshop.directory });
  expect(sum.exitCode).toBe(0);
  expect((await workshop.run(["check", good])).stdout).toContain("and its digest is right");
  expect(await workshop.json(["check", good])).toMatchObject({ ok: true, digest: true });
  writeFileSync(`${good}-wal`, "changes");
  expect(await workshop.run(["check", good])).toMatchObject({ code: 1, stdout: expect.stringContaining("-wal") });
  rmSync(`${good}-wal`);
  writeFileSync(`${good}.sha256`, "no digest at all");
  expect(await workshop.run(["check", good])).toMatchObject({ code: 1, stdout: expect.stringContaining("no SHA-256") });
  rmSync(`${good}.sha256`);
  expect((await workshop.run(["check", good])).stdout).toContain("without a digest");
  expect(await workshop.json(["check", good])).toMatchObject({ ok: true, digest: null });
  expect((await workshop.run(["restore", good])).stdout).toContain("The backup has no digest");
});
