/** Archives: what we write other programs read, and what we read may come from anybody. */
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { readTarFile } from "#src/upgrade/tar.ts";
import { tar } from "../../scripts/release/tar.ts";

async function* inPieces(bytes: Uint8Array, length: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length);
}

async function read(bytes: Uint8Array, name: string, length = 700): Promise<Buffer | null> {
  const file = await readTarFile(inPieces(bytes, length), name);
  if (file === null) return null;
  const parts: Uint8Array[] = [];
  for await (const part of file) parts.push(part);
  return Buffer.concat(parts);
}

const name = fc.stringMatching(/^[a-z]{1,12}$/);

test("every file of an archive is read again, however the stream is cut", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(fc.record({ name, bytes: fc.uint8Array({ maxLength: 2_000 }) }), { selector: (one) => one.name }),
      fc.integer({ min: 1, max: 3_000 }),
      async (files, length) => {
        const bytes = tar(
          files.map((one) => ({ path: `folder/${one.name}`, mode: 0o644, bytes: one.bytes })),
          1_700_000_000,
        );
        for (const one of files) expect(await read(bytes, one.name, length)).toEqual(Buffer.from(one.bytes));
        expect(await read(bytes, "NOT-THERE", length)).toBeNull();
      },
    ),
    { numRuns: 50 },
  );
});

test("what is not an archive is read to nothing, without an error", async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 3_000 }), async (bytes) => {
      expect(await read(bytes, "SHA256SUMS")).toBeNull();
    }),
    { numRuns: 100 },
  );
});

test("tar itself lists what we write, with links, owners and long paths", () => {
  const directory = mkdtempSync(join(tmpdir(), "waxwing-tar-"));
  try {
    const long = `${"deep/".repeat(25)}file`;
    const entries = [
      { path: "data/", mode: 0o700, owner: 65_532 },
      { path: long, mode: 0o755, bytes: Buffer.from("text") },
      { path: "link", mode: 0o777, target: "data" },
    ];
    writeFileSync(join(directory, "a.tar"), tar(entries, 0));
    const { stdout, exitCode } = Bun.spawnSync(["tar", "-tvf", join(directory, "a.tar"), "--numeric-owner"], {
      env: { TZ: "UTC", PATH: process.env.PATH ?? "" },
    });
    expect(exitCode).toBe(0);
    const lines = stdout
      .toString()
      .trim()
      .split("\n")
      .map((line) => line.replace(/\s+/g, " "));
    expect(lines).toEqual([
      "drwx------ 65532/65532 0 1970-01-01 00:00 data/",
      `-rwxr-xr-x 0/0 4 1970-01-01 00:00 ${long}`,
      "lrwxrwxrwx 0/0 0 1970-01-01 00:00 link -> data",
    ]);
  } finally {
    rmSync(directory, { recursive: true });
  }
});
