/**
 * The draft of a conversation on the server, so that another device and another browser have it. It is saved shortly after the last
 * change and when the page or the conversation is left; of two, the one that was changed last stays. What could not be
 * saved is in this browser, and is tried again.
 */
import { useEffect } from "react";
import { ApiError, newFormKey, request } from "../../data/api.ts";
import { isWaitingAs } from "../../data/outbox.ts";
import { type Draft, placeOf, readDraft, note as setDraft, subscribe, takeSaved, write } from "./composer-draft.ts";
import { isBlankDraft } from "./stored-drafts.ts";

const DELAY_MS = 1_000;
const RETRY_MS = 5_000;
/** The server keeps none longer. */
const AGE_MAX_MS = 30 * 86_400_000;

/** `isOver`: the person was erased, and the server has nothing. */
export function useSavedDraft(id: string, isOver: boolean): void {
  useEffect(() => (isOver ? undefined : keepSaved(id)), [id, isOver]);
}

/** Returns what ends it. */
function keepSaved(id: string): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isOpen = true;
  /** What was typed until then is not saved over an empty field: the page was not open, or the server has refused it. */
  let insistedAt = Date.now();
  let { changedAt: noticed } = readDraft(id);
  let isSaving = false;
  const saveIn = (ms: number) => {
    clearTimeout(timer);
    if (isOpen) timer = setTimeout(() => void save(), ms);
  };
  const save = async () => {
    const draft = readDraft(id);
    if (!isUnsaved(draft)) return;
    // What is being sent is gone in a moment, or refused. Of two changes, the second replaces the first.
    if (draft.isSending || (isSaving && isOpen)) return saveIn(DELAY_MS);
    const { changedAt } = draft;
    const input = inputOf(id, draft);
    isSaving = true;
    setDraft(id, { savedKey: input.body.key });
    try {
      await request("PUT /w/{workspace}/inbox/{contact}/draft", input, {
        account: placeOf(id).userId,
        keepalive: true,
      });
      setDraft(id, { savedAt: Math.max(changedAt, readDraft(id).savedAt) });
    } catch (error) {
      if (isNewerThere(error)) await load({ changedAt, replaces: input.body.replaces });
      else if (isPassing(error)) saveIn(RETRY_MS);
    } finally {
      isSaving = false;
    }
  };
  /** `refused`: what the server did not take; null: nothing. */
  const load = async (refused: Refused | null): Promise<void> => {
    const before = readDraft(id);
    const saved = await read(id);
    const draft = readDraft(id);
    // What was read may be older than what was saved meanwhile.
    if (draft.savedAt !== before.savedAt) return load(refused);
    if (saved === undefined || draft.isSending) return;
    if (saved !== null && saved.content !== null && isWaitingAs(placeOf(id), saved.key)) return empty(saved.key);
    const next = nextOf(draft, saved, { refused, insistedAt });
    if (next === "save") saveOver(saved, draft);
    else if (next === "clear") clear(saved, draft);
    else if (next === "take") takeSaved(id, saved);
  };
  /** It was sent, and its answer was lost. The server has an earlier state of it. */
  const clear = (saved: Saved | null, { changedAt }: Draft) => {
    takeSaved(id, { content: null, key: saved?.key ?? "", at: changedAt });
    write(id, {});
  };
  /** The server may hear late of a page that was left with an empty field. What was typed since is newer, in sight of it. */
  const saveOver = (saved: Saved | null, { changedAt }: Draft) => {
    if (saved?.content === null) {
      insistedAt = changedAt;
      setDraft(id, { savedKey: saved.key });
    }
    saveIn(DELAY_MS);
  };
  /** The server has what waits for the line here: the page ended before it could say that the field is empty. */
  const empty = (savedKey: string) => {
    setDraft(id, { savedKey });
    write(id, {});
  };
  const stop = subscribe(() => {
    const { changedAt } = readDraft(id);
    if (changedAt === noticed) return;
    noticed = changedAt;
    saveIn(DELAY_MS);
  });
  const leave = () => {
    isOpen = false;
    clearTimeout(timer);
    void save();
  };
  // The browser may show a page again that was left.
  const comeBack = () => {
    isOpen = true;
  };
  addEventListener("pagehide", leave);
  addEventListener("pageshow", comeBack);
  void load(null);
  return () => {
    leave();
    stop();
    removeEventListener("pagehide", leave);
    removeEventListener("pageshow", comeBack);
  };
}

function isUnsaved({ changedAt, savedAt }: Draft): boolean {
  return changedAt > savedAt;
}

interface Saved {
  /** Null: it was sent or emptied. */
  content: Partial<Draft> | null;
  key: string;
  /** When it was changed, by this browser's clock, and at the earliest: what is typed while it is read is newer. */
  at: number;
}

interface Refused {
  changedAt: number;
  replaces: string | null;
}

interface Known {
  refused: Refused | null;
  insistedAt: number;
}

/** Which of the two stays: the newer. `clear`: none. */
function nextOf(draft: Draft, saved: Saved | null, { refused, insistedAt }: Known) {
  const isThere = saved !== null && saved.content !== null;
  const isOwn = refused === null && isThere && saved.key === draft.savedKey;
  const isLater = refused === null ? draft.changedAt > (saved?.at ?? 0) : draft.changedAt !== refused.changedAt;
  const isTyped = !isThere && !isBlankDraft(draft) && draft.changedAt > insistedAt;
  if (isUnsaved(draft) && (isOwn || isLater || isTyped)) return "save";
  if (isOwn || (!isThere && isBlankDraft(draft))) return "nothing";
  // What follows the server's own is refused only if it was sent.
  return isThere && saved.key === refused?.replaces ? "clear" : "take";
}

/** Undefined: it could not be read. */
async function read(id: string): Promise<Saved | null | undefined> {
  const { workspaceId: workspace, contactId: contact } = placeOf(id);
  const askedAt = Date.now();
  try {
    const saved = await request("GET /w/{workspace}/inbox/{contact}/draft", { workspace, contact });
    if (saved === null) return null;
    return { content: saved.content as Saved["content"], key: saved.key, at: askedAt - saved.age_ms };
  } catch {
    return undefined;
  }
}

function inputOf(id: string, draft: Draft) {
  const { workspaceId: workspace, contactId: contact } = placeOf(id);
  const { text, replyTo, sendAt, part, parts, template, seen, file, changedAt, savedKey: replaces } = draft;
  const content = isBlankDraft(draft) ? null : { text, replyTo, sendAt, part, parts, template, seen };
  // With the file, which stays in this browser, it is another message.
  const key = file === null ? draft.key : newFormKey();
  const age = Math.min(Math.max(0, Date.now() - changedAt), AGE_MAX_MS);
  return { workspace, contact, body: { content, key, replaces, age_ms: age } };
}

function isNewerThere(error: unknown): boolean {
  return error instanceof ApiError && error.code === "newer_draft";
}

/** The same request may succeed later. */
function isPassing(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 0 || error.status === 429 || error.status >= 500);
}
