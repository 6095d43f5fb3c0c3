/**
 * Sends a draft, first its file, and says what the answer means. Each message has one idempotency key, so a double press
 * or a retry after a lost connection sends it once.
 */
import { useQueryClient } from "@tanstack/react-query";
import { uploadKindOf } from "#src/domain/media/upload.ts";
import { ApiError, type Body, newFormKey, request } from "../../data/api.ts";
import { isLineLost, sendOrWait, waitingIn, waitWithFile } from "../../data/outbox.ts";
import { noteOwn } from "../../data/own-messages.ts";
import { uploadFile } from "../../data/upload-file.ts";
import { changeIn } from "./change.ts";
import { type Content, type Draft, fileKeyOf, note, placeOf, readDraft, write } from "./composer-draft.ts";
import { hasCaption, sendsFile, typeOf } from "./composer-file.tsx";
import { bodyOf, takesText } from "./composer-parts.ts";
import { partStrings, strings } from "./composer-strings.ts";

/** Uploads that are under way, by draft. */
const uploading = new Map<string, AbortController>();

/** Uploads that were begun in this page, by file. */
const begun = new WeakMap<File, string>();

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
    const upload = isFileSent ? await uploadOrWait(id, target) : null;
    if (upload === "waits") return;
    const { waiting, message, sent } = sendingOf(id, target, upload);
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
    note(id, { error: isCancelled(id) ? null : reason });
  } finally {
    uploading.delete(id);
    note(id, { isSending: false, progress: null });
  }
}

/** `sent`: what the draft is after it. */
function sendingOf(id: string, target: Omit<Target, "workspaceId">, upload: Draft["upload"]) {
  const draft = readDraft(id);
  const { body, rest } = messageOf(draft, upload);
  const message = { ...target, ...body } as Message;
  const at = { ...placeOf(id), key: draft.key, seen: draft.seen };
  const waiting = { ...at, what: { message }, draft: heldOf(draft, rest, upload), text: shownOf(draft) };
  const file = upload === null ? {} : { file: null };
  return {
    waiting,
    message,
    sent: { ...rest, replyTo: null, sendAt: null, part: null, ...file },
  };
}

/** What goes with the message. */
function heldOf(draft: Draft, rest: Pick<Draft, "text">, upload: Draft["upload"]): Content {
  const { text, file, replyTo, sendAt, part, parts, template } = draft;
  return {
    ...{ text: rest.text === "" ? text : "", replyTo, sendAt, part, template },
    parts: part === null || part === "template" ? {} : { [part]: parts[part] },
    file:
      upload === null || file === null
        ? null
        : { id: upload.id, name: file.name, size: file.size, type: upload.mime_type },
  };
}

/**
 * The file as the server has it. `waits`: without a line, or behind what waits in the conversation, the message waits with its
 * file, and the draft is empty.
 */
async function uploadOrWait(id: string, target: Omit<Target, "workspaceId">): Promise<Draft["upload"] | "waits"> {
  const { file, upload } = readDraft(id);
  if (!(file instanceof File) || upload !== null) return uploadOf(id);
  const wait = async (): Promise<boolean> => {
    const { waiting, sent } = sendingOf(id, target, { id: 0, mime_type: typeOf(file) });
    const isWaiting = await waitWithFile(waiting, { file, fileKey: fileKeyOf(file), resume: begun.get(file) ?? null });
    if (!isWaiting) return false;
    write(id, sent);
    note(id, { seen: null });
    return true;
  };
  if (waitingIn(placeOf(id)).length > 0 && (await wait())) return "waits";
  try {
    return await uploadOf(id);
  } catch (reason) {
    if (isCancelled(id) || !isLineLost(reason)) throw reason;
    if (await wait()) return "waits";
    throw new ApiError(0, "no_answer", strings.lineLost);
  }
}

function isCancelled(id: string): boolean {
  return uploading.get(id)?.signal.aborted === true;
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

async function uploadOf(id: string): Promise<Draft["upload"]> {
  const { file, upload } = readDraft(id);
  if (file === null || upload !== null) return upload;
  if (!(file instanceof File)) return { id: file.id, mime_type: file.type };
  const abort = new AbortController();
  uploading.set(id, abort);
  note(id, { progress: 0 });
  const { workspaceId: workspace, userId: account } = placeOf(id);
  const stored = await uploadFile(file, {
    ...{ workspace, account, signal: abort.signal, resume: begun.get(file) ?? null },
    onBegun: (upload) => begun.set(file, upload),
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
