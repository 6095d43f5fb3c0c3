/** Conversations, as the server's JSON has them. */
import type { Consent, Contact } from "../contacts/contact-view.ts";
import type { ConversationItem } from "../messages/message-view.ts";

export interface ConversationRow {
  contact_id: number;
  phone: string | null;
  name: string | null;
  consent: Consent;
  unread: number;
  wrote_at: string;
  window_ends_at: string | null;
  last: ConversationItem | null;
}

export interface Conversation {
  contact_id: number;
  contact: Contact;
  has_phone: boolean;
  /** The number that replies are sent from. */
  from: string | null;
  unread: number;
  last_inbound_id: number;
  window_ends_at: string | null;
  /** Newest first. */
  items: ConversationItem[];
  next: string | null;
}
