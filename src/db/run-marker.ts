/**
 * Tells a database from an older state of itself that was written over it with `cp`: same name, same place, but the past.
 * Each run of the server gets a mark, in the database first and then as an empty file beside it (`….run-MARK`); so does
 * its end. A file whose mark the database does not know was made after what the database shows. A file's name rather than
 * its content holds the mark, so that a copy of the whole directory, put back over it, does not take the newer one away.
 */
import { closeSync, fsyncSync, openSync, readdirSync, rmSync } from "node:fs";
import { basename, dirname } from "node:path";
import type { Client } from "./driver.ts";
import { createPrivateFile } from "./files.ts";

interface RunMarkers {
  marker: string | null;
  previousMarker: string | null;
}

/** Whether the server ran on this file after the state that it shows. */
export function isOlderThanLastRun(client: Client, database: string): boolean {
  const { marker, previousMarker } = readRunMarkers(client);
  // A database that no server has run on yet has none to compare.
  return marker !== null && listMarkersOnDisk(database).some((found) => found !== marker && found !== previousMarker);
}

/**
 * Begins or ends a run. A crash or a power cut at any point of it leaves no file that the database does not know; where
 * the file cannot be made, an older state may go unnoticed later, and nothing else.
 */
export function renewRunMarker(client: Client, database: string, newMarker: string): void {
  const directory = dirname(database);
  const { marker } = readRunMarkers(client);
  const old = listMarkersOnDisk(database).filter((found) => found !== marker);
  for (const found of old) rmSync(markerPath(database, found), { force: true });
  // The database forgets a mark only when its file is gone for good.
  syncDirectory(directory);
  client.prepare("UPDATE instance SET run_marker = ?, previous_run_marker = run_marker WHERE id = 1").run(newMarker);
  createPrivateFile(markerPath(database, newMarker));
  syncDirectory(directory);
}

function readRunMarkers(client: Client): RunMarkers {
  const row = client
    .prepare("SELECT run_marker AS marker, previous_run_marker AS previousMarker FROM instance WHERE id = 1")
    .get();
  return (row as RunMarkers | undefined) ?? { marker: null, previousMarker: null };
}

function markerPath(database: string, marker: string): string {
  return `${database}.run-${marker}`;
}

function listMarkersOnDisk(database: string): string[] {
  const prefix = basename(markerPath(database, ""));
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
