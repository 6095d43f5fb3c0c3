/** `waxwing workspace …`: customer accounts, their settings and their balance. */

import { type Micros, readMoney } from "#src/core/money.ts";
import type { Tx } from "#src/db/transaction.ts";
import { type Credit, credit, findAccount, setPrice } from "#src/domain/billing/account.ts";
import { getWorkspace, listWorkspaces } from "#src/domain/workspaces/read.ts";
import type { Workspace } from "#src/domain/workspaces/table.ts";
import { createWorkspace, resume, suspend, switchApi, updateWorkspace } from "#src/domain/workspaces/update.ts";
import type { WorkspaceSettings } from "#src/domain/workspaces/workspace.ts";
import { type Command, command } from "./command.ts";
import type { Context } from "./context.ts";
import { withDatabase } from "./database.ts";
import { UsageError } from "./failure.ts";
import { type Report, table } from "./output.ts";
import { reportOf, viewWithBilling } from "./workspace-report.ts";

const group = "workspace";
const id = { kind: "number", value: "ID", required: true, description: "The workspace's id" } as const;

const settings = {
  currency: {
    kind: "text",
    value: "CUR",
    description: "Currency, such as USD; requires --rate",
  },
  rate: { kind: "text", value: "DEC", description: "Price of one delivered template message, such as 0.0085" },
  dailyCap: {
    kind: "text",
    value: "N",
    description: "Maximum number of people sent a template within 24 hours; none: no limit",
  },
  stopWords: {
    kind: "text",
    value: "A,B",
    description: "Opt-out words beside STOP and its translations, separated by commas",
  },
  startWords: {
    kind: "text",
    value: "A,B",
    description: "Opt-in words beside START, UNSTOP and SUBSCRIBE, separated by commas",
  },
} as const;

export const commands: readonly Command[] = [
  command({
    group,
    name: "create",
    summary: "Create a workspace (and the database, if there is none)",
    details: "With --currency and --rate, its template messages are charged.",
    options: {
      name: { kind: "text", value: "NAME", required: true, description: "The customer's name" },
      country: {
        kind: "text",
        value: "CC",
        required: true,
        description: "Country, such as IN; numbers without a country code belong to it",
      },
      timezone: {
        kind: "text",
        value: "TZ",
        required: true,
        description: "Timezone of all times, such as Asia/Kolkata",
      },
      ...settings,
      balance: { kind: "text", value: "DEC", description: "Opening balance, such as 100.00" },
      noApi: { kind: "flag", description: "Create the workspace with the API disabled" },
    },
    run: (context, values) => {
      const { price, balance } = readPrice(values);
      const input: WorkspaceSettings = {
        name: values.name,
        country: values.country,
        timezone: values.timezone,
        dailyCap: readDailyCap(values.dailyCap) ?? null,
        stopWords: readWords(values.stopWords) ?? [],
        startWords: readWords(values.startWords) ?? [],
      };
      return change(context, "create", (tx) => {
        const workspace = createWorkspace(tx, input, !values.noApi);
        if (price !== null) setPrice(tx, workspace.id, price.currency, price.rate);
        if (balance !== null && balance > 0)
          credit(tx, workspace.id, { amount: balance, note: "opening balance", ref: null });
        return workspace;
      });
    },
  }),
  command({
    group,
    name: "list",
    summary: "List workspaces",
    run: (context) =>
      withDatabase(context, "read", ({ store }) => {
        const shown = store.read((tx) =>
          listWorkspaces(tx).map((workspace) => viewWithBilling(workspace, findAccount(tx, workspace.id))),
        );
        const rows = shown.map((one) => [
          one.id,
          one.name,
          one.country,
          one.timezone,
          one.api_enabled ? "on" : "off",
          one.suspended,
          one.billing === null ? null : `${one.billing.available} ${one.billing.currency}`,
        ]);
        const headings = ["id", "name", "country", "timezone", "api", "suspended", "available"];
        return { json: shown, text: table(headings, rows, "There are no workspaces yet: waxwing workspace create") };
      }),
  }),
  command({
    group,
    name: "show",
    summary: "Show a workspace with its balance",
    positionals: { id },
    run: (context, values) =>
      withDatabase(context, "read", ({ store }) => store.read((tx) => reportOf(tx, getWorkspace(tx, values.id)))),
  }),
  command({
    group,
    name: "update",
    summary: "Change settings of a workspace",
    positionals: { id },
    options: {
      name: { kind: "text", value: "NAME", description: "The customer's name" },
      country: { kind: "text", value: "CC", description: "Country, such as IN" },
      timezone: { kind: "text", value: "TZ", description: "Timezone, such as Asia/Kolkata" },
      ...settings,
    },
    run: (context, values) => {
      const changes = withoutUndefined({
        name: values.name,
        country: values.country,
        timezone: values.timezone,
        dailyCap: readDailyCap(values.dailyCap),
        stopWords: readWords(values.stopWords),
        startWords: readWords(values.startWords),
      });
      const { currency, rate } = values;
      const newRate = rate === undefined ? null : readAmount("--rate", rate);
      if (Object.keys(changes).length === 0 && currency === undefined && newRate === null) {
        throw new UsageError("name at least one setting, such as --name or --daily-cap", "workspace update");
      }
      return change(context, "write", (tx) => {
        const workspace = updateWorkspace(tx, values.id, changes);
        if (currency === undefined && newRate === null) return workspace;
        const account = findAccount(tx, values.id);
        const next = { currency: currency ?? account?.currency, rate: newRate ?? account?.rate };
        if (next.currency === undefined || next.rate === undefined) throw incompletePrice("workspace update");
        setPrice(tx, values.id, next.currency, next.rate);
        return workspace;
      });
    },
  }),
  command({
    group,
    name: "enable-api",
    summary: "Enable the API",
    positionals: { id },
    run: (context, values) => change(context, "write", (tx) => switchApi(tx, values.id, true)),
  }),
  command({
    group,
    name: "disable-api",
    summary: "Disable the API: calls are refused; inbound messages and webhooks continue",
    positionals: { id },
    run: (context, values) => change(context, "write", (tx) => switchApi(tx, values.id, false)),
  }),
  command({
    group,
    name: "suspend",
    summary: "Suspend a workspace, so that it sends nothing",
    positionals: { id },
    options: {
      reason: { kind: "text", value: "TEXT", required: true, description: "Reason; shown in refused requests" },
    },
    run: (context, values) => change(context, "write", (tx) => suspend(tx, values.id, values.reason)),
  }),
  command({
    group,
    name: "resume",
    summary: "Resume a suspended workspace",
    positionals: { id },
    run: (context, values) => change(context, "write", (tx) => resume(tx, values.id)),
  }),
  command({
    group,
    name: "credit",
    summary: "Credit the balance; a negative amount debits it",
    positionals: {
      id,
      amount: {
        kind: "text",
        value: "AMOUNT",
        required: true,
        description: "Amount in the workspace's currency, such as 50.00",
      },
    },
    options: {
      note: { kind: "text", value: "TEXT", description: "Note on the payment" },
      ref: { kind: "text", value: "TEXT", description: "Your id of the payment; the same id is credited only once" },
    },
    run: (context, values) => {
      const payment: Credit = {
        amount: readAmount("AMOUNT", values.amount, true),
        note: values.note ?? null,
        ref: values.ref ?? null,
      };
      if (payment.amount === 0) throw new UsageError("AMOUNT is 0: give the amount to credit", "workspace credit");
      return change(context, "write", (tx) => {
        const workspace = getWorkspace(tx, values.id);
        credit(tx, values.id, payment);
        return workspace;
      });
    },
  }),
];

