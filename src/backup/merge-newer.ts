/**
 * Merges into a backup what the replaced database knows and the backup does not: opt-outs and erasures, messages sent
 * and their outcomes, kept idempotency answers, money, received files, revoked keys, rotated secrets. Settings, profiles,
 * groups and templates stay as they were backed up, because restoring them is the purpose of a restore:
 * `db/table-policies.ts` says it for each table. The merge is one transaction. `newer` is a later state of the same database, and has every table and column of the backup's schema: the
 * same schema, or a newer one that only added to it.
 */
import type { Client } from "#src/db/driver.ts";
import { type TableName, type TablesWith, tableNames, tablePolicies, tablesWith } from "#src/db/table-policies.ts";
import { profileNames } from "#src/domain/contacts/profile-fields.ts";

/** Kinds of jobs that belong to merged rows. */
const MERGED_JOBS = [
  "deliver_webhook",
  "end_deliveries",
  "expire_message",
  "start_broadcast",
  "review_broadcast",
  "fetch_media",
  "send_message",
  "cancel_replied",
  "end_snooze",
  "erase_person",
  "hand_out",
  "resolve_block",
];

/** Number of rows of each kind that were newer. */
export interface MergedCounts {
  contacts: number;
  consent_changes: number;
  messages: number;
  inbounds: number;
  idempotency_keys: number;
  ledger_entries: number;
  events: number;
  keys_revoked: number;
  secrets_rotated: number;
  suspensions: number;
  people_erased: number;
}

/** Merges. `client` has the backup as its main database; `newerPath` is attached while this runs. */
export function mergeNewer(client: Client, newerPath: string): MergedCounts {
  client.prepare("ATTACH DATABASE ? AS newer").run(newerPath);
  try {
    return client.transaction(() => {
      // Rows refer to each other in every direction, so foreign keys are checked at the commit.
      client.pragma("defer_foreign_keys = ON");
      return new NewerRowsMerge(client).run();
    })();
  } finally {
    client.exec("DETACH DATABASE newer");
  }
}

class NewerRowsMerge {
  readonly #client: Client;
  /** How many rows a merge added to a table, or changed where that counts too. */
  readonly #merged = new Map<TableName, number>();
  #erased = 0;

  constructor(client: Client) {
    this.#client = client;
  }

  run(): MergedCounts {
    const counts = {
      keys_revoked: this.#countDiffering("api_keys", ["revoked_at"]),
      secrets_rotated:
        this.#countDiffering("numbers", ["access_token", "app_secret"]) +
        this.#countDiffering("webhooks", ["secret"]) +
        this.#countDiffering("further_webhooks", ["secret"]),
      suspensions: this.#countDiffering("workspaces", ["suspended_at", "suspended_reason"]),
    };
    for (const name of tableNames) {
      const { restore } = tablePolicies[name];
      if (typeof restore === "object") this.#merged.set(name, this.#follow(name, restore.follows));
    }
    for (const name of tablesWith("restore", "merged")) this.#merged.set(name, this.#merges[name]());
    // Triggers have counted the rows that were added: what they wrote gives way.
    for (const name of tablesWith("restore", "newer")) this.#replace(name);
    this.#mergeSequences();
    const merged = (name: TableName): number => this.#merged.get(name) ?? 0;
    return {
      contacts: merged("contacts"),
      consent_changes: merged("consent_log"),
      people_erased: this.#erased,
      messages: merged("messages"),
      inbounds: merged("inbounds"),
      idempotency_keys: this.#count("SELECT count(*) FROM idempotency_keys"),
      ledger_entries: merged("ledger_entries"),
      events: merged("events"),
      ...counts,
    };
  }

