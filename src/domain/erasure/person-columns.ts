/**
 * What an erasure does with each column of the tables whose rows outlive the person. The statements of the erasure
 * follow from this list, and a test compares it with the schema and with what a restore merges: a new column is kept by
 * name, or it is emptied.
 */
import { type SQL, sql } from "drizzle-orm";
import type { TablesWith } from "#src/db/table-policies.ts";
import type { Tx } from "#src/db/transaction.ts";
import { profileNames } from "../contacts/profile-fields.ts";
import { ERASED } from "../messages/message.ts";

/** By column, the SQL expression that replaces its value. */
type Emptied = Readonly<Record<string, string>>;

interface PersonColumns {
  kept: readonly string[];
  emptied: Emptied;
  /** Emptied by code, because what stays depends on the value. */
  rewritten?: readonly string[];
}

const ERASED_TEXT = `'${ERASED}'`;

function toNull(...columns: string[]): Emptied {
  return Object.fromEntries(columns.map((column) => [column, "NULL"]));
}

/** The network's ids encode the phone number. */
const emptiedOfInbound = {
  ...toNull("details"),
  text: ERASED_TEXT,
  network_message_id: "'erased-' || id",
};

export const personColumns = {
  // The row stays, empty and unlisted, because messages and counters refer to it.
  contacts: {
    kept: [
      ...["id", "workspace_id", "created_at", "updated_at", "told_at"],
      ...["consent", "consent_source", "consent_at", "stop_said_at", "start_said_at"],
    ],
    emptied: toNull(
      ...["phone", "network_user_id", "network_portfolio", "username", "identity_id", ...profileNames],
      ...["may_want_to_stop_since", "may_want_to_stop_said_at", "last_message_at"],
      ...["window_opened_at", "window_closed_at"],
    ),
  },
  consent_log: {
    kept: ["id", "workspace_id", "contact_id", "was", "became", "source", "at"],
    emptied: { evidence: "'{}'" },
  },
  // A finished broadcast has no link.
  broadcasts: {
    kept: [
      ...["id", "workspace_id", "number_id", "name", "status", "pause_cause", "resume_at", "network_pauses"],
      ...["template_name", "template_language", "template_category", "template_format", "template_components"],
      ...["template_order", "is_built", "built_after_id", "is_failing_unsent", "is_unsent_skipped", "purged_at"],
      ...["media_link", "from_phone", "group_id", "day_starts_at", "day_ends_at", "requested"],
      ...["budget_key_id", "budget_day", "budget_reserved", "send_at", "due_since", "waits_until", "waits_for"],
      ...["created_at", "started_at", "completed_at", "again_of", "is_again_unknown"],
    ],
    emptied: {},
    rewritten: ["status_reason", "variables", "media_filename", "parts"],
  },
  broadcast_counters: {
    kept: [
      ...["broadcast_id", "workspace_id", "pending", "sending", "sent", "delivered", "read"],
      ...["failed", "skipped", "is_charged", "rate", "is_held", "held", "booked"],
      ...["charged", "is_finished", "settled_at", "last_sent_at", "answer_code", "answer_repeats", "status_code"],
      ...["status_repeats", "resumed_at", "held_back", "held_back_until"],
    ],
    emptied: {},
    rewritten: ["refusal_message", "reported_refusal", "refusals"],
  },
  broadcast_drafts: {
    kept: [
      ...["id", "workspace_id", "user_id", "created_at", "updated_at", "broadcast_id", "changes_id"],
      ...["again_of", "is_again_unknown"],
    ],
    emptied: {},
    rewritten: ["content"],
  },
  messages: {
    kept: [
      ...["id", "workspace_id", "number_id", "contact_id", "origin", "broadcast_id", "type", "from_phone"],
      ...["template_name", "template_language", "template_category", "status", "outcome_unknown", "send_token"],
      ...[
        "error_code",
        "charged",
        "rate",
        "money",
        "created_at",
        "not_before",
        "throttled_since",
        "network_refusals",
        "fell_back",
      ],
      ...["dispatched_at", "sent_at", "delivered_at", "read_at", "failed_at", "pricing", "held_back", "network_type"],
      ...["reply_to", "send_at", "automated", "sender_name", "by_ai"],
    ],
    emptied: {
      // Texts of the caller's choice may name the person.
      ...toNull("variables", "content", "network_message_id", "reference", "idempotency_key"),
      to_phone: ERASED_TEXT,
      text: ERASED_TEXT,
      error_message: `iif(error_message IS NULL, NULL, ${ERASED_TEXT})`,
    },
  },
  // They still count against the network's limit, under no name.
  portfolio_recipients: {
    kept: ["portfolio_id", "workspace_id", "last_at"],
    emptied: {},
    rewritten: ["person"],
  },
  inbounds: {
    kept: ["id", "workspace_id", "number_id", "contact_id", "type", "received_at", "created_at", "origin"],
    emptied: emptiedOfInbound,
  },
  echoes: {
    kept: ["id", "workspace_id", "number_id", "contact_id", "origin", "type", "status", "sent_at", "created_at"],
    emptied: emptiedOfInbound,
  },
  media: {
    kept: [
      ...["id", "workspace_id", "number_id", "inbound_id", "state", "attempt_count", "waiting_since", "event_seq"],
      ...["is_silent", "created_at", "file_id"],
    ],
    emptied: { ...toNull("mime_type", "sha256", "filename", "reason"), network_media_id: "''" },
  },
  delivery_attempts: {
    kept: ["delivery_id", "id", "url", "attempted_at", "duration_ms", "status_code", "error"],
    // Receivers may repeat the body.
    emptied: toNull("response"),
  },
  // The network's words about a refusal may name the person: see `refusalTexts`.
  unlisted_refusals: {
    kept: ["number_id", "kind", "source", "code", "people", "began_at", "changed_at"],
    emptied: { message: ERASED_TEXT },
  },
  network_health: {
    kept: [
      ...["number_id", "state", "source", "answer_failures", "status_failures", "changed_at", "recovered_at"],
      ...["successes", "good_probes", "probed_at"],
    ],
    emptied: { message: ERASED_TEXT },
  },
  numbers: {
    kept: [
      ...["id", "workspace_id", "phone", "name", "network", "provider", "api_url", "throughput", "throughput_given"],
      ...["portfolio_id", "given_portfolio", "ready", "account_id", "phone_number_id", "access_token", "app_secret"],
      ...["sends_proof", "created_at", "removed_at", "unready_by", "ready_at", "shared_since", "shared_with"],
      ...["routed_since", "standby_since"],
    ],
    emptied: { unready_reason: ERASED_TEXT },
  },
  templates: {
    kept: [
      ...["id", "workspace_id", "account_id", "name", "language", "category", "status", "components"],
      ...["parameter_format", "sample_link", "created_at", "updated_at", "network_status", "status_at", "quality"],
      ...["parameter_order", "was_approved", "category_change", "category_change_at", "network_id", "generated"],
    ],
    emptied: { status_reason: ERASED_TEXT },
  },
  // Answers of the console, kept for a user who sends a form again.
  form_answers: {
    kept: ["user_id", "key", "fingerprint", "status", "created_at"],
    emptied: { body: `'{"data":null}'` },
  },
  audit_log: {
    kept: ["id", "at", "user_id", "workspace_id", "action", "address"],
    emptied: { subject: ERASED_TEXT, details: "'{}'" },
  },
  // A hash stands for the key: it keeps the same request from sending again.
  idempotency_keys: {
    kept: ["id", "workspace_id", "fingerprint", "message_id", "status", "created_at"],
    emptied: {},
    rewritten: ["key", "body"],
  },
  events: { kept: ["seq", "id", "workspace_id", "type", "created_at"], emptied: {}, rewritten: ["body"] },
  callbacks: {
    kept: ["id", "network", "received_at", "due_at", "done_at", "note", "trust", "state"],
    emptied: {},
    rewritten: ["body"],
  },
} as const satisfies Record<TablesWith<"person", "emptied" | "mentions">, PersonColumns>;

export type PersonTable = keyof typeof personColumns;

/** What stopped a number or a template, or troubles the network, in the network's words: the table and its one column that goes. */
export const refusalTexts = {
  unlisted_refusals: "message",
  network_health: "message",
  numbers: "unready_reason",
  templates: "status_reason",
} as const satisfies { [Table in PersonTable]?: keyof (typeof personColumns)[Table]["emptied"] };

/** Empties the rows of the table that `condition` selects. */
export function emptyRows(tx: Tx, table: PersonTable, condition: SQL): void {
  const sets = Object.entries<string>(personColumns[table].emptied).map(([column, value]) => `${column} = ${value}`);
  tx.db.run(sql`UPDATE ${sql.raw(table)} SET ${sql.raw(sets.join(", "))} WHERE ${condition}`);
}
