/**
 * What a broadcast sends, as the content of a draft: for changing it, for duplicating it, and for sending it again. Says what
 * is gone since: the file, whose link is erased when the broadcast finishes, its recipients, or its group.
 */
import { formatInstant } from "#src/core/instant.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import { findGroup } from "../groups/read.ts";
import { findUpload } from "../media/read.ts";
import type { HeaderFile } from "../messages/header-file.ts";
import { findMessageById } from "../messages/read.ts";
import { listNumbers } from "../numbers/read.ts";
import { cardAt } from "../templates/cards.ts";
import type { TemplateShape } from "../templates/template.ts";
import { getWorkspace } from "../workspaces/read.ts";
import { isFinished } from "./broadcast.ts";
import { confirmedShape, listRecipientIds } from "./read.ts";
import type { Broadcast, DraftContent } from "./table.ts";
import type { BroadcastValue } from "./values.ts";

/** What the broadcast had and the draft cannot have. */
type Gone = "recipients" | "group" | "file" | "number";

interface DraftOf {
  content: DraftContent;
  gone: Gone[];
}

/** As many numbers as a list may have. */
const NUMBERS_MAX = 1_000;

/**
 * `isForChange`: with its name, and its time if that lies ahead. `to`: these recipients in place of its own.
 */
export function contentOf(
  tx: ReadTx,
  broadcast: Broadcast,
  options: { isForChange?: boolean; audience?: { to: readonly string[] } | { group: number } } = {},
): DraftOf {
  const { isForChange = false } = options;
  const gone: Gone[] = [];
  const numbers = listNumbers(tx, broadcast.workspaceId);
  const isKnown = numbers.some(({ phone }) => phone === broadcast.fromPhone);
  if (!isKnown) gone.push("number");
  const { sendAt } = broadcast;
  const content = {
    name: broadcast.name,
    template: broadcast.templateName,
    language: broadcast.templateLanguage,
    ...(numbers.length > 1 && isKnown ? { from: broadcast.fromPhone } : {}),
    ...(options.audience ?? audienceOf(tx, broadcast, gone)),
    ...valuesOf(broadcast),
    ...partsOf(tx, broadcast, gone),
    ...(isForChange && sendAt !== null && sendAt > tx.now
      ? { send_at: localTime(sendAt, getWorkspace(tx, broadcast.workspaceId).timezone) }
      : {}),
  };
  return { content, gone };
}

function audienceOf(tx: ReadTx, broadcast: Broadcast, gone: Gone[]): DraftContent {
  if (broadcast.groupId !== null) {
    if (findGroup(tx, broadcast.workspaceId, broadcast.groupId) !== undefined) return { group: broadcast.groupId };
    gone.push("group");
    return {};
  }
  const to = listRecipientIds(tx, broadcast, null, { offset: 0 }, NUMBERS_MAX).flatMap(({ id }) => {
    const phone = findMessageById(tx, id)?.toPhone ?? "";
    return phone === "" ? [] : [phone];
  });
  if (to.length < broadcast.requested) gone.push("recipients");
  return to.length === 0 ? {} : { to };
}

function plain(value: BroadcastValue): string | { field: string; fallback?: string } {
  if ("text" in value) return value.text;
  return { field: value.field, ...(value.fallback === null ? {} : { fallback: value.fallback }) };
}

const plainOrNull = (value: BroadcastValue | null) => (value === null ? null : plain(value));

function valuesOf({ variables: { header, body, buttons = [] } }: Broadcast): DraftContent {
  if (header.length + body.length + buttons.length === 0) return {};
  const all = { header: header.map(plain), body: body.map(plain) };
  return { variables: buttons.length === 0 ? all : { ...all, buttons: buttons.map(plainOrNull) } };
}

/** Everything that a template gets beside values. It is cleared when the broadcast finishes. */
function partsOf(tx: ReadTx, broadcast: Broadcast, gone: Gone[]): DraftContent {
  const { mediaLink, mediaFilename, parts, workspaceId } = broadcast;
  const shape = confirmedShape(broadcast);
  const fileOf = (file: HeaderFile | null): DraftContent | undefined => {
    if (file === null) return undefined;
    const filename = file.filename === null ? {} : { filename: file.filename };
    if (file.link !== null) return { link: file.link, ...filename };
    if (file.upload === undefined) return undefined;
    if (findUpload(tx, workspaceId, file.upload.id) !== undefined) return { id: file.upload.id, ...filename };
    gone.push("file");
    return undefined;
  };
  const media = fileOf({
    link: mediaLink,
    filename: mediaFilename,
    ...(parts?.upload === undefined ? {} : { upload: parts.upload }),
  });
  const hasFile = shape.header !== null && ["image", "video", "document"].includes(shape.header.type);
  if (isFinished(broadcast.status) && (hasFile || shape.cards !== null) && !gone.includes("file")) gone.push("file");
  const { location, offerEndsAt, products, cards } = parts ?? {};
  const { timezone } = getWorkspace(tx, workspaceId);
  return {
    ...(media === undefined ? {} : { media }),
    ...(location === undefined ? {} : { location: withoutNulls(location) }),
    ...(offerEndsAt === undefined ? {} : { offer_expires_at: localTime(offerEndsAt, timezone) }),
    ...(products === undefined
      ? {}
      : {
          products: withoutNulls({
            catalog_id: products.catalogId,
            thumbnail: products.thumbnail,
            sections: products.sections?.map(({ title, items }) => withoutNulls({ title, items: [...items] })),
          }),
        }),
    ...(cards === undefined
      ? {}
      : {
          cards: cards.map(({ media: file, product }, index) => {
            const { filename: _, ...given } = fileOf(file) ?? {};
            const media = Object.keys(given).length === 0 ? null : given;
            return withoutNulls({ media, product, ...cardValues(broadcast, shape, index) });
          }),
        }),
  };
}

/** Named placeholders of a card have their values by name, as a request gives them. */
function cardValues({ variables, templateFormat }: Broadcast, { cards }: TemplateShape, index: number): DraftContent {
  const { body = [], buttons = [] } = variables.cards?.[index] ?? {};
  const texts = body.map(plain);
  const names = cardAt(cards ?? [], index)?.body?.placeholders ?? [];
  const named = () => Object.fromEntries(texts.map((text, at) => [names[at] ?? String(at), text]));
  return {
    body: texts.length === 0 ? null : templateFormat === "NAMED" ? named() : texts,
    buttons: buttons.length === 0 ? null : buttons.map(plainOrNull),
  };
}

function withoutNulls(members: Readonly<Record<string, unknown>>): DraftContent {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null && value !== undefined));
}

/** As the wizard's field has it, `2026-11-28T10:00`. With an offset where the local time alone means another moment. */
function localTime(ms: number, timezone: string): string {
  const zoned = Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(timezone);
  const local = zoned.toPlainDateTime();
  const isPlain = local.toZonedDateTime(timezone).epochMilliseconds === ms;
  if (!isPlain) return formatInstant(ms, timezone);
  return local.toString({ smallestUnit: zoned.second === 0 ? "minute" : "second" });
}
