/**
 * Caches rarely changing rows that every request needs: its key, workspace, number, webhook address.
 * Such a row is kept until it may have changed:
 * - Every read and every group commit begins with SQLite's `data_version`, which moves when another process has committed.
 * - A trigger of this connection tells of each row of these tables that it writes, whichever statement does.
 * - A rollback forgets all, because the rows may have been read inside it.
 *
 * Consent, balances and the state of messages and broadcasts change all the time and are always read. Only whether there
 * is a balance is remembered, that no status is parked, and that a reply cancels no message.
 */
import type { Client } from "./driver.ts";
import type { ReadTx } from "./transaction.ts";

/** The tables of remembered rows, with the changes of their rows that matter: of some, only whether a row exists is kept. */
const TABLES = {
  parked_statuses: ["INSERT"],
  scheduled_messages: ["INSERT"],
  api_keys: ["INSERT", "UPDATE", "DELETE"],
  workspaces: ["INSERT", "UPDATE", "DELETE"],
  numbers: ["INSERT", "UPDATE", "DELETE"],
  webhooks: ["INSERT", "UPDATE", "DELETE"],
  further_webhooks: ["INSERT", "UPDATE", "DELETE"],
  unlisted_refusals: ["INSERT", "UPDATE", "DELETE"],
  network_health: ["INSERT", "UPDATE", "DELETE"],
  templates: ["INSERT", "UPDATE", "DELETE"],
  billing_accounts: ["INSERT", "DELETE"],
} as const;

/** A table without such rows gets one. More rows then change nothing, and callbacks may bring thousands a second. */
const CONDITIONS: Readonly<Record<string, string>> = {
  parked_statuses: "WHEN NOT EXISTS (SELECT 1 FROM parked_statuses WHERE id <> NEW.id)",
  scheduled_messages: `WHEN NEW.cancel_on_reply = 1 AND NOT EXISTS
    (SELECT 1 FROM scheduled_messages WHERE cancel_on_reply = 1 AND message_id <> NEW.message_id)`,
};

/** Stands for the present state of all that is remembered, as one connection sees it. */
export class SettingsCache {
  readonly #client: Client;
  #isWatching = false;
  #state: object = {};
  #dataVersion: number | null = null;

  constructor(client: Client) {
    this.#client = client;
    client.function("settings_changed", () => {
      this.forget();
      return null;
    });
  }

  /** The same object as long as no row can have changed. */
  get state(): object {
    return this.#state;
  }

  forget(): void {
    this.#state = {};
  }

  /** Call it before a transaction begins: a rollback would undo it. Without effect until the tables exist. */
  watch(): void {
    if (this.#isWatching || this.#client.pragma("user_version", { simple: true }) === 0) return;
    for (const [table, changes] of Object.entries(TABLES)) {
      const when = CONDITIONS[table] ?? "";
      for (const change of changes) {
        this.#client.exec(`CREATE TEMP TRIGGER settings_${table}_${change} AFTER ${change} ON main.${table} ${when}
          BEGIN SELECT settings_changed(); END`);
      }
    }
    this.#isWatching = true;
  }

  /** Call it as a transaction begins, with the `data_version` that it sees. */
  seeDataVersion(version: number): void {
    if (version === this.#dataVersion) return;
    this.#dataVersion = version;
    this.forget();
  }
}

/** Of one look-up. A caller chooses some of the ids and names, so what is kept must have an end. */
const KEPT_MAX = 500;

/** Declares a look-up in `TABLES` by ids and names. What it returns is shared by all callers, so it is frozen. */
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
