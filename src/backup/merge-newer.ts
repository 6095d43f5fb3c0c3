/**
 * Merges into a backup what the replaced database knows and the backup does not: opt-outs and erasures, messages sent
 * and their outcomes, kept idempotency answers, money, received files, revoked keys, rotated secrets. Settings, profiles, groups and
 * templates stay as they were backed up, because restoring them is the purpose of a restore. The merge is one
 * transaction. `newer` is a later state of the same database, and has every table and column of the backup's schema: the
 * same schema, or a newer one that only added to it.
 */
import type { Client } from "#src/db/driver.ts";
import { profileNames } from "#src/domain/contacts/profile-fields.ts";

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

  constructor(client: Client) {
    this.#client = client;
  }

  run(): MergedCounts {
    this.#insert("workspaces");
    const suspensions = this.#update("workspaces", ["suspended_at", "suspended_reason"]);
    this.#update("workspaces", ["api_enabled"]);
    const ledger = this.#insert("ledger_entries");
    this.#insert("billing_accounts", "workspace_id");
    this.#update("billing_accounts", ["credited", "held", "charged"], "workspace_id");
    this.#insert("api_keys");
    const revoked = this.#update("api_keys", ["revoked_at"]);
    this.#mergeUsers();
    const secrets = this.#mergeSecrets();
    // A number refers to its portfolio.
    this.#mergePortfolios();
    // Mark removed numbers first: a removed number frees its place for its successor.
    this.#update("numbers", ["removed_at", "ready", "unready_reason"]);
    this.#insert("numbers");
    // An address that was renewed or removed must not work again.
    this.#replace("callback_addresses");
    const people = this.#mergeContacts();
    this.#mergeBroadcasts();
    const messages = this.#mergeMessages();
    this.#replace("recent_recipients");
    this.#replace("portfolio_recipients");
    this.#replace("network_usage");
    this.#replace("key_people");
    this.#replace("key_days");
    const inbounds = this.#insert("inbounds");
    this.#update("inbounds", ["type", "text", "details", "network_message_id", "origin"]);
    // The files on disk are those of the replaced database.
    this.#replace("media_files");
    this.#replace("media");
    this.#insert("echoes");
    this.#update("echoes", ["type", "text", "details", "network_message_id", "status"]);
    // Triggers have counted the inserted ones as unread.
    this.#replace("conversations");
    this.#replace("history_imports");
    this.#replace("phone_contacts");
    const events = this.#mergeEvents();
    this.#replace("idempotency_keys");
    this.#replace("parked_statuses");
    this.#replace("provider_requests");
    this.#insert("callbacks");
    this.#update("callbacks", ["done_at", "note", "body", "state"]);
    this.#mergeOutbox();
    this.#mergeSequences();
    return {
      ...people,
      messages,
      inbounds,
      idempotency_keys: this.#count("SELECT count(*) FROM idempotency_keys"),
      ledger_entries: ledger,
      events,
      keys_revoked: revoked,
      secrets_rotated: secrets,
      suspensions,
    };
  }

  /** Disabled users stay disabled, and a replaced password or second factor does not return. */
  #mergeUsers(): void {
    this.#update("users", ["password", "totp_secret", "totp_pending", "totp_step", "disabled_at", "is_operator"]);
    this.#insert("users");
    for (const table of [
      "memberships",
      "user_links",
      "sessions",
      "known_devices",
      "recovery_codes",
      "sign_in_attempts",
      "form_answers",
    ]) {
      this.#replace(table);
    }
    this.#insert("audit_log");
    this.#update("audit_log", ["subject", "details"]);
  }

  /** The limit is the network's latest. Triggers count the people again when their rows are replaced. */
  #mergePortfolios(): void {
    this.#run(`INSERT INTO main.portfolios (id, name, updated_at) SELECT id, name, updated_at FROM newer.portfolios
      WHERE id NOT IN (SELECT id FROM main.portfolios)`);
    this.#update("portfolios", ["person_limit", "updated_at"]);
  }

  #mergeSecrets(): number {
    this.#replace("kept_keys");
    const tokens = this.#update("numbers", ["access_token", "app_secret"]);
    this.#insert("webhooks", "workspace_id");
    const signing = this.#update("webhooks", ["secret"], "workspace_id");
    // Pending deliveries are merged too, so the address that they are meant for must be.
    this.#update("webhooks", ["url", "types", "consecutive_timeouts", "forward_url"], "workspace_id");
    return tokens + signing;
  }

  #mergeContacts(): Pick<MergedCounts, "contacts" | "consent_changes" | "people_erased"> {
    const erased = `SELECT m.id FROM main.contacts m JOIN newer.contacts n ON n.id = m.id
      WHERE n.phone IS NULL AND n.network_user_id IS NULL AND n.identity_id IS NULL
        AND (m.phone IS NOT NULL OR m.network_user_id IS NOT NULL)`;
    this.#run(`CREATE TEMP TABLE erased_people AS ${erased}`);
    const peopleErased = this.#count("SELECT count(*) FROM temp.erased_people");
    // Phone numbers may have moved between contacts. Clear all that moved first, so that none is taken when its new
    // owner is updated.
    this.#run(`UPDATE main.contacts AS m SET phone = NULL, network_user_id = NULL FROM newer.contacts AS n
      WHERE n.id = m.id AND (n.phone IS NOT m.phone OR n.network_user_id IS NOT m.network_user_id)`);
    // The profile stays as backed up; all other columns are about consent and identity.
    const kept = new Set(["id", "workspace_id", "created_at", ...profileNames]);
    this.#update(
      "contacts",
      this.#columns("contacts").filter((column) => !kept.has(column)),
    );
    this.#update("contacts", profileNames, "id", "m.id IN (SELECT id FROM temp.erased_people)");
    for (const table of ["contact_people", "contact_tags", "group_members", "contact_fields"]) {
      this.#run(`DELETE FROM main.${table} WHERE contact_id IN (SELECT id FROM temp.erased_people)`);
    }
    this.#run("DROP TABLE temp.erased_people");
    this.#run("CREATE TEMP TABLE new_contacts AS SELECT id FROM newer.contacts EXCEPT SELECT id FROM main.contacts");
    const contacts = this.#insert("contacts");
    const columns = this.#columns("contact_people").join(", ");
    this.#run(`INSERT OR IGNORE INTO main.contact_people (${columns}) SELECT ${columns} FROM newer.contact_people
      WHERE contact_id IN (SELECT id FROM temp.new_contacts)`);
    this.#run("DROP TABLE temp.new_contacts");
    this.#replace("contact_network_ids");
    const consentChanges = this.#insert("consent_log");
    this.#update("consent_log", ["evidence"]);
    const optOut = this.#columns("erased_opt_outs").join(", ");
    this.#run(`INSERT OR IGNORE INTO main.erased_opt_outs (${optOut}) SELECT ${optOut} FROM newer.erased_opt_outs`);
    return { contacts, consent_changes: consentChanges, people_erased: peopleErased };
  }

  /**
   * Broadcasts with their state and counters from the newer database. Their recipients are messages and are merged as
   * such.
   */
  #mergeBroadcasts(): void {
    for (const [table, key] of [
      ["broadcasts", "id"],
      ["broadcast_counters", "broadcast_id"],
    ] as const) {
      this.#update(
        table,
        this.#columns(table).filter((column) => column !== key),
        key,
      );
      this.#insert(table, key);
    }
    // A draft sent since the backup must not be sent again.
    this.#replace("broadcast_drafts");
  }

  #mergeMessages(): number {
    // Discarded since the backup: the network accepted none of them, and their hold was released.
    const gone = this.#run(`DELETE FROM main.messages WHERE status IN ('pending', 'queued', 'sending')
      AND id NOT IN (SELECT id FROM newer.messages)`);
    // Purged since the backup: their broadcast is marked as purged, so nothing would purge them again.
    this.#run(`DELETE FROM main.messages
      WHERE broadcast_id IN (SELECT id FROM newer.broadcasts WHERE purged_at IS NOT NULL)`);
    const changed = this.#update(
      "messages",
      this.#columns("messages").filter((column) => column !== "id"),
    );
    return gone + changed + this.#insert("messages");
  }

  #mergeEvents(): number {
    const events = this.#insert("events", "seq");
    this.#update("events", ["body"], "seq");
    const waiting =
      "SELECT id FROM main.deliveries WHERE status = 'pending' AND id NOT IN (SELECT id FROM newer.deliveries)";
    this.#run(`DELETE FROM main.delivery_attempts WHERE delivery_id IN (${waiting})`);
    this.#run(`DELETE FROM main.deliveries WHERE id IN (${waiting})`);
    this.#update(
      "deliveries",
      this.#columns("deliveries").filter((column) => column !== "id"),
    );
    this.#insert("deliveries");
    this.#insert("delivery_attempts", ["delivery_id", "id"]);
    this.#update("delivery_attempts", ["response"], ["delivery_id", "id"]);
    return events;
  }

  /** Jobs that belong to merged rows; other jobs stay as backed up. */
  #mergeOutbox(): void {
    const kinds = "('deliver_webhook', 'expire_message', 'start_broadcast', 'review_broadcast', 'fetch_media')";
    this.#run(`DELETE FROM main.outbox WHERE kind IN ${kinds}`);
    const columns = this.#columns("outbox")
      .filter((column) => column !== "id")
      .join(", ");
    this.#run(`INSERT INTO main.outbox (${columns}) SELECT ${columns} FROM newer.outbox WHERE kind IN ${kinds}`);
  }

  #mergeSequences(): void {
    this.#run(`UPDATE main.sqlite_sequence SET seq = max(seq,
      coalesce((SELECT n.seq FROM newer.sqlite_sequence n WHERE n.name = main.sqlite_sequence.name), 0))`);
    this.#run(`INSERT INTO main.sqlite_sequence (name, seq) SELECT name, seq FROM newer.sqlite_sequence
      WHERE name NOT IN (SELECT name FROM main.sqlite_sequence)`);
  }

  /** Inserts the rows that the backup lacks; returns how many. */
  #insert(table: string, key: string | string[] = "id"): number {
    const columns = this.#columns(table).join(", ");
    return this.#run(`INSERT INTO main.${table} (${columns}) SELECT ${columns} FROM newer.${table} AS n
      WHERE NOT EXISTS (SELECT 1 FROM main.${table} AS m WHERE ${isSame(key)})`);
  }

  /** Updates these columns in rows that both databases have, where they differ; returns how many. */
  #update(table: string, columns: readonly string[], key: string | string[] = "id", condition = "1"): number {
    const sets = columns.map((column) => `${column} = n.${column}`).join(", ");
    const differs = columns.map((column) => `m.${column} IS NOT n.${column}`).join(" OR ");
    return this.#run(`UPDATE main.${table} AS m SET ${sets} FROM newer.${table} AS n
      WHERE ${isSame(key)} AND ${condition} AND (${differs})`);
  }

  #replace(table: string): void {
    const columns = this.#columns(table).join(", ");
    this.#run(`DELETE FROM main.${table}`);
    this.#run(`INSERT INTO main.${table} (${columns}) SELECT ${columns} FROM newer.${table}`);
  }

  #columns(table: string): string[] {
    return this.#client.prepare(`SELECT name FROM pragma_table_info('${table}')`).pluck().all() as string[];
  }

  #count(sql: string): number {
    return Number(this.#client.prepare(sql).pluck().get());
  }

  #run(sql: string): number {
    return this.#client.prepare(sql).run().changes;
  }
}

/** The condition that a row of `m` and one of `n` have the same key. */
function isSame(key: string | string[]): string {
  return [key]
    .flat()
    .map((column) => `m.${column} = n.${column}`)
    .join(" AND ");
}
