/** `waxwing workspace …`: customer accounts, their settings and their balance. */
import { type Micros, readMoney } from "#src/core/money.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { credit, findAccount, setPrice, viewBalance } from "#src/domain/billing/account.ts";
import { COMMAND_LINE, recordAudit, SETTINGS_CHANGED } from "#src/domain/users/audit-log.ts";
import { getWorkspace, listWorkspaces } from "#src/domain/workspaces/read.ts";
import type { Workspace } from "#src/domain/workspaces/table.ts";
import { createWorkspace, resume, suspend, switchApi, updateWorkspace } from "#src/domain/workspaces/update.ts";
import {
  type NewWorkspace,
  type SettingKind,
  type SettingName,
  type SettingValues,
  settingKey,
  settingNames,
  settings,
  type WorkspaceSettings,
} from "#src/domain/workspaces/workspace.ts";
import type { Command } from "./command.ts";
import { createCommand, readCommand, writeCommand } from "./database-command.ts";
import { flag, flagOf, number, type Options, positional, required, text, type Values } from "./option.ts";
import { list, type Report, table, timesIn } from "./output.ts";
import { UsageError } from "./usage-error.ts";

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
const opening = { ...price, balance: text("DEC", "Opening balance, such as 100.00") };

export const commands: readonly Command[] = [
  createCommand(
    "workspace create",
    {
      summary: "Create a workspace (and the database, if there is none)",
      details: "With --currency and --rate, its template messages are charged.",
    },
    {
      ...settingOptions(true),
      ...opening,
      noApi: flag("Create the workspace with the API disabled"),
    },
    (values) => {
      const { price, balance } = readPrice(values);
      // The parser has asked for the settings without an initial value.
      const input = readSettings(values) as NewWorkspace;
      return (tx) => {
        const workspace = createWorkspace(tx, input, !values.noApi);
        if (price !== null) setPrice(tx, workspace.id, price.currency, price.rate);
        if (balance !== null && balance > 0)
          credit(tx, workspace.id, { amount: balance, note: "opening balance", ref: null });
        return reportOf(tx, workspace);
      };
    },
  ),
  readCommand("workspace list", "List workspaces", {}, () => (tx) => {
    const all = listWorkspaces(tx).map((workspace) => ({ workspace, shown: viewWithBilling(tx, workspace) }));
    const rows = all.map(
      ({ workspace: { id, name, country, timezone }, shown: { api_enabled, suspended, billing } }) => ({
        ...{ id, name, country, timezone },
        api: api_enabled ? "on" : "off",
        suspended,
        available: billing === null ? null : `${billing.available} ${billing.currency}`,
      }),
    );
    const empty = "There are no workspaces yet: waxwing workspace create";
    return { json: all.map(({ shown }) => shown), text: table(rows, empty) };
  }),
  readCommand("workspace show", "Show a workspace with its balance", { id }, (values) => (tx) => {
    return reportOf(tx, getWorkspace(tx, values.id));
  }),
  writeCommand(
    "workspace update",
    "Change settings of a workspace",
    { id, ...settingOptions(false), ...price },
    (values) => {
      const changes = readSettings(values);
      const { currency, rate } = values;
      const newRate = rate === undefined ? null : readAmount("--rate", rate);
      if (Object.keys(changes).length === 0 && currency === undefined && newRate === null) {
        throw new UsageError("name at least one setting, such as --name or --daily-cap");
      }
      return (tx) => {
        const { workspace, was, became } = updateWorkspace(tx, values.id, changes);
        if (Object.keys(became).length > 0) {
          const entry = { workspaceId: values.id, subject: workspace.name, details: { was, became } };
          recordAudit(tx, COMMAND_LINE, { ...entry, action: SETTINGS_CHANGED });
        }
        if (currency === undefined && newRate === null) return reportOf(tx, workspace);
        const account = findAccount(tx, values.id);
        const next = { currency: currency ?? account?.currency, rate: newRate ?? account?.rate };
        if (next.currency === undefined || next.rate === undefined) throw incompletePrice();
        setPrice(tx, values.id, next.currency, next.rate);
        return reportOf(tx, workspace);
      };
    },
  ),
  change("workspace enable-api", "Enable the API", {}, (tx, { id }) => switchApi(tx, id, true)),
  change(
    "workspace disable-api",
    "Disable the API: calls are refused; inbound messages and webhooks continue",
    {},
    (tx, { id }) => switchApi(tx, id, false),
  ),
  change(
    "workspace suspend",
    "Suspend a workspace, so that it sends nothing",
    { reason: required(text("TEXT", "Reason; shown in refused requests")) },
    (tx, { id, reason }) => suspend(tx, id, reason),
  ),
  change("workspace resume", "Resume a suspended workspace", {}, (tx, { id }) => resume(tx, id)),
  writeCommand(
    "workspace credit",
    "Credit the balance; a negative amount debits it",
    {
      id,
      amount: positional(text("AMOUNT", "Amount in the workspace's currency, such as 50.00")),
      note: text("TEXT", "Note on the payment"),
      ref: text("TEXT", "Your id of the payment; the same id is credited only once"),
    },
    (values) => {
      const { note = null, ref = null } = values;
      const amount = readAmount("AMOUNT", values.amount, true);
      if (amount === 0) throw new UsageError("AMOUNT is 0: give the amount to credit");
      return (tx) => {
        const workspace = getWorkspace(tx, values.id);
        credit(tx, values.id, { amount, note, ref });
        return reportOf(tx, workspace);
      };
    },
  ),
];

