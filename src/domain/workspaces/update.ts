/** Creates workspaces and changes their settings and switches. Each function returns the resulting workspace. */
import { invalidRequest, notFound } from "#src/core/problem.ts";
import { SHOWS_NOTHING } from "#src/core/shown-text.ts";
import { changeRow, insertRow } from "#src/db/rows.ts";
import type { Tx } from "#src/db/transaction.ts";
import type { ButtonMark } from "./button-marks.ts";
import { getWorkspace } from "./read.ts";
import { type Workspace, workspaces } from "./table.ts";
import { type NewWorkspace, requireSettings, settingKey, settingNames, type WorkspaceSettings } from "./workspace.ts";

interface ChangedSettings {
  workspace: Workspace;
  /** Those that differ now, by their names in JSON: for the audit log. */
  was: Record<string, unknown>;
  became: Record<string, unknown>;
}

/** Omitted settings stay unchanged. Throws `invalid_request` with the key of each wrong setting. */
export function updateWorkspace(tx: Tx, id: number, changes: Partial<WorkspaceSettings>): ChangedSettings {
  const before = getWorkspace(tx, id);
  const workspace = updateRow(tx, id, requireSettings({ ...before, ...changes }));
  const changed = settingNames.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(workspace[name]));
  const valuesOf = (of: Workspace) => Object.fromEntries(changed.map((name) => [settingKey(name), of[name]]));
  return { workspace, was: valuesOf(before), became: valuesOf(workspace) };
}

export function switchApi(tx: Tx, id: number, apiEnabled: boolean): Workspace {
  return updateRow(tx, id, { apiEnabled });
}

/** Suspends sending. `reason` is shown to callers who try to send. Suspending again keeps the first time. */
export function suspend(tx: Tx, id: number, reason: string): Workspace {
  if (SHOWS_NOTHING.test(reason)) throw invalidRequest({ reason: ["Give a reason: it is shown in refused requests."] });
  const { suspendedAt } = getWorkspace(tx, id);
  return updateRow(tx, id, { suspendedAt: suspendedAt ?? tx.now, suspendedReason: reason.trim() });
}

export function resume(tx: Tx, id: number): Workspace {
  return updateRow(tx, id, { suspendedAt: null, suspendedReason: null });
}

export function setButtonMarks(tx: Tx, id: number, buttonMarks: ButtonMark[]): Workspace {
  return updateRow(tx, id, { buttonMarks });
}

function updateRow(tx: Tx, id: number, changes: Partial<Workspace>): Workspace {
  const changed = changeRow(tx, workspaces, { id }, { ...changes, updatedAt: tx.now });
  if (changed === undefined) throw notFound("workspace");
  return changed;
}

export function createWorkspace(tx: Tx, settings: NewWorkspace, apiEnabled: boolean): Workspace {
  return insertRow(tx, workspaces, { ...requireSettings(settings), apiEnabled, createdAt: tx.now, updatedAt: tx.now });
}
