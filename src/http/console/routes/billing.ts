/** A workspace's money: balance, holds, all transactions, and adding credit. */
import type { Static } from "@sinclair/typebox";
import { formatMoney, readMoney } from "#src/core/money.ts";
import { invalidRequest } from "#src/core/problem.ts";
import { available, credit, findAccount } from "#src/domain/billing/account.ts";
import { listLedger } from "#src/domain/billing/read.ts";
import type { BillingAccount } from "#src/domain/billing/table.ts";
import { findBroadcast } from "#src/domain/broadcasts/read.ts";
import { viewUsage } from "#src/domain/messages/usage-view.ts";
import { answerData } from "../../endpoint.ts";
import { readMonth } from "../../month.ts";
import { answerPage, readPage, wrongCursor } from "../../page.ts";
import { PER_PAGE } from "../../page-view.ts";
import { type AccountView, billingContract } from "../contract/settings.ts";
import { attachHandlers, change } from "../route.ts";
import { timesOf } from "../view-developer.ts";

export const billingRoutes = attachHandlers(billingContract, {
  "GET /w/{workspace}/billing": ({ store, workspace }) =>
    store.read((tx) => {
      const account = findAccount(tx, workspace.id);
      return answerData(200, account === undefined ? null : viewAccount(account));
    }),
  "GET /w/{workspace}/usage": ({ store, workspace, query }) =>
    store.read((tx) => answerData(200, viewUsage(tx, workspace, readMonth(query.get("month"), tx.now, workspace)))),
  "GET /w/{workspace}/billing/ledger": ({ store, workspace, query }) => {
    const from = readPage(query);
    const before = "after" in from ? from.after.id : null;
    if (before !== null && typeof before !== "number") throw wrongCursor();
    const when = timesOf(workspace);
    return store.read((tx) => {
      const rows = listLedger(tx, workspace.id, before, PER_PAGE + 1);
      return answerPage(
        from,
        rows,
        rows.length,
        ({ id, kind, amount, messageId, broadcastId, note, ref, createdAt }) => ({
          id,
          kind,
          amount: formatMoney(amount),
          message_id: messageId,
          broadcast:
            broadcastId === null
              ? null
              : { id: broadcastId, name: findBroadcast(tx, workspace.id, broadcastId)?.name ?? null },
          note,
          ref,
          at: when(createdAt),
        }),
        ({ id }) => ({ id }),
      );
    });
  },
  "POST /w/{workspace}/billing/credit": (call) =>
    change(call, (tx) => {
      const { workspace, body } = call;
      const input = body;
      const amount = readMoney(input.amount.trim(), { allowNegative: true });
      if (amount === null || amount === 0) throw invalidRequest({ amount: ["Enter an amount, for example 50.00."] });
      const [note, ref] = [input.note.trim() || null, input.ref.trim() || null];
      const before = findAccount(tx, workspace.id)?.credited;
      const account = credit(tx, workspace.id, { amount, note, ref });
      const isCredited = account.credited !== before;
      const audit = { action: "billing.credit", subject: formatMoney(amount), details: { note, ref } };
      // A repeated reference changes nothing, so there is no audit entry.
      const data = { ...viewAccount(account), is_credited: isCredited };
      return { status: isCredited ? 201 : 200, data, audit: isCredited ? audit : null };
    }),
});

function viewAccount(account: BillingAccount): Static<typeof AccountView> {
  return {
    currency: account.currency,
    rate: formatMoney(account.rate),
    available: formatMoney(available(account)),
    held: formatMoney(account.held),
    charged: formatMoney(account.charged),
    credited: formatMoney(account.credited),
  };
}
