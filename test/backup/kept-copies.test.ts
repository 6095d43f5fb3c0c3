/** Databases put aside beside the present one: counted, and deleted after a month, except the newest. */
import { expect, test } from "bun:test";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { METRICS_TOKEN, startTestServer } from "#test/support/server.ts";

const DAY_MS = 24 * 60 * 60_000;

test("copies of a month ago are deleted with their companions; the newest and everything else stay", async () => {
  await using app = await startTestServer();
  const write = (name: string) => writeFileSync(join(app.directory, name), "12345");
  const old = ["replaced-20260901T080000Z", "replaced-20260901T080000Z-wal", "before-schema-2-20260902T080000Z"];
  const kept = ["before-schema-3-20260903T080000Z", "replaced-now", "own-notes"];
  for (const name of [...old, ...kept]) write(`waxwing.db.${name}`);
  const copies = async () => {
    const { text } = await app.call("GET", "/metrics", { key: METRICS_TOKEN });
    return [/^waxwing_kept_copies (\d+)/m, /^waxwing_kept_copies_bytes (\d+)/m].map((line) =>
      Number(line.exec(text)?.[1]),
    );
  };
  expect(await copies()).toEqual([3, 20]);
  await app.clock.advance(11 * 60_000);
  const left = readdirSync(app.directory);
  for (const name of old) expect(left).not.toContain(`waxwing.db.${name}`);
  for (const name of kept) expect(left).toContain(`waxwing.db.${name}`);
  expect(await copies()).toEqual([1, 5]);
  expect(app.logged.filter((line) => line.includes("backup.copy_deleted"))).toHaveLength(2);

  // A young one is the newest now; the older one goes when its month is over.
  write("waxwing.db.replaced-20261122T080000Z");
  await app.clock.advance(DAY_MS);
  expect(await copies()).toEqual([1, 5]);
});
