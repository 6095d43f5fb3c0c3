/** What the network bills in a month, as the API, the console and the command line show it. */
import type { Static } from "@sinclair/typebox";
import type { ReadTx } from "#src/db/transaction.ts";
import { listNumbers } from "../numbers/read.ts";
import type { Workspace } from "../workspaces/table.ts";
import { allowanceOf, isService, listUsage } from "./network-usage.ts";
import type { UsageView } from "./schema.ts";

export function viewUsage(tx: ReadTx, workspace: Workspace, month: string): Static<typeof UsageView> {
  const rows = listUsage(tx, workspace.id, month);
  const sum = (of: typeof rows): number => of.reduce((total, { messages }) => total + messages, 0);
  const groups = [...Map.groupBy(rows, ({ category, type, billable }) => `${category} ${type} ${billable}`).values()];
  return {
    month,
    messages: sum(rows),
    billable: sum(rows.filter(({ billable }) => billable)),
    categories: groups.flatMap((group) => {
      const [first] = group;
      if (first === undefined) return [];
      return [{ category: first.category, type: first.type, billable: first.billable, messages: sum(group) }];
    }),
    service: listNumbers(tx, workspace.id).map(({ id, phone }) => ({
      number: phone,
      messages: sum(rows.filter((row) => row.numberId === id && isService(row))),
      allowance: allowanceOf(month),
    })),
  };
}
