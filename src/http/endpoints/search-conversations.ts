/** Finds conversations that no index lists, in bounded portions on another thread. */

import type { ConversationState } from "#src/domain/contacts/conversation-states.ts";
import { WINDOW_MS } from "#src/domain/contacts/window.ts";
import {
  type ConversationPosition,
  filteredInStateSql,
  filteredMentioningSql,
  filteredSql,
  waitingInStateSql,
  waitingMentioningSql,
  waitingSql,
} from "#src/domain/inbound/conversations.ts";
import { waitsSql } from "#src/domain/inbound/waits.ts";
import { positionWith } from "../page.ts";
import type { WorkspaceCall } from "./call.ts";

/** How many conversations one request scans. */
const CONVERSATIONS_SCANNED = 20_000;
/** How many conversations are counted that wait. */
const WAITING_COUNTED = 1_000;

export const listPosition = positionWith({ wroteAt: "number", id: "number" });

/** `numberIds`: the conversations on these numbers; null: on all. */
type Searching = Pick<WorkspaceCall, "searchReader" | "workspace" | "clock" | "numberIds">;

export interface Wanted {
  show?: string | null;
  state?: ConversationState | null;
  /** A user's id. Default: any, and none. */
  assignee?: number | "none" | "any";
  /** Those with unread notes that mention this user, in every state. */
  mentionedId?: number | null;
}

/**
 * A page of conversations that wait, that a limited user sees, or that are on a number or without an assignee, and the cursor of the next: after the last match, or
 * after the last conversation that was scanned.
 */
export async function searchConversations(
  { searchReader, workspace, numberIds, clock }: Searching,
  { show = null, state = null, assignee = "any", mentionedId = null }: Wanted,
  before: ConversationPosition | null,
  size: number,
) {
  const { wroteAt, id } = before ?? { wroteAt: Number.MAX_SAFE_INTEGER, id: Number.MAX_SAFE_INTEGER };
  const numbers = numberIds === null ? null : JSON.stringify(numberIds);
  const page = [wroteAt, wroteAt, id, CONVERSATIONS_SCANNED];
  const openedAfter = show === "open" ? clock.now() - WINDOW_MS + 1 : 0;
  const [waiting, filtered, ...among] =
    mentionedId !== null
      ? [waitingMentioningSql, filteredMentioningSql, mentionedId, workspace.id]
      : state !== null
        ? [waitingInStateSql, filteredInStateSql, state]
        : [waitingSql, filteredSql];
  const place = [workspace.id, ...among];
  const rest = [numbers, numbers, assignee, assignee, size + 1];
  const found =
    show === "waiting"
      ? await searchReader.query(waiting, [workspace.id, ...place, ...page, ...rest])
      : await searchReader.query(filtered, [...place, ...page, show === "unread" ? 1 : 0, openedAfter, ...rest]);
  const positions = found.map((row) => ({
    wroteAt: Number(row.wrote_at),
    id: Number(row.id),
    scanned: row.looked === null ? null : Number(row.looked),
  }));
  const matches = positions.filter(({ scanned }) => scanned === null);
  const lowest = positions.find(({ scanned }) => scanned === CONVERSATIONS_SCANNED);
  const rows = matches.slice(0, size);
  const nextRow = matches.length > size ? rows.at(-1) : lowest;
  return { rows, next: nextRow === undefined ? null : { wroteAt: nextRow.wroteAt, id: nextRow.id } };
}

export interface Waiting {
  people: number;
  /** More wait than are counted. */
  isMore: boolean;
  /** Who has waited longest, and since when, in milliseconds; null: no person waits. */
  longest: { contactId: number; since: number } | null;
}

/** The people who wait in open conversations on the numbers that the user sees. */
export async function findWaiting({ searchReader, workspace, numberIds }: Omit<Searching, "clock">): Promise<Waiting> {
  const numbers = numberIds === null ? null : JSON.stringify(numberIds);
  const { MAX_SAFE_INTEGER: newest } = Number;
  const rows = await searchReader.query(waitsSql, [
    ...[workspace.id, workspace.id, "open"],
    ...[newest, newest, newest, CONVERSATIONS_SCANNED],
    ...[numbers, numbers, "any", "any", WAITING_COUNTED + 1],
  ]);
  const since = new Map<number, number>();
  for (const row of rows) {
    // An answer may have been stored between the two looks at the person.
    if (typeof row.since !== "number") continue;
    const contactId = Number(row.contact_id);
    since.set(contactId, Math.min(row.since, since.get(contactId) ?? row.since));
  }
  const [first] = [...since].toSorted(([, one], [, other]) => one - other);
  return {
    people: since.size,
    isMore: rows.length > WAITING_COUNTED,
    longest: first === undefined ? null : { contactId: first[0], since: first[1] },
  };
}
