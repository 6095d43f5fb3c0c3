/**
 * Look-ups of rows that hardly ever change and that every request needs: its key, workspace, number, webhook address.
 * Such a row is kept until it may have changed. Every read and every group commit begins with SQLite's `data_version`,
 * which moves when another process has committed: its commit counts at once. Inside a read nothing changes, and inside a
 * group commit only this process can write. A write of this process to one of these tables, or a rollback, forgets all
 * of them.
 *
 * Consent, balances and the state of messages and broadcasts change all the time and are always read. Only whether there
 * is a balance is remembered.
 */
import type BetterSqlite3 from "better-sqlite3";
import type { Client } from "./driver.ts";
import type { ReadTx } from "./transaction.ts";

/** The tables of remembered rows. No trigger writes to them and no foreign key changes them. */
export const SETTINGS_TABLES: ReadonlySet<string> = new Set([
  "api_keys",
  "workspaces",
  "numbers",
  "webhooks",
  "network_health",
  "templates",
]);

/**
 * Tables of which only the existence of a row is remembered. An UPDATE does not change that, because none sets the key.
 * No trigger writes to these tables either, and no foreign key changes them.
 */
export const EXISTENCE_TABLES: ReadonlySet<string> = new Set(["billing_accounts"]);

const WRITTEN_TABLE =
  /^\s*(INSERT\s+(?:OR\s+\w+\s+)?INTO|REPLACE\s+INTO|UPDATE(?:\s+OR\s+\w+)?|DELETE\s+FROM)\s+"?(\w+)"?/i;

/** Whether a statement that writes may change what is remembered; true also if its text does not say which table. */
export function writesSettings(sql: string): boolean {
  const [, verb = "", name] = WRITTEN_TABLE.exec(sql) ?? [];
  const table = name?.toLowerCase();
  if (table === undefined || SETTINGS_TABLES.has(table)) return true;
  // With OR REPLACE, an UPDATE may delete a row.
  return EXISTENCE_TABLES.has(table) && !/^UPDATE$/i.test(verb);
}

/** Stands for the present state of all that is remembered, as one connection sees it. */
export class SettingsState {
  #current: object = {};
  #dataVersion: number | null = null;

  /** The same object as long as no row can have changed. */
  get current(): object {
    return this.#current;
  }

  renew(): void {
    this.#current = {};
  }

  /** Call as a transaction begins, with the `data_version` that it sees. */
  seeDataVersion(version: number): void {
    if (version === this.#dataVersion) return;
    this.#dataVersion = version;
    this.renew();
  }
}

/** The same connection; whatever is written through it makes the remembered rows be forgotten. */
export function forgetfulClient(client: Client, settings: SettingsState): Client {
  const before =
    <Given extends unknown[], Result>(run: (...given: Given) => Result) =>
    (...given: Given): Result => {
      settings.renew();
      return run(...given);
    };
  const prepareRaw = client.prepare.bind(client);
  const prepare = (sql: string): BetterSqlite3.Statement => {
    const statement = prepareRaw(sql);
    if (statement.readonly) return statement;
    statement.run = before(statement.run.bind(statement));
    statement.get = before(statement.get.bind(statement));
    statement.all = before(statement.all.bind(statement));
    return statement;
  };
  const exec = before(client.exec.bind(client));
  return new Proxy(client, {
    get(target, name) {
      if (name === "prepare") return prepare;
      if (name === "exec") return exec;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

/** Of one look-up. A caller chooses some of the ids and names, so what is kept must have an end. */
const KEPT_MAX = 500;

/**
 * Declares a look-up in `SETTINGS_TABLES` by ids and names, or whether a row of `EXISTENCE_TABLES` exists. What it
 * returns is shared by all callers, so it is frozen.
 */
export function remembered<Ids extends (string | number)[], Found>(
  load: (tx: ReadTx, ...ids: Ids) => Found,
): (tx: ReadTx, ...ids: Ids) => Found {
  const states = new WeakMap<object, Map<string | number, Found>>();
  let latest: { state: object; known: Map<string | number, Found> } | null = null;
  return (tx, ...ids) => {
    const key = ids.length === 1 ? (ids[0] ?? "") : ids.join("\0");
    const { settingsState: state } = tx;
    if (latest?.state !== state) {
      latest = { state, known: states.get(state) ?? new Map() };
      states.set(state, latest.known);
    }
    const { known } = latest;
    const found = known.get(key);
    if (found !== undefined || known.has(key)) return found as Found;
    const loaded = load(tx, ...ids);
    freeze(loaded);
    if (known.size >= KEPT_MAX) known.clear();
    known.set(key, loaded);
    return loaded;
  };
}

function freeze(value: unknown): void {
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return;
  for (const member of Object.values(value)) freeze(member);
  Object.freeze(value);
}
