/**
 * What a message brings beside its text: a picture, a player, a document, a place, contact cards, an order, a form's
 * answers. Nothing is loaded from anywhere but this server, and a place is a drawing.
 */
import { FileText, MapPin, UserRound } from "lucide-react";
import { useState } from "react";
import { addressOf } from "../../data/api.ts";
import { useWorkspace } from "../../data/session.ts";
import type { ConversationItem, SentItem } from "../messages/message-view.ts";
import { strings } from "./strings.ts";
import { VoicePlayer } from "./voice-player.tsx";

type Details = Extract<ConversationItem, { kind: "inbound" }>["details"];
type Media = NonNullable<Details["media"]>;

interface AttachmentProps {
  type: string;
  details: Details;
  workspaceId: number;
}

export function Attachment({ type, details, workspaceId }: AttachmentProps) {
  const { media, location, contacts, order, form, unsupported } = details;
  return (
    <>
      {media !== undefined && <File type={type} media={media} workspaceId={workspaceId} />}
      {location !== undefined && <Place location={location} />}
      {contacts !== undefined && <Cards cards={contacts} />}
      {order !== undefined && <Order order={order} />}
      {form !== undefined && <Answers values={form.values} />}
      {unsupported !== undefined && <Unsupported reason={unsupported.reason} />}
    </>
  );
}

type Content = NonNullable<SentItem["content"]>;

/** What was sent in addition to the text. An upload is shown; of a file that was sent by a link, only its kind and name. */
export function SentAttachment({ content }: { content: Content }) {
  if ("location" in content) {
    const { name = null, address = null, ...place } = content.location;
    return <Place location={{ ...place, name, address, url: null }} />;
  }
  if ("contacts" in content) {
    const cards = content.contacts.map(({ name, org, phones = [], emails = [] }) => ({
      name: name.formatted_name,
      company: org?.company ?? null,
      phones: phones.flatMap(({ phone }) => phone ?? []),
      emails: emails.flatMap(({ email }) => email ?? []),
    }));
    return <Cards cards={cards} />;
  }
  if ("interactive" in content) {
    const { header } = content.interactive;
    if (header === undefined) return null;
    return typeof header === "string" ? (
      <p className="font-semibold wrap-anywhere">{header}</p>
    ) : (
      <SentFile {...header} />
    );
  }
  if ("media" in content) return <SentFile {...content.media} />;
  // The text of a message says the rest. A kind that nothing above shows is an error of the compiler here.
  content satisfies { reaction: unknown } | { text: unknown };
  return null;
}

interface SentFileProps {
  type: string;
  id?: number;
  filename?: string;
}

function SentFile({ type, id, filename }: SentFileProps) {
  const { id: workspaceId } = useWorkspace();
  const [isGone, setGone] = useState(false);
  if (id !== undefined && !isGone) {
    const address = addressOf("GET /w/{workspace}/media/{id}", { workspace: workspaceId, id });
    const label = strings.mediaLabels[type] ?? strings.mediaLabels.document;
    const shown = { address, label, isSticker: type === "sticker", onError: () => setGone(true) };
    if (type === "image" || type === "sticker") return <Picture {...shown} />;
    if (type === "audio") return <VoicePlayer {...shown} />;
    if (type === "video") return <Video {...shown} />;
  }
  return (
    <p className="flex items-center gap-2 text-quiet">
      <FileText aria-hidden size={20} className="shrink-0" />
      <span className="wrap-anywhere">{filename ?? strings.mediaLabels[type] ?? strings.mediaLabels.document}</span>
    </p>
  );
}

