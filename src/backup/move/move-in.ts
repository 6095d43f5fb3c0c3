/**
 * Brings in the database of a move file. Everything lies complete beside its place before the file is marked as used,
 * and the mark is on disk before the database gets its place: a move that is killed leaves the file unused, or a marked
 * file and the database beside its place, which the same command then puts there. The caller must hold the server's
 * lock and the command lock.
 */
import { existsSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { keepKeyFile } from "#src/core/key-file.ts";
import { piecesFrom } from "#src/core/pieces.ts";
import type { Random } from "#src/core/random.ts";
import { isSameFile } from "#src/db/file-identity.ts";
import { createPrivateDirectory } from "#src/db/files.ts";
import { readInstance, readMove, writeBackupMetadata, writeFileIdentity, writeMove } from "#src/db/instance.ts";
import { NewerSchema, schemaVersion } from "#src/db/migrate.ts";
import { migrations } from "#src/db/migrations.ts";
import { forgetUnknownMarkers } from "#src/db/run-marker.ts";
import { countRows } from "#src/health/check.ts";
import { isMarkable, type Manifest, markUsed, readManifest, readUse } from "../archive/archive.ts";
import { placeKeys, placeMedia } from "../archive/place.ts";
import { discard, type Unpacked, unpack } from "../archive/unpack.ts";
import { BackupBroken } from "../backup.ts";
import { checkFile, reading, writing } from "../database-file.ts";
import { findFreeName, replaceFile, swapDatabase, syncDirectory, syncFile } from "../files.ts";
import type { IdentityOf } from "./original.ts";
import { type Admission, admit, type CopyReason, hashCode } from "./states.ts";

/** Part of the name of a database that lies beside its place, complete or not. */
const MOVING_IN = ".moving-in";

function movingInPath(database: string): string {
  return `${database}${MOVING_IN}`;
}

/** Why nothing was moved in; nothing was changed. */
export class MoveRefused extends Error {
  override readonly name = "MoveRefused";
  readonly because: "wrong_code" | "not_markable" | "occupied" | "other_keys";
  constructor(because: MoveRefused["because"], message: string) {
    super(message);
    this.because = because;
  }
}

interface Places {
  /** Null: the keys come from the environment here, and are compared. */
  keyFile: string | null;
  mediaDirectory: string;
  /** A new file for the configuration of the machine that was left. The secret files of its settings get its name and theirs. */
  config: string;
  random: Random;
  now: number;
}

interface MoveInOptions {
  database: string;
  /** Open for reading, and for writing too where that is allowed. */
  handle: number;
  /** Undefined: none was given. */
  code: string | undefined;
  places: Places;
  /** Keys in the environment, which take precedence over a file; null: there are none. */
  keysHere: readonly Uint8Array[] | null;
  now: number;
  /** A new one. */
  token: string;
  identityOf: IdentityOf;
  /** Called before each step. */
  onStep: (step: string) => void;
}

export interface MovedIn {
  manifest: Manifest;
  /** `done`: it was there already. Null: it continues as the original. */
  heldBecause: CopyReason | null;
  isDone: boolean;
  counts: Record<string, number>;
  /** Path of a database without workspaces that was here before; null: there was none. */
  replaced: string | null;
  /** Invariants that the database already broke. */
  flaws: string[];
}

/** Throws `ArchiveBroken`, `MoveRefused`, `BackupBroken`, `NewerSchema` and `InsufficientSpace`. */
export async function moveIn(options: MoveInOptions): Promise<MovedIn> {
  const { database, identityOf, now, onStep } = options;
  onStep("checking the file");
  const manifest = await readManifest(piecesOf(options.handle));
  const admission = await admissionOf(options, manifest);
  const moved = { manifest, heldBecause: null, isDone: false, replaced: null, flaws: [] };
  if (admission.kind === "done") return { ...moved, isDone: true, counts: reading(database, countRows) };
  requirePlace(database);
  const fresh = movingInPath(database);
  const flaws = admission.kind === "continue" ? [] : await prepare(options, admission, fresh);
  onStep("putting the database in its place");
  const isSuccessor = admission.kind !== "copy";
  writing(fresh, (client) => {
    if (!isSuccessor) return;
    client.transaction(() => {
      client.prepare("UPDATE instance SET backup_metadata = NULL WHERE id = 1").run();
      writeFileIdentity(client, identityOf(fresh));
    })();
    forgetUnknownMarkers(client, database);
  });
  const replaced = existsSync(database) ? findFreeName(database, "replaced", now) : null;
  swapDatabase(database, fresh, replaced ?? `${database}.replaced`);
  onStep("moved in");
  const heldBecause = admission.kind === "copy" ? admission.because : null;
  return { ...moved, counts: reading(database, countRows), heldBecause, replaced, flaws };
}

async function* piecesOf(handle: number): AsyncGenerator<Uint8Array> {
  yield* piecesFrom(handle);
}

function requireSameKeys(here: readonly Uint8Array[] | null, moved: readonly Uint8Array[]): void {
  if (here === null) return;
  const isHere = (key: Uint8Array): boolean => here.some((one) => Buffer.from(one).equals(key));
  if (!moved.every(isHere))
    throw new MoveRefused("other_keys", "the master key in the environment is not the one that came with that file");
}

/** What the manifest says is not proved yet: nothing follows from it but what to do with an archive that is. */
async function admissionOf({ database, handle, code, now, identityOf }: MoveInOptions, { move }: Manifest) {
  const admission: Admission = admit({
    ...{ use: await readUse(handle), now, expiresAt: move?.expiresAt ?? 0 },
    code: code === undefined ? "none" : hashCode(code) === move?.codeHash ? "right" : "wrong",
    interruptedToken: tokenOf(movingInPath(database), identityOf),
    presentToken: tokenOf(database, null),
  });
  if (admission.kind === "refused") throw new MoveRefused("wrong_code", "this is not the code of that file");
  return admission;
}

/** The token of a database that came out of a move file. With `identityOf`, only if the file is no copy of it. */
function tokenOf(path: string, identityOf: IdentityOf | null): string | null {
  if (!existsSync(path)) return null;
  try {
    return reading(path, (client) => {
      const move = readMove(client);
      const known = readInstance(client)?.fileIdentity ?? null;
      if (move?.state !== "in") return null;
      const isItself = identityOf === null || (known !== null && isSameFile(known, identityOf(path)));
      return isItself ? move.token : null;
    });
  } catch {
    return null;
  }
}

/** A database without workspaces, as a new installation makes one, is put aside; any other is in the way. */
function requirePlace(database: string): void {
  if (!existsSync(database)) return;
  const hasWorkspace = reading(database, (client) =>
    client.prepare("SELECT EXISTS (SELECT 1 FROM workspaces)").pluck().get(),
  );
  if (hasWorkspace !== 0) throw new MoveRefused("occupied", `there is a database with workspaces at ${database}`);
}

/** Everything up to the last step. If it throws, nothing has changed. Returns the invariants that are broken. */
async function prepare(options: MoveInOptions, admission: Admission, fresh: string): Promise<string[]> {
  const { database, handle, places, token, now, identityOf, onStep } = options;
  const isSuccessor = admission.kind === "successor";
  if (isSuccessor && !isMarkable(handle))
    throw new MoveRefused("not_markable", "that file cannot be written to, so it cannot be marked as used");
  createPrivateDirectory(dirname(database));
  onStep("writing database and media");
  const unpacked = await unpack(piecesOf(handle), { file: fresh, mediaDirectory: places.mediaDirectory });
  const undo: (() => void)[] = [];
  try {
    requireSameKeys(options.keysHere, unpacked.keys);
    onStep("checking the database");
    const flaws = requireSound(fresh, now);
    writing(fresh, (client) => {
      client.transaction(() => {
        const { takenAt, move } = unpacked.manifest;
        writeBackupMetadata(client, { kind: "move", at: takenAt, hasGap: false });
        writeMove(client, isSuccessor ? { state: "in", at: now, token, from: move?.host ?? "" } : null);
        if (isSuccessor) writeFileIdentity(client, identityOf(fresh));
      })();
    });
    syncFile(fresh);
    syncDirectory(dirname(fresh));
    place(unpacked, places, undo);
    if (isSuccessor) {
      onStep("marking the file as used");
      await markUsed(handle, now, token);
    }
    return flaws;
  } catch (error) {
    for (const one of undo) one();
    discard(unpacked);
    throw error;
  }
}

/** Everything but the database. */
function place(unpacked: Unpacked, { keyFile, config, random, now }: Places, undo: (() => void)[]): void {
  if (keyFile !== null) {
    const keys = placeKeys({ keys: unpacked.keys, older: [] }, { keyFile, environment: undefined, random, now }, false);
    undo.push(keys.undo);
    keys.settle();
    for (const [ending, older] of unpacked.olderKeys) keepKeyFile(keyFile + ending, older, random);
  }
  const texts = [...unpacked.secrets].map(([name, text]): [string, string] => [`${config}.${name}`, text]);
  if (unpacked.configuration !== null) texts.push([config, unpacked.configuration]);
  for (const [path, text] of texts) {
    undo.push(() => rmSync(path, { force: true }));
    replaceFile(path, text);
  }
  const media = placeMedia(unpacked, () => true);
  undo.push(() => media.forEach((path) => void rmSync(path, { force: true })));
}

function requireSound(path: string, now: number): string[] {
  return reading(path, (client) => {
    const known = migrations.at(-1)?.version ?? 0;
    if (schemaVersion(client) > known) throw new NewerSchema(schemaVersion(client), known);
    const { findings, damage } = checkFile(client, now);
    if (damage.length > 0) throw new BackupBroken(findings);
    return findings.map(({ name }) => name);
  });
}

/** A move into this directory was killed: a start beside it would begin another database in its place. */
export class MoveInterrupted extends Error {
  override readonly name = "MoveInterrupted";
}

/** Throws `MoveInterrupted`. */
export function requireMoveEnded(database: string): void {
  const path = movingInPath(database);
  if (existsSync(path))
    throw new MoveInterrupted(`a move in to this directory did not end: ${path} waits for its place`);
}
