/** `waxwing workspace …`: customer accounts, their settings and their balance. */

import { type Micros, readMoney } from "#src/core/money.ts";
import type { Tx } from "#src/db/transaction.ts";
import { type Credit, credit, findAccount, setPrice } from "#src/domain/billing/account.ts";
import { getWorkspace, listWorkspaces } from "#src/domain/workspaces/read.ts";
import type { Workspace } from "#src/domain/workspaces/table.ts";
import { createWorkspace, resume, suspend, switchApi, updateWorkspace } from "#src/domain/workspaces/update.ts";
import {
  type NewWorkspace,
  type SettingKind,
  type SettingName,
  type SettingValues,
  settingNames,
  settings,
  type WorkspaceSettings,
} from "#src/domain/workspaces/workspace.ts";
import { type Command, command } from "./command.ts";
import type { Context } from "./context.ts";
import { withDatabase } from "./database.ts";
import { UsageError } from "./failure.ts";
import { flag, flagOf, number, positional, required, text } from "./option.ts";
import { type Report, table } from "./output.ts";
import { reportOf, viewWithBilling } from "./workspace-report.ts";

const id = positional(number("ID", "The workspace's id"));

/** Options for the settings. `isNew`: of a workspace that is created, which needs those without an initial value. */
function settingOptions(isNew: boolean) {
  return Object.fromEntries(
    settingNames.map((name) => {
      const { placeholder, description, ...setting } = settings[name];
      const required = isNew && !("initial" in setting);
      const option = text(placeholder, description);
      return [name, required ? { ...option, required } : option];
    }),
  ) as Record<SettingName, { kind: "text"; value: string; description: string }>;
}

const price = {
  currency: text("CUR", "Currency, such as USD; requires --rate"),
  rate: text("DEC", "Price of one delivered template message, such as 0.0085"),
} as const;

export const commands: readonly Command[] = [
  command(
    "workspace create",
    {
      summary: "Create a workspace (and the database, if there is none)",
      details: "With --currency and --rate, its template messages are charged.",
    },
    {
      ...settingOptions(true),
      ...price,
      balance: text("DEC", "Opening balance, such as 100.00"),
      noApi: flag("Create the workspace with the API disabled"),
    },
    (context, values) => {
      const { price, balance } = readPrice(values);
      // The parser has asked for the settings without an initial value.
      const input = readSettings(values) as NewWorkspace;
      return change(context, "create", (tx) => {
        const workspace = createWorkspace(tx, input, !values.noApi);
        if (price !== null) setPrice(tx, workspace.id, price.currency, price.rate);
        if (balance !== null && balance > 0)
          credit(tx, workspace.id, { amount: balance, note: "opening balance", ref: null });
        return workspace;
      });
    },
  ),
  command("workspace list", "List workspaces", {}, (context) =>
    withDatabase(context, "read", ({ store }) => {
      const listed = store.read((tx) =>
        listWorkspaces(tx).map((workspace) => ({
          workspace,
          shown: viewWithBilling(workspace, findAccount(tx, workspace.id)),
        })),
      );
      const rows = listed.map(({ workspace, shown: { api_enabled, suspended, billing } }) => [
        workspace.id,
        workspace.name,
        workspace.country,
        workspace.timezone,
        api_enabled ? "on" : "off",
        suspended,
        billing === null ? null : `${billing.available} ${billing.currency}`,
      ]);
      const headings = ["id", "name", "country", "timezone", "api", "suspended", "available"];
      const shown = listed.map((one) => one.shown);
      return { json: shown, text: table(headings, rows, "There are no workspaces yet: waxwing workspace create") };
    }),
  ),
  command(
    "workspace show",
    "Show a workspace with its balance",
    {
      id,
    },
    (context, values) =>
      withDatabase(context, "read", ({ store }) => store.read((tx) => reportOf(tx, getWorkspace(tx, values.id)))),
  ),
  command(
    "workspace update",
    "Change settings of a workspace",
    {
      id,
      ...settingOptions(false),
      ...price,
    },
    (context, values) => {
      const changes = readSettings(values);
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
  ),
  command(
    "workspace enable-api",
    "Enable the API",
    {
      id,
    },
    (context, values) => change(context, "write", (tx) => switchApi(tx, values.id, true)),
  ),
  command(
    "workspace disable-api",
    "Disable the API: calls are refused; inbound messages and webhooks continue",
    {
      id,
    },
    (context, values) => change(context, "write", (tx) => switchApi(tx, values.id, false)),
  ),
  command(
    "workspace suspend",
    "Suspend a workspace, so that it sends nothing",
    {
      id,
      reason: required(text("TEXT", "Reason; shown in refused requests")),
    },
    (context, values) => change(context, "write", (tx) => suspend(tx, values.id, values.reason)),
  ),
  command(
    "workspace resume",
    "Resume a suspended workspace",
    {
      id,
    },
    (context, values) => change(context, "write", (tx) => resume(tx, values.id)),
  ),
  command(
    "workspace credit",
    "Credit the balance; a negative amount debits it",
    {
      id,
      amount: positional(text("AMOUNT", "Amount in the workspace's currency, such as 50.00")),
      note: text("TEXT", "Note on the payment"),
      ref: text("TEXT", "Your id of the payment; the same id is credited only once"),
    },
    (context, values) => {
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
  ),
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

/** The value of a setting as the command line spells it. `flag` is its option. */
const settingReaders: { [Kind in SettingKind]: (text: string, flag: string) => SettingValues[Kind] } = {
  text: (text) => text,
  count: (text, flag) => {
    if (text === "none") return null;
    if (/^\d{1,9}$/.test(text) && Number(text) > 0) return Number(text);
    throw new UsageError(`${flag} is ${JSON.stringify(text)}, and must be a whole number, or none`);
  },
  words: (text) => text.split(",").filter((word) => word.trim() !== ""),
};

/** The settings that were given. */
function readSettings(values: Readonly<Record<SettingName, string | undefined>>): Partial<WorkspaceSettings> {
  const given = settingNames.flatMap((name) => {
    const text = values[name];
    return text === undefined ? [] : [[name, settingReaders[settings[name].kind](text, flagOf(name))]];
  });
  return Object.fromEntries(given) as Partial<WorkspaceSettings>;
}
