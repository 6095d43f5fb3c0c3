/** What a server is during an upgrade, in every state of the journal; what the guard does; and the database put back. */
import { afterEach, expect, test } from "bun:test";
import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { reading } from "#src/backup/database-file.ts";
import { upgradeDatabase } from "#src/backup/upgrade.ts";
import { systemClock } from "#src/core/clock.ts";
import { openClient } from "#src/db/driver.ts";
import { isSameFile, readFileIdentity } from "#src/db/file-identity.ts";
import { databaseFiles } from "#src/db/files.ts";
import { readInstance } from "#src/db/instance.ts";
import { schemaVersion } from "#src/db/migrate.ts";
import { migrations } from "#src/db/migrations.ts";
import { isOlderThanLastRun, renewRunMarker } from "#src/db/run-marker.ts";
import { claimCommand, writeGuard } from "#src/upgrade/guard.ts";
import { inodeOf, Journal, type Phase } from "#src/upgrade/journal.ts";
import { putBackDatabase } from "#src/upgrade/put-back.ts";
import { serverStates, writeReport } from "#src/upgrade/server-report.ts";
import { findTrial } from "#src/upgrade/trial.ts";
import { restoreAndUpgrade } from "#src/upgrade/upgrade.ts";
import { linesOf } from "#test/support/database.ts";
import { CallingWorkshop, SHOP } from "../cli/spawn.ts";

const places: string[] = [];

afterEach(() => {
  for (const place of places.splice(0)) rmSync(place, { recursive: true, force: true });
});

function makeJournal() {
  const place = mkdtempSync(join(tmpdir(), "waxwing-journal-"));
  places.push(place);
  const executable = join(place, "waxwing");
  writeFileSync(executable, "old");
  const journal = new Journal(executable);
  journal.create();
  writeFileSync(journal.fresh, "new");
  const database = join(place, "waxwing.db");
  const facts = {
    ...{ nonce: "n", from: "1.0.0", to: "1.1.0", database },
    oldInode: inodeOf(executable),
    newInode: inodeOf(journal.fresh),
  };
  journal.keepOld();
  journal.setFacts(facts);
  return { journal, facts, executable, database };
}

const phases: (Phase | null)[] = [null, "trial", "go", "done", "undo", "undone", "back"];

test("a server takes part in an upgrade only as the executable that the journal names, and never again once it was live", () => {
  const { journal, facts, executable, database } = makeJournal();
  const found: string[] = [];
  for (const phase of phases) {
    if (phase !== null) journal.setPhase(phase);
    for (const [role, inode] of Object.entries({ old: facts.oldInode, new: facts.newInode, other: "1" })) {
      for (const state of [null, ...serverStates]) {
        rmSync(`${database}.upgrade`, { force: true });
        if (state !== null) {
          writeReport(database, { nonce: "n", state, pid: 1, version: "1", keptDatabase: null, message: null });
        }
        const part = findTrial(executable, inode)?.constructor.name ?? null;
        const isLive = state === "live";
        const wanted =
          phase === "back"
            ? "Holding"
            : isLive || phase === null || phase === "done" || phase === "undone"
              ? null
              : role === "new"
                ? "NewServer"
                : role === "old" && phase === "undo"
                  ? "OldServer"
                  : null;
        if (part !== wanted) found.push(`${phase} ${role} ${state}: ${part}, not ${wanted}`);
      }
    }
  }
  expect(found).toEqual([]);
});

test("the guard does nothing while the command lives; afterwards it puts the old executable back at the fourth start", () => {
  const { journal, facts, executable } = makeJournal();
  writeGuard(journal, facts);
  const run = (): string => {
    expect(Bun.spawnSync(["/bin/sh", join(journal.directory, "guard")]).exitCode).toBe(0);
    return `${journal.phase()} ${readFileSync(executable, "utf8")}`;
  };
  journal.setPhase("trial");
  journal.swapIn(journal.fresh);
  expect(claimCommand(journal)).toBe(true);
  for (let start = 0; start < 6; start++) expect(run()).toBe("trial new");
  journal.write("command", "1 0\n");
  expect([run(), run(), run(), run()]).toEqual(["trial new", "trial new", "trial new", "undo old"]);
  for (const phase of ["done", "undone", "back"] as const) {
    journal.setPhase(phase);
    journal.swapIn(journal.fresh);
    for (let start = 0; start < 5; start++) expect(run()).toBe(`${phase} new`);
  }
  // A database that was live is never given up.
  journal.setPhase("go");
  writeReport(facts.database, { nonce: "n", state: "live", pid: 1, version: "1", keptDatabase: null, message: null });
  for (let start = 0; start < 5; start++) expect(run()).toBe("go new");
});

