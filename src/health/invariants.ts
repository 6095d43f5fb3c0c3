/**
 * What must hold in a database at every commit, as data: a name, a sentence, a query for violations, and the next step.
 * A query returns one row per violation, with its `id` first. Each query is one statement, so it sees a single state
 * even while the server is running. A query that reads a whole large table runs in slices (`walk`), so that no read
 * holds back the WAL for long. A new module adds its invariants here.
 */
export interface Invariant {
  readonly name: string;
  /** True in a healthy database. */
  readonly sentence: string;
  /** What the `id`s identify. */
  readonly of: string;
  /**
   * May use `@now`, milliseconds. With `walk`, it runs once per slice of that table and must restrict its rows to
   * `id > @from AND id <= @to`.
   */
  readonly sql: string;
  readonly walk?: "messages" | "contacts" | "deliveries" | "conversations";
  /** What to do if it is violated. */
  readonly next: string;
}

/** How long a message may be open without a job that expires it: far longer than any send takes. */
const DISPATCH_MAX_MS = 3_600_000;

const restoreOrReport = "compare it with the last good backup (waxwing check FILE), and report it";
const restart = "restart the server: it reclaims open work at its start";

export const invariants: readonly Invariant[] = [
  {
    name: "one_instance",
    sentence: "The database has exactly one instance id.",
    of: "instance",
    sql: "SELECT 0 AS id WHERE (SELECT count(*) FROM instance) > 1",
    next: restoreOrReport,
  },
  {
    name: "account_equals_ledger",
    sentence:
      "The credited and charged amounts of an account equal the credits and charges of its ledger plus the charges of unsettled broadcasts.",
    of: "workspace",
    sql: `SELECT a.workspace_id AS id FROM billing_accounts a LEFT JOIN (
            SELECT workspace_id, sum(amount) FILTER (WHERE kind = 'credit') AS credited,
                   sum(amount) FILTER (WHERE kind = 'charge') AS charged
            FROM ledger_entries GROUP BY workspace_id
          ) l ON l.workspace_id = a.workspace_id
          WHERE a.credited <> coalesce(l.credited, 0) OR a.charged <> coalesce(l.charged, 0) + coalesce((SELECT sum(charged) FROM broadcast_counters f
               WHERE f.workspace_id = a.workspace_id AND f.settled_at IS NULL), 0)`,
    next: restoreOrReport,
  },
  {
    name: "held_equals_open_messages",
    sentence:
      "The held amount of an account equals the prices of its messages with a hold plus the holds of its broadcasts.",
    of: "workspace",
    sql: `SELECT a.workspace_id AS id FROM billing_accounts a LEFT JOIN (
            SELECT workspace_id, sum(rate) AS held FROM messages WHERE money = 'held' AND broadcast_id IS NULL GROUP BY workspace_id
          ) m ON m.workspace_id = a.workspace_id
          WHERE a.held <> coalesce(m.held, 0) + coalesce((SELECT sum(held) FROM broadcast_counters f
               WHERE f.workspace_id = a.workspace_id), 0)`,
    next: restoreOrReport,
  },
  {
    name: "counters_equal_recipients",
    sentence:
      "The counters of a broadcast match its recipients; unsent recipients of a finished broadcast count as skipped.",
    of: "broadcast",
    sql: `SELECT f.broadcast_id AS id FROM broadcast_counters f
          JOIN broadcasts b ON b.id = f.broadcast_id AND b.purged_at IS NULL
          LEFT JOIN (
            SELECT broadcast_id, sum(status IN ('pending', 'queued')) AS waiting, sum(status = 'sending') AS sending,
                   sum(status IN ('sent', 'delivered', 'read')) AS sent, sum(status IN ('delivered', 'read')) AS delivered,
                   sum(status = 'read') AS read, sum(status = 'failed') AS failed, sum(status = 'skipped') AS skipped,
                   sum(status = 'sent' AND held_back IS 1) AS held_back
            FROM messages WHERE broadcast_id IS NOT NULL GROUP BY broadcast_id
          ) m ON m.broadcast_id = f.broadcast_id
          WHERE f.pending <> iif(f.is_finished, 0, coalesce(m.waiting, 0))
             OR f.skipped <> coalesce(m.skipped, 0) + iif(f.is_finished, coalesce(m.waiting, 0), 0)
             OR f.sending <> coalesce(m.sending, 0) OR f.sent <> coalesce(m.sent, 0)
             OR f.delivered <> coalesce(m.delivered, 0) OR f.read <> coalesce(m.read, 0)
             OR f.failed <> coalesce(m.failed, 0) OR f.held_back <> coalesce(m.held_back, 0)`,
    next: restoreOrReport,
  },
  {
    name: "key_budgets_equal_people",
    sentence:
      "A day of an API key with a budget counts the people whom the key has messaged, and what open broadcasts have reserved.",
    of: "API key",
    sql: `SELECT d.key_id AS id FROM key_days d
          WHERE d.people <> (SELECT count(*) FROM key_people p WHERE p.key_id = d.key_id AND p.day = d.day)
             OR d.reserved <> coalesce((SELECT sum(b.budget_reserved) FROM broadcasts b
               WHERE b.budget_key_id = d.key_id AND b.budget_day = d.day), 0)`,
    next: restoreOrReport,
  },
  {
    name: "broadcast_cost_matches_counters",
    sentence:
      "A broadcast has charged its delivered messages and holds the price of every open one, except those revived after a failure; a settled broadcast holds nothing.",
    of: "broadcast",
    sql: `SELECT broadcast_id AS id FROM broadcast_counters
          WHERE charged <> rate * delivered
             OR (settled_at IS NOT NULL AND held <> 0)
             OR (settled_at IS NULL AND is_held AND held > rate * (pending + sending + sent - delivered))
             OR (settled_at IS NULL AND is_held AND held < rate * (pending + sending + sent - delivered - (
                   SELECT count(*) FROM messages
                   WHERE messages.broadcast_id = broadcast_counters.broadcast_id AND status = 'sent' AND money = 'released')))`,
    next: restoreOrReport,
  },
  {
    name: "ledger_equals_messages",
    sentence: "The ledger of a message has one hold and at most one release or charge, which ends it.",
    of: "message",
    sql: `SELECT l.message_id AS id FROM (
            SELECT message_id, sum(kind = 'hold') AS holds, sum(kind = 'release') AS releases,
                   sum(kind = 'charge') AS charges, min(amount) <> max(amount) AS differs
            FROM ledger_entries WHERE message_id IS NOT NULL AND broadcast_id IS NULL GROUP BY message_id
          ) l LEFT JOIN messages m ON m.id = l.message_id
          WHERE l.holds <> 1 OR l.releases > 1 OR l.charges > 1 OR l.differs
             OR (m.id IS NULL AND l.releases + l.charges = 0)
             OR (m.money = 'none')
             OR (m.money = 'held' AND l.releases + l.charges > 0)
             OR (m.money = 'charged' AND l.charges <> 1)
             OR (m.money = 'released' AND (l.releases <> 1 OR l.charges <> 0))`,
    next: restoreOrReport,
  },
  {
    name: "money_has_its_ledger",
    sentence: "Every charged message has a hold in the ledger.",
    of: "message",
    sql: `SELECT id FROM messages WHERE money <> 'none' AND broadcast_id IS NULL
          EXCEPT SELECT message_id FROM ledger_entries WHERE kind = 'hold'`,
    next: restoreOrReport,
  },
  {
    name: "money_fits_state",
    sentence:
      "The money of a message matches its state: held while open, charged when delivered, released when failed.",
    of: "message",
    walk: "messages",
    sql: `SELECT id FROM messages WHERE id > @from AND id <= @to AND broadcast_id IS NULL AND (
            (money = 'none') <> (rate = 0)
            OR (money = 'held' AND status NOT IN ('pending', 'queued', 'sending', 'sent'))
            OR (money = 'charged' AND status NOT IN ('delivered', 'read'))
            OR (money = 'released' AND status NOT IN ('sent', 'failed', 'skipped')))`,
    next: restoreOrReport,
  },
  {
    name: "times_fit_state",
    sentence: "A message has the times and the error of its state, in order.",
    of: "message",
    walk: "messages",
    sql: `SELECT id FROM messages WHERE id > @from AND id <= @to AND (
            (status IN ('sent', 'delivered', 'read') AND sent_at IS NULL)
            OR (status IN ('delivered', 'read') AND delivered_at IS NULL)
            OR (status = 'read' AND read_at IS NULL)
            OR (status = 'failed' AND (failed_at IS NULL OR error_code IS NULL))
            OR (status NOT IN ('failed', 'skipped') AND error_code IS NOT NULL)
            OR (status NOT IN ('failed', 'sending') AND outcome_unknown = 1)
            -- Of a broadcast, or scheduled: another copy of this database may have sent it.
            OR (status IN ('sending', 'sent', 'delivered', 'read') AND dispatched_at IS NULL
                AND broadcast_id IS NULL AND send_at IS NULL)
            OR (status IN ('pending', 'queued', 'sending') AND (sent_at IS NOT NULL OR delivered_at IS NOT NULL))
            OR delivered_at < sent_at OR read_at < delivered_at)`,
    next: restoreOrReport,
  },
  {
    name: "messages_are_found",
    sentence: "A message is found by the network's id.",
    of: "message",
    walk: "messages",
    sql: `SELECT id FROM messages WHERE id > @from AND id <= @to AND network_message_id IS NOT NULL
          AND NOT EXISTS (SELECT 1 FROM network_ids
            WHERE hash = text_hash(messages.network_message_id) AND message_id = messages.id)
          AND id NOT IN (SELECT message_id FROM recent_network_ids)`,
    next: restoreOrReport,
  },
  {
    name: "messages_of_people_are_found",
    sentence: "A message has its contact, and a single message is found by it.",
    of: "message",
    walk: "messages",
    sql: `SELECT id FROM messages WHERE id > @from AND id <= @to AND contact_id IS NOT NULL AND (
            NOT EXISTS (SELECT 1 FROM contacts WHERE id = messages.contact_id)
            OR (broadcast_id IS NULL AND dispatched_at IS NOT NULL
              AND id <= (SELECT contact_messages_until FROM instance WHERE id = 1)
              AND NOT EXISTS (SELECT 1 FROM contact_messages
                WHERE contact_id = messages.contact_id AND dispatched_at = messages.dispatched_at
                  AND message_id = messages.id)))`,
    next: restoreOrReport,
  },
  {
    name: "in_doubt_expires",
    // A killed server's open messages get their job at the next start, so compare with the file's last commit, not with
    // now. In a copy made before the first commit was recorded (null), nothing tells.
    sentence: "A message that was open for over an hour at the last commit has a job that will end it.",
    of: "message",
    sql: `SELECT id FROM messages WHERE status IN ('queued', 'sending') AND broadcast_id IS NULL
          AND coalesce(dispatched_at, created_at)
              < min(@now, (SELECT last_commit_at FROM instance)) - ${DISPATCH_MAX_MS}
          AND NOT EXISTS (SELECT 1 FROM outbox WHERE kind = 'expire_message' AND subject = messages.id)`,
    next: restart,
  },
  {
    name: "scheduled_messages_are_whole",
    sentence: "A scheduled message that waits has what it is made of, and a job that sends it.",
    of: "message",
    walk: "messages",
    sql: `SELECT id FROM messages WHERE id > @from AND id <= @to AND send_at IS NOT NULL AND status = 'pending' AND (
            NOT EXISTS (SELECT 1 FROM scheduled_messages WHERE message_id = messages.id)
            OR NOT EXISTS (SELECT 1 FROM outbox WHERE kind = 'send_message' AND subject = messages.id))`,
    next: restoreOrReport,
  },
  {
    name: "scheduled_messages_end",
    sentence: "What a scheduled message is made of is kept no longer than the message waits or is being sent.",
    of: "message",
    sql: `SELECT message_id AS id FROM scheduled_messages WHERE message_id NOT IN (
            SELECT id FROM messages WHERE send_at IS NOT NULL AND status IN ('pending', 'sending'))`,
    next: "nothing is lost; report it",
  },
  {
    name: "snoozes_end",
    sentence: "A conversation that is snoozed until a time has a job that opens it.",
    of: "conversation",
    walk: "conversations",
    sql: `SELECT id FROM conversations WHERE id > @from AND id <= @to AND snoozed_until IS NOT NULL
          AND NOT EXISTS (SELECT 1 FROM outbox WHERE kind = 'end_snooze' AND subject = conversations.id)`,
    next: "open it: its state can be changed in the inbox or by the API",
  },
  {
    name: "deliveries_have_work",
    sentence: "Every pending delivery has a job.",
    of: "delivery",
    walk: "deliveries",
    sql: `SELECT id FROM deliveries WHERE id > @from AND id <= @to AND status = 'pending'
          AND NOT EXISTS (SELECT 1 FROM outbox WHERE kind = 'deliver_webhook' AND subject = deliveries.id)`,
    next: "replay it: waxwing delivery replay ID",
  },
  {
    name: "work_has_its_subject",
    sentence: "Every job refers to an existing row.",
    of: "job",
    sql: `SELECT id FROM outbox WHERE
            (kind = 'deliver_webhook' AND NOT EXISTS (SELECT 1 FROM deliveries WHERE id = outbox.subject))
            OR (kind = 'expire_message' AND NOT EXISTS (SELECT 1 FROM messages WHERE id = outbox.subject))`,
    next: "nothing is lost; report it",
  },
  {
    name: "open_keys_have_messages",
    sentence: "An idempotency key without an answer belongs to an existing message.",
    of: "idempotency key",
    sql: `SELECT id FROM idempotency_keys WHERE status IS NULL
          AND NOT EXISTS (SELECT 1 FROM messages WHERE id = idempotency_keys.message_id)`,
    next: restoreOrReport,
  },
  {
    name: "contact_counters",
    sentence: "The counted totals of contacts and opt-outs match the rows.",
    of: "workspace",
    sql: `SELECT w.id FROM workspaces w LEFT JOIN contact_counters k ON k.workspace_id = w.id
          WHERE coalesce(k.contacts, 0) <>
                (SELECT count(*) FROM contacts WHERE workspace_id = w.id AND phone IS NOT NULL)
             OR coalesce(k.opted_out, 0) <> (SELECT count(*) FROM contacts
                WHERE workspace_id = w.id AND phone IS NOT NULL AND consent = 'opted_out')`,
    next: restoreOrReport,
  },
  {
    name: "member_counts",
    sentence: "The counted members of a static group match its rows.",
    of: "group",
    sql: `SELECT id FROM groups WHERE filter IS NULL
          AND member_count <> (SELECT count(*) FROM group_members WHERE group_id = groups.id)`,
    next: restoreOrReport,
  },
  {
    name: "parked_status_counts",
    sentence: "The counts of parked statuses match the rows.",
    of: "number",
    sql: `SELECT n.id FROM numbers n LEFT JOIN parked_status_counts k ON k.number_id = n.id
          WHERE coalesce(k.count, 0) <>
                (SELECT count(*) FROM parked_statuses WHERE number_id = n.id AND send_token IS NULL)`,
    next: restoreOrReport,
  },
  {
    name: "consent_equals_log",
    sentence: "A contact's consent equals the last entry of its consent log.",
    of: "contact",
    walk: "contacts",
    sql: `SELECT id FROM contacts WHERE id > @from AND id <= @to AND consent <> coalesce(
            (SELECT became FROM consent_log WHERE contact_id = contacts.id ORDER BY consent_log.id DESC LIMIT 1),
            'unknown')`,
    next: "opt the contact out if in doubt: POST /contacts/{phone}/opt-out; then report it",
  },
  {
    name: "linked_contacts_agree",
    sentence: "Linked contacts are either all opted out or none of them is.",
    of: "person",
    sql: `SELECT identity_id AS id FROM contacts WHERE identity_id IS NOT NULL GROUP BY identity_id
          HAVING min(consent = 'opted_out') <> max(consent = 'opted_out')`,
    next: "opt the person's contacts out if in doubt: POST /contacts/{phone}/opt-out; then report it",
  },
  {
    name: "opt_outs_are_dated",
    sentence: "Every opted-out contact has the time and the source of its opt-out.",
    of: "contact",
    walk: "contacts",
    sql: `SELECT id FROM contacts WHERE id > @from AND id <= @to AND consent = 'opted_out'
          AND (consent_at IS NULL OR consent_source IS NULL)`,
    next: restoreOrReport,
  },
  {
    name: "media_have_their_file",
    sentence: "A stored medium has a file, and a medium that is neither stored nor pending has none.",
    of: "medium",
    sql: `SELECT id FROM media WHERE (state = 'stored' AND file_id IS NULL)
             OR (state NOT IN ('stored', 'pending') AND file_id IS NOT NULL)`,
    next: restoreOrReport,
  },
  {
    name: "media_files_are_counted",
    sentence: "A file of media is counted once for each medium and each upload that has it.",
    of: "media file",
    sql: `SELECT f.id FROM media_files f
          LEFT JOIN (SELECT file_id, count(*) AS refs FROM media WHERE file_id IS NOT NULL GROUP BY file_id) m
            ON m.file_id = f.id
          LEFT JOIN (SELECT file_id, count(*) AS refs FROM uploads GROUP BY file_id) u ON u.file_id = f.id
          WHERE f.upload_refs <> coalesce(u.refs, 0) OR f.refs <> coalesce(m.refs, 0) + coalesce(u.refs, 0)`,
    next: restoreOrReport,
  },
  {
    name: "media_usage_equals_files",
    sentence: "The media usage of a workspace equals the bytes of its files, and of those that were uploaded.",
    of: "workspace",
    sql: `SELECT u.workspace_id AS id FROM media_usage u LEFT JOIN (
            SELECT workspace_id, sum(bytes) AS bytes, sum(iif(upload_refs > 0, bytes, 0)) AS upload_bytes
            FROM media_files GROUP BY workspace_id
          ) f ON f.workspace_id = u.workspace_id
          WHERE u.bytes <> coalesce(f.bytes, 0) OR u.upload_bytes <> coalesce(f.upload_bytes, 0)`,
    next: restoreOrReport,
  },
  {
    name: "pending_media_have_a_job",
    sentence: "A pending medium has a job that fetches it.",
    of: "medium",
    sql: `SELECT m.id FROM media m WHERE m.state = 'pending'
          AND NOT EXISTS (SELECT 1 FROM outbox o WHERE o.kind = 'fetch_media' AND o.subject = m.id)`,
    next: restart,
  },
];
