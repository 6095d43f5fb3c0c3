/**
 * Every kind of message that a person can write, as the Cloud API's callback carries it. The kinds and their members are
 * those of `message.received`, so that a test names what it expects.
 */
import { createHash } from "node:crypto";
import { systemOf } from "./reports.ts";
import { samples } from "./samples.ts";

/** The members of a kind, already checked. References are the network's ids. */
export interface PlayedInbound {
  type: InboundType;
  text?: string | undefined;
  media?:
    | {
        mime_type?: string;
        filename?: string;
        content?: string;
        voice?: boolean;
        animated?: boolean;
        missing?: boolean;
      }
    | undefined;
  button?: { title: string; payload?: string } | undefined;
  list?: { id: string; title: string; description?: string } | undefined;
  form?: { name: string; values: Record<string, unknown> } | undefined;
  order?: PlayedOrder | undefined;
  location?: { latitude: number; longitude: number; name?: string; address?: string } | undefined;
  contacts?: PlayedCard[] | undefined;
  reaction?: { emoji: string; networkMessageId: string } | undefined;
  /** Of the message that was edited or deleted. */
  original?: string | undefined;
  replyTo?: string | undefined;
  referral?: PlayedReferral | undefined;
  unsupported?: { reason?: string } | undefined;
  /** The person's new number, digits. */
  newPhone?: string | undefined;
  /** The person's new user id, and the former one. */
  newUserId?: string | undefined;
  formerUserId?: string | undefined;
}

/** A contact card, with `phone` or `phones`. */
interface PlayedCard {
  name: string | null;
  company?: string | null;
  phone?: string;
  phones?: string[];
  emails?: string[];
  origin?: "contact_request" | "other";
  /** The whole card, as the network writes it; takes the place of the other members. */
  card?: Record<string, unknown>;
}

interface PlayedOrder {
  catalog_id?: string;
  /** `id` or `product`. */
  items: { id?: string; product?: string; quantity: number; price: number }[];
  currency: string;
}

export const referralMembers = [
  ...(["source", "source_type", "source_id", "headline", "body", "click_id"] as const),
  ...(["media_type", "media_url", "thumbnail_url", "welcome"] as const),
] as const;
type PlayedReferral = Partial<Record<(typeof referralMembers)[number], string>>;

export const inboundTypes = [
  "text",
  "image",
  "video",
  "audio",
  "document",
  "sticker",
  "location",
  "contacts",
  "button",
  "interactive",
  "reaction",
  "order",
  "edit",
  "revoke",
  "unsupported",
  "system",
] as const;
export type InboundType = (typeof inboundTypes)[number];

const SAMPLE_TYPES: Readonly<Record<string, string>> = {
  image: "image/jpeg",
  video: "video/mp4",
  audio: "audio/ogg; codecs=opus",
  document: "application/pdf",
  sticker: "image/webp",
};
/** Meta's code for a kind that its API does not carry. */
const UNSUPPORTED = 131051;

/** `mediaId`: under which the network would keep a file. */
export function inboundContent(inbound: PlayedInbound, mediaId: string): Record<string, unknown> {
  const { type, replyTo, referral } = inbound;
  return {
    type,
    ...contentOf(inbound, mediaId),
    ...(replyTo === undefined ? {} : { context: { id: replyTo } }),
    ...(referral === undefined ? {} : { referral: referralOf(referral) }),
  };
}

function contentOf(inbound: PlayedInbound, mediaId: string): Record<string, unknown> {
  const { type, text, button, order, contacts, reaction, original, unsupported } = inbound;
  switch (type) {
    case "text":
      return { text: { body: text } };
    case "location":
      return { location: inbound.location };
    case "contacts":
      return { contacts: (contacts ?? []).map(cardContent) };
    case "button":
      return { button: { text: button?.title, payload: button?.payload ?? button?.title } };
    case "interactive":
      return { interactive: interactiveReply(inbound) };
    case "reaction":
      return { reaction: { message_id: reaction?.networkMessageId, emoji: reaction?.emoji } };
    case "order":
      return {
        order: {
          catalog_id: order?.catalog_id ?? "1",
          text,
          product_items: (order?.items ?? []).map(({ id, product, quantity, price }) => ({
            product_retailer_id: product ?? id,
            quantity,
            item_price: price,
            currency: order?.currency,
          })),
        },
      };
    case "edit":
      return { edit: { original_message_id: original, message: { type: "text", text: { body: text } } } };
    case "revoke":
      return { revoke: { original_message_id: original } };
    case "unsupported": {
      const title = unsupported?.reason ?? "Message type unknown";
      return { errors: [{ code: UNSUPPORTED, title, message: title }] };
    }
    case "system":
      return { system: systemOf(inbound) };
    default:
      return { [type]: mediaOf(inbound, mediaId) };
  }
}

/** Members without a value are omitted from the JSON. */
function referralOf({ source, click_id, media_url, welcome, ...same }: PlayedReferral): Record<string, unknown> {
  const place = same.media_type === "video" ? "video_url" : "image_url";
  const greeting = welcome === undefined ? {} : { welcome_message: { text: welcome } };
  return { ...same, source_url: source, ctwa_clid: click_id, [place]: media_url, ...greeting };
}

function cardContent({ name, company, phone, phones, emails, origin, card }: PlayedCard): Record<string, unknown> {
  if (card !== undefined) return card;
  const numbers = phones ?? (phone === undefined ? [] : [phone]);
  return {
    ...(name === null ? {} : { name: { formatted_name: name, first_name: name } }),
    ...(company == null ? {} : { org: { company } }),
    phones: numbers.map((number) => ({ phone: number, wa_id: number.replace(/\D/g, "") })),
    emails: (emails ?? []).map((email) => ({ email })),
    ...(origin === undefined ? {} : { origin }),
  };
}

function interactiveReply({ list, button, form }: PlayedInbound): Record<string, unknown> {
  if (list !== undefined) return { type: "list_reply", list_reply: list };
  if (button !== undefined) {
    return { type: "button_reply", button_reply: { id: button.payload ?? button.title, title: button.title } };
  }
  return {
    type: "nfm_reply",
    nfm_reply: { name: form?.name, body: "Sent", response_json: JSON.stringify(form?.values ?? {}) },
  };
}

/** Without bytes, the file is a sample. */
function mediaOf({ type, media = {}, text }: PlayedInbound, id: string): Record<string, unknown> {
  const { mime_type = SAMPLE_TYPES[type], filename, content = samples[type] ?? "", voice, animated } = media;
  return {
    id,
    mime_type,
    sha256: createHash("sha256").update(Buffer.from(content, "base64")).digest("base64"),
    ...(text === undefined ? {} : { caption: text }),
    ...(filename === undefined ? {} : { filename }),
    ...(voice === undefined ? {} : { voice }),
    ...(animated === undefined ? {} : { animated }),
  };
}