/** Runs one change and reports the resulting workspace. */
function change(context: Context, purpose: "create" | "write", apply: (tx: Tx) => Workspace): Promise<Report> {
  return withDatabase(context, purpose, ({ store }) => store.write((tx) => reportOf(tx, apply(tx))));
}

interface PriceOptions {
  readonly currency: string | undefined;
  readonly rate: string | undefined;
  readonly balance: string | undefined;
}

function readPrice({ currency, rate, balance }: PriceOptions): {
  price: { currency: string; rate: Micros } | null;
  balance: Micros | null;
} {
  if (currency === undefined && rate === undefined && balance === undefined) return { price: null, balance: null };
  if (currency === undefined || rate === undefined) throw incompletePrice("workspace create");
  return {
    price: { currency, rate: readAmount("--rate", rate) },
    balance: balance === undefined ? null : readAmount("--balance", balance),
  };
}

function incompletePrice(helpOn: string): UsageError {
  return new UsageError("give both --currency and --rate, or neither", helpOn);
}

function readAmount(name: string, text: string, allowNegative = false): Micros {
  const amount = readMoney(text, { allowNegative });
  if (amount !== null) return amount;
  throw new UsageError(`${name} is ${JSON.stringify(text)}, and must be an amount such as 120.50 or 0.0085`);
}

/** Undefined if the option was not given; null for "none". */
function readDailyCap(text: string | undefined): number | null | undefined {
  if (text === undefined || text === "none") return text === undefined ? undefined : null;
  if (/^\d{1,9}$/.test(text) && Number(text) > 0) return Number(text);
  throw new UsageError(`--daily-cap is ${JSON.stringify(text)}, and must be a whole number of people, or none`);
}

function readWords(text: string | undefined): string[] | undefined {
  return text?.split(",").filter((word) => word.trim() !== "");
}

function withoutUndefined(changes: { [Name in keyof WorkspaceSettings]: WorkspaceSettings[Name] | undefined }) {
  return Object.fromEntries(
    Object.entries(changes).filter(([, value]) => value !== undefined),
  ) as Partial<WorkspaceSettings>;
}
