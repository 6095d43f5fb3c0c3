/**
 * What a person's message brings beside its text, by its type: structured, with limits, and without ids that only the
 * network understands. A type that we do not know keeps its JSON, up to a size.
 */
import { cutText } from "#src/core/text-limits.ts";
import type { InboundDetails, InboundReferences } from "#src/domain/inbound/details.ts";
import {
  asObject,
  idOf,
  type JsonObject,
  listOf,
  memberOf,
  numberOf,
  objectOf,
  parseJson,
  sentenceOf,
  textOf,
} from "./json.ts";

/** The longest JSON that is kept of a type that we do not know, and of a contact card. */
const RAW_LENGTH_MAX = 16_384;
/** Of a form's answers: longer ones are kept as text, and cut. */
const FORM_LENGTH_MAX = 65_536;
const FORM_FILES_MAX = 20;
const FORM_DEPTH_MAX = 4;
const CONTACTS_MAX = 50;
const ITEMS_MAX = 200;
const ENTRIES_MAX = 20;

/** Types that bring a file. */
export const MEDIA_TYPES: readonly string[] = ["image", "video", "audio", "sticker", "document"];
/** Types whose text says everything. */
const PLAIN = ["text", "edit", "revoke"];

export function readDetails(item: JsonObject, type: string): InboundDetails {
  const referral = objectOf(item, "referral");
  const context = objectOf(item, "context");
  const product = objectOf(context, "referred_product");
  const often = memberOf(context, "frequently_forwarded") === true;
  return {
    ...contentDetails(item, type, objectOf(item, type)),
    ...(often || memberOf(context, "forwarded") === true ? { forwarded: { often } } : {}),
    ...(product === null
      ? {}
      : { product: { catalog: textOf(product, "catalog_id"), product: textOf(product, "product_retailer_id") } }),
    ...(referral === null
      ? {}
      : {
          referral: {
            source: textOf(referral, "source_url"),
            source_type: textOf(referral, "source_type"),
            source_id: textOf(referral, "source_id"),
            headline: sentenceOf(referral, "headline"),
            body: sentenceOf(referral, "body"),
            click_id: textOf(referral, "ctwa_clid"),
            ...ofReferral(referral),
          },
        }),
  };
}

/** The messages that this one is about, by the network's ids. */
export function readReferences(item: JsonObject, type: string): InboundReferences {
  const content = objectOf(item, type);
  return {
    reply_to: idOf(objectOf(item, "context"), "id"),
    reaction: type === "reaction" ? idOf(content, "message_id") : null,
    edited: type === "edit" ? idOf(content, "original_message_id") : null,
    deleted: type === "revoke" ? idOf(content, "original_message_id") : null,
  };
}

function contentDetails(item: JsonObject, type: string, content: JsonObject | null): InboundDetails {
  if (MEDIA_TYPES.includes(type)) return { media: mediaOf(content) };
  switch (type) {
    case "button":
      return { button: { title: sentenceOf(content, "text"), payload: sentenceOf(content, "payload") } };
    case "interactive":
      return interactiveDetails(content);
    case "location":
      return { location: locationOf(content) };
    case "contacts":
      return { contacts: listOf(item, "contacts").slice(0, CONTACTS_MAX).map(cardOf) };
    case "order":
      return { order: orderOf(content) };
    case "unsupported":
    case "unknown": {
      const kind = textOf(objectOf(item, "unsupported"), "type");
      const reason = reasonOf(asObject(listOf(item, "errors")[0]));
      return { unsupported: { reason, ...(kind === null ? {} : { type: kind }) } };
    }
    case "reaction":
      return { reaction: { emoji: textOf(content, "emoji") } };
    default:
      return PLAIN.includes(type) ? {} : { raw: withinLimit(memberOf(item, type)) };
  }
}

function mediaOf(content: JsonObject | null): NonNullable<InboundDetails["media"]> {
  return {
    mime_type: textOf(content, "mime_type"),
    sha256: textOf(content, "sha256"),
    filename: textOf(content, "filename"),
    ...(memberOf(content, "voice") === true ? { voice: true } : {}),
    ...(memberOf(content, "animated") === true ? { animated: true } : {}),
  };
}

/** What an advertisement may bring in addition to its words. */
function ofReferral(referral: JsonObject): Partial<NonNullable<InboundDetails["referral"]>> {
  const welcome = objectOf(referral, "welcome_message");
  const more = {
    media_type: textOf(referral, "media_type"),
    media_url: textOf(referral, "image_url") ?? textOf(referral, "video_url"),
    thumbnail_url: textOf(referral, "thumbnail_url"),
    welcome: sentenceOf(welcome, "text") ?? sentenceOf(referral, "welcome_message"),
  };
  return Object.fromEntries(Object.entries(more).filter(([, value]) => value !== null));
}

