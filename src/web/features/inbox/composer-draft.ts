/**
 * What is being written in each conversation: text, file, buttons and the like, the message that it answers, and how far its sending is. A draft outlives its
 * screen, so a message on its way is not sent again by a user who comes back; and the page, where the browser can keep it. It belongs to one user.
 */
import { useSyncExternalStore } from "react";
import { newFormKey } from "../../data/api.ts";
import { dropFile, keepFile, markDropped, readKept } from "../../data/kept-files.ts";
import { dropWaitingTo } from "../../data/outbox.ts";
import type { Place } from "../../data/waiting-store.ts";
import type { WrittenTemplate } from "../messages/choose-template.tsx";
import type { PartName, Parts } from "./composer-parts.ts";
import { strings } from "./composer-strings.ts";
import { forgetStored, readStored, store, storedIds } from "./stored-drafts.ts";

/** A file that the server has. */
export interface StoredFile {
  /** Of the upload. */
  id: number;
  name: string;
  size: number;
  type: string;
}

export interface Content {
  text: string;
  file: File | StoredFile | null;
  /** The message that this one answers. */
  replyTo: Quoted | null;
  /** When it is to be sent, in the workspace's timezone: `2026-11-27T10:00`; empty: not chosen yet; null: now. */
  sendAt: string | null;
  /** What the message is beside text and file; null: nothing. */
  part: PartName | "template" | null;
  /** What has been typed of each, also of one that is closed. */
  parts: Parts;
  /** The template that is chosen; null: none. */
  template: WrittenTemplate | null;
}

export interface Quoted {
  /** Of the conversation's item. */
  key: string;
  to: { inbound: number } | { message: number };
  text: string;
}

export interface Draft extends Content {
  /** The file as the server has it, so that another try does not upload it again. */
  upload: { id: number; mime_type: string } | null;
  /** The newest item of the conversation when the user last typed; null: there was none, or nothing was typed. */
  seen: string | null;
  isSending: boolean;
  /** The part of the file that is uploaded, 0 to 1; null: none is on its way. */
  progress: number | null;
  /** Why it was not sent, or why a file was not taken. */
  error: unknown;
  /** One for each content, so that a repeated press sends it once. */
  key: string;
  /** When its content last changed, by this browser's clock; 0: never. */
  changedAt: number;
  /** The change that the server has; 0: none. */
  savedAt: number;
  /** The key of what was last saved or loaded, which may be that of another file; null: nothing was. */
  savedKey: string | null;
  /** How often the server's has replaced it since the page was opened. */
  revision: number;
}

const NOTHING: Draft = {
  ...{ text: "", file: null, replyTo: null, sendAt: null, upload: null, part: null, parts: {} },
  ...{ template: null, seen: null, isSending: false, progress: null, error: null, key: "" },
  ...{ changedAt: 0, savedAt: 0, savedKey: null, revision: 0 },
};
const drafts = new Map<string, Draft>();
const listeners = new Set<() => void>();

/** Of a user: who signs in next in the same browser has others. */
export function draftIdOf(userId: number, workspaceId: number, contactId: number): string {
  return `${userId} ${workspaceId} ${contactId}`;
}

/** Where the draft belongs. */
export function placeOf(draftId: string): Place {
  const [userId, workspaceId, contactId] = draftId.split(" ").map(Number);
  return { userId: userId ?? 0, workspaceId: workspaceId ?? 0, contactId: contactId ?? 0 };
}

/** Of the note that is written beside the reply. */
export function noteIdOf(draftId: string): string {
  return `${draftId} note`;
}

export function readDraft(id: string): Draft {
  const known = drafts.get(id);
  if (known !== undefined) return known;
  const draft = { ...NOTHING, ...readStored<Draft>(id) };
  drafts.set(id, draft);
  if (draft.file === null) void restoreFile(id);
  return draft;
}

/** One for each file, so that its copies are known. */
const fileKeys = new WeakMap<File, string>();

export function fileKeyOf(file: File): string {
  const fileKey = fileKeys.get(file) ?? newFormKey();
  fileKeys.set(file, fileKey);
  return fileKey;
}

const keptName = (id: string): string => `draft ${id}`;

/** The file that was in the draft when the page ended. */
async function restoreFile(id: string): Promise<void> {
  const kept = await readKept(keptName(id));
  if (kept === null) return;
  const { file, changedAt } = readDraft(id);
  if (file !== null) return;
  fileKeys.set(kept.file, kept.fileKey);
  // With the file, it is another message.
  note(id, { file: kept.file, key: newFormKey(), changedAt });
}

/** A file that the server does not have stays in this browser, as the draft does. */
async function keepFileOf(id: string, { file }: Draft, before: Draft): Promise<void> {
  if (before.file instanceof File) markDropped(keptName(id), fileKeyOf(before.file));
  if (!(file instanceof File)) return dropFile(keptName(id));
  const isKept = await keepFile(keptName(id), placeOf(id), file, fileKeyOf(file));
  if (!isKept && readDraft(id).file === file && readDraft(id).error === null) note(id, { error: strings.fileNotKept });
}

/** The person was erased: what any user of this browser wrote to them goes. */
export function dropDraftsTo(workspaceId: number, contactId: number): void {
  const isTheirs = (id: string): boolean => {
    const [, workspace, contact] = id.split(" ");
    return workspace === String(workspaceId) && contact === String(contactId);
  };
  for (const id of [...drafts.keys()].filter(isTheirs)) drafts.delete(id);
  for (const id of storedIds().filter(isTheirs)) forgetStored(id);
  dropWaitingTo(workspaceId, contactId);
  tell();
}

/** What the server has of it replaces the draft; null: nothing. A file is of this browser alone, and stays. */
export function takeSaved(id: string, saved: { content: Partial<Draft> | null; key: string; at: number } | null): void {
  const { file, upload, revision } = readDraft(id);
  const at = saved?.at ?? Date.now();
  const key = saved === null || saved.content === null || file !== null ? newFormKey() : saved.key;
  const kept = { ...NOTHING, ...saved?.content, file, upload };
  note(id, { ...kept, key, changedAt: at, savedAt: at, savedKey: saved?.key ?? null, revision: revision + 1 });
}

export function useDraft(id: string): Draft {
  return useSyncExternalStore(subscribe, () => readDraft(id));
}

/** A changed content is a different message. */
export function write(id: string, content: Partial<Content>): void {
  const upload = content.file === undefined ? {} : { upload: null, error: null };
  const fault = content.part === undefined && content.parts === undefined ? {} : { error: null };
  note(id, { ...content, ...upload, ...fault, key: newFormKey() });
}

/** What is typed of one part. */
export function writePart<Name extends PartName>(id: string, name: Name, part: Required<Parts>[Name]): void {
  write(id, { parts: { ...readDraft(id).parts, [name]: part } });
}

/** What happens to the draft, which stays the same message unless it gets another key. */
export function note(id: string, change: Partial<Draft>): void {
  const changed = change.key === undefined || change.changedAt !== undefined ? {} : { changedAt: Date.now() };
  const before = readDraft(id);
  const draft = { ...before, ...changed, ...change };
  drafts.set(id, draft);
  if (draft.file !== before.file && (draft.file instanceof File || before.file instanceof File)) {
    void keepFileOf(id, draft, before);
  }
  store(id, draft);
  tell();
}

function tell(): void {
  for (const listener of listeners) listener();
}

export function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
