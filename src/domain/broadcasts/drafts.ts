/**
 * Drafts of broadcasts: created, saved, listed, and turned into at most one broadcast each. The transaction that
 * creates the broadcast stores its id in the draft, so that a second click, a reload or the back button finds it.
 */
import { asc, desc, gt, lte } from "drizzle-orm";
import { invalidRequest, notFound } from "#src/core/problem.ts";
import { changeRow, deleteRows, findRow, insertRow, listSome, updateRows } from "#src/db/rows.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { type Draft, type DraftContent, drafts } from "./table.ts";

/** Drafts are deleted this long after their last change; the remains of sent drafts too. */
const RETENTION_MS = 30 * 24 * 60 * 60 * 1000;
const LISTED_MAX = 20;

/** `about`: the broadcast that it changes or repeats; absent: none. */
export function createDraft(
  tx: Tx,
  workspaceId: number,
  userId: number,
  content: DraftContent,
  about: Partial<Pick<Draft, "changesId" | "againOf" | "isAgainUnknown">> = {},
): Draft {
  return insertRow(tx, drafts, { ...about, workspaceId, userId, content, createdAt: tx.now, updatedAt: tx.now });
}

/** Throws `not_found`, also for a draft of another workspace. */
export function getDraft(tx: ReadTx, workspaceId: number, id: number): Draft {
  const draft = findRow(tx, drafts, { workspaceId, id });
  if (draft === undefined) throw notFound("draft");
  return draft;
}

/** Unsent drafts, the last changed first. */
export function listDrafts(tx: ReadTx, workspaceId: number): Draft[] {
  return listSome(tx, drafts, { workspaceId, broadcastId: null }, LISTED_MAX, desc(drafts.updatedAt), desc(drafts.id));
}

/** Throws `invalid_request` for a sent draft: it is a broadcast now. */
export function saveDraft(tx: Tx, draft: Draft, content: DraftContent): Draft {
  if (draft.broadcastId !== null)
    throw invalidRequest({ draft: ["This draft has been sent. Create a new broadcast."] });
  const saved = changeRow(tx, drafts, { id: draft.id }, { content, updatedAt: tx.now });
  return saved ?? draft;
}

/** Call in the transaction that creates the broadcast. The draft's content is cleared, because the broadcast has it. */
export function markDraftSent(tx: Tx, draft: Draft, broadcastId: number): void {
  updateRows(tx, drafts, { id: draft.id }, { broadcastId, content: {}, updatedAt: tx.now });
}

/** The draft becomes a new broadcast when it is sent. The broadcast that it was to change stays as it is. */
export function detachDraft(tx: Tx, draft: Draft): Draft {
  return changeRow(tx, drafts, { id: draft.id }, { changesId: null, updatedAt: tx.now }) ?? draft;
}

export function removeDraft(tx: Tx, draft: Draft): void {
  deleteRows(tx, drafts, { id: draft.id });
}

/** The end of a phone number, however its prefix is written: long enough to recognise it. */
const LAST_DIGITS = 8;
const DRAFTS_PER_READ = 50;

/** By which drafts are searched for these names, digits only: users write numbers as they like. */
export function numberEnds(identifiers: readonly string[]): string[] {
  return identifiers.filter((name) => /^\d{8,}$/.test(name)).map((name) => name.slice(-LAST_DIGITS));
}

/**
 * Removes a person's numbers from the next drafts after `afterId` that name them. `identifiers`: as the network writes them, digits only.
 * `last`: the last draft that was searched; null at the end. `changed`: how many.
 */
export function eraseFromDrafts(
  tx: Tx,
  workspaceId: number,
  identifiers: readonly string[],
  afterId: number,
): { last: number | null; changed: number } {
  const ends = numberEnds(identifiers);
  if (ends.length === 0) return { last: null, changed: 0 };
  const batch = listSome(tx, drafts, gt(drafts.id, afterId), DRAFTS_PER_READ, asc(drafts.id));
  let changed = 0;
  for (const { id, content, workspaceId: owner } of batch) {
    if (owner !== workspaceId) continue;
    const left = contentWithout(content, ends);
    if (left === null) continue;
    updateRows(tx, drafts, { id }, { content: left });
    changed += 1;
  }
  return { last: batch.length < DRAFTS_PER_READ ? null : (batch.at(-1)?.id ?? null), changed };
}

const OF_THE_PERSON = ["variables", "media", "location", "cards", "products"];

/** Null: it has none of these numbers. The values of a draft to one person alone are that person's. */
function contentWithout(content: DraftContent, ends: readonly string[]): DraftContent | null {
  const to = Array.isArray(content.to) ? content.to.map(String) : [];
  const others = to.filter((number) => !ends.some((end) => number.replace(/\D/g, "").endsWith(end)));
  if (others.length === to.length) return null;
  if (others.length > 0) return { ...content, to: others };
  const kept = Object.entries(content).filter(([name]) => !OF_THE_PERSON.includes(name));
  return { ...Object.fromEntries(kept), to: [] };
}

/** Drops up to `limit` drafts that are too old; returns how many. */
export function purgeDrafts(tx: Tx, limit: number): number {
  const isExpired = lte(drafts.updatedAt, tx.now - RETENTION_MS);
  const expired = tx.db.select().from(drafts).where(isExpired).limit(limit).all();
  for (const draft of expired) removeDraft(tx, draft);
  return expired.length;
}
