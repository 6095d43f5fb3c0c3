/** Which account a template is written for: that of one of the workspace's numbers. */
import { invalidRequest, Problem } from "#src/core/problem.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import { chooseSender } from "../numbers/choose.ts";
import { listNumbers } from "../numbers/read.ts";
import type { SendingNumber } from "../numbers/table.ts";
import type { Workspace } from "../workspaces/table.ts";
import { listLanguages } from "./read.ts";

/**
 * A number of the account. `from`: its phone, needed where the workspace has several accounts. `name`: of a template that
 * is there, which also says the account. Throws `invalid_request` for `from`, or `number_not_ready`.
 */
export function chooseAccount(
  tx: ReadTx,
  workspace: Workspace,
  from: string | null,
  name: string | null,
): SendingNumber {
  const owned = listNumbers(tx, workspace.id);
  const accounts = [...new Map(owned.toReversed().map((one) => [`${one.network} ${one.accountId}`, one])).values()];
  const having = accounts.filter(
    ({ accountId }) => name !== null && listLanguages(tx, workspace.id, accountId, name).length > 0,
  );
  const [only, ...others] = having.length > 0 ? having : accounts;
  if (only === undefined) throw new Problem("number_not_ready", "The workspace has no sending number.");
  if (from === null && others.length === 0) return only;
  const chosen = chooseSender(tx, workspace, from);
  if ("fields" in chosen) throw invalidRequest(chosen.fields);
  if (chosen.sender === null) throw new Problem("number_not_ready", "The workspace has no sending number.");
  return chosen.sender;
}
