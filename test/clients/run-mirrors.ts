/**
 * `bun run test:mirrors [--kills 1000]`: kills the server, and the programs that copy its events into a database, and counts
 * what is lost or there twice. PostgreSQL takes part where it and its drivers can be installed; Node's programs need Node
 * 22.5, otherwise Bun runs them.
 */
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { placeExecutable } from "#test/support/executable.ts";
import { readOptions } from "#test/support/options.ts";
import { machineText } from "../bench/report.ts";
import { checkout } from "./conformance.ts";
import { endure, type Mirror, nodeFolder, nodeMirror, pythonEnv, pythonMirror } from "./mirrors.ts";

const { values: options } = readOptions(
  {
    call: "bun run test:mirrors",
    about:
      "Kills the server and the examples that copy events into a database, and counts what is lost or there twice.",
  },
  {
    kills: { type: "string", default: "1000", about: "how many kills, half of them of the server" },
    pause: { type: "string", value: "MS", default: "300", about: "at most so long between two kills" },
    node: { type: "string", value: "PATH", about: "a Node of at least 22.5; without: the one of the machine, or Bun" },
  },
);

function run(words: readonly string[], cwd = checkout): string | null {
  const { exitCode, stdout, stderr } = Bun.spawnSync([...words], { cwd, stdin: "ignore" });
  if (exitCode !== 0) console.log(`${words.slice(0, 4).join(" ")}: ${stderr.toString().trim().split("\n").at(-1)}`);
  return exitCode === 0 ? stdout.toString() : null;
}

/** Null: the Node here has no SQLite. */
function nodeWithSqlite(): string | null {
  const node = options.node ?? Bun.which("node");
  if (node === null) return null;
  return Bun.spawnSync([node, "-e", 'require("node:sqlite")'], { stderr: "ignore" }).exitCode === 0 ? node : null;
}

interface Postgres {
  url: string;
  texts: (database: string) => string[];
  stop: () => void;
}

/** A server of its own, reached by a socket in its folder. Null: it cannot be started here. */
function startPostgres(folder: string): Postgres | null {
  const found = Bun.which("postgres");
  if (found === null) return null;
  const bin = join(run(["readlink", "-f", found])?.trim() ?? found, "..");
  mkdirSync(folder);
  chmodSync(folder, 0o777);
  // It refuses to run as root.
  const as = process.getuid?.() === 0 ? ["runuser", "-u", "postgres", "--"] : [];
  const data = join(folder, "data");
  if (run([...as, join(bin, "initdb"), "-D", data, "-U", "waxwing", "--auth=trust"], folder) === null) return null;
  const settings = `-k ${folder} -c listen_addresses=''`;
  const start = [join(bin, "pg_ctl"), "-D", data, "-l", join(folder, "log"), "-w", "-o", settings, "start"];
  if (run([...as, ...start], folder) === null) return null;
  const psql = (database: string, text: string): string | null =>
    run(["psql", "-h", folder, "-U", "waxwing", "-d", database, "-At", "-c", text], folder);
  for (const name of ["node", "python"]) psql("postgres", `CREATE DATABASE ${name}`);
  return {
    url: folder,
    // In the order of their transactions: the table's own order is that of the free places in it.
    texts: (database) =>
      (psql(database, "SELECT text FROM received ORDER BY xmin::text::bigint") ?? "")
        .split("\n")
        .filter((text) => text !== ""),
    stop: () => void run([...as, join(bin, "pg_ctl"), "-D", data, "-m", "immediate", "stop"], folder),
  };
}

const folder = mkdtempSync(join(tmpdir(), "waxwing-mirrors-run-"));
chmodSync(folder, 0o755);
let postgres: Postgres | null = null;
try {
  const executable = join(folder, "waxwing");
  await placeExecutable(executable);
  const node = nodeWithSqlite();
  postgres = startPostgres(join(folder, "postgres"));
  const packages = join(folder, "packages");
  mkdirSync(packages);
  const hasPg =
    postgres !== null &&
    Bun.which("npm") !== null &&
    run(["npm", "install", "--silent", "--no-audit", "--no-fund", "pg@8"], packages) !== null;
  const python = Bun.which("python3");
  const environment = join(folder, "python");
  const hasPsycopg =
    postgres !== null &&
    python !== null &&
    run([python, "-m", "venv", environment]) !== null &&
    run([join(environment, "bin/pip"), "install", "--quiet", "psycopg[binary]"]) !== null;

  const mirrors = (place: string): Mirror[] => {
    const programs = nodeFolder(join(place, "node"), node !== null, hasPg ? join(packages, "node_modules") : null);
    const runtime = node ?? process.execPath;
    const all: Mirror[] = [nodeMirror(runtime, programs)];
    if (python !== null) all.push(pythonMirror(python, place));
    if (postgres === null) return all;
    const { texts, url } = postgres;
    const base = { PGHOST: url, PGUSER: "waxwing" };
    if (hasPg)
      all.push({
        name: "node, PostgreSQL",
        command: [
          runtime,
          join(programs, "mirror-postgres.mjs"),
          `postgres://waxwing@/node?host=${encodeURIComponent(url)}`,
        ],
        env: base,
        texts: () => texts("node"),
      });
    if (hasPsycopg)
      all.push({
        name: "python, PostgreSQL",
        command: [
          join(environment, "bin/python"),
          join(checkout, "examples/python/mirror_postgres.py"),
          "dbname=python",
        ],
        env: { ...base, ...pythonEnv },
        texts: () => texts("python"),
      });
    return all;
  };
  console.log(`node's programs run in ${node ?? "Bun"}; PostgreSQL: ${postgres === null ? "not here" : "yes"}`);
  const startedAt = performance.now();
  const { found, messages, putAside, serverKills, programKills, traces } = await endure({
    server: [executable],
    mirrors,
    kills: Number(options.kills),
    pauseMs: Number(options.pause),
    onKill: (kills) => {
      if (kills % 100 === 0) console.log(`${kills} kills, ${Math.round((performance.now() - startedAt) / 1_000)} s`);
    },
  });
  console.log(
    `${serverKills} kills of the server, ${programKills} of each program, ${messages} messages, ${putAside} put aside and replayed`,
  );
  for (const { name, lost, twice, isInOrder } of found) {
    console.log(`${name}: ${lost.length} lost, ${twice.length} twice, ${isInOrder ? "in order" : "not in order"}`);
    if (lost.length + twice.length > 0 || !isInOrder) process.exitCode = 1;
  }
  for (const trace of traces) console.log(trace);
  console.log(machineText());
} finally {
  postgres?.stop();
  rmSync(folder, { recursive: true, force: true });
}