test("a command that has ended, and that its parent has not reaped, counts as gone", async () => {
  const { journal, facts, executable } = makeJournal();
  const parent = Bun.spawn(["sh", "-c", "sleep 0.01 & echo $!; exec sleep 60"], { stdout: "pipe" });
  const pid = (await linesOf(parent.stdout).next()).value;
  const fieldsOf = (): string[] => {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  };
  while (fieldsOf()[0] !== "Z") await Bun.sleep(5);
  journal.write("command", `${pid} ${fieldsOf()[19]}\n`);
  writeGuard(journal, facts);
  journal.setPhase("trial");
  journal.swapIn(journal.fresh);
  for (let start = 0; start < 4; start++) Bun.spawnSync(["/bin/sh", join(journal.directory, "guard")]);
  expect([journal.phase(), readFileSync(executable, "utf8")]).toEqual(["undo", "old"]);
  expect(claimCommand(journal)).toBe(true);
  parent.kill("SIGKILL");
});

test("two commands at a time: the second is refused, and one that was killed does not matter", () => {
  const { journal } = makeJournal();
  const sleeper = Bun.spawn(["sleep", "60"]);
  const stat = readFileSync(`/proc/${sleeper.pid}/stat`, "utf8");
  journal.write("command", `${sleeper.pid} ${stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19]}\n`);
  expect(claimCommand(journal)).toBe(false);
  sleeper.kill("SIGKILL");
  journal.write("command", `${sleeper.pid} 1\n`);
  expect(claimCommand(journal)).toBe(true);
});

test("a database that is put back is the one from before, not a copy to be held, even if the new one had begun a run", async () => {
  const workshop = new CallingWorkshop();
  using _ = workshop;
  await workshop.json(["workspace", "create", ...SHOP]);
  const files = databaseFiles(workshop.path("data/waxwing.db"));
  const open = <T>(work: (client: ReturnType<typeof openClient>) => T): T => {
    const client = openClient(files.database, {});
    try {
      return work(client);
    } finally {
      client.close();
    }
  };
  open((client) => renewRunMarker(client, files.database, "marker00"));
  const before = open(readInstance);
  const known = migrations.length;
  const next = { version: known + 1, name: "next", sql: "CREATE TABLE next (id INTEGER) STRICT" };
  let announced = "";
  const upgrade = upgradeDatabase(files, {
    ...{ now: 0, newInstanceId: () => "newname0", readFileIdentity, onStep: () => undefined },
    known: [...migrations, next],
    onKept: (kept) => {
      announced = kept;
      expect(existsSync(kept)).toBe(false);
    },
  });
  const kept = upgrade?.kept ?? "";
  expect(announced).toBe(kept);
  open((client) => renewRunMarker(client, files.database, "marker01"));
  open((client) => renewRunMarker(client, files.database, "marker02"));
  putBackDatabase(files, kept, known);
  expect(reading(files.database, schemaVersion)).toBe(known);
  const after = open(readInstance);
  expect(after).toEqual({ ...before, backupMetadata: null } as typeof after);
  expect(after?.fileIdentity && isSameFile(after.fileIdentity, readFileIdentity(files.database))).toBe(true);
  expect(open((client) => isOlderThanLastRun(client, files.database))).toBe(false);
  expect(readdirSync(workshop.path("data")).filter((name) => /before-schema|unfinished/.test(name))).toEqual([]);
});

test("only a database that a migration of this one kept is put back", async () => {
  const workshop = new CallingWorkshop();
  using _ = workshop;
  await workshop.json(["workspace", "create", ...SHOP]);
  const files = databaseFiles(workshop.path("data/waxwing.db"));
  copyFileSync(files.database, workshop.path("data/other.db"));
  for (const name of ["data/other.db", "data/waxwing.db.before-schema-2-gone", "waxwing.db.before-schema-2"]) {
    expect(() => putBackDatabase(files, workshop.path(name), 1)).toThrow("not a database that was kept");
  }
});

test("a command after a successful upgrade keeps its claim and its heartbeat, or servers would take it for gone", async () => {
  const { journal, database } = makeJournal();
  journal.setPhase("done");
  const own = (): boolean[] => ["heartbeat", "command"].map((name) => existsSync(join(journal.directory, name)));
  const seen: boolean[][] = [];
  const context = {
    ...{ journal, database, clock: systemClock, service: null, readyLimitMs: 1_000 },
    ...{ newNonce: () => "next", onStep: () => undefined },
  };
  const target = {
    async place() {
      seen.push(own());
      throw new Error("the release could not be read");
    },
    tryOut: () => Promise.reject(new Error("nothing was placed")),
  };
  const command = restoreAndUpgrade(context, "1.1.0", target, () => Promise.resolve());
  await expect(command).rejects.toThrow("could not be read");
  expect([...seen, own()]).toEqual([
    [true, true],
    [false, false],
  ]);
});
