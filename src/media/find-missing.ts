/** Finds stored files that are not on disk, or not with all their bytes: for `waxwing check`. */
import type { Client } from "#src/db/driver.ts";
import type { MediaFiles } from "./files.ts";

interface StoredFile {
  id: number;
  workspaceId: number;
  hash: string;
  bytes: number;
}

const STORED = `SELECT id, workspace_id AS workspaceId, hash, bytes FROM media_files f
  WHERE (EXISTS (SELECT 1 FROM media WHERE file_id = f.id AND state = 'stored')
    OR EXISTS (SELECT 1 FROM uploads WHERE file_id = f.id AND state = 'stored'))`;

/** Their names, in the directory of media. A file that a running server removes meanwhile is not missing. */
export function findMissingFiles(client: Client, files: MediaFiles): string[] {
  const rows = client.prepare(STORED).all() as StoredFile[];
  const isStored = client.prepare(`${STORED} AND id = ?`);
  return rows
    .filter((row) => files.sizeOf(row) !== row.bytes)
    .filter(({ id }) => isStored.get(id) !== undefined)
    .map((row) => files.nameOf(row));
}
