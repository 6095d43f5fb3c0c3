/**
 * What an archive holds: a manifest, the master keys, the configuration, the database with its digest, and the media by
 * choice. Its names are fixed, so that an archive cannot place a file elsewhere.
 */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { version } from "#src/core/version.ts";
import { DIGEST, digestLine } from "../digest.ts";
import type { ArchivedFiles, KeySource } from "./settings.ts";
import type { TarEntry } from "./tar.ts";

export const entryNames = {
  manifest: "manifest.json",
  keys: "waxwing.key",
  configuration: "waxwing.toml",
  digest: `waxwing.db${DIGEST}`,
  database: "waxwing.db",
  media: "media/",
} as const;

export interface Manifest {
  format: 1;
  version: string;
  instance_id: string;
  /** The time of the database's state, in milliseconds. */
  taken_at: number;
  sha256: string;
}

/** As `media/files.ts` names complete files. */
export const MEDIA_NAME = /^\d+-[0-9a-f]{64}$/;

interface ArchivedBackup {
  file: string;
  digest: string;
  instanceId: string;
  takenAt: number;
}

/** The entries, in the order in which a restore needs them. */
export function archiveEntries(backup: ArchivedBackup, files: ArchivedFiles, hasMedia: boolean): TarEntry[] {
  const manifest: Manifest = {
    ...{ format: 1, version, instance_id: backup.instanceId, taken_at: backup.takenAt, sha256: backup.digest },
  };
  return [
    textEntry(entryNames.manifest, `${JSON.stringify(manifest, null, 2)}\n`),
    textEntry(entryNames.keys, keysOf(files.key)),
    ...(files.configuration === null
      ? []
      : [textEntry(entryNames.configuration, readFileSync(files.configuration, "utf8"))]),
    textEntry(entryNames.digest, digestLine(backup.digest, entryNames.database)),
    fileEntry(entryNames.database, backup.file),
    ...(hasMedia ? mediaEntries(files.mediaDirectory) : []),
  ];
}

/** The key file, and after it the older keys that a rotation put aside: the backup may be older than the rotation. */
function keysOf(source: KeySource): string {
  if ("text" in source) return `${source.text.trim()}\n`;
  const directory = dirname(source.file);
  const older = readdirSync(directory).filter((name) => name.startsWith(`${basename(source.file)}.old-`));
  const texts = [source.file, ...older.map((name) => join(directory, name))].map((file) => readFileSync(file, "utf8"));
  return `${texts.map((text) => text.trim()).join("\n")}\n`;
}

function mediaEntries(directory: string): TarEntry[] {
  if (!existsSync(directory)) return [];
  return readdirSync(directory)
    .filter((name) => MEDIA_NAME.test(name))
    .toSorted()
    .map((name) => fileEntry(entryNames.media + name, join(directory, name)));
}

function textEntry(name: string, text: string): TarEntry {
  const content = Buffer.from(text);
  return { name, bytes: content.length, content };
}

function fileEntry(name: string, path: string): TarEntry {
  return { name, bytes: statSync(path).size, content: { path } };
}
