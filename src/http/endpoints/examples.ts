/** One example of each resource. The whole reference is about the same shop, the same person and the same order. */
import type { Static } from "@sinclair/typebox";
import type { BroadcastView, RecipientView } from "#src/domain/broadcasts/schema.ts";
import { mapProfile } from "#src/domain/contacts/profile-fields.ts";
import type { ContactView } from "#src/domain/contacts/schema.ts";
import type { ConversationView, InboundView, NoteView } from "#src/domain/inbound/schema.ts";
import type { MediaView, UploadView } from "#src/domain/media/schema.ts";
import type { MessageView } from "#src/domain/messages/schema.ts";
import type { WorkspaceView } from "#src/domain/numbers/schema.ts";
import type { TemplateView } from "#src/domain/templates/schema.ts";

export const workspaceExample: Static<typeof WorkspaceView> = {
  id: 1,
  name: "Corner Shop",
  country: "IN",
  timezone: "Asia/Kolkata",
  numbers: [{ phone: "+442079460100", name: "Corner Shop", ready: true }],
  billing: { currency: "USD", available: "120.50", rate: "0.0085" },
};

export const settingsExample = {
  name: "Corner Shop",
  country: "IN",
  timezone: "Asia/Kolkata",
  daily_cap: 250,
  stop_words: ["no more offers"],
  start_words: [],
  opening_hours: "mon-fri 10:00-19:00; sat-sun closed",
  closed_days: ["12-25", "2026-12-28"],
  away_message: "We are back tomorrow at 10.",
  quiet: "21:00-08:00",
  ai_notice: "This answer was written by an AI. Write PERSON to reach one of us.",
  read_receipts: "opened",
  purpose: "Offers and news",
  notice: "2026-10",
  message_retention: "server",
  inbound_retention: "1 year",
  media_retention: "90 days",
};

export const messageExample: Static<typeof MessageView> = {
  id: 1042,
  to: "+442079460210",
  from: "+442079460100",
  reference: "order-10042",
  sent_by: { kind: "api", name: "Shop", ai: false },
  type: "template",
  category: "utility",
  template: { name: "order_shipped", language: "en_US" },
  content: null,
  reply_to: null,
  text: "Hi Asha, your order 10042 is on its way.",
  status: "sent",
  error: null,
  charged: true,
  created_at: "2026-11-21T08:44:25+05:30",
  send_at: null,
  sent_at: "2026-11-21T08:44:26+05:30",
  delivered_at: null,
  read_at: null,
};

export const uploadExample: Static<typeof UploadView> = {
  id: 1_000_000_042,
  mime_type: "application/pdf",
  bytes: 48213,
  sha256: "SfInY0gGKTsJlUWbwxC1k+FAD0FZHvzwfpvO0zX0GUI=",
  filename: "invoice.pdf",
  created_at: "2026-11-21T08:44:26+05:30",
  expires_at: "2026-12-21T08:44:26+05:30",
};

export const templateExample: Static<typeof TemplateView> = {
  name: "order_shipped",
  language: "en_US",
  category: "UTILITY",
  status: "APPROVED",
  sendable: true,
  needs: [],
  variables: { header: 0, body: 2 },
  parameter_names: { header: [], body: [] },
  parameter_order: null,
  text: "Hi {{1}}, your order {{2}} is on its way.",
  media: null,
  components: [{ type: "BODY", text: "Hi {{1}}, your order {{2}} is on its way." }],
  rejection: null,
  warnings: [],
};

export const contactExample: Static<typeof ContactView> = {
  phone: "+442079460210",
  user_id: null,
  username: null,
  ...mapProfile(({ example }) => example),
  fields: { loyalty_tier: "gold" },
  people: [],
  tags: ["regular"],
  groups: [{ id: 7, name: "Newsletter" }],
  consent: {
    status: "opted_in",
    source: "api",
    at: "2026-11-02T10:15:00+05:30",
    purpose: "Offers and news",
    notice: "2026-10",
    may_want_to_stop_since: null,
  },
  last_message_from_them_at: "2026-11-21T09:02:11+05:30",
  window_ends_at: "2026-11-22T09:02:11+05:30",
  threads: [],
  created_at: "2026-11-02T10:15:00+05:30",
  updated_at: "2026-11-21T09:02:11+05:30",
};

export const conversationExample: Static<typeof ConversationView> = {
  id: 17,
  contact: contactExample,
  number: "+442079460100",
  owner: "us",
  owner_since: "2026-11-21T09:02:11+05:30",
  state: "open",
  snoozed_until: null,
  assignee: "asha@example.com",
  block_state: null,
  unread: 1,
  last_message: {
    direction: "in",
    id: 311,
    origin: "messages",
    sent_by: null,
    type: "text",
    text: "When will it arrive?",
    details: {},
    status: null,
    at: "2026-11-21T09:02:11+05:30",
  },
  window_ends_at: "2026-11-22T09:02:11+05:30",
};

export const noteExample: Static<typeof NoteView> = {
  id: 7,
  text: "Wants the blue one; call back on Monday.",
  author: { kind: "user", name: "asha@example.com" },
  created_at: "2026-11-21T09:05:40+05:30",
};

export const inboundExample: Static<typeof InboundView> = {
  id: 311,
  from: "+442079460210",
  to: "+442079460100",
  type: "text",
  text: "When will it arrive?",
  details: { reply_to: { message_id: 1042, direction: "out" } },
  received_at: "2026-11-21T09:02:11+05:30",
};

export const mediaExample: Static<typeof MediaView> = {
  id: 58,
  mime_type: "image/jpeg",
  bytes: 48_213,
  sha256: "SfInY0gGKTsJlUWbwxC1k+FAD0FZHvzwfpvO0zX0GUI=",
  filename: null,
  url: "https://wa.example.com/media/58?expires=1796193131&key=0a1b2c3d&signature=Q2hhcmFjdGVycw",
  expires_at: "2026-11-28T09:02:11+05:30",
  state: "stored",
};

export const broadcastExample: Static<typeof BroadcastView> = {
  id: 7,
  name: "November offer",
  status: "completed",
  status_reason: null,
  template: { name: "november_offer", language: "en_US" },
  from: "+442079460100",
  counts: { total: 128, sent: 124, delivered: 121, read: 90, failed: 1, skipped: 3 },
  charged: "1.0285",
  held: 0,
  settled: true,
  send_at: null,
  started_at: "2026-11-21T08:44:25+05:30",
  completed_at: "2026-11-21T08:44:27+05:30",
  created_at: "2026-11-21T08:44:25+05:30",
};

export const recipientExample: Static<typeof RecipientView> = {
  to: "+442079460210",
  message_id: 2077,
  status: "delivered",
  reason: null,
  sent_at: "2026-11-21T08:44:26+05:30",
  delivered_at: "2026-11-21T08:44:27+05:30",
  read_at: null,
};
