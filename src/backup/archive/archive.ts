/**
 * The archive of an installation, for a planned move and for backups off-site alike: a tar file that any tar unpacks. Its
 * first entry says whether a move used it and is rewritten in place; its last is the SHA-256 of everything between, so
 * that no changed bit passes. Its names are fixed, so that nothing in it leads out of a directory.
 */
import { createHash } from "node:crypto";
import { existsSync, fsyncSync, readdirSync, readFileSync, readSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import {
  ArchiveBroken,
  maxTarBytes,
  type ReadEntry,
  readTar,
  type TarEntry,
  textEntry,
  writeTar,
} from "#src/core/tar.ts";
import { DIGEST, digestLine } from "../digest.ts";
import { writeWhole } from "../files.ts";
import type { FileUse } from "../move/states.ts";

const STATE = "STATE";
const PROOF = "DIGEST";
const BLOCK_BYTES = 512;
const STATE_BYTES = 128;
/** The entry with the state, which the digest does not cover. */
const HEAD_BYTES = 2 * BLOCK_BYTES;
/** What tar writes after the last entry. */
const END_BYTES = 2 * BLOCK_BYTES;
/** The entry with the digest, and the end. */
const TAIL_BYTES = 2 * BLOCK_BYTES + END_BYTES;
const UNUSED = "unused";
/** Of a file that is still being written. */
const UNFINISHED = "unfinished";

export const entryNames = {
  manifest: "manifest.json",
  keys: "waxwing.key",
  /** Keys from before a rotation, which older backups need. */
  olderKeys: "waxwing.key.old-",
  configuration: "waxwing.toml",
  digest: `waxwing.db${DIGEST}`,
  database: "waxwing.db",
  media: "media/",
  /** Secret files that settings of a planned move name. */
  secrets: "secrets/",
} as const;

/** As `media/files.ts` names complete files. */
const MEDIUM = /^media\/\d{1,15}-[0-9a-f]{64}$/;
const OLDER_KEYS = /^waxwing\.key\.old-[0-9a-z-]{1,80}$/;
const SECRET = /^secrets\/[a-z_.]{1,80}$/;
const PLAIN: readonly string[] = [
  ...[entryNames.manifest, entryNames.keys, entryNames.configuration, entryNames.digest, entryNames.database],
];

export interface Manifest {
  format: 2;
  version: string;
  instanceId: string;
  /** The time of the database's state, in milliseconds. */
  takenAt: number;
  /** Null: it is a backup, and no code opens it. */
  move: { expiresAt: number; codeHash: string; host: string; database: string } | null;
}

/** The text of a file, or of an environment variable. */
type TextSource = { file: string } | { text: string };

/** Everything that goes with the database into an archive. */
export interface ArchivedFiles {
  /** The master keys. */
  key: TextSource;
  /** Null: there is none. */
  configuration: TextSource | null;
  /** Null: it stays out. */
  mediaDirectory: string | null;
  /** The texts of secret files by the setting that names each, such as `alerts.smtp_url_file`. */
  secrets?: Readonly<Record<string, string>>;
}

interface Contents {
  about: Omit<Manifest, "format">;
  database: string;
  /** Of a backup that was verified; null: there is none. */
  digest: string | null;
  files: ArchivedFiles;
}

/** In the order in which an archive has them. */
export function archiveEntries({ about, database, digest, files }: Contents): TarEntry[] {
  const manifest: Manifest = { format: 2, ...about };
  return [
    textEntry(entryNames.manifest, `${JSON.stringify(manifest, null, 2)}\n`),
    textEntry(entryNames.keys, `${textOf(files.key).trim()}\n`),
    ...("file" in files.key ? olderKeys(files.key.file) : []),
    ...(files.configuration === null ? [] : [textEntry(entryNames.configuration, textOf(files.configuration))]),
    ...Object.entries(files.secrets ?? {}).map(([name, text]) => textEntry(entryNames.secrets + name, text)),
    ...(digest === null ? [] : [textEntry(entryNames.digest, digestLine(digest, entryNames.database))]),
    fileEntry(entryNames.database, database),
    ...(files.mediaDirectory === null ? [] : mediaEntries(files.mediaDirectory)),
  ];
}

/** What the archive takes at most. */
export function maxArchiveBytes(entries: readonly TarEntry[]): number {
  return HEAD_BYTES + maxTarBytes(entries) + TAIL_BYTES;
}

/** `isFinished`: nothing is left to do once it is written; otherwise `markFinished` makes it usable. */
export async function* writeArchive(entries: Iterable<TarEntry>, isFinished: boolean): AsyncGenerator<Uint8Array> {
  yield await headOf(isFinished ? UNUSED : UNFINISHED);
  const hash = createHash("sha256");
  let held: Uint8Array = new Uint8Array();
  for await (const piece of writeTar(entries)) {
    const all = Buffer.concat([held, piece]);
    const ready = Math.max(0, all.length - END_BYTES);
    hash.update(all.subarray(0, ready));
    yield all.subarray(0, ready);
    held = all.subarray(ready);
  }
  yield await tailOf(hash.digest("hex"));
}

/**
 * The entries of an archive, without its state and its digest. Nothing is proved before the last one has been read: keep
 * what was read apart until then. Throws `ArchiveBroken`, and what `pieces` throws.
 */
export async function* readArchive(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<ReadEntry> {
  const seen = new Set<string>();
  for await (const entry of readTar(proved(pieces))) {
    const { name, isFile } = entry;
    const isKnown =
      [STATE, PROOF, ...PLAIN].includes(name) || [MEDIUM, OLDER_KEYS, SECRET].some((one) => one.test(name));
    if (!isKnown || !isFile)
      throw new ArchiveBroken(`it holds what no archive has (${JSON.stringify(name.slice(0, 60))})`);
    if (seen.has(name)) throw new ArchiveBroken(`it holds ${name} twice`);
    if (seen.size === 0 && name !== STATE) throw new ArchiveBroken("it is no archive of Waxwing");
    seen.add(name);
    if (name !== STATE && name !== PROOF) yield entry;
  }
}

/** Passes the bytes on, and throws after the last one unless they are exactly those of an archive. */
async function* proved(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const hash = createHash("sha256");
  let [head, held] = [Buffer.alloc(0), Buffer.alloc(0)];
  for await (const piece of pieces) {
    const missing = HEAD_BYTES - head.length;
    head = Buffer.concat([head, piece.subarray(0, missing)]);
    const all = Buffer.concat([held, piece.subarray(missing)]);
    const ready = Math.max(0, all.length - TAIL_BYTES);
    hash.update(all.subarray(0, ready));
    held = all.subarray(ready);
    yield piece;
  }
  await useOf(head);
  if (!held.equals(await tailOf(hash.digest("hex")))) throw new ArchiveBroken("its digest does not match");
}

/** Reads the beginning alone, so it is not proved. Throws `ArchiveBroken`. */
export async function readManifest(pieces: AsyncIterable<Uint8Array>): Promise<Manifest> {
  for await (const entry of readArchive(pieces)) {
    if (entry.name === entryNames.manifest) return manifestOf(await readText(entry));
    break;
  }
  throw new ArchiveBroken("it does not say what it holds");
}

/** Throws `ArchiveBroken` if another version wrote it in a form of its own. */
export function manifestOf(text: string): Manifest {
  const manifest = parse(text) as Partial<Manifest> | null;
  if (manifest?.format === 2 && typeof manifest.takenAt === "number") return manifest as Manifest;
  throw new ArchiveBroken(`its format is not known to this version (${String(manifest?.format)}): use a newer one`);
}

const TEXT_BYTES_MAX = 1024 * 1024;

export async function readText({ name, bytes, pieces }: ReadEntry): Promise<string> {
  if (bytes > TEXT_BYTES_MAX) throw new ArchiveBroken(`its ${name} is too large to be one`);
  return (await collect(pieces)).toString("utf8");
}

/** Whether the open file was used. Throws `ArchiveBroken`. */
export async function readUse(handle: number): Promise<FileUse> {
  const head = Buffer.alloc(HEAD_BYTES);
  const length = readSync(handle, head, 0, HEAD_BYTES, 0);
  return useOf(head.subarray(0, length));
}

/** Everything else of it is on disk. On disk when it returns. */
export async function markFinished(handle: number): Promise<void> {
  await mark(handle, UNUSED);
}

/** On disk when it returns. */
export async function markUsed(handle: number, at: number, by: string): Promise<void> {
  await mark(handle, `used ${at} ${by}`);
}

/** True if the handle may be written to; changes nothing in the file. */
export function isMarkable(handle: number): boolean {
  const head = Buffer.alloc(HEAD_BYTES);
  if (readSync(handle, head, 0, HEAD_BYTES, 0) !== HEAD_BYTES) return false;
  try {
    writeWhole(handle, head, 0);
    return true;
  } catch {
    return false;
  }
}

async function mark(handle: number, state: string): Promise<void> {
  writeWhole(handle, (await headOf(state)).subarray(BLOCK_BYTES), BLOCK_BYTES);
  fsyncSync(handle);
}

async function useOf(head: Buffer): Promise<FileUse> {
  const text = head.toString("latin1", BLOCK_BYTES, BLOCK_BYTES + STATE_BYTES).trimEnd();
  if (!(await headOf(text)).equals(head)) throw new ArchiveBroken("its state is damaged");
  const used = /^used (\d{1,15}) ([0-9a-z]{8,64})$/.exec(text);
  if (used !== null) return { kind: "used", at: Number(used[1]), by: used[2] ?? "" };
  if (text === UNUSED) return { kind: "unused" };
  throw new ArchiveBroken(text === UNFINISHED ? "move out was interrupted while it wrote it" : "its state is damaged");
}

async function headOf(state: string): Promise<Buffer> {
  const entry = textEntry(STATE, `${state.padEnd(STATE_BYTES - 1)}\n`);
  return (await collect(writeTar([entry]))).subarray(0, HEAD_BYTES);
}

function tailOf(digest: string): Promise<Buffer> {
  return collect(writeTar([textEntry(PROOF, `${digest}\n`)]));
}

async function collect(pieces: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all);
}

/** Complete files only. */
function mediaEntries(directory: string): TarEntry[] {
  return namesIn(directory)
    .filter((name) => MEDIUM.test(entryNames.media + name))
    .map((name) => fileEntry(entryNames.media + name, join(directory, name)));
}

function olderKeys(keyFile: string): TarEntry[] {
  const prefix = `${basename(keyFile)}.old-`;
  return namesIn(dirname(keyFile))
    .filter((name) => name.startsWith(prefix))
    .map((name) => ({ name: entryNames.olderKeys + name.slice(prefix.length), path: join(dirname(keyFile), name) }))
    .filter(({ name }) => OLDER_KEYS.test(name))
    .map(({ name, path }) => textEntry(name, readFileSync(path, "utf8")));
}

function namesIn(directory: string): string[] {
  return existsSync(directory) ? readdirSync(directory).toSorted() : [];
}

function fileEntry(name: string, path: string): TarEntry {
  return { name, bytes: statSync(path).size, content: { path } };
}

function textOf(source: TextSource): string {
  return "text" in source ? source.text : readFileSync(source.file, "utf8");
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
