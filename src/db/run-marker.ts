/**
 * Detects that an older state of the database was copied over it with `cp`: same instance id, same file identity, older
 * data. The start and the end of each server run store a new marker, first in the database and then as an empty file
 * next to it (`….run-MARKER`). A marker on disk that the database does not know is newer than the database's state. The
 * marker is in the file's name rather than its content, so that restoring a copy of the whole directory over it does
 * not remove the newer marker.
 */
import { closeSync, fsyncSync, openSync, readdirSync, rmSync } from "node:fs";
import { basename, dirname } from "node:path";
import type { Client } from "./driver.ts";
import { createPrivateFile } from "./files.ts";

interface RunMarkers {
  marker: string | null;
  previousMarker: string | null;
}

/** True if the server ran on this file after the state that the file now holds. */
export function isOlderThanLastRun(client: Client, database: string): boolean {
  const { marker, previousMarker } = readRunMarkers(client);
  // A database that no server has run on has no marker to compare.
  return marker !== null && listMarkersOnDisk(database).some((found) => found !== marker && found !== previousMarker);
}

/**
 * Stores a new marker at the start or end of a run. A crash or power cut at any point leaves no file whose marker the
 * database does not know. If the file cannot be created, the only consequence is that a later rollback to an older
 * state may go undetected.
 */
export function renewRunMarker(client: Client, database: string, newMarker: string): void {
  const directory = dirname(database);
  const { marker } = readRunMarkers(client);
  const old = listMarkersOnDisk(database).filter((found) => found !== marker);
  for (const found of old) rmSync(markerPath(database, found), { force: true });
  // Sync the removal first: the database may forget a marker only when its file is gone for good.
  syncDirectory(directory);
  client.prepare("UPDATE instance SET run_marker = ?, previous_run_marker = run_marker WHERE id = 1").run(newMarker);
  createPrivateFile(markerPath(database, newMarker));
  syncDirectory(directory);
}

/**
 * Removes the markers on disk that this state of the database does not know: they are of a newer state that is given up
 * on purpose, and in which nothing was accepted or sent.
 */
export function forgetUnknownMarkers(client: Client, database: string): void {
  const { marker, previousMarker } = readRunMarkers(client);
  for (const found of listMarkersOnDisk(database)) {
    if (found !== marker && found !== previousMarker) rmSync(markerPath(database, found), { force: true });
  }
  syncDirectory(dirname(database));
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
