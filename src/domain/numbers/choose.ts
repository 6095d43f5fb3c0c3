/** Chooses the number that a message is sent from. */

import type { FieldProblems } from "#src/core/fault.ts";
import { phoneDigits, readPhone } from "#src/core/phone.ts";
import { quote } from "#src/core/problem.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import type { Workspace } from "../workspaces/table.ts";
import { listNumbers } from "./read.ts";
import type { SendingNumber } from "./table.ts";

/**
 * The workspace's only number, or the one that `from` names in any format. `sender` is null if the workspace has no
 * number. Errors are returned, not thrown, so that the caller can report every invalid field at once.
 */
export function chooseSender(
  tx: ReadTx,
  workspace: Workspace,
  from: string | null,
  /** Of which it is chosen; null: all. */
  ids: readonly number[] | null = null,
): { sender: SendingNumber | null } | { fields: FieldProblems } {
  const owned = listNumbers(tx, workspace.id).filter(({ id }) => ids === null || ids.includes(id));
  if (from === null) {
    if (owned.length <= 1) return { sender: owned[0] ?? null };
    return { fields: { from: [`Several numbers: set from to one of ${owned.map(({ phone }) => phone).join(", ")}.`] } };
  }
  if (owned.length === 0) return { sender: null };
  const digits = phoneDigits(from)?.digits;
  const phone = readPhone(from, workspace.country);
  const sender = owned.find((number) => number.phone === phone || number.phone === `+${digits}`);
  if (sender !== undefined) return { sender };
  return {
    fields: {
      from: [
        `${quote(from)} is not a number of this workspace; it has ${owned.map((number) => number.phone).join(", ")}.`,
      ],
    },
  };
}
