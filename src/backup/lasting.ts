/** How long the copies of a database last that were made until now: what a person who is erased today is still in. */
import { existsSync, readdirSync } from "node:fs";
import { keptUntil } from "./kept-copies.ts";
import { placeOf, type RemoteSettings } from "./remote/settings.ts";
import { readRemoteState } from "./remote/state.ts";
import { isOwnBackup } from "./rotation.ts";
import { scheduledRun } from "./schedule.ts";

interface LastingCopy {
  /** `kept`: put aside by an upgrade or a restore. */
  kind: "scheduled" | "off_site" | "kept";
  /** A directory, an address, or a file. */
  place: string;
  /** Milliseconds: when the last of them is deleted if every scheduled backup is made. Null: when a person deletes it. */
  until: number | null;
}

interface Kept {
  database: string;
  schedule: string | null;
  /** Of the server's own backups, of which `keep` are kept. */
  directory: string;
  keep: number;
  remote: RemoteSettings | null;
  now: number;
}

export function listLastingCopies({ database, schedule, directory, keep, remote, now }: Kept): LastingCopy[] {
  const afterRuns = (count: number): number | null =>
    schedule === null || count === 0 ? null : scheduledRun(schedule, now, count);
  const copies: LastingCopy[] = [];
  if (existsSync(directory) && readdirSync(directory).some(isOwnBackup))
    copies.push({ kind: "scheduled", place: directory, until: afterRuns(keep) });
  if (remote !== null && readRemoteState(directory, placeOf(remote)).archives.length > 0)
    copies.push({ kind: "off_site", place: placeOf(remote), until: afterRuns(remote.keep) });
  return [...copies, ...keptUntil(database).map((copy): LastingCopy => ({ kind: "kept", ...copy }))];
}
