/**
 * What happens to the rows of each table in a restore, an erasure, a reset of one workspace and over time. The code of each
 * reads it here. A planned move carries every table as it is. A test names a table that is missing.
 */

/** Those that the replaced database has and the backup does not are added; these columns of the others follow it too. */
interface Follows {
  follows: readonly string[] | "all";
}

interface TablePolicy {
  /**
   * Of a restore that merges the replaced database. `backup`: as backed up. `newer`: those of the replaced database.
   * `merged`: `backup/merge-newer.ts` has a function for it.
   */
  restore: "backup" | "newer" | "merged" | Follows;
  /**
   * Of the erasure of a contact. `nobody`: they name no contact. `deleted`: those with its `contact_id`. `removed`: by
   * statements of their own in `domain/erasure`. `mentions`: all are searched, and those that name it are emptied.
   * `emptied`: by statements of their own too. `domain/erasure/person-columns.ts` says which columns are emptied.
   */
  person: "nobody" | "deleted" | "removed" | "mentions" | "emptied";
  /** Of a workspace's reset. `workspace`: found by `workspace_id` or a reference. `listed`: found by a condition of its own. */
  reset: "workspace" | "listed" | "server";
  /**
   * `always`: housekeeping deletes none. An `Expiry`: it deletes those whose column is older. Otherwise the tasks of
   * `server/housekeeping.ts` that delete or empty old ones.
   */
  kept: "always" | Expiry | readonly string[];
}

interface Expiry {
  column: string;
  afterMs: number;
}

const DAY_MS = 24 * 60 * 60_000;

function after(column: string, afterMs: number): Expiry {
  return { column, afterMs };
}

