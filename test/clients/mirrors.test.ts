/**
 * The programs that copy events into a database, killed with the server: the short form. `bun run test:mirrors` is the long
 * one, with PostgreSQL where it is installed.
 */
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { program } from "#test/support/program.ts";
import { endure, lastingPort, nodeFolder, nodeMirror, pythonMirror } from "./mirrors.ts";

const python = Bun.which("python3");

test(`Node's program${python === null ? " (Python is not installed)" : " and Python's"} and the server are killed: each message is there once`, async () => {
  const { found, messages, serverKills, programKills } = await endure({
    server: program,
    kills: 4,
    pauseMs: 250,
    // Bun has the SQLite of Node 22.
    mirrors: (folder) => [
      nodeMirror(process.execPath, nodeFolder(join(folder, "node"), false)),
      ...(python === null ? [] : [pythonMirror(python, folder)]),
    ],
  });
  expect([serverKills, programKills]).toEqual([2, 2]);
  expect(messages).toBeGreaterThan(10);
  for (const one of found) expect(one).toEqual({ name: one.name, lost: [], twice: [], isInOrder: true });
}, 60_000);

/** A receiver of another test answers 200 to anything: while the server is down, it must not have the server's port. */
test.skipIf(process.platform !== "linux")("the server's port is given to no program that asks for any", () => {
  const [first = 0] = readFileSync("/proc/sys/net/ipv4/ip_local_port_range", "utf8").split(/\s+/).map(Number);
  for (let count = 0; count < 100; count += 1) expect(lastingPort()).toBeLessThan(first);
});
