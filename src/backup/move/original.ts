/** The database of a planned move on the machine that it leaves: what it is now, and the changes of that. */
import { existsSync } from "node:fs";
import type { Client } from "#src/db/driver.ts";
import { type FileIdentity, readFileIdentity } from "#src/db/file-identity.ts";
import { findCopy, readInstance, readMove, type StoredMove, writeBackupMetadata, writeMove } from "#src/db/instance.ts";
import { isOlderThanLastRun, renewRunMarker } from "#src/db/run-marker.ts";
import { reading } from "../database-file.ts";
import type { Original } from "./states.ts";

export type MovedAway = Extract<StoredMove, { state: "out" }>;

/** The database is closed: its successor is elsewhere. */
export class MovedOut extends Error {
  override readonly name = "MovedOut";
  readonly move: MovedAway;
  constructor(database: string, move: MovedAway) {
    const at = new Date(move.at).toISOString().replace(/\.\d+Z$/, "Z");
    super(`the database ${database} is closed: it was moved out on ${at} to ${move.file}, and continues from there`);
    this.move = move;
  }
}

/** Null: it is open, or is no database. Reads only. */
export function findMovedAway(database: string): MovedAway | null {
  if (!existsSync(database)) return null;
  try {
    const move = reading(database, readMove);
    return move?.state === "out" ? move : null;
  } catch {
    // Not a database, or without rows: whatever opens it next says so.
    return null;
  }
}

/** Throws `MovedOut`. */
export function requireNotMoved(database: string): void {
  const move = findMovedAway(database);
  if (move !== null) throw new MovedOut(database, move);
}

export function stateOf(client: Client, database: string, identityOf = readFileIdentity): Original {
  if (readMove(client)?.state === "out") return "moved_out";
  const instance = readInstance(client);
  if (instance === null) return "open";
  const isCopy = findCopy(instance, identityOf(database)) !== null || isOlderThanLastRun(client, database);
  return isCopy ? "copy" : "open";
}

/** On disk when it returns. */
export function close(client: Client, database: string, move: MovedAway, marker: string): void {
  writeMove(client, move);
  // A state from before, put back over it, is now an older one: it starts as a copy.
  renewRunMarker(client, database, marker);
}

/** In one transaction: at no moment is it open without being a copy. On disk when it returns. */
export function reopenAsCopy(client: Client, at: number): void {
  client.transaction(() => {
    writeBackupMetadata(client, { kind: "move", at, hasGap: false });
    writeMove(client, null);
  })();
}

export type IdentityOf = (path: string) => FileIdentity;
