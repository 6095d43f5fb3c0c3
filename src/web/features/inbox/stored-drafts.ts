/**
 * Drafts as the browser keeps them, each under the id of its user. A file that the server does not have yet is kept beside
 * them (`data/kept-files.ts`). The
 * key is kept with its content: what was on its way when the page ended is the same message when it is sent again.
 */
import { newFormKey } from "../../data/api.ts";

const PREFIX = "waxwing-draft ";
const KEPT_MS = 30 * 86_400_000;
/** How the version of a conversation begins. */
const VERSION = /^c\d+-n\d+-i\d+-m\d/;

interface Keepable {
  text: string;
  file: object | null;
  replyTo: object | null;
  sendAt: string | null;
  part: string | null;
  parts: object;
  template: object | null;
  seen: string | null;
  key: string;
  changedAt: number;
  savedAt: number;
  savedKey: string | null;
}

/** Empty if there is none, or if the browser keeps nothing. */
export function readStored<Draft extends Keepable>(id: string): Partial<Draft> {
  try {
    const text = localStorage.getItem(PREFIX + id);
    if (text === null) return {};
    const { until, draft } = JSON.parse(text) as { until: number; draft: Partial<Draft> };
    if (until > Date.now()) return ofThisBuild(draft);
    forgetStored(id);
  } catch {
    // Storage is switched off, or holds what another version wrote.
  }
  return {};
}

/** An older build stored a `seen` that the server would refuse, and never gave the draft to the server. */
function ofThisBuild<Draft extends Keepable>(draft: Partial<Draft>): Partial<Draft> {
  const seen = VERSION.test(draft.seen ?? "") ? draft.seen : null;
  return { ...draft, seen, changedAt: draft.changedAt ?? Date.now() };
}

/** But for its file. */
export function isBlankDraft({ text, replyTo, part, parts, template }: Keepable): boolean {
  const hasPart = part !== null || template !== null || Object.keys(parts).length > 0;
  return text === "" && replyTo === null && !hasPart;
}

export function store(id: string, whole: Keepable): void {
  const { text, file, replyTo, sendAt, part, parts, template, key, seen, ...at } = whole;
  const { changedAt, savedAt, savedKey } = at;
  const isUpload = file instanceof File;
  if (isBlankDraft(whole) && (file === null || isUpload)) {
    forgetStored(id);
    return;
  }
  const kept = isUpload ? { file: null, key: newFormKey() } : { file, key };
  const draft = { text, replyTo, sendAt, part, parts, template, seen, changedAt, savedAt, savedKey, ...kept };
  try {
    if (localStorage.getItem(PREFIX + id) === null) forgetOld();
    localStorage.setItem(PREFIX + id, JSON.stringify({ until: Date.now() + KEPT_MS, draft }));
  } catch {
    // Storage is full or switched off: the draft lives as long as the page.
  }
}

export function forgetStored(id: string): void {
  try {
    localStorage.removeItem(PREFIX + id);
  } catch {
    // Nothing is kept.
  }
}

/** Of all users. */
export function storedIds(): string[] {
  try {
    return Object.keys(localStorage).flatMap((name) => (name.startsWith(PREFIX) ? [name.slice(PREFIX.length)] : []));
  } catch {
    return [];
  }
}

/** So that drafts of conversations that are never opened again do not stay. */
function forgetOld(): void {
  for (const id of storedIds()) readStored(id);
}
