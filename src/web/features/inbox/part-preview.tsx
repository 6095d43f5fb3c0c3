/** What is being written as the customer's phone shows it. */
import { uploadKindOf } from "#src/domain/media/upload.ts";
import { PhonePreview } from "../templates/phone-preview.tsx";
import { SentAttachment } from "./attachment.tsx";
import type { Draft } from "./composer-draft.ts";
import { sendsFile } from "./composer-file.tsx";
import { bodyOf, isBlank, type PartName, type Parts, partOf } from "./composer-parts.ts";
import { partStrings as strings } from "./composer-strings.ts";

interface PreviewProps {
  name: PartName;
  draft: Draft;
}

export function PartPreview({ name, draft }: PreviewProps) {
  const { parts } = draft;
  return (
    <section aria-label={strings.preview} className="min-w-0 wide:sticky wide:top-0">
      <p aria-hidden className="mb-1 text-label text-quiet">
        {strings.preview}
      </p>
      {name === "location" || name === "contacts" ? (
        <div className="w-full max-w-80 rounded-panel border border-line bg-sunken p-3">
          <div className="overflow-hidden rounded-panel rounded-ss-none border border-line bg-surface p-2">
            <SentAttachment
              content={bodyOf(name, parts, "", null) as Parameters<typeof SentAttachment>[0]["content"]}
            />
          </div>
        </div>
      ) : (
        <PhonePreview template={{ ...actionOf(name, parts), ...aroundOf(name, draft), offer: null, cards: null }} />
      )}
      {name === "list" && <Opened parts={parts} />}
    </section>
  );
}

/** What can be pressed, as a template's buttons are shown. */
function actionOf(name: "buttons" | "list" | "link", parts: Parts) {
  const shown = (type: string, text: string) => ({ type, text, takes: null, meaning: null });
  if (name === "buttons") return { buttons: partOf(parts, name).titles.map((title) => shown("QUICK_REPLY", title)) };
  if (name === "list") return { buttons: [shown("LIST", partOf(parts, name).button)] };
  return { buttons: [shown("URL", partOf(parts, name).title)] };
}

function aroundOf(name: "buttons" | "list" | "link", draft: Draft) {
  const { header, footer } = partOf(draft.parts, name);
  const kind = sendsFile(draft) ? uploadKindOf(draft.file?.type ?? "") : null;
  const text = isBlank(header) ? null : { type: "text" as const, text: header };
  return {
    header: kind === "image" || kind === "video" || kind === "document" ? { type: kind, text: null } : text,
    text: draft.text,
    footer: isBlank(footer) ? null : footer,
  };
}

function Opened({ parts }: { parts: Parts }) {
  const { sections } = partOf(parts, "list");
  return (
    <div className="mt-2 w-full max-w-80 rounded-panel border border-line bg-surface p-3">
      <p className="text-label text-quiet">{strings.openedList}</p>
      {sections.map(({ title, rows }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: sections are told apart by their place alone.
        <div key={index} className="mt-1">
          {!isBlank(title) && <p className="font-semibold wrap-anywhere">{title}</p>}
          <ul>
            {rows
              .filter((row) => !isBlank(row.title))
              .map((row, place) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: as above.
                <li key={place} className="border-b border-line py-1 wrap-anywhere last:border-b-0">
                  {row.title}
                  {!isBlank(row.description) && <span className="block text-label text-quiet">{row.description}</span>}
                </li>
              ))}
          </ul>
        </div>
      ))}
    </div>
  );
}
