/** Which workspace a call is about. */
import type { ReadTx } from "#src/db/transaction.ts";
import { listWorkspaces } from "#src/domain/workspaces/read.ts";
import { invalidField } from "./route.ts";

/** The named workspace, or the first one. Throws `invalid_request`. */
export function findWorkspaceId(tx: ReadTx, named: number | undefined): number {
  const all = listWorkspaces(tx);
  const found = named === undefined ? all[0] : all.find(({ id }) => id === named);
  if (found === undefined) {
    throw invalidField("workspace", named === undefined ? "There is no workspace yet." : "There is no such workspace.");
  }
  return found.id;
}
