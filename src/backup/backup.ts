/**
 * An online copy of a database that proves itself: taken from one consistent state beside a running server, stamped,
 * opened again, looked over like a database that somebody distrusts, and only then given its name.
 */
import { existsSync, statSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { type Client, openClient } from "#src/db/driver.ts";
import { makePrivateDirectory, makePrivateFile } from "#src/db/files.ts";
import { readInstance, type Stamp, writeStamp } from "#src/db/instance.ts";
import { schemaVersion } from "#src/db/migrate.ts";
import { checkDatabase, countRows, type Finding } from "#src/health/check.ts";
import { putInPlace, removeDatabase, removeUnfinished, requireRoom, UNFINISHED } from "./files.ts";

export interface Backup {
  file: string;
  bytes: number;
  schema: number;
  counts: Record<string, number>;
  /** How many things were looked at. */
  checks: number;
  /** The state that it shows, milliseconds. */
  at: number;
  /** What is wrong with the database itself, and so with the copy; the copy is kept all the same. */
  findings: Finding[];
}

/** There is something under the name already: a backup never replaces anything. */
export class NameTaken extends Error {
  override readonly name = "NameTaken";
}

/** The copy is not what a backup must be; nothing is left of it. */
export class CopyBroken extends Error {
  override readonly name = "CopyBroken";
  readonly findings: Finding[];
  constructor(findings: Finding[]) {
    super(`the copy is broken: ${findings.map(({ name, ids }) => `${name} (${ids.join("; ")})`).join(", ")}`);
    this.findings = findings;
  }
}

/** A finding that speaks of the file, not of what Waxwing wrote into it. */
export function isDamage(name: string): boolean {
  return name === "integrity" || name === "references";
}

/** Told before each part of the work. */
export type OnStep = (step: string) => void;

/** Runs to its end in this thread: call it in a process or a Worker of its own. `now`: milliseconds. */
export function makeBackup(database: string, file: string, now: number, onStep: OnStep = () => undefined): Backup {
  const target = resolve(file);
  if (existsSync(target)) throw new NameTaken(`there is already something at ${target}; a backup replaces nothing`);
  makePrivateDirectory(dirname(target));
  removeUnfinished(target);
  const unfinished = `${target}${UNFINISHED}-backup`;
  try {
    onStep("copying the database");
    copyDatabase(database, unfinished, { kind: "backup", at: now, hasGap: false });
    const looked = lookOver(unfinished, now, onStep);
    // The copy may be at fault then, not the database. Broken invariants came from the database: the copy is as good.
    if (looked.findings.some(({ name }) => isDamage(name))) throw new CopyBroken(looked.findings);
    putInPlace(unfinished, target);
    return { ...looked, file: target, bytes: statSync(target).size, at: now };
  } catch (error) {
    removeDatabase(unfinished);
    throw error;
  }
}

/**
 * Writes the database's state of this moment to a new file, stamped. A reader beside the server's writes: nobody waits,
 * only the log cannot be emptied meanwhile.
 */
export function copyDatabase(database: string, target: string, stamp: Stamp | null): void {
  const source = openClient(database, { readonly: true, fileMustExist: true, timeout: 5_000 });
  try {
    requireRoom(dirname(target), roomFor(source), `a copy of ${basename(database)}`);
    makePrivateFile(target);
    // Says how the copy is laid out: what is deleted in it later can be given back to the disk. Where the database is
    // laid out so already, saying it again would be a write.
    if (source.pragma("auto_vacuum", { simple: true }) === 0) source.pragma("auto_vacuum = INCREMENTAL");
    source.prepare("VACUUM INTO ?").run(target);
  } finally {
    source.close();
  }
  const copy = openClient(target, { fileMustExist: true });
  try {
    copy.pragma("synchronous = FULL");
    if (stamp !== null) writeStamp(copy, stamp);
  } finally {
    copy.close();
  }
}

/** The pages that a copy will have, with a little for what comes on top. */
function roomFor(source: Client): number {
  const number = (name: string): number => Number(source.pragma(name, { simple: true }));
  return Math.ceil((number("page_count") - number("freelist_count")) * number("page_size") * 1.05) + 1_000_000;
}

/** What a backup's file proves, at this moment. */
export interface Looked extends Pick<Backup, "schema" | "counts" | "checks" | "findings"> {
  /** The state that it shows, milliseconds; null where it does not say. */
  at: number | null;
}

/** Looks a file over that was made before. It only reads; what cannot even be opened as a database is damage. */
export function verifyBackup(file: string, now: number, onStep: OnStep): Looked {
  try {
    return lookOver(file, now, onStep);
  } catch (error) {
    const told = error instanceof Error ? error.message : String(error);
    const finding = {
      name: "integrity",
      sentence: "SQLite finds the file whole.",
      count: 1,
      of: "damage",
      ids: [told],
      next: "use another backup, and look at the disk that this one is on",
    };
    return { schema: 0, counts: {}, checks: 1, findings: [finding], at: null };
  }
}

function lookOver(path: string, now: number, onStep: OnStep): Looked {
  const copy = openClient(path, { readonly: true, fileMustExist: true });
  try {
    const { findings, checked } = checkDatabase(copy, {
      now,
      whole: true,
      onPart: (part) => onStep(`checking ${part}`),
    });
    const isReadable = !findings.some(({ name }) => isDamage(name));
    return {
      schema: schemaVersion(copy),
      counts: isReadable ? countRows(copy) : {},
      checks: checked.length,
      findings,
      at: isReadable ? (readInstance(copy)?.stamp?.at ?? null) : null,
    };
  } finally {
    copy.close();
  }
}
