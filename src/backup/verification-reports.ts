/**
 * What is known of the backups in a directory: which there are, and what each was proven to hold. Proofs lie in a file
 * beside the backups, so that they are there for whoever finds these; one counts only for the very file that it was made
 * for.
 */
import { readdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makePrivateFile } from "#src/db/files.ts";
import type { Finding } from "#src/health/check.ts";
import type { Looked } from "./backup.ts";
import { syncFile, UNFINISHED } from "./files.ts";
import type { Built } from "./restore.ts";

/** A restore that was rehearsed. */
export interface Drill extends Built {
  /** When, milliseconds. */
  at: number;
  tookMs: number;
}

export interface Proof extends Looked {
  /** When it was looked over, milliseconds. */
  provenAt: number;
  drill: Drill | null;
}

export interface ListedBackup {
  name: string;
  bytes: number;
  /** When the file was finished, milliseconds. */
  madeAt: number;
  /** Null: nobody has looked it over, or it is another file by now. */
  proof: Proof | null;
}

const PROOFS = "proofs.json";
const NAME = /^[\w-][\w.-]*\.db$/;

interface Kept {
  bytes: number;
  madeAt: number;
  proof: Proof;
}

/** A name that may be in a backups' directory: nothing that leads out of it, and nothing unfinished. */
export function isBackupName(name: string): boolean {
  return NAME.test(name) && !name.includes(UNFINISHED);
}

/** The newest first. A directory that is not there, or cannot be read, holds none. */
export function listBackups(directory: string): ListedBackup[] {
  const kept = readProofs(directory);
  return namesIn(directory)
    .filter(isBackupName)
    .flatMap((name) => {
      const found = statSync(join(directory, name), { throwIfNoEntry: false });
      if (found === undefined || !found.isFile()) return [];
      const [bytes, madeAt] = [found.size, Math.round(found.mtimeMs)];
      const known = kept[name];
      const isSame = known !== undefined && known.bytes === bytes && known.madeAt === madeAt;
      return [{ name, bytes, madeAt, proof: isSame ? known.proof : null }];
    })
    .toSorted((a, b) => b.madeAt - a.madeAt || b.name.localeCompare(a.name));
}

/** Keeps what was found out about a file; what is kept of files that are gone goes. */
export function keepProof(directory: string, name: string, proof: Proof): void {
  const listed = listBackups(directory);
  const kept = Object.fromEntries(
    listed.flatMap((one) => {
      const found = one.name === name ? proof : one.proof;
      return found === null ? [] : [[one.name, { bytes: one.bytes, madeAt: one.madeAt, proof: found } satisfies Kept]];
    }),
  );
  const path = join(directory, PROOFS);
  const unfinished = `${path}${UNFINISHED}`;
  makePrivateFile(unfinished);
  writeFileSync(unfinished, JSON.stringify(kept));
  syncFile(unfinished);
  renameSync(unfinished, path);
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

/** One that cannot be read proves nothing. */
function readProofs(directory: string): Readonly<Record<string, Kept>> {
  try {
    return JSON.parse(readFileSync(join(directory, PROOFS), "utf8")) as Record<string, Kept>;
  } catch {
    return {};
  }
}

/** Not right as it is: of an older schema it is right, for a restore brings it up to date. */
export function faultsOf({ findings }: Pick<Proof, "findings">): Finding[] {
  return findings.filter(({ name }) => name !== "schema");
}
