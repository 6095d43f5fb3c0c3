/** A received file as it is once it was fetched, for tests that only need one to ask for. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestServer } from "./server.ts";

/** Stores a text file as what the workspace's inbound brought. `name` is its own. Returns the medium's id. */
export function storeMedium(app: TestServer, workspaceId: number, inboundId: number, name: string): number {
  const { client } = app.store;
  const now = app.clock.now();
  const file = client
    .prepare(
      "INSERT INTO media_files (workspace_id, hash, bytes, content_type, refs, created_at) VALUES (?, ?, 4, 'text/plain', 1, ?)",
    )
    .run(workspaceId, name, now).lastInsertRowid;
  const medium = client
    .prepare(
      `INSERT INTO media (workspace_id, number_id, inbound_id, network_media_id, state, file_id, created_at)
        SELECT ?, number_id, id, 'm', 'stored', ?, ? FROM inbounds WHERE id = ?`,
    )
    .run(workspaceId, file, now, inboundId).lastInsertRowid;
  mkdirSync(join(app.directory, "media"), { recursive: true });
  writeFileSync(join(app.directory, "media", `${workspaceId}-${name}`), "text");
  return Number(medium);
}
