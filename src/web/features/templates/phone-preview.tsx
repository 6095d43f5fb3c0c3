/** A message as the recipient's phone shows it: header, offer, text with WhatsApp's formatting, footer, buttons, cards. */
import {
  Copy,
  ExternalLink,
  FileText,
  Image,
  MapPin,
  Phone,
  Reply,
  ShoppingBag,
  TicketPercent,
  Video,
} from "lucide-react";
import { Fragment, type ReactNode } from "react";
import { strings as partStrings } from "./part-strings.ts";
import { strings } from "./strings.ts";
import type { Template } from "./template-view.ts";

const buttonClass = "flex items-center justify-center gap-2 border-b border-line py-2 text-accent last:border-b-0";
const ICONS = { image: Image, video: Video, document: FileText, location: MapPin, product: ShoppingBag } as const;
/** By the kind of a button, as WhatsApp names it. */
const BUTTON_ICONS: Readonly<Record<string, typeof Reply>> = {
  QUICK_REPLY: Reply,
  URL: ExternalLink,
  PHONE_NUMBER: Phone,
  VOICE_CALL: Phone,
  COPY_CODE: Copy,
  CATALOG: ShoppingBag,
  MPM: ShoppingBag,
  SPM: ShoppingBag,
};

type Shown = Pick<Template, "header" | "text" | "footer" | "buttons" | "offer" | "cards">;

/** Values of one message, as the server fills them in. */
interface Filled {
  buttons: readonly (string | null)[];
  cards: readonly { body: readonly string[]; buttons: readonly (string | null)[] }[];
}

interface Props {
  template: Shown;
  /** The complete message with values, header and footer; replaces the template's text. */
  whole?: string | undefined;
  /** What buttons and cards get. Absent: their placeholders are shown. */
  filled?: Filled | undefined;
}

export function PhonePreview({ template, whole, filled }: Props) {
  const { header, text, footer, buttons } = template;
  return (
    <figure aria-label={strings.preview} className="w-full max-w-80 rounded-panel border border-line bg-sunken p-4">
      <div className="rounded-panel rounded-ss-none border border-line bg-surface p-1">
        <AboveText template={template} />
        <div className="flex flex-col gap-2 px-2 py-2 text-body">
          {whole !== undefined ? (
            <Emphasis text={whole} />
          ) : (
            <>
              {header?.type === "text" && <strong className="font-semibold">{renderMarkup(header.text ?? "")}</strong>}
              <Emphasis text={text} />
              {footer !== null && <span className="text-label text-quiet">{footer}</span>}
            </>
          )}
        </div>
        <Buttons buttons={buttons} filled={filled?.buttons} />
      </div>
      <Cards template={template} filled={filled} />
    </figure>
  );
}

/** What stands above the text: a file, a place or a product, and an offer. */
export function AboveText({ template: { header, offer } }: { template: Pick<Shown, "header" | "offer"> }) {
  return (
    <>
      {header !== null && header.type !== "text" && <Top type={header.type} />}
      {offer !== null && (
        <p className="flex items-center gap-2 border-b border-line px-2 py-2">
          <TicketPercent aria-hidden size={16} className="text-quiet" />
          <strong className="font-semibold">{offer.text}</strong>
        </p>
      )}
    </>
  );
}

export function Cards({
  template: { cards },
  filled,
}: {
  template: Pick<Shown, "cards">;
  filled?: Filled | undefined;
}) {
  if (cards === null) return null;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reached by the keyboard.
    <ul tabIndex={0} aria-label={partStrings.cards(cards.length)} className="mt-2 flex gap-2 overflow-x-auto pb-1">
      {cards.map((card, index) => (
        <li
          // biome-ignore lint/suspicious/noArrayIndexKey: cards are alike, and never move.
          key={index}
          className="w-44 shrink-0 rounded-panel border border-line bg-surface p-1"
        >
          <Top type={card.header} />
          {card.text !== null && (
            <div className="px-2 py-2 text-body">
              <Emphasis text={fill(card.text, card.placeholders, filled?.cards[index]?.body)} />
            </div>
          )}
          <Buttons buttons={card.buttons} filled={filled?.cards[index]?.buttons} />
        </li>
      ))}
    </ul>
  );
}

function Top({ type }: { type: keyof typeof ICONS }) {
  const Icon = ICONS[type];
  return (
    <div className="flex h-28 items-center justify-center gap-2 rounded-control bg-sunken text-quiet">
      <Icon aria-hidden size={20} />
      {strings.media[type]}
    </div>
  );
}

type Button = Omit<Template["buttons"][number], "meaning">;

function Buttons({ buttons, filled }: { buttons: readonly Button[]; filled: readonly (string | null)[] | undefined }) {
  if (buttons.length === 0) return null;
  const taking = buttons.filter(({ takes }) => takes !== null);
  return (
    <ul className="border-t border-line">
      {buttons.map((button, index) => {
        const Icon = BUTTON_ICONS[button.type];
        const value = filled?.[taking.indexOf(button)];
        const isShown = typeof value === "string" && (button.takes === "link" || button.takes === "code");
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: buttons may share a text, and never move.
          <li key={index} className={buttonClass}>
            {Icon !== undefined && <Icon aria-hidden size={14} className="shrink-0" />}
            <span className="min-w-0 break-words">
              {button.text}
              {isShown && <span className="block text-label text-quiet">{value}</span>}
            </span>
          </li>
        );
      })}
    </ul>
  );
}

/** Without values, the placeholders. */
function fill(text: string, placeholders: readonly string[], values: readonly string[] = []): string {
  return text.replace(/\{\{\s*(\w+)\s*\}\}/g, (whole, name: string) => values[placeholders.indexOf(name)] ?? whole);
}

const MARKUP = /(\*[^*\n]+\*|_[^_\n]+_|~[^~\n]+~|\{\{\w+\}\})/g;

function Emphasis({ text }: { text: string }) {
  return <p className="whitespace-pre-wrap">{renderMarkup(text)}</p>;
}

function renderMarkup(text: string): ReactNode[] {
  return text.split(MARKUP).map((part, index): ReactNode => {
    const inner = part.slice(1, -1);
    // biome-ignore-start lint/suspicious/noArrayIndexKey: parts of a text are identified by their position only.
    if (/^\{\{\w+\}\}$/.test(part)) {
      return (
        <mark key={index} className="rounded-control bg-amber-tint px-1 text-amber">
          {part}
        </mark>
      );
    }
    if (/^\*[^*\n]+\*$/.test(part)) return <strong key={index}>{renderMarkup(inner)}</strong>;
    if (/^_[^_\n]+_$/.test(part)) return <em key={index}>{renderMarkup(inner)}</em>;
    if (/^~[^~\n]+~$/.test(part)) return <s key={index}>{renderMarkup(inner)}</s>;
    return <Fragment key={index}>{part}</Fragment>;
    // biome-ignore-end lint/suspicious/noArrayIndexKey: see above.
  });
}
