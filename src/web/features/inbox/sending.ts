/**
 * Sends a draft, first its file, and says what the answer means. Each message has one idempotency key, so a double press
 * or a retry after a lost connection sends it once.
 */
import { useQueryClient } from "@tanstack/react-query";
import { uploadKindOf } from "#src/domain/media/upload.ts";
import { ApiError, type Body, newFormKey, request, uploadForm } from "../../data/api.ts";
import { sendOrWait } from "../../data/outbox.ts";
import { noteOwn } from "../../data/own-messages.ts";
import { changeIn } from "./change.ts";
import { type Draft, note, placeOf, readDraft, write } from "./composer-draft.ts";
import { hasCaption, sendsFile } from "./composer-file.tsx";
import { bodyOf, takesText } from "./composer-parts.ts";
import { partStrings } from "./composer-strings.ts";

/** Uploads that are under way, by draft. */
const uploading = new Map<string, AbortController>();

interface Target {
  workspaceId: number;
  to: string;
  from?: string;
  take?: boolean;
}

type Message = Body<"POST /w/{workspace}/messages">;

/** The draft keeps whatever was not sent, and the reason. */
export async function sendDraft(id: string, { workspaceId, ...target }: Target): Promise<void> {
  if (readDraft(id).isSending) return;
  note(id, { isSending: true, error: null });
  try {
    const isFileSent = sendsFile(readDraft(id));
    const upload = isFileSent ? await uploadOf(id, workspaceId) : null;
    const { body, rest } = messageOf(readDraft(id), upload);
    const { key, seen } = readDraft(id);
    const message = { ...target, ...body } as Message;
    const waiting = { ...placeOf(id), key, seen, what: { message }, text: shownOf(readDraft(id)) };
    const sent = { ...rest, replyTo: null, sendAt: null, part: null, ...(isFileSent ? { file: null } : {}) };
    try {
      await sendOrWait(waiting, async (options) => {
        noteOwn((await request("POST /w/{workspace}/messages", { workspace: workspaceId, body: message }, options)).id);
      });
      write(id, sent);
      note(id, { seen: null });
    } catch (reason) {
      // The message was dispatched and then failed or got no answer: the conversation shows it with its state.
      if (isShownInConversation(reason)) write(id, sent);
      else note(id, { error: reason });
      // The server may have stored its answer under the key, so another try needs a new one. A file may have expired.
      if (isAnswered(reason)) note(id, { key: newFormKey(), upload: null });
    }
  } catch (reason) {
    const isCancelled = uploading.get(id)?.signal.aborted === true;
    note(id, { error: isCancelled ? null : reason });
  } finally {
    uploading.delete(id);
    note(id, { isSending: false, progress: null });
  }
}

/** What the message says, for the thread, while it waits. */
function shownOf(draft: Draft): string {
  const { text, file, part } = draft;
  const kind = part === null || part === "template" ? "" : partStrings.names[part];
  const name = file !== null && sendsFile(draft) ? file.name : "";
  const said = part === "template" || takesText(part) ? text.trim() : "";
  return [kind, name, said].filter((line) => line !== "").join("\n");
}

/** `rest`: what does not go with the message. */
function messageOf(
  { text, replyTo, sendAt, part, parts }: Draft,
  upload: Draft["upload"],
): { body: object; rest: Pick<Draft, "text" | "parts"> } {
  const more = {
    ...(replyTo === null ? {} : { reply_to: replyTo.to }),
    ...(sendAt === null ? {} : { send_at: sendAt }),
  };
  if (part !== null && part !== "template") {
    const { [part]: _, ...others } = parts;
    const body = { ...bodyOf(part, parts, text, upload === null ? null : headerOf(upload)), ...more };
    return { body, rest: { text: takesText(part) ? "" : text, parts: others } };
  }
  if (upload === null) return { body: { text, ...more }, rest: { text: "", parts } };
  const hasText = text.trim() !== "";
  const isCaption = hasText && hasCaption(upload.mime_type);
  // What is Ogg is Opus: a recorded voice note, or one that came from a phone.
  const isVoice = upload.mime_type === "audio/ogg";
  const media = { id: upload.id, ...(isCaption ? { caption: text } : {}), ...(isVoice ? { voice: true } : {}) };
  return { body: { media, ...more }, rest: { text: hasText && !isCaption ? text : "", parts } };
}

function headerOf({ id, mime_type: type }: NonNullable<Draft["upload"]>) {
  return { type: uploadKindOf(type) as "image" | "video" | "document", id };
}

async function uploadOf(id: string, workspace: number): Promise<Draft["upload"]> {
  const { file, upload } = readDraft(id);
  if (file === null || upload !== null) return upload;
  if (!(file instanceof File)) return { id: file.id, mime_type: file.type };
  const abort = new AbortController();
  uploading.set(id, abort);
  note(id, { progress: 0 });
  const stored = await uploadForm("POST /w/{workspace}/media", { workspace }, file, {
    signal: abort.signal,
    onProgress: (progress) => note(id, { progress }),
  });
  note(id, { upload: stored, progress: null });
  return stored;
}

/** The draft stays as it is. */
export function cancelUpload(id: string): void {
  uploading.get(id)?.abort();
}

/** The same request may succeed later: no answer came, the server was busy, or it failed. */
export function isWorthAnotherTry(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 0 || error.status === 429 || error.status >= 500);
}

/** The message was stored before it was refused, so the conversation shows it. */
export function isShownInConversation(error: unknown): boolean {
  return error instanceof ApiError && error.code === "whatsapp_error";
}

/** The outcome is known, so sending again is a new message. */
export function isAnswered(error: unknown): boolean {
  // Nothing was done: the same request is sent again once the user has agreed.
  if (changeIn(error) !== null) return false;
  return error instanceof ApiError && error.status >= 400 && error.status < 503 && error.status !== 500;
}

/** Refreshes the list and the conversation after sending. */
export function useRefresh(workspaceId: number, contactId: number): () => Promise<unknown> {
  const client = useQueryClient();
  return () =>
    Promise.all([
      client.invalidateQueries({ queryKey: ["conversation", workspaceId, String(contactId)] }),
      client.invalidateQueries({ queryKey: ["conversations", workspaceId] }),
    ]);
}
