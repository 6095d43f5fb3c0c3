/**
 * Writes tar archives that contain neither the time, the user nor the machine of the build: the same entries give the
 * same bytes everywhere.
 */
import { packTar } from "modern-tar";

export interface Entry {
  /** Without a leading slash; a directory ends in one. */
  path: string;
  mode: number;
  bytes?: Uint8Array;
  /** Of a symbolic link. */
  target?: string;
  /** User and group; root by default. */
  owner?: number;
}

/** `time`: seconds since the epoch, of every entry. */
export function tar(entries: readonly Entry[], time: number): Promise<Uint8Array> {
  return packTar(
    entries.map(({ path, mode, bytes, target, owner = 0 }) => ({
      header: {
        ...{ name: path, mode, uid: owner, gid: owner, mtime: new Date(time * 1000), size: bytes?.length ?? 0 },
        ...(target === undefined
          ? { type: path.endsWith("/") ? "directory" : "file" }
          : { type: "symlink", linkname: target }),
      },
      ...(bytes === undefined ? {} : { body: bytes }),
    })),
  );
}

/** The directories above the paths, each once, parents first. */
export function directoriesOf(paths: readonly string[]): Entry[] {
  const directories = new Set<string>();
  for (const path of paths) {
    const parts = path.split("/").slice(0, -1);
    for (let count = 1; count <= parts.length; count++) directories.add(`${parts.slice(0, count).join("/")}/`);
  }
  return [...directories].sort().map((path) => ({ path, mode: 0o755 }));
}
