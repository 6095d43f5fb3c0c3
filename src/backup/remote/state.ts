/**
 * What is known of the archives in the store, in a file beside the backups: uploads that were begun, archives that were
 * read back, and the last failure. An upload is noted before it begins, so that what a killed one leaves can be removed.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createPrivateDirectory } from "#src/db/files.ts";
import { replaceFile } from "../files.ts";

export interface SentArchive {
  /** The name of the backup in the directory of backups. */
  backup: string;
  key: string;
  bytes: number;
  /** SHA-256 of the archive as it is in the store. */
  sha256: string;
  /** The time of the state that it holds, and when it was read back, in milliseconds. */
  takenAt: number;
  provedAt: number;
}

interface SendFailure {
  /** The first of the consecutive failures, and the last, in milliseconds. */
  since: number;
  at: number;
  attempts: number;
  reason: string;
}

export interface RemoteState {
  /** The store that this is about; a different store starts with empty state. */
  place: string;
  /** Keys of uploads that were begun and are not recorded below. */
  begun: readonly string[];
  archives: readonly SentArchive[];
  failure: SendFailure | null;
}

const FILE = "remote.json";
/** More than any `keep` needs to know which backup was sent. */
const ARCHIVES_MAX = 1_000;

function emptyState(place: string): RemoteState {
  return { place, begun: [], archives: [], failure: null };
}

/** An empty state if there is none, or none that can be read, or one of another store. */
export function readRemoteState(directory: string, place: string): RemoteState {
  try {
    const state = JSON.parse(readFileSync(join(directory, FILE), "utf8")) as RemoteState;
    return state.place === place ? { ...emptyState(place), ...state } : emptyState(place);
  } catch {
    return emptyState(place);
  }
}

/** On disk when it returns. */
export function changeRemoteState(
  directory: string,
  place: string,
  change: (state: RemoteState) => Partial<RemoteState>,
): void {
  const before = readRemoteState(directory, place);
  const state = { ...before, ...change(before) };
  createPrivateDirectory(directory);
  replaceFile(join(directory, FILE), JSON.stringify({ ...state, archives: state.archives.slice(-ARCHIVES_MAX) }));
}

/** The time of the state in the newest archive that was read back, in milliseconds; null if there is none. */
export function lastProvedAt({ archives }: Pick<RemoteState, "archives">): number | null {
  return archives.length === 0 ? null : Math.max(...archives.map(({ takenAt }) => takenAt));
}
