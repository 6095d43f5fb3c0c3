/** The archives of a release: other programs read them, and the same files give the same bytes. */
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeDeb } from "../../scripts/release/deb.ts";
import { tar } from "../../scripts/release/tar.ts";

const directory = mkdtempSync(join(tmpdir(), "waxwing-packages-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

test("tar itself lists what we write, with links, owners and long paths", async () => {
  const long = `${"deep/".repeat(25)}file`;
  const entries = [
    { path: "data/", mode: 0o700, owner: 65_532 },
    { path: long, mode: 0o755, bytes: Buffer.from("text") },
    { path: "link", mode: 0o777, target: "data" },
  ];
  writeFileSync(join(directory, "a.tar"), await tar(entries, 0));
  const { stdout, exitCode } = Bun.spawnSync(["tar", "-tvf", join(directory, "a.tar"), "--numeric-owner"], {
    env: { TZ: "UTC", PATH: process.env.PATH ?? "" },
  });
  expect(exitCode).toBe(0);
  const lines = stdout.toString().trim().split("\n");
  expect(lines.map((line) => line.replace(/\s+/g, " "))).toEqual([
    "drwx------ 65532/65532 0 1970-01-01 00:00 data/",
    `-rwxr-xr-x 0/0 4 1970-01-01 00:00 ${long}`,
    "lrwxrwxrwx 0/0 0 1970-01-01 00:00 link -> data",
  ]);
});

test.skipIf(Bun.which("dpkg-deb") === null)("a Debian package belongs to root and is the same in every build", () => {
  const [one, other] = ["one.deb", "other.deb"].map((name) => join(directory, name)) as [string, string];
  const options = {
    ...{ version: "1.2.3-rc.1", architecture: "amd64" as const, time: 1_700_000_000 },
    ...{ executable: Buffer.alloc(5_000), installer: Buffer.from("#!/bin/sh\n"), license: Buffer.from("MIT") },
  };
  writeDeb(one, options);
  const before = process.umask(0o077);
  writeDeb(other, options);
  process.umask(before);
  expect(readFileSync(one).equals(readFileSync(other))).toBe(true);
  const ask = (...words: string[]) => Bun.spawnSync(["dpkg-deb", ...words]).stdout.toString();
  expect(ask("--field", one, "Version")).toBe("1.2.3~rc.1\n");
  const owners = ask("--contents", one)
    .trim()
    .split("\n")
    .map((line) => line.split(/\s+/).slice(0, 2).join(" "));
  expect(new Set(owners)).toEqual(new Set(["drwxr-xr-x root/root", "-rwxr-xr-x root/root", "-rw-r--r-- root/root"]));
});
