/** Every migration in order, embedded as text. A release may only append to this list. */
import initial from "../../migrations/0001_initial.sql" with { type: "text" };
import keyScopes from "../../migrations/0002_key_scopes.sql" with { type: "text" };
import agents from "../../migrations/0003_agents.sql" with { type: "text" };
import verifiedAddresses from "../../migrations/0004_verified_addresses.sql" with { type: "text" };
import parameterOrder from "../../migrations/0005_parameter_order.sql" with { type: "text" };
import staffMessages from "../../migrations/0006_staff_messages.sql" with { type: "text" };
import heldBack from "../../migrations/0007_held_back.sql" with { type: "text" };
import formerPhones from "../../migrations/0008_former_phones.sql" with { type: "text" };
import refusals from "../../migrations/0009_refusals.sql" with { type: "text" };
import secretOverlap from "../../migrations/0010_secret_overlap.sql" with { type: "text" };
import furtherWebhooks from "../../migrations/0011_further_webhooks.sql" with { type: "text" };
import messageKinds from "../../migrations/0012_message_kinds.sql" with { type: "text" };
import uploads from "../../migrations/0013_uploads.sql" with { type: "text" };
import connecting from "../../migrations/0014_connecting.sql" with { type: "text" };
import replyTo from "../../migrations/0015_reply_to.sql" with { type: "text" };
import requestLog from "../../migrations/0016_request_log.sql" with { type: "text" };
import windows from "../../migrations/0017_windows.sql" with { type: "text" };
import scheduledMessages from "../../migrations/0018_scheduled_messages.sql" with { type: "text" };
import groupBursts from "../../migrations/0019_group_bursts.sql" with { type: "text" };
import conversations from "../../migrations/0020_conversations.sql" with { type: "text" };
import templateParts from "../../migrations/0021_template_parts.sql" with { type: "text" };
import scheduledTake from "../../migrations/0022_scheduled_take.sql" with { type: "text" };
import marketingPath from "../../migrations/0023_marketing_path.sql" with { type: "text" };
import threadCalls from "../../migrations/0024_thread_calls.sql" with { type: "text" };
import conversationStates from "../../migrations/0025_conversation_states.sql" with { type: "text" };
import sharedNumbers from "../../migrations/0026_shared_numbers.sql" with { type: "text" };
import formFiles from "../../migrations/0027_form_files.sql" with { type: "text" };
import failures from "../../migrations/0028_failures.sql" with { type: "text" };
import directSend from "../../migrations/0029_direct_send.sql" with { type: "text" };
import categoryChanges from "../../migrations/0030_category_changes.sql" with { type: "text" };
import templateSubmissions from "../../migrations/0031_template_submissions.sql" with { type: "text" };
import userUploadDays from "../../migrations/0032_user_upload_days.sql" with { type: "text" };
import generatedTemplates from "../../migrations/0033_generated_templates.sql" with { type: "text" };
import awayMessages from "../../migrations/0034_away_messages.sql" with { type: "text" };
import quietHours from "../../migrations/0035_quiet_hours.sql" with { type: "text" };
import readReceipts from "../../migrations/0036_read_receipts.sql" with { type: "text" };
import templateDrafts from "../../migrations/0037_template_drafts.sql" with { type: "text" };
import quickReplies from "../../migrations/0038_quick_replies.sql" with { type: "text" };
import search from "../../migrations/0039_search.sql" with { type: "text" };
import networkChanges from "../../migrations/0040_network_changes.sql" with { type: "text" };
import importProgress from "../../migrations/0041_import_progress.sql" with { type: "text" };
import messageSenders from "../../migrations/0042_message_senders.sql" with { type: "text" };
import usageCountries from "../../migrations/0043_usage_countries.sql" with { type: "text" };
import workspaceRetention from "../../migrations/0044_workspace_retention.sql" with { type: "text" };
import personRequests from "../../migrations/0045_person_requests.sql" with { type: "text" };
import blocks from "../../migrations/0046_blocks.sql" with { type: "text" };
import contactViews from "../../migrations/0047_contact_views.sql" with { type: "text" };
import broadcastChanges from "../../migrations/0048_broadcast_changes.sql" with { type: "text" };
import signUps from "../../migrations/0049_sign_ups.sql" with { type: "text" };
import conversationChanges from "../../migrations/0050_conversation_changes.sql" with { type: "text" };
import joinedContacts from "../../migrations/0051_joined_contacts.sql" with { type: "text" };
import noteMentions from "../../migrations/0052_note_mentions.sql" with { type: "text" };
import aiNotices from "../../migrations/0053_ai_notices.sql" with { type: "text" };
import noteKeys from "../../migrations/0054_note_keys.sql" with { type: "text" };
import keyLimits from "../../migrations/0055_key_limits.sql" with { type: "text" };
import conversationDrafts from "../../migrations/0056_conversation_drafts.sql" with { type: "text" };
import bulkLists from "../../migrations/0057_bulk_lists.sql" with { type: "text" };
import conversationChecks from "../../migrations/0058_conversation_checks.sql" with { type: "text" };
import birthdayPairs from "../../migrations/0059_birthday_pairs.sql" with { type: "text" };