  readonly #merges: Record<TablesWith<"restore", "merged">, () => number> = {
    /** The limit is the network's latest. Triggers count the people again when their rows are replaced. */
    portfolios: () => {
      this.#run(`INSERT INTO main.portfolios (id, name, updated_at) SELECT id, name, updated_at FROM newer.portfolios
        WHERE id NOT IN (SELECT id FROM main.portfolios)`);
      return this.#update("portfolios", ["person_limit", "updated_at"]);
    },

    /** Those of new contacts, which are added after them. */
    contact_people: () => {
      const columns = this.#columns("contact_people").join(", ");
      return this.#run(`INSERT OR IGNORE INTO main.contact_people (${columns}) SELECT ${columns}
        FROM newer.contact_people WHERE contact_id NOT IN (SELECT id FROM main.contacts)`);
    },

    contacts: () => {
      this.#run(`CREATE TEMP TABLE erased_people AS SELECT m.id FROM main.contacts m JOIN newer.contacts n ON n.id = m.id
        WHERE n.phone IS NULL AND n.network_user_id IS NULL AND n.identity_id IS NULL
          AND (m.phone IS NOT NULL OR m.network_user_id IS NOT NULL)`);
      this.#erased = this.#count("SELECT count(*) FROM temp.erased_people");
      // Phone numbers may have moved between contacts. Clear all that moved first, so that none is taken when its new
      // owner is updated.
      this.#run(`UPDATE main.contacts AS m SET phone = NULL, network_user_id = NULL FROM newer.contacts AS n
        WHERE n.id = m.id AND (n.phone IS NOT m.phone OR n.network_user_id IS NOT m.network_user_id)`);
      // The profile stays as backed up; all other columns are about consent and identity.
      const kept = new Set(["workspace_id", "created_at", ...profileNames]);
      const columns = this.#values("contacts").filter((column) => !kept.has(column));
      this.#update("contacts", columns);
      this.#update("contacts", profileNames, "m.id IN (SELECT id FROM temp.erased_people)");
      for (const table of tablesWith("person", "deleted"))
        this.#run(`DELETE FROM main.${table} WHERE contact_id IN (SELECT id FROM temp.erased_people)`);
      this.#run("DROP TABLE temp.erased_people");
      return this.#insert("contacts");
    },

    messages: () => {
      // Discarded since the backup: the network accepted none of them, and their hold was released.
      const gone = this.#run(`DELETE FROM main.messages WHERE status IN ('pending', 'queued', 'sending')
        AND id NOT IN (SELECT id FROM newer.messages)`);
      // Purged since the backup: their broadcast is marked as purged, so nothing would purge them again.
      this.#run(`DELETE FROM main.messages
        WHERE broadcast_id IN (SELECT id FROM newer.broadcasts WHERE purged_at IS NOT NULL)`);
      return gone + this.#update("messages", this.#values("messages")) + this.#insert("messages");
    },

    /** The entries of both, without those of messages that have no id any more. */
    network_ids: () => {
      this.#run(`INSERT OR IGNORE INTO main.network_ids (hash, message_id)
        SELECT hash, message_id FROM newer.network_ids UNION SELECT hash, message_id FROM newer.recent_network_ids`);
      for (const table of ["network_ids", "recent_network_ids"])
        this.#run(`DELETE FROM main.${table} WHERE message_id NOT IN (
          SELECT id FROM main.messages WHERE network_message_id IS NOT NULL)`);
      return 0;
    },

    /** Of all single messages, because any of them may have been dispatched again since. */
    contact_messages: () => {
      this.#run("DELETE FROM main.contact_messages");
      this.#run(`INSERT INTO main.contact_messages (contact_id, dispatched_at, message_id)
        SELECT contact_id, dispatched_at, id FROM main.messages
        WHERE broadcast_id IS NULL AND contact_id IS NOT NULL AND dispatched_at IS NOT NULL
        ORDER BY contact_id, dispatched_at, id`);
      this.#run("UPDATE main.instance SET contact_messages_until = (SELECT coalesce(max(id), 0) FROM main.messages)");
      return 0;
    },

    deliveries: () => {
      const waiting =
        "SELECT id FROM main.deliveries WHERE status = 'pending' AND id NOT IN (SELECT id FROM newer.deliveries)";
      for (const table of ["delivery_attempts", "burst_events"])
        this.#run(`DELETE FROM main.${table} WHERE delivery_id IN (${waiting})`);
      this.#run(`DELETE FROM main.deliveries WHERE id IN (${waiting})`);
      return this.#follow("deliveries", "all");
    },

    /** Jobs that belong to merged rows; other jobs stay as backed up. */
    outbox: () => {
      const kinds = `(${MERGED_JOBS.map((kind) => `'${kind}'`).join(", ")})`;
      this.#run(`DELETE FROM main.outbox WHERE kind IN ${kinds}`);
      const columns = this.#values("outbox").join(", ");
      return this.#run(
        `INSERT INTO main.outbox (${columns}) SELECT ${columns} FROM newer.outbox WHERE kind IN ${kinds}`,
      );
    },
  };

  #mergeSequences(): void {
    this.#run(`UPDATE main.sqlite_sequence SET seq = max(seq,
      coalesce((SELECT n.seq FROM newer.sqlite_sequence n WHERE n.name = main.sqlite_sequence.name), 0))`);
    this.#run(`INSERT INTO main.sqlite_sequence (name, seq) SELECT name, seq FROM newer.sqlite_sequence
      WHERE name NOT IN (SELECT name FROM main.sqlite_sequence)`);
  }

  /**
   * Rows that both have are updated before the others are added: a number that was removed frees its place. Returns how
   * many were added.
   */
  #follow(table: TableName, columns: readonly string[] | "all"): number {
    this.#update(table, columns === "all" ? this.#values(table) : columns);
    return this.#insert(table);
  }

  #insert(table: TableName): number {
    const columns = this.#columns(table).join(", ");
    return this.#run(`INSERT INTO main.${table} (${columns}) SELECT ${columns} FROM newer.${table} AS n
      WHERE NOT EXISTS (SELECT 1 FROM main.${table} AS m WHERE ${this.#isSame(table)})`);
  }

  /** Updates these columns in rows that both databases have, where they differ; returns how many. */
  #update(table: TableName, columns: readonly string[], condition = "1"): number {
    if (columns.length === 0) return 0;
    const sets = columns.map((column) => `${column} = n.${column}`).join(", ");
    return this.#run(`UPDATE main.${table} AS m SET ${sets} FROM newer.${table} AS n
      WHERE ${this.#isSame(table)} AND ${condition} AND (${differs(columns)})`);
  }

  #countDiffering(table: TableName, columns: readonly string[]): number {
    return this.#count(`SELECT count(*) FROM main.${table} AS m JOIN newer.${table} AS n
      ON ${this.#isSame(table)} WHERE ${differs(columns)}`);
  }

  #replace(table: TableName): void {
    const columns = this.#columns(table).join(", ");
    this.#run(`DELETE FROM main.${table}`);
    this.#run(`INSERT INTO main.${table} (${columns}) SELECT ${columns} FROM newer.${table}`);
  }

  /** The condition that a row of `m` and one of `n` have the same key. */
  #isSame(table: TableName): string {
    const key = this.#client.prepare(`SELECT name FROM pragma_table_info('${table}') WHERE pk > 0`).pluck().all();
    return key.map((column) => `m.${column} = n.${column}`).join(" AND ");
  }

  #columns(table: TableName): string[] {
    return this.#client.prepare(`SELECT name FROM pragma_table_info('${table}')`).pluck().all() as string[];
  }

  /** All columns but the key. */
  #values(table: TableName): string[] {
    return this.#client
      .prepare(`SELECT name FROM pragma_table_info('${table}') WHERE pk = 0`)
      .pluck()
      .all() as string[];
  }

  #count(sql: string): number {
    return Number(this.#client.prepare(sql).pluck().get());
  }

  #run(sql: string): number {
    return this.#client.prepare(sql).run().changes;
  }
}

function differs(columns: readonly string[]): string {
  return columns.map((column) => `m.${column} IS NOT n.${column}`).join(" OR ");
}
