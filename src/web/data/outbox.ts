/**
 * Messages and notes that met a lost line. Each waits in this browser, for one user and one workspace, until the line is back, and
 * carries its draft's key, so that it is sent once. Those of a conversation go in their order. What has waited for long, or was
 * refused, waits for a person. Nothing is dropped but by a person.
 */
import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useEffect, useSyncExternalStore } from "react";
import { ApiError, newFormKey, request } from "./api.ts";
import { dropFile, dropFilesTo, keepFile } from "./kept-files.ts";
import { inSight, noteOwn } from "./own-messages.ts";
import { cancelWaitingUpload, uploadWaiting, withMedia } from "./waiting-file.ts";
import {
  isOf,
  newestOf,
  type Place,
  readAll,
  readAnew,
  remove,
  save,
  saveIfThere,
  subscribe,
  tell,
  type Waiting,
} from "./waiting-store.ts";

const LOCK = "waxwing-outbox";
/** Of all users of the browser. */
const WAITING_MAX = 200;
const ASK_AFTER_MS = 12 * 60 * 60_000;
const RETRY_MS = 3_000;
const ANSWER_WITHIN_MS = 60_000;

/** The queue of this page, where the browser has no locks between its pages. */
let chain: Promise<unknown> = Promise.resolve();

/** No answer came, or one of a proxy that did not reach the server. */
export function isLineLost(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  return error.status === 0 || (error.code === "unreadable" && error.status >= 502 && error.status <= 504);
}

type Sent = Omit<Waiting, "at" | "confirmedAt" | "refusal">;

interface SendOptions {
  key: string;
  account: number;
  version: string | null;
}

function optionsOf({ key, userId, seen }: Sent): SendOptions {
  return { key, account: userId, version: seen === null ? null : inSight(seen) };
}

/**
 * Sends, or keeps it for later: behind what waits in its conversation, or because the line is lost. Rejects with every other
 * refusal, and with that of the line if the browser keeps nothing more.
 */
export async function sendOrWait(sent: Sent, send: (options: SendOptions) => Promise<void>) {
  if (waitingIn(sent).length > 0 && keepWaiting(sent)) return;
  const { left, stop } = pageLeft();
  try {
    await Promise.race([send(optionsOf(sent)), left]);
  } catch (error) {
    if (!isLineLost(error) || !keepWaiting(sent)) throw error;
  } finally {
    stop();
  }
}

/** Rejects as a lost line does when the page is left: a page that ends may never be told that its request has failed. */
function pageLeft(): { left: Promise<never>; stop: () => void } {
  let leave = (): void => undefined;
  const left = new Promise<never>((_, reject) => {
    leave = () => reject(new ApiError(0, "no_answer", "The page was left."));
  });
  addEventListener("pagehide", leave);
  return { left, stop: () => removeEventListener("pagehide", leave) };
}

/** The same for a message whose file the server does not have. Resolves to false if the browser keeps nothing more. */
export async function waitWithFile(
  sent: Sent,
  { file, fileKey, resume }: { file: File; fileKey: string; resume: string | null },
): Promise<boolean> {
  // Another page has the same draft.
  if (readAnew().some(({ userId, key }) => userId === sent.userId && key === sent.key)) return true;
  const kept = `outbox ${sent.userId} ${newFormKey()}`;
  if (!(await keepFile(kept, sent, file, fileKey))) return false;
  const isWaiting = keepWaiting({ ...sent, file: { kept, resume, id: null } });
  if (!isWaiting) await dropFile(kept);
  return isWaiting;
}

function keepWaiting(sent: Sent): boolean {
  const all = readAll();
  if (all.length >= WAITING_MAX) return false;
  const at = Math.max(Date.now(), ...all.map((one) => one.at + 1));
  return save({ ...sent, at, confirmedAt: at, refusal: null });
}

/** In their order. */
export function waitingIn(place: Place): Waiting[] {
  return readAll().filter((one) => isOf(one, place));
}

/** Whether the draft that had this key waits. */
export function isWaitingAs(place: Place, key: string): boolean {
  return waitingIn(place).some((one) => one.key === key || one.formerKeys?.includes(key));
}

export function useWaiting(place: Place): Waiting[] {
  return useSyncExternalStore(subscribe, readAll).filter((one) => isOf(one, place));
}

/** Of the user, in all workspaces. */
function countWaiting(userId: number): number {
  return readAll().filter((one) => one.userId === userId).length;
}

export function useWaitingCount(userId: number): number {
  return useSyncExternalStore(subscribe, () => countWaiting(userId));
}

/** It asks before it goes. */
export function asks({ confirmedAt, refusal }: Waiting): boolean {
  return refusal !== null || Date.now() - confirmedAt > ASK_AFTER_MS;
}

/** A person says that it may go. */
export function confirmWaiting(waiting: Waiting): void {
  save({ ...waiting, confirmedAt: Date.now(), refusal: null });
}

/**
 * Hands what waits back, whose file stays for `putBack`: what that does at once has the same moment, so that a text is never
 * nowhere. Resolves to false if it has been sent meanwhile.
 */
export function recall(waiting: Waiting, putBack: (found: Waiting) => Promise<void>): Promise<boolean> {
  cancelWaitingUpload(waiting.at);
  return alone(false, async () => {
    // A refusal has changed the key.
    const found = readAll().find((one) => isOf(one, waiting) && one.at === waiting.at);
    if (found === undefined) return false;
    remove(found);
    await putBack(found);
    return true;
  });
}

