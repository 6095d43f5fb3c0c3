/** A file in the composer: chosen, pasted or dropped; shown before it goes, with how far its upload is. */
import { FileText, X } from "lucide-react";
import { type ReactNode, type RefObject, useEffect, useState } from "react";
import { takenTypes, tooLarge, UPLOAD_BYTES_MAX, uploadBytesMax, uploadKindOf } from "#src/domain/media/upload.ts";
import { addressOf } from "../../data/api.ts";
import { useWorkspace } from "../../data/session.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { formatBytes } from "./attachment.tsx";
import { type Draft, note, type StoredFile, write } from "./composer-draft.ts";
import { takesFile } from "./composer-parts.ts";
import { partStrings, strings } from "./composer-strings.ts";
import { VoicePlayer } from "./voice-player.tsx";

/** Other names that browsers have for types that WhatsApp takes. */
const SYNONYMS: Readonly<Record<string, string>> = {
  "image/jpg": "image/jpeg",
  "audio/mp3": "audio/mpeg",
  "audio/x-m4a": "audio/mp4",
  "audio/aacp": "audio/aac",
  "application/x-zip-compressed": "application/zip",
  "text/rtf": "application/rtf",
};

export function typeOf({ type }: Pick<File, "type">): string {
  const plain = type.split(";")[0] ?? "";
  if (SYNONYMS[plain] !== undefined) return SYNONYMS[plain];
  return plain.startsWith("text/") ? "text/plain" : plain;
}

/** What is wrong with the file, in words, as far as its name and size show; the server reads its bytes. */
function faultOf(file: File): string | null {
  if (file.size === 0) return strings.emptyFile(file.name);
  const recognized = { mimeType: typeOf(file), isAnimated: true };
  const limit = uploadBytesMax(recognized, UPLOAD_BYTES_MAX);
  if (limit === null && recognized.mimeType !== "") {
    return strings.wrongType(file.name, recognized.mimeType, takenTypes);
  }
  if (file.size <= (limit ?? UPLOAD_BYTES_MAX)) return null;
  const { sentence } = tooLarge(recognized, limit ?? UPLOAD_BYTES_MAX);
  return strings.tooLarge(file.name, formatBytes(file.size), sentence);
}

/** Takes the first of the files into the draft, or says why not. */
export function takeFile(draftId: string, files: ArrayLike<File>): void {
  const [file] = Array.from(files);
  if (file === undefined) return;
  const fault = faultOf(file);
  if (fault !== null) note(draftId, { error: fault });
  else {
    write(draftId, { file });
    if (files.length > 1) note(draftId, { error: strings.oneFile(file.name) });
  }
}

/** Whether the text goes with the file. Sound and stickers have none. */
export function hasCaption(mimeType: string): boolean {
  const kind = uploadKindOf(mimeType);
  return kind !== "audio" && kind !== "sticker";
}

/** Whether the text is that below the file. */
export function captions(file: Draft["file"]): boolean {
  return file !== null && hasCaption(typeOf(file));
}

/** Whether the file goes with the message that the draft is now. */
export function sendsFile({ file, part }: Pick<Draft, "file" | "part">): boolean {
  return file !== null && part !== "template" && takesFile(part, uploadKindOf(typeOf(file)));
}

/** The browser's own dialog of files, which `input.current.click()` opens. */
export function FileInput({ draftId, input }: { draftId: string; input: RefObject<HTMLInputElement | null> }) {
  return (
    <input
      ref={input}
      type="file"
      hidden
      onChange={({ target }) => {
        takeFile(draftId, target.files ?? []);
        // The same file may be chosen again.
        target.value = "";
      }}
    />
  );
}

interface AttachedFileProps {
  draftId: string;
  draft: Draft & { file: File | StoredFile };
  cancel: () => void;
}

export function AttachedFile({ draftId, draft, cancel }: AttachedFileProps) {
  const { file, isSending, progress, text, part } = draft;
  const staysBehind = part === null && text.trim() !== "" && !hasCaption(typeOf(file));
  return (
    <section aria-label={strings.file} className="flex flex-col gap-2 rounded-control border border-line p-2">
      <div className="flex items-center gap-3">
        <Preview file={file} />
        <p className="min-w-0 flex-1">
          <span className="block truncate">{file.name}</span>
          <span className="text-label text-quiet figures">{formatBytes(file.size)}</span>
        </p>
        {progress !== null ? (
          <Button small onClick={cancel}>
            {strings.cancelUpload}
          </Button>
        ) : (
          <IconButton label={strings.removeFile} disabled={isSending} onClick={() => write(draftId, { file: null })}>
            <X aria-hidden size={18} />
          </IconButton>
        )}
      </div>
      {progress !== null && (
        <progress aria-label={strings.uploading} value={progress} max={1} className="h-1.5 w-full accent-accent" />
      )}
      {file.type.startsWith("audio/") && <Sound file={file} />}
      {staysBehind && <p className="text-label text-quiet">{strings.noCaption}</p>}
      {!sendsFile(draft) && <p className="text-label text-quiet">{partStrings.fileStays}</p>}
    </section>
  );
}

/** A picture as it is, read here or from the server; for any other file its symbol. */
function Preview({ file }: { file: File | StoredFile }): ReactNode {
  const { id: workspace } = useWorkspace();
  const [picture, setPicture] = useState<string | null>(null);
  useEffect(() => {
    if (!file.type.startsWith("image/")) return;
    if (!(file instanceof File)) {
      setPicture(addressOf("GET /w/{workspace}/media/{id}", { workspace, id: file.id }));
      return;
    }
    const reader = new FileReader();
    reader.onload = () => setPicture(String(reader.result));
    reader.readAsDataURL(file);
    return () => reader.abort();
  }, [file, workspace]);
  if (picture === null) return <FileText aria-hidden size={24} className="shrink-0 text-quiet" />;
  return (
    <img src={picture} alt={strings.preview(file.name)} className="size-16 shrink-0 rounded-control object-cover" />
  );
}

/** A sound is heard before it goes. */
function Sound({ file }: { file: File | StoredFile }) {
  const { id: workspace } = useWorkspace();
  const [address, setAddress] = useState<string | null>(null);
  useEffect(() => {
    if (!(file instanceof File)) {
      setAddress(addressOf("GET /w/{workspace}/media/{id}", { workspace, id: file.id }));
      return;
    }
    const own = URL.createObjectURL(file);
    setAddress(own);
    return () => URL.revokeObjectURL(own);
  }, [file, workspace]);
  if (address === null) return null;
  return <VoicePlayer address={address} label={strings.listen(file.name)} />;
}