/** What stands below the text: small print, and what the person can press or choose. */
export function SentAction({ content }: { content: Content }) {
  if (!("interactive" in content)) return null;
  const { footer, buttons = [], list, link, location_request, address, flow } = content.interactive;
  const labels = [
    ...buttons.map(({ title }) => title),
    ...[list?.button, link?.title, flow?.cta].filter((label) => label !== undefined),
    ...(location_request === undefined ? [] : [strings.sendLocation]),
    ...(address === undefined ? [] : [strings.giveAddress]),
  ];
  return (
    <>
      {footer !== undefined && <p className="text-label text-quiet wrap-anywhere">{footer}</p>}
      <ul aria-label={strings.actions} className="mt-1 flex flex-wrap gap-1">
        {labels.map((label) => (
          <li key={label} className="rounded-control border border-edge px-2 py-0.5 text-label wrap-anywhere">
            {label}
          </li>
        ))}
      </ul>
      {list !== undefined && (
        <ul className="mt-1 text-label">
          {list.sections
            .flatMap(({ rows }) => rows)
            .map(({ id, title, description }) => (
              <li key={id} className="wrap-anywhere">
                {title}
                {description !== undefined && <span className="text-quiet"> {description}</span>}
              </li>
            ))}
        </ul>
      )}
      {link !== undefined && <p className="text-label text-quiet wrap-anywhere">{link.url}</p>}
    </>
  );
}

/** Whether the attachment shows what the text would repeat. */
export function saysAll(content: Content): boolean {
  if ("media" in content) return content.media.caption === undefined;
  return "location" in content || "contacts" in content;
}

function Unsupported({ reason }: { reason: string | null }) {
  return (
    <>
      <p>{strings.unsupported}</p>
      {reason !== null && <p className="text-label text-quiet wrap-anywhere">{reason}</p>}
    </>
  );
}

/** The browser scales a picture down; a larger one is a link, so that a conversation does not load many of them. */
const PICTURE_BYTES_MAX = 8 * 1024 * 1024;

function File({ type, media, workspaceId }: { type: string; media: Media; workspaceId: number }) {
  const [isBroken, setBroken] = useState(false);
  const { id, state } = media;
  if (state !== "stored" || id === null) return <p className="text-quiet">{strings.mediaStates[state]}</p>;
  const address = addressOf("GET /w/{workspace}/media/{id}", { workspace: workspaceId, id });
  const label = strings.mediaLabels[type] ?? strings.mediaLabels.document;
  const shown = { address, label, isSticker: type === "sticker", onError: () => setBroken(true) };
  switch (isBroken ? "file" : playerOf(media)) {
    case "image":
      return <Picture {...shown} />;
    case "audio":
      return <VoicePlayer {...shown} />;
    case "video":
      return <Video {...shown} />;
    default:
      return (
        <a
          href={address}
          target="_blank"
          rel="noreferrer"
          className="flex items-center gap-2 underline underline-offset-2"
        >
          <FileText aria-hidden size={20} className="shrink-0" />
          <span className="wrap-anywhere">{media.filename ?? label}</span>
          <span className="shrink-0 text-label text-quiet figures">{formatBytes(media.bytes ?? 0)}</span>
        </a>
      );
  }
}

function playerOf({ mime_type: type, bytes }: Media): string {
  const kind = (type ?? "").split("/")[0] ?? "";
  const isTooMuch = kind === "image" && ((bytes ?? 0) > PICTURE_BYTES_MAX || type === "image/heic");
  return isTooMuch ? "file" : kind;
}

interface ShownFile {
  address: string;
  label: string;
  isSticker: boolean;
  /** The browser cannot show it. */
  onError: () => void;
}

function Picture({ address, label, isSticker, onError }: ShownFile) {
  const size = isSticker ? "size-28" : "max-h-72 min-h-16 max-w-full";
  return (
    <a href={address} target="_blank" rel="noreferrer" aria-label={strings.openFile(label)}>
      <img
        src={address}
        alt={label}
        loading="lazy"
        decoding="async"
        onError={onError}
        className={`rounded-control object-contain ${size}`}
      />
    </a>
  );
}

function Video({ address, label, onError }: ShownFile) {
  return (
    // biome-ignore lint/a11y/useMediaCaption: a person's video has no captions.
    <video
      src={address}
      controls
      preload="metadata"
      aria-label={label}
      onError={onError}
      // Wide enough for the browser's controls, however small the video is.
      className="max-h-72 w-64 max-w-full rounded-control bg-sunken"
    />
  );
}