/** In the order in which a restore merges them. */
export const tablePolicies = {
  // Workspaces, users, money.
  workspaces: {
    restore: { follows: ["suspended_at", "suspended_reason", "api_enabled"] },
    person: "nobody",
    reset: "listed",
    kept: "always",
  },
  ledger_entries: { restore: { follows: [] }, person: "nobody", reset: "workspace", kept: "always" },
  billing_accounts: {
    restore: { follows: ["credited", "held", "charged"] },
    person: "nobody",
    reset: "workspace",
    kept: "always",
  },
  api_keys: { restore: { follows: ["revoked_at"] }, person: "nobody", reset: "workspace", kept: "always" },
  key_requests: { restore: "backup", person: "nobody", reset: "workspace", kept: ["key_requests"] },
  key_request_days: { restore: "backup", person: "nobody", reset: "workspace", kept: after("day", 8 * DAY_MS) },
  key_request_runs: { restore: "backup", person: "nobody", reset: "server", kept: after("written_at", 7 * DAY_MS) },
  // Disabled users stay disabled, and a replaced password or second factor does not return.
  users: {
    restore: { follows: ["password", "totp_secret", "totp_pending", "totp_step", "disabled_at", "is_operator"] },
    person: "nobody",
    reset: "server",
    kept: "always",
  },
  memberships: { restore: "newer", person: "nobody", reset: "workspace", kept: "always" },
  user_links: { restore: "newer", person: "nobody", reset: "workspace", kept: "always" },
  sessions: { restore: "newer", person: "nobody", reset: "server", kept: after("expires_at", 0) },
  known_devices: { restore: "newer", person: "nobody", reset: "server", kept: after("expires_at", 0) },
  recovery_codes: { restore: "newer", person: "nobody", reset: "server", kept: "always" },
  sign_in_attempts: { restore: "newer", person: "nobody", reset: "server", kept: after("last_at", DAY_MS) },
  form_answers: { restore: "newer", person: "emptied", reset: "server", kept: after("created_at", DAY_MS) },
  audit_log: { restore: { follows: ["subject", "details"] }, person: "mentions", reset: "workspace", kept: "always" },
  kept_keys: { restore: "newer", person: "nobody", reset: "server", kept: "always" },
  // Pending deliveries are merged, so the address that they are meant for must be too.
  webhooks: {
    restore: {
      follows: [
        ...["secret", "previous_secret", "previous_until"],
        ...["url", "types", "consecutive_timeouts", "forward_url", "disabled_at", "key_id", "group_bursts_ms"],
      ],
    },
    person: "nobody",
    reset: "workspace",
    kept: "always",
  },
  // An address that was removed must not receive again.
  further_webhooks: { restore: "newer", person: "nobody", reset: "workspace", kept: "always" },
  // Numbers. One that was removed frees its place; an address that was renewed or removed must not work again.
  portfolios: { restore: "merged", person: "nobody", reset: "server", kept: "always" },
  numbers: {
    restore: {
      follows: [
        ...["removed_at", "ready", "unready_reason", "access_token", "app_secret"],
        ...["shared_since", "shared_with", "routed_since", "standby_since"],
      ],
    },
    person: "emptied",
    reset: "workspace",
    kept: "always",
  },
  callback_addresses: { restore: "newer", person: "nobody", reset: "workspace", kept: "always" },
  // A token that was discarded since the backup must not return.
  connection_drafts: {
    restore: "newer",
    person: "nobody",
    reset: "workspace",
    kept: after("updated_at", 30 * DAY_MS),
  },
  // A state that was used since the backup must not work again.
  sign_ups: { restore: "newer", person: "nobody", reset: "workspace", kept: after("created_at", DAY_MS) },
  callback_verifications: { restore: "newer", person: "nobody", reset: "workspace", kept: "always" },
  simulated_profiles: { restore: "backup", person: "nobody", reset: "workspace", kept: "always" },
  account_syncs: { restore: "backup", person: "nobody", reset: "workspace", kept: "always" },
  connections: { restore: "backup", person: "nobody", reset: "workspace", kept: "always" },
  network_health: { restore: { follows: ["message"] }, person: "emptied", reset: "workspace", kept: "always" },
  unlisted_refusals: { restore: "newer", person: "emptied", reset: "workspace", kept: "always" },
  number_notices: { restore: "backup", person: "nobody", reset: "workspace", kept: "always" },
  number_states: { restore: "backup", person: "nobody", reset: "workspace", kept: "always" },
  // As number_states and templates: the next comparison finds what has changed since the backup.
  network_changes: { restore: "backup", person: "nobody", reset: "workspace", kept: after("at", 400 * DAY_MS) },
  sample_uploads: { restore: "backup", person: "nobody", reset: "workspace", kept: "always" },
  // A submission that was made since the backup counts, and one that was open may have arrived.
  template_submissions: {
    restore: "newer",
    person: "nobody",
    reset: "workspace",
    kept: after("created_at", 40 * DAY_MS),
  },
  // A draft that was sent since the backup must not be sent again.
  template_drafts: {
    restore: "newer",
    person: "nobody",
    reset: "workspace",
    kept: after("updated_at", 90 * DAY_MS),
  },
  templates: { restore: { follows: ["status_reason"] }, person: "emptied", reset: "workspace", kept: "always" },
  // People. Profiles are as backed up, except those of people who were erased since.
  contact_people: { restore: "merged", person: "deleted", reset: "workspace", kept: "always" },
  contacts: { restore: "merged", person: "emptied", reset: "workspace", kept: "always" },
  contact_network_ids: { restore: "newer", person: "deleted", reset: "workspace", kept: "always" },
  // One that was open when the backup was made continues: its job is in the backup.
  contact_joins: { restore: "backup", person: "deleted", reset: "workspace", kept: "always" },
  different_people: { restore: "newer", person: "deleted", reset: "workspace", kept: "always" },
  former_phones: { restore: "newer", person: "deleted", reset: "workspace", kept: "always" },
  contact_tags: { restore: "backup", person: "deleted", reset: "workspace", kept: "always" },
  group_members: { restore: "backup", person: "deleted", reset: "workspace", kept: "always" },
  contact_fields: { restore: "backup", person: "deleted", reset: "workspace", kept: "always" },
  consent_log: { restore: { follows: ["evidence"] }, person: "emptied", reset: "workspace", kept: "always" },
  erased_opt_outs: { restore: { follows: [] }, person: "nobody", reset: "workspace", kept: "always" },
  // One that had begun continues, and what it erased stays erased. Nothing names the person once it has ended.
  erasures: { restore: "newer", person: "removed", reset: "workspace", kept: after("ended_at", 30 * DAY_MS) },
  // The archives on disk are those of the replaced database.
  hand_outs: { restore: "newer", person: "deleted", reset: "workspace", kept: "always" },
  contact_counters: { restore: "backup", person: "nobody", reset: "workspace", kept: "always" },
  contact_update_mutes: { restore: "backup", person: "nobody", reset: "workspace", kept: "always" },
  custom_fields: { restore: "backup", person: "nobody", reset: "workspace", kept: "always" },
  tags: { restore: "backup", person: "nobody", reset: "workspace", kept: "always" },
  groups: { restore: "backup", person: "nobody", reset: "workspace", kept: "always" },
  imports: { restore: "backup", person: "nobody", reset: "workspace", kept: "always" },
  bulk_changes: { restore: "backup", person: "nobody", reset: "workspace", kept: after("updated_at", 7 * DAY_MS) },
  // They go with their bulk change.
  bulk_people: { restore: "backup", person: "nobody", reset: "workspace", kept: "always" },
  contact_views: { restore: "newer", person: "nobody", reset: "workspace", kept: "always" },
  // Broadcasts and messages. A draft that was sent since the backup must not be sent again.
  broadcasts: { restore: { follows: "all" }, person: "emptied", reset: "workspace", kept: "always" },
  broadcast_counters: { restore: { follows: "all" }, person: "emptied", reset: "workspace", kept: "always" },
  broadcast_drafts: { restore: "newer", person: "emptied", reset: "workspace", kept: ["drafts"] },
  messages: { restore: "merged", person: "emptied", reset: "listed", kept: ["messages", "recipients"] },
  // What a scheduled message is made of: it goes when the message is sent or over.
  scheduled_messages: { restore: "newer", person: "deleted", reset: "workspace", kept: "always" },
  // Where to look for messages: they hold ids alone, and each goes with its message.
  network_ids: { restore: "merged", person: "nobody", reset: "listed", kept: ["messages", "recipients"] },
  recent_network_ids: { restore: "backup", person: "nobody", reset: "listed", kept: ["messages", "recipients"] },
  contact_messages: { restore: "merged", person: "nobody", reset: "listed", kept: ["messages", "recipients"] },
  recent_recipients: { restore: "newer", person: "nobody", reset: "workspace", kept: "always" },
  recent_recipient_counts: { restore: "backup", person: "nobody", reset: "workspace", kept: "always" },
  portfolio_recipients: { restore: "newer", person: "emptied", reset: "workspace", kept: "always" },
  network_usage: { restore: "newer", person: "nobody", reset: "workspace", kept: "always" },
  key_people: { restore: "newer", person: "nobody", reset: "workspace", kept: ["key_days"] },
  key_days: { restore: "newer", person: "nobody", reset: "workspace", kept: ["key_days"] },
  idempotency_keys: { restore: "newer", person: "mentions", reset: "workspace", kept: ["keys"] },
  parked_statuses: { restore: "newer", person: "removed", reset: "workspace", kept: ["parked"] },
  parked_status_counts: { restore: "backup", person: "nobody", reset: "workspace", kept: "always" },
  provider_requests: { restore: "newer", person: "removed", reset: "listed", kept: ["provider_requests"] },
  // What people wrote. The files on disk are those of the replaced database; triggers count inserted rows as unread.
  inbounds: {
    restore: { follows: ["type", "text", "details", "network_message_id", "origin"] },
    person: "emptied",
    reset: "workspace",
    kept: ["inbounds"],
  },
  echoes: {
    restore: { follows: ["type", "text", "details", "network_message_id", "status"] },
    person: "emptied",
    reset: "workspace",
    kept: ["echoes"],
  },
  media_files: { restore: "newer", person: "removed", reset: "workspace", kept: ["media"] },
  media: { restore: "newer", person: "emptied", reset: "workspace", kept: ["media"] },
  media_usage: { restore: "backup", person: "nobody", reset: "workspace", kept: "always" },
  uploads: { restore: "newer", person: "removed", reset: "workspace", kept: ["uploads"] },
  network_uploads: { restore: "newer", person: "removed", reset: "workspace", kept: ["uploads"] },
  upload_people: { restore: "newer", person: "deleted", reset: "workspace", kept: ["uploads"] },
  upload_days: { restore: "newer", person: "nobody", reset: "workspace", kept: after("began_at", 3 * DAY_MS) },
  user_upload_days: { restore: "newer", person: "nobody", reset: "workspace", kept: after("began_at", 3 * DAY_MS) },
  conversations: { restore: "newer", person: "deleted", reset: "workspace", kept: "always" },
  ai_notices: { restore: "newer", person: "deleted", reset: "workspace", kept: after("window_until", 30 * DAY_MS) },
  away_days: { restore: "newer", person: "deleted", reset: "workspace", kept: after("created_at", 30 * DAY_MS) },
  number_days: { restore: "newer", person: "nobody", reset: "workspace", kept: after("day", 30 * DAY_MS) },
  quick_replies: { restore: "newer", person: "nobody", reset: "workspace", kept: "always" },
  conversation_notes: { restore: "newer", person: "deleted", reset: "workspace", kept: "always" },
  // One that was sent or emptied since the backup must not be sent again.
  conversation_drafts: {
    restore: "newer",
    person: "deleted",
    reset: "workspace",
    kept: after("changed_at", 30 * DAY_MS),
  },
  note_mentions: { restore: "newer", person: "deleted", reset: "workspace", kept: "always" },
  // One that a crash interrupted must not look as if it had never been made.
  thread_calls: {
    restore: "newer",
    person: "deleted",
    reset: "workspace",
    kept: after("asked_at", 30 * DAY_MS),
  },
  blocks: { restore: "newer", person: "deleted", reset: "workspace", kept: "always" },
  simulated_blocks: { restore: "newer", person: "deleted", reset: "workspace", kept: "always" },
  history_imports: { restore: "newer", person: "nobody", reset: "workspace", kept: "always" },
  phone_contacts: { restore: "newer", person: "deleted", reset: "workspace", kept: "always" },
  // Events.
  events: { restore: { follows: ["body"] }, person: "mentions", reset: "workspace", kept: ["events"] },
  deliveries: { restore: "merged", person: "nobody", reset: "workspace", kept: ["events"] },
  burst_events: { restore: { follows: [] }, person: "nobody", reset: "workspace", kept: ["events"] },
  bursts: { restore: "newer", person: "deleted", reset: "workspace", kept: after("until", 0) },
  delivery_attempts: { restore: { follows: ["response"] }, person: "emptied", reset: "workspace", kept: ["events"] },
  // What the network sent, and jobs.
  callbacks: {
    restore: { follows: ["done_at", "note", "body", "state"] },
    person: "mentions",
    reset: "listed",
    kept: ["callbacks"],
  },
  callback_marks: { restore: "backup", person: "nobody", reset: "listed", kept: ["callbacks"] },
  refusals: { restore: "backup", person: "nobody", reset: "listed", kept: after("at", 7 * DAY_MS) },
  refused_callbacks: { restore: "backup", person: "nobody", reset: "listed", kept: after("hour", 7 * DAY_MS) },
  unused_items: { restore: "backup", person: "nobody", reset: "server", kept: after("hour", 7 * DAY_MS) },
  outbox: { restore: "merged", person: "nobody", reset: "listed", kept: "always" },
  // The search index: copies omit it, a reset of any kind empties it, and the indexer fills it again.
  search_index: {
    restore: "backup",
    person: "removed",
    reset: "server",
    kept: ["messages", "inbounds", "echoes"],
  },
  search_cursors: { restore: "backup", person: "nobody", reset: "server", kept: "always" },
  // The server itself.
  instance: { restore: "backup", person: "nobody", reset: "server", kept: "always" },
  acme_accounts: { restore: "backup", person: "nobody", reset: "server", kept: "always" },
  certificates: { restore: "backup", person: "nobody", reset: "server", kept: "always" },
  untrusted_proxies: { restore: "backup", person: "nobody", reset: "server", kept: "always" },
} as const satisfies Record<string, TablePolicy>;

type Policies = typeof tablePolicies;
export type TableName = keyof Policies;

/** The tables whose policy has this value. */
export type TablesWith<Aspect extends keyof TablePolicy, Value> = {
  [Name in TableName]: Policies[Name][Aspect] extends Value ? Name : never;
}[TableName];

export type RetentionTask = Exclude<Policies[TableName]["kept"], "always" | Expiry>[number];

export const tableNames = Object.keys(tablePolicies) as TableName[];

export function tablesWith<Aspect extends keyof TablePolicy, const Value extends TablePolicy[Aspect]>(
  aspect: Aspect,
  value: Value,
): TablesWith<Aspect, Value>[] {
  return tableNames.filter((name): name is TablesWith<Aspect, Value> => tablePolicies[name][aspect] === value);
}