export interface Migration {
  /** The number in the file's name. The database stores that of the last migration in `user_version`. */
  version: number;
  name: string;
  sql: string;
}

export const migrations: readonly Migration[] = [
  { version: 1, name: "initial", sql: initial },
  { version: 2, name: "key_scopes", sql: keyScopes },
  { version: 3, name: "agents", sql: agents },
  { version: 4, name: "verified_addresses", sql: verifiedAddresses },
  { version: 5, name: "parameter_order", sql: parameterOrder },
  { version: 6, name: "staff_messages", sql: staffMessages },
  { version: 7, name: "held_back", sql: heldBack },
  { version: 8, name: "former_phones", sql: formerPhones },
  { version: 9, name: "refusals", sql: refusals },
  { version: 10, name: "secret_overlap", sql: secretOverlap },
  { version: 11, name: "further_webhooks", sql: furtherWebhooks },
  { version: 12, name: "message_kinds", sql: messageKinds },
  { version: 13, name: "uploads", sql: uploads },
  { version: 14, name: "connecting", sql: connecting },
  { version: 15, name: "reply_to", sql: replyTo },
  { version: 16, name: "request_log", sql: requestLog },
  { version: 17, name: "windows", sql: windows },
  { version: 18, name: "scheduled_messages", sql: scheduledMessages },
  { version: 19, name: "group_bursts", sql: groupBursts },
  { version: 20, name: "conversations", sql: conversations },
  { version: 21, name: "template_parts", sql: templateParts },
  { version: 22, name: "scheduled_take", sql: scheduledTake },
  { version: 23, name: "marketing_path", sql: marketingPath },
  { version: 24, name: "thread_calls", sql: threadCalls },
  { version: 25, name: "conversation_states", sql: conversationStates },
  { version: 26, name: "shared_numbers", sql: sharedNumbers },
  { version: 27, name: "form_files", sql: formFiles },
  { version: 28, name: "failures", sql: failures },
  { version: 29, name: "direct_send", sql: directSend },
  { version: 30, name: "category_changes", sql: categoryChanges },
  { version: 31, name: "template_submissions", sql: templateSubmissions },
  { version: 32, name: "user_upload_days", sql: userUploadDays },
  { version: 33, name: "generated_templates", sql: generatedTemplates },
  { version: 34, name: "away_messages", sql: awayMessages },
  { version: 35, name: "quiet_hours", sql: quietHours },
  { version: 36, name: "read_receipts", sql: readReceipts },
  { version: 37, name: "template_drafts", sql: templateDrafts },
  { version: 38, name: "quick_replies", sql: quickReplies },
  { version: 39, name: "search", sql: search },
  { version: 40, name: "network_changes", sql: networkChanges },
  { version: 41, name: "import_progress", sql: importProgress },
  { version: 42, name: "message_senders", sql: messageSenders },
  { version: 43, name: "usage_countries", sql: usageCountries },
  { version: 44, name: "workspace_retention", sql: workspaceRetention },
  { version: 45, name: "person_requests", sql: personRequests },
  { version: 46, name: "blocks", sql: blocks },
  { version: 47, name: "contact_views", sql: contactViews },
  { version: 48, name: "broadcast_changes", sql: broadcastChanges },
  { version: 49, name: "sign_ups", sql: signUps },
  { version: 50, name: "conversation_changes", sql: conversationChanges },
  { version: 51, name: "joined_contacts", sql: joinedContacts },
  { version: 52, name: "note_mentions", sql: noteMentions },
  { version: 53, name: "ai_notices", sql: aiNotices },
  { version: 54, name: "note_keys", sql: noteKeys },
  { version: 55, name: "key_limits", sql: keyLimits },
  { version: 56, name: "conversation_drafts", sql: conversationDrafts },
  { version: 57, name: "bulk_lists", sql: bulkLists },
  { version: 58, name: "conversation_checks", sql: conversationChecks },
  { version: 59, name: "birthday_pairs", sql: birthdayPairs },
];
