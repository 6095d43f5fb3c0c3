/**
 * Tells a database from an older state of itself that was written over it with `cp`: same name, same place, but the past.
 * Each run of the server gets a mark, in the database first and then as an empty file beside it (`….run-MARK`); so does
 * its end. A file whose mark the database does not know was made after what the database shows. A file's name rather than
 * its content holds the mark, so that a copy of the whole directory, put back over it, does not take the newer one away.
 */
import { closeSync, fsyncSync, openSync, readdirSync, rmSync } from "node:fs";
import { basename, dirname } from "node:path";
import type { Client } from "./driver.ts";
import { makePrivateFile } from "./files.ts";

interface Marks {
  mark: string | null;
  markBefore: string | null;
}

/** Whether the server ran on this file after the state that it shows. */
export function isOlderThanItsRuns(client: Client, database: string): boolean {
  const { mark, markBefore } = readMarks(client);
  // A database that no server has run on yet has none to compare.
  return mark !== null && runFiles(database).some((found) => found !== mark && found !== markBefore);
}

/**
 * Begins or ends a run. A crash or a power cut at any point of it leaves no file that the database does not know; where
 * the file cannot be made, an older state may go unnoticed later, and nothing else.
 */
export function renewMark(client: Client, database: string, newMark: string): void {
  const directory = dirname(database);
  const { mark } = readMarks(client);
  const old = runFiles(database).filter((found) => found !== mark);
  for (const found of old) rmSync(nameOf(database, found), { force: true });
  // The database forgets a mark only when its file is gone for good.
  syncDirectory(directory);
  client.prepare("UPDATE instance SET run_mark = ?, run_mark_before = run_mark WHERE id = 1").run(newMark);
  makePrivateFile(nameOf(database, newMark));
  syncDirectory(directory);
}

function readMarks(client: Client): Marks {
  const row = client.prepare("SELECT run_mark AS mark, run_mark_before AS markBefore FROM instance WHERE id = 1").get();
  return (row as Marks | undefined) ?? { mark: null, markBefore: null };
}

function nameOf(database: string, mark: string): string {
  return `${database}.run-${mark}`;
}

function runFiles(database: string): string[] {
  const prefix = basename(nameOf(database, ""));
  const names = readdirSync(dirname(database)).filter((name) => name.startsWith(prefix));
  return names.map((name) => name.slice(prefix.length));
}

function syncDirectory(path: string): void {
  const handle = openSync(path, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