export function formatBytes(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  return bytes < 1_000_000 ? `${Math.round(bytes / 1_000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** A drawing of no place in particular, with the coordinates below it: a map would tell a third party where the person is. */
function Place({ location }: { location: NonNullable<Details["location"]> }) {
  const { latitude, longitude, name, address } = location;
  return (
    <figure className="flex w-64 max-w-full flex-col gap-1">
      <div className="relative h-28 overflow-hidden rounded-control border border-line bg-sunken">
        <svg aria-hidden viewBox="0 0 256 112" preserveAspectRatio="xMidYMid slice" className="size-full text-line">
          <g fill="none" stroke="currentColor" strokeWidth="6">
            <path d="M-8 84 C60 66 96 108 152 78 S 240 40 272 52" />
            <path d="M40 -8 C52 40 30 70 64 120" />
            <path d="M150 -8 C140 30 190 60 176 120" />
          </g>
          <g fill="none" stroke="currentColor" strokeWidth="2">
            <path d="M-8 30 L272 10 M96 -8 L110 120 M214 -8 L222 120 M-8 58 L150 40" />
          </g>
        </svg>
        <MapPin aria-hidden size={28} className="absolute inset-0 m-auto text-red" />
      </div>
      <figcaption className="text-label">
        {name !== null && <span className="block font-semibold">{name}</span>}
        {address !== null && <span className="block">{address}</span>}
        <span className="block text-quiet figures">
          {latitude ?? "?"}, {longitude ?? "?"}
        </span>
      </figcaption>
    </figure>
  );
}

function Cards({ cards }: { cards: NonNullable<Details["contacts"]> }) {
  return (
    <ul className="flex flex-col gap-2">
      {cards.map(({ name, company, phones, emails }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: cards have no ids, and their order never changes.
        <li key={index} className="flex gap-2">
          <UserRound aria-hidden size={20} className="mt-0.5 shrink-0 text-quiet" />
          <div className="min-w-0">
            <p className="font-semibold wrap-anywhere">{name ?? strings.none}</p>
            {[company, ...phones, ...emails]
              .filter((line) => line !== null)
              .map((line) => (
                <p key={line} className="text-label text-quiet wrap-anywhere figures">
                  {line}
                </p>
              ))}
          </div>
        </li>
      ))}
    </ul>
  );
}

function Order({ order: { items, currency, total } }: { order: NonNullable<Details["order"]> }) {
  return (
    <table className="text-label figures">
      <caption className="pb-1 text-start font-semibold">{strings.order}</caption>
      <tbody>
        {items.map(({ product, quantity, price }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: an order may hold a product twice, and its order never changes.
          <tr key={index}>
            <td className="pe-3 text-end">{quantity ?? "?"} ×</td>
            <td className="pe-3 wrap-anywhere">{product ?? strings.none}</td>
            <td className="text-end">{price === null ? "?" : formatPrice(price, currency)}</td>
          </tr>
        ))}
      </tbody>
      {total !== null && (
        <tfoot>
          <tr className="border-t border-line font-semibold">
            <td colSpan={2}>{strings.total}</td>
            <td className="text-end">
              {formatPrice(total, currency)} {currency}
            </td>
          </tr>
        </tfoot>
      )}
    </table>
  );
}

/** With the decimals that are usual in the currency: `12.50`. */
function formatPrice(amount: number, currency: string | null): string {
  try {
    const style = currency === null ? {} : { style: "currency", currency, currencyDisplay: "code" as const };
    const parts = new Intl.NumberFormat("en", style as Intl.NumberFormatOptions).formatToParts(amount);
    return parts
      .filter(({ type, value }) => type !== "currency" && value.trim() !== "")
      .map(({ value }) => value)
      .join("");
  } catch {
    // Not a currency that anybody knows.
    return String(amount);
  }
}

/** Members that a program put there, not the person. */
const OWN_TOKENS: ReadonlySet<string> = new Set(["flow_token"]);

function Answers({ values }: { values: NonNullable<Details["form"]>["values"] }) {
  if (values === null) return <p className="text-quiet">{strings.unreadableForm}</p>;
  return (
    <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 text-label">
      {Object.entries(values)
        .filter(([name]) => !OWN_TOKENS.has(name))
        .map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-quiet">{name}</dt>
            <dd className="wrap-anywhere">{typeof value === "string" ? value : JSON.stringify(value)}</dd>
          </div>
        ))}
    </dl>
  );
}
