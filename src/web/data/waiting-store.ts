/** What waits in this browser, in its storage: shared by its pages, each of which hears what another one changes. */
import type { Body } from "./api.ts";
import type { WaitingFile } from "./waiting-file.ts";

const PREFIX = "waxwing-outbox ";

export interface Place {
  userId: number;
  workspaceId: number;
  contactId: number;
}

type Message = Body<"POST /w/{workspace}/messages">;

export interface Waiting extends Place {
  /** Of the draft; with it, a repeat is the same message. */
  key: string;
  /** Those under which it was refused. Absent: it was not. */
  formerKeys?: readonly string[];
  /** The version of the conversation that the user had in sight; null: others' changes are not asked about. */
  seen: string | null;
  what: { message: Message } | { note: string; conversation: number };
  /** The file of a message, which is uploaded first. Absent: the message has no file, or the server has the file. */
  file?: WaitingFile;
  /** What the draft held of it, which returns there when it is cancelled. Absent: it was a note or a reaction. */
  draft?: object;
  /** What it says, for the thread. */
  text: string;
  /** When it was to be sent: the order of a conversation. */
  at: number;
  /** When a person last said that it may go. */
  confirmedAt: number;
  /** Why it was refused; null: it was not. */
  refusal: string | null;
}

const listeners = new Set<() => void>();
let known: readonly Waiting[] | null = null;

export function isOf(one: Waiting, { userId, workspaceId, contactId }: Place): boolean {
  return one.userId === userId && one.workspaceId === workspaceId && one.contactId === contactId;
}

export function readAll(): readonly Waiting[] {
  known ??= readStorage().sort((a, b) => a.at - b.at);
  return known;
}

/** Reads the storage again: the event about a change by another page may not have arrived yet. */
export function readAnew(): readonly Waiting[] {
  known = null;
  return readAll();
}

function readStorage(): Waiting[] {
  try {
    return Object.keys(localStorage).flatMap((name) => {
      const text = name.startsWith(PREFIX) ? localStorage.getItem(name) : null;
      return text === null ? [] : [JSON.parse(text) as Waiting];
    });
  } catch {
    return [];
  }
}

export function save(waiting: Waiting): boolean {
  try {
    localStorage.setItem(nameOf(waiting), JSON.stringify(waiting));
    return true;
  } catch {
    return false;
  } finally {
    tell();
  }
}

export function remove(waiting: Waiting): void {
  try {
    localStorage.removeItem(nameOf(waiting));
  } catch {
    // Nothing is kept.
  }
  tell();
}

function nameOf({ userId, key }: Waiting): string {
  return `${PREFIX}${userId} ${key}`;
}

export function tell(): void {
  known = null;
  for (const listener of listeners) listener();
}

export function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  // Another page has sent one, or recalled it.
  if (listeners.size === 1) addEventListener("storage", tell);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) removeEventListener("storage", tell);
  };
}

export function newestOf(waiting: Waiting): Waiting {
  return readAll().find(({ at }) => at === waiting.at) ?? waiting;
}

/** The person may have been erased meanwhile. */
export function saveIfThere(waiting: Waiting): boolean {
  return readAnew().some(({ at }) => at === waiting.at) && save(waiting);
}