/** The person was erased. */
export function dropWaitingTo(workspaceId: number, contactId: number): void {
  for (const one of readAll()) if (one.workspaceId === workspaceId && one.contactId === contactId) remove(one);
  void dropFilesTo(workspaceId, contactId);
}

/** Sends what waits for this user whenever the line is back. */
export function useOutbox(userId: number): void {
  const client = useQueryClient();
  useEffect(() => {
    const run = () => {
      if (countWaiting(userId) > 0) void sendWaiting(userId, client);
    };
    run();
    const timer = setInterval(run, RETRY_MS);
    addEventListener("online", run);
    return () => {
      clearInterval(timer);
      removeEventListener("online", run);
    };
  }, [userId, client]);
}

/** Of several pages, one sends. */
export async function sendWaiting(userId: number, client: QueryClient): Promise<void> {
  await alone(true, async () => {
    const stopped = new Set<string>();
    for (;;) {
      const next = readAnew().find((one) => one.userId === userId && !stopped.has(conversationOf(one)));
      if (next === undefined) return;
      const outcome = asks(next) ? "stays" : await sendOne(next);
      if (outcome === "no line") return;
      if (outcome === "stays") stopped.add(conversationOf(next));
      else await refresh(client, next);
    }
  });
}

async function sendOne(found: Waiting): Promise<"sent" | "stays" | "no line"> {
  let waiting = found;
  try {
    waiting = await withFile(found);
  } catch (error) {
    // It was cancelled, or another page has sent it.
    return readAnew().some(({ at }) => at === found.at) ? keepOrRefuse(newestOf(found), error) : "stays";
  }
  const { workspaceId: workspace, what } = waiting;
  try {
    const options = { ...optionsOf(waiting), signal: AbortSignal.timeout(ANSWER_WITHIN_MS) };
    if ("note" in what) {
      const { conversation, note: text } = what;
      const input = { workspace, conversation, body: { text } };
      await request("POST /w/{workspace}/conversations/{conversation}/notes", input, options);
    } else {
      const { id } = await request("POST /w/{workspace}/messages", { workspace, body: what.message }, options);
      noteOwn(id);
    }
  } catch (error) {
    // The message is in the conversation, with its state.
    const isThere = error instanceof ApiError && error.code === "whatsapp_error" && error.outcome !== "unknown";
    if (!isThere) return keepOrRefuse(waiting, error);
  }
  // Its file first: where the page ends in between, it goes again as the same message.
  if (waiting.file !== undefined) await dropFile(waiting.file.kept);
  remove(waiting);
  return "sent";
}

/** With its file uploaded: what is sent is recorded before it goes, so that a repeat is the same message. */
async function withFile(waiting: Waiting): Promise<Waiting> {
  const { at, what, file, userId, workspaceId } = waiting;
  if (file === undefined || file.id !== null || "note" in what) return waiting;
  const id = await uploadWaiting(at, file, {
    ...{ userId, workspaceId, onChange: tell },
    onBegun: (resume) => saveIfThere({ ...waiting, file: { ...file, resume } }),
  });
  const next = { ...newestOf(waiting), what: { message: withMedia(what.message, id) }, file: { ...file, id } };
  if (!saveIfThere(next)) throw new Error("it is gone");
  return next;
}

function keepOrRefuse(waiting: Waiting, error: unknown): "stays" | "no line" {
  // An answer in doubt, a busy server, a session that ended: the same request later.
  const isRefused =
    error instanceof ApiError && error.status >= 400 && error.status < 500 && ![401, 429].includes(error.status);
  if (!isRefused || error.code === "other_account") return "no line";
  // Another page has sent it, or the person was erased.
  if (!readAnew().some(({ at }) => at === waiting.at)) return "stays";
  // The refusal is kept under its key. A person who lets it go has seen what it knew, and nothing newer.
  remove(waiting);
  // Another try uploads its file again: the one that was refused may have been deleted.
  const file = waiting.file === undefined ? {} : { file: { ...waiting.file, resume: null, id: null } };
  const seen = error.code === "conversation_changed" ? String(error.details.version) : waiting.seen;
  const formerKeys = [...(waiting.formerKeys ?? []), waiting.key];
  save({ ...waiting, ...file, key: newFormKey(), formerKeys, seen, refusal: error.message });
  return "stays";
}

function refresh(client: QueryClient, { workspaceId, contactId, what }: Waiting): Promise<unknown> {
  const names =
    "note" in what
      ? [["notes", workspaceId, what.conversation]]
      : [
          ["conversation", workspaceId, String(contactId)],
          ["conversations", workspaceId],
        ];
  return Promise.all(names.map((queryKey) => client.invalidateQueries({ queryKey })));
}

/** Runs `act` while no other page does. `isOptional`: not at all if one does, which resolves to undefined. */
function alone<Result>(isOptional: true, act: () => Promise<Result>): Promise<Result | undefined>;
function alone<Result>(isOptional: false, act: () => Promise<Result>): Promise<Result>;
function alone<Result>(isOptional: boolean, act: () => Promise<Result>): Promise<Result | undefined> {
  // Missing on plain HTTP: there the key alone keeps the server from sending a message of two pages twice.
  const locks = (navigator as { locks?: LockManager }).locks;
  if (locks !== undefined) {
    return locks.request(LOCK, { ifAvailable: isOptional }, (lock) => (lock === null ? undefined : act()));
  }
  const result = chain.then(act);
  chain = result.catch(() => undefined);
  return result;
}

function conversationOf({ workspaceId, contactId }: Waiting): string {
  return `${workspaceId} ${contactId}`;
}
