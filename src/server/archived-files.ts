/** The files of an installation that go with its database into an archive. */
import { resolve } from "node:path";
import type { ArchivedFiles } from "#src/backup/archive/archive.ts";
import type { Config } from "#src/config/config.ts";
import { SECRET_KEY_VARIABLE } from "#src/core/key-file.ts";

export function archivedFiles(
  { secrets, media, file }: Config,
  env: Readonly<Record<string, string | undefined>>,
): ArchivedFiles {
  const text = env[SECRET_KEY_VARIABLE];
  return {
    key: text === undefined ? { file: resolve(secrets.keyFile) } : { text },
    configuration: file === null ? null : { file: resolve(file) },
    mediaDirectory: resolve(media.directory),
  };
}
