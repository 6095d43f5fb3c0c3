/** Makes a workspace; its API is on unless asked otherwise. */
import type { Tx } from "#src/storage/transaction.ts";
import { type Workspace, workspaces } from "./table.ts";
import { requireSettings, type WorkspaceSettings } from "./workspace.ts";

export function createWorkspace(tx: Tx, settings: WorkspaceSettings, apiEnabled: boolean): Workspace {
  return tx.db
    .insert(workspaces)
    .values({ ...requireSettings(settings), apiEnabled, createdAt: tx.now, updatedAt: tx.now })
    .returning()
    .get();
}
