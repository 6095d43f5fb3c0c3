/** Every setting as it is in force, for operators: its value, and where that was given. */
import type { Config } from "./config.ts";
import type { SourceLocation } from "./errors.ts";
import type { FileValue } from "./key.ts";
import { configKeys } from "./settings.ts";

interface DescribedSetting {
  /** `section.name` */
  path: string;
  /** As a file would hold it; null for a secret that is set. */
  value: FileValue | null;
  /** Null: none was given, so the default holds, or what follows from other settings. */
  place: SourceLocation | null;
  description: string;
}

export function describeSettings(config: Config): DescribedSetting[] {
  const derived = derivedValues(config);
  return configKeys.map(({ path, key }) => {
    const place = config.places.get(path) ?? null;
    const given = key.kind.isSecret && place !== null ? null : config.given.get(path);
    return {
      path,
      value: given === undefined ? (derived[path] ?? key.defaultValue) : given,
      place,
      description: key.description,
    };
  });
}

/** What follows from other settings. */
function derivedValues({ server, storage, secrets, media, backup }: Config): Readonly<Record<string, FileValue>> {
  const { host, port } = server.listen;
  return {
    "server.listen": host === "::" ? `:${port}` : `${host}:${port}`,
    "server.public_url": server.publicUrl ?? "",
    "storage.path": storage.path,
    "secrets.key_file": secrets.keyFile,
    "media.directory": media.directory,
    "backup.directory": backup.directory,
  };
}
