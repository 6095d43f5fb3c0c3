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
    description: "What it is charged in, such as USD; goes together with --rate",
  },
  rate: { kind: "text", value: "DEC", description: "Price of one delivered template message, such as 0.0085" },
  dailyCap: { kind: "text", value: "N", description: "Most people who get a template within 24 hours; none: no limit" },
  stopWords: {
    kind: "text",
    value: "A,B",
    description: "Words that opt out, beside STOP and its translations; separated by commas",
  },
  startWords: {
    kind: "text",
    value: "A,B",
    description: "Words that opt in again, beside START, UNSTOP, SUBSCRIBE; separated by commas",
  },
} as const;

export const commands: readonly Command[] = [
  command({
    group,
    name: "create",
    summary: "Make a workspace (and the database, where there is none)",
    details: "With --currency and --rate it is charged; without them, it is not.",
    options: {
      name: { kind: "text", value: "NAME", required: true, description: "The customer's name" },
      country: {
        kind: "text",
        value: "CC",
        required: true,
        description: "Country code such as IN; numbers without a country code are read in it",
      },
      timezone: {
        kind: "text",
        value: "TZ",
        required: true,
        description: "Timezone such as Asia/Kolkata; all times are expressed in it",
      },
      ...settings,
      balance: { kind: "text", value: "DEC", description: "What is paid in at once, such as 100.00" },
      noApi: { kind: "flag", description: "Leave the API switched off" },
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
    summary: "All workspaces",
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
        return { json: shown, text: table(headings, rows, "There is no workspace yet: waxwing workspace create") };
      }),
  }),
  command({
    group,
    name: "show",
    summary: "One workspace with its balance",
    positionals: { id },
    run: (context, values) =>
      withDatabase(context, "read", ({ store }) => store.read((tx) => reportOf(tx, getWorkspace(tx, values.id)))),
  }),
  command({
    group,
    name: "update",
    summary: "Change settings; what is left out stays",
    positionals: { id },
    options: {
      name: { kind: "text", value: "NAME", description: "The customer's name" },
      country: { kind: "text", value: "CC", description: "Country code such as IN" },
      timezone: { kind: "text", value: "TZ", description: "Timezone such as Asia/Kolkata" },
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
        throw new UsageError("say what to change, such as --name or --daily-cap", "workspace update");
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
    summary: "Switch the API on",
    positionals: { id },
    run: (context, values) => change(context, "write", (tx) => switchApi(tx, values.id, true)),
  }),
  command({
    group,
    name: "disable-api",
    summary: "Switch the API off: calls are refused, inbound and webhooks go on",
    positionals: { id },
    run: (context, values) => change(context, "write", (tx) => switchApi(tx, values.id, false)),
  }),
  command({
    group,
    name: "suspend",
    summary: "Stop a workspace from sending",
    positionals: { id },
    options: {
      reason: { kind: "text", value: "TEXT", required: true, description: "Why; shown to whoever tries to send" },
    },
    run: (context, values) => change(context, "write", (tx) => suspend(tx, values.id, values.reason)),
  }),
  command({
    group,
    name: "resume",
    summary: "Let a suspended workspace send again",
    positionals: { id },
    run: (context, values) => change(context, "write", (tx) => resume(tx, values.id)),
  }),
  command({
    group,
    name: "credit",
    summary: "Pay into the balance; a negative amount takes back",
    positionals: {
      id,
      amount: {
        kind: "text",
        value: "AMOUNT",
        required: true,
        description: "Such as 50.00, in the workspace's currency",
      },
    },
    options: {
      note: { kind: "text", value: "TEXT", description: "What the payment was for" },
      ref: { kind: "text", value: "TEXT", description: "Your id of the payment: the same one credits once only" },
    },
    run: (context, values) => {
      const payment: Credit = {
        amount: readAmount("AMOUNT", values.amount, true),
        note: values.note ?? null,
        ref: values.ref ?? null,
      };
      if (payment.amount === 0) throw new UsageError("AMOUNT is 0: say how much is paid in", "workspace credit");
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
  return new UsageError(
    "a workspace that is charged needs both --currency and --rate; one that is not, none of the two",
    helpOn,
  );
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