function interactiveDetails(content: JsonObject | null): InboundDetails {
  const button = objectOf(content, "button_reply");
  const row = objectOf(content, "list_reply");
  const form = objectOf(content, "nfm_reply");
  if (button !== null) return { button: { title: sentenceOf(button, "title"), payload: sentenceOf(button, "id") } };
  if (row !== null) {
    const description = sentenceOf(row, "description");
    return { list: { id: sentenceOf(row, "id"), title: sentenceOf(row, "title"), description } };
  }
  if (form === null) return { raw: withinLimit(content) };
  const name = textOf(form, "name");
  const json = memberOf(form, "response_json");
  if (json === undefined || json === null || json === "") return { form: { name, values: null } };
  const text = typeof json === "string" ? json : JSON.stringify(json);
  const values = text.length <= FORM_LENGTH_MAX ? asObject(parseJson(text)) : null;
  if (values !== null) return { form: { name, values: { ...values } } };
  const kept = cutText(text, FORM_LENGTH_MAX);
  return { form: { name, values: null, text: kept, ...(kept.length < text.length ? { is_cut: true } : {}) } };
}

type FormFile = { networkMediaId: string; stated: NonNullable<InboundDetails["media"]> };

/** The files that were uploaded in a form: its answers name each by its id and kind. */
export function formFiles({ form }: InboundDetails): FormFile[] {
  return filesIn(form?.values ?? null, FORM_DEPTH_MAX).slice(0, FORM_FILES_MAX);
}

function filesIn(value: unknown, depth: number): FormFile[] {
  const object = asObject(value);
  const file = fileOf(object);
  if (file !== null) return [file];
  if (depth === 0) return [];
  const inner = Array.isArray(value)
    ? value
    : object === null
      ? []
      : Object.keys(object).map((name) => memberOf(object, name));
  return inner.slice(0, ITEMS_MAX).flatMap((one) => filesIn(one, depth - 1));
}

function fileOf(object: JsonObject | null): FormFile | null {
  const networkMediaId = idOf(object, "id");
  const mimeType = textOf(object, "mime_type");
  if (networkMediaId === null || mimeType === null) return null;
  const filename = textOf(object, "file_name") ?? textOf(object, "filename");
  return { networkMediaId, stated: { mime_type: mimeType, sha256: textOf(object, "sha256"), filename } };
}

function locationOf(content: JsonObject | null): NonNullable<InboundDetails["location"]> {
  return {
    latitude: numberOf(content, "latitude"),
    longitude: numberOf(content, "longitude"),
    name: textOf(content, "name"),
    address: textOf(content, "address"),
    url: textOf(content, "url"),
  };
}

function cardOf(value: unknown): NonNullable<InboundDetails["contacts"]>[number] {
  const card = asObject(value);
  const entries = (list: string, member: string) =>
    listOf(card, list)
      .slice(0, ENTRIES_MAX)
      .flatMap((entry) => textOf(asObject(entry), member) ?? []);
  return {
    name: textOf(objectOf(card, "name"), "formatted_name"),
    company: textOf(objectOf(card, "org"), "company"),
    phones: entries("phones", "phone"),
    emails: entries("emails", "email"),
    card: withinLimit(card),
  };
}

function orderOf(content: JsonObject | null): NonNullable<InboundDetails["order"]> {
  const items = listOf(content, "product_items")
    .slice(0, ITEMS_MAX)
    .map((value) => {
      const item = asObject(value);
      return {
        product: textOf(item, "product_retailer_id"),
        quantity: numberOf(item, "quantity"),
        price: numberOf(item, "item_price"),
        currency: textOf(item, "currency"),
      };
    });
  const catalog = textOf(content, "catalog_id");
  const currencies = new Set(items.map(({ currency }) => currency));
  const [currency = null] = currencies;
  // Amounts in different currencies, or unknown ones, have no total.
  const amounts = items.map(({ quantity, price }) =>
    quantity === null || price === null ? Number.NaN : quantity * price,
  );
  const total = Math.round(amounts.reduce((sum, amount) => sum + amount, 0) * 1_000) / 1_000;
  const isOne = currencies.size === 1 && currency !== null;
  return {
    ...(catalog === null ? {} : { catalog_id: catalog }),
    items: items.map(({ currency: own, ...item }) => (currencies.size > 1 ? { ...item, currency: own } : item)),
    currency: isOne ? currency : null,
    total: isOne && Number.isFinite(total) ? total : null,
  };
}

function reasonOf(error: JsonObject | null): string | null {
  return textOf(objectOf(error, "error_data"), "details") ?? textOf(error, "message") ?? textOf(error, "title");
}

/** Null if there is nothing, or more than we keep. */
function withinLimit(value: unknown): unknown {
  if (value === undefined || value === null) return null;
  return JSON.stringify(value).length <= RAW_LENGTH_MAX ? value : null;
}