/** Declares a change that is reported as the resulting workspace. */
function change<Declared extends Options>(
  words: string,
  summary: string,
  declared: Declared,
  apply: (tx: Tx, values: Values<{ id: typeof id } & Declared>) => Workspace,
): Command {
  return writeCommand(words, summary, { id, ...declared }, (values) => (tx) => reportOf(tx, apply(tx, values)));
}

function readPrice({ currency, rate, balance }: Values<typeof opening>): {
  price: { currency: string; rate: Micros } | null;
  balance: Micros | null;
} {
  if (currency === undefined && rate === undefined && balance === undefined) return { price: null, balance: null };
  if (currency === undefined || rate === undefined) throw incompletePrice();
  return {
    price: { currency, rate: readAmount("--rate", rate) },
    balance: balance === undefined ? null : readAmount("--balance", balance),
  };
}

function incompletePrice(): UsageError {
  return new UsageError("give both --currency and --rate, or neither");
}

function readAmount(name: string, text: string, allowNegative = false): Micros {
  const amount = readMoney(text, { allowNegative });
  if (amount !== null) return amount;
  throw new UsageError(`${name} is ${JSON.stringify(text)}, and must be an amount such as 120.50 or 0.0085`);
}

/** The value of a setting as the command line spells it. `flag` is its option. */
const settingReaders: { [Kind in SettingKind]: (text: string, flag: string) => SettingValues[Kind] } = {
  text: (text) => text,
  paragraph: (text) => text,
  choice: (text) => text,
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

function reportOf(tx: ReadTx, workspace: Workspace): Report {
  const shown = viewWithBilling(tx, workspace);
  const { billing } = shown;
  const text = list({
    id: shown.id,
    ...Object.fromEntries(
      settingNames.map((name) => [settingKey(name).replaceAll("_", " "), showSetting(workspace[name])]),
    ),
    api: shown.api_enabled ? "on" : "off",
    suspended: shown.suspended ? `since ${shown.suspended_at}: ${shown.suspended_reason}` : "no",
    charged: billing === null ? "no" : `${billing.rate} ${billing.currency} a delivered template message`,
    available: billing?.available,
    held: billing?.held,
    spent: billing?.charged,
    "paid in": billing?.credited,
    created: shown.created_at,
  });
  return { json: shown, text };
}

function showSetting(value: WorkspaceSettings[SettingName]): string | number {
  const shown = Array.isArray(value) ? value.join(", ") : value;
  return shown === null || shown === "" ? "none" : shown;
}

function viewWithBilling(tx: ReadTx, workspace: Workspace) {
  const account = findAccount(tx, workspace.id);
  const when = timesIn(workspace);
  return {
    id: workspace.id,
    ...Object.fromEntries(settingNames.map((name) => [settingKey(name), workspace[name]])),
    api_enabled: workspace.apiEnabled,
    suspended: workspace.suspendedAt !== null,
    suspended_reason: workspace.suspendedReason,
    suspended_at: when(workspace.suspendedAt),
    billing: account === undefined ? null : viewBalance(account),
    created_at: when(workspace.createdAt),
    updated_at: when(workspace.updatedAt),
  };
}
