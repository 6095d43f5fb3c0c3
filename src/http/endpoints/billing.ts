/** A workspace's money: balance, holds, all transactions, and adding credit. */
import { Type } from "@sinclair/typebox";
import { formatMoney, readMoney } from "#src/core/money.ts";
import { invalidRequest } from "#src/core/problem.ts";
import { Form, Instant, Nullable, OneOf } from "#src/core/schema.ts";
import { trimShown } from "#src/core/shown-text.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import { credit, findAccount, listLedger, viewBalance } from "#src/domain/billing/account.ts";
import { findBroadcast } from "#src/domain/broadcasts/read.ts";
import { monthOf, viewUsage } from "#src/domain/messages/network-usage.ts";
import { UsageView } from "#src/domain/messages/schema.ts";
import { idPosition, PageQuery, pageById, positionIn, readScreen, wrongParameter } from "../page.ts";
import { timesOf } from "../times.ts";
import { Data, endpoint, ListOf } from "./endpoint.ts";
import { OptionalCount, OptionalText } from "./fragments.ts";
import { show } from "./show.ts";

const account = {
  currency: Type.String(),
  rate: Type.String(),
  available: Type.String(),
  held: Type.String(),
  charged: Type.String(),
  credited: Type.String(),
};

const AccountView = Type.Object(account);

const LedgerView = Type.Object({
  id: Type.Integer(),
  kind: OneOf(["credit", "hold", "release", "charge"]),
  amount: Type.String(),
  message_id: OptionalCount,
  broadcast: Nullable(Type.Object({ id: Type.Integer(), name: OptionalText })),
  note: OptionalText,
  ref: OptionalText,
  at: Instant(),
});

export const billingEndpoints = {
  /** Null: the workspace is not charged. */
  "GET /w/{workspace}/billing": endpoint({ session: "manage", output: Data(Nullable(AccountView)) }).read(
    (tx, { workspace }) => {
      const account = findAccount(tx, workspace.id);
      return account === undefined ? null : viewBalance(account);
    },
  ),
  "GET /w/{workspace}/usage": endpoint({
    key: ["read"],
    session: "manage",
    query: {
      month: Type.String({
        pattern: "^([0-9]{4}-(0[1-9]|1[0-2]))?$",
        examples: ["2026-11"],
        description: "The month, by the workspace's timezone; by default the present one.",
      }),
    },
    output: Data(UsageView),
    reference: {
      operationId: "getUsage",
      tag: "Workspace",
      summary: "Retrieve what Meta bills",
      description:
        "Returns how many messages Meta delivered in a month, by the category that Meta bills. Meta bills the owner of the WhatsApp account; the workspace's own balance is in `GET /me`.",
      success: "The month's messages by category.",
      example: {
        month: "2026-11",
        messages: 1930,
        billable: 1250,
        categories: [
          { category: "marketing", type: "regular", billable: true, messages: 1250 },
          { category: "service", type: "free_customer_service", billable: false, messages: 680 },
        ],
        countries: [
          { country: "GB", category: "marketing", billable: true, messages: 1250 },
          { country: "GB", category: "service", billable: false, messages: 680 },
        ],
        service: [{ number: "+442079460100", messages: 680, allowance: 1000 }],
      },
    },
  }).read((tx, { workspace, query }) => viewUsage(tx, workspace, readMonth(query.get("month"), tx.now, workspace))),
  "GET /w/{workspace}/billing/ledger": endpoint({
    session: "manage",
    query: PageQuery,
    output: ListOf(LedgerView),
  }).read((tx, { workspace, query }) => {
    const from = readScreen(query, idPosition);
    const when = timesOf(workspace);
    const broadcastOf = (now: ReadTx, id: number) => ({ id, name: findBroadcast(now, workspace.id, id)?.name ?? null });
    const rows = listLedger(tx, workspace.id, positionIn(from), from.perPage + 1);
    return pageById(from, rows, rows.length, (row, now) =>
      show(LedgerView, row, when, {
        amount: formatMoney(row.amount),
        broadcast: row.broadcastId === null ? null : broadcastOf(now, row.broadcastId),
        at: when(row.createdAt),
      }),
    );
  }),
  "POST /w/{workspace}/billing/credit": endpoint({
    session: "operate",
    isSensitive: true,
    body: Form({
      amount: Type.String({ maxLength: 40 }),
      note: Type.String({ maxLength: 300 }),
      ref: Type.String({ maxLength: 191 }),
    }),
    /** `is_credited`: false if the reference was used before, which changes nothing. */
    output: Data(Type.Object({ ...account, is_credited: Type.Boolean() })),
  }).change((tx, call) => {
    const { workspace, body: input } = call;
    const amount = readMoney(input.amount.trim(), { allowNegative: true });
    if (amount === null || amount === 0) throw invalidRequest({ amount: ["Enter an amount, for example 50.00."] });
    const [note, ref] = [trimShown(input.note) || null, trimShown(input.ref) || null];
    const before = findAccount(tx, workspace.id)?.credited;
    const account = credit(tx, workspace.id, { amount, note, ref });
    const isCredited = account.credited !== before;
    const audit = { action: "billing.credit", subject: formatMoney(amount), details: { note, ref } };
    // A repeated reference changes nothing, so there is no audit entry.
    const data = { ...viewBalance(account), is_credited: isCredited };
    return { status: isCredited ? 201 : 200, data, audit: isCredited ? audit : null };
  }),
};

/** By default the present month of the workspace. */
function readMonth(value: string | null, now: number, { timezone }: { timezone: string }): string {
  if (value === null || value === "") return monthOf(now, timezone);
  if (/^\d{4}-(0[1-9]|1[0-2])$/.test(value)) return value;
  throw wrongParameter("month", "A month is written as 2026-11.");
}
