/** A message as the recipient's phone shows it: header, text with WhatsApp's formatting, footer, buttons. */
import { FileText, Image, MapPin, Reply, Video } from "lucide-react";
import { Fragment, type ReactNode } from "react";
import { strings } from "./strings.ts";
import type { Template } from "./template-view.ts";

const buttonClass = "flex items-center justify-center gap-2 border-b border-line py-2 text-accent last:border-b-0";
const ICONS = { image: Image, video: Video, document: FileText, location: MapPin } as const;

type Shown = Pick<Template, "header" | "text" | "footer" | "buttons">;

/** `whole`: the complete message with values, header and footer; replaces the template's text. */
export function PhonePreview({ template, whole }: { template: Shown; whole?: string | undefined }) {
  const { header, text, footer, buttons } = template;
  const Icon = header === null || header.type === "text" ? null : ICONS[header.type];
  return (
    <figure aria-label={strings.preview} className="w-full max-w-80 rounded-panel border border-line bg-sunken p-4">
      <div className="rounded-panel rounded-ss-none border border-line bg-surface p-1">
        {header !== null && Icon !== null && header.type !== "text" && (
          <div className="flex h-28 items-center justify-center gap-2 rounded-control bg-sunken text-quiet">
            <Icon aria-hidden size={20} />
            {strings.media[header.type]}
          </div>
        )}
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
        {buttons.length > 0 && (
          <ul className="border-t border-line">
            {buttons.map((button, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: buttons may share a text, and never move.
              <li key={index} className={buttonClass}>
                {button.type === "QUICK_REPLY" && <Reply aria-hidden size={14} />}
                {button.text}
              </li>
            ))}
          </ul>
        )}
      </div>
    </figure>
  );
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
