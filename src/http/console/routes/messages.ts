/** Messages of a workspace: searched, and each with its whole story. */

import { sleep } from "#src/core/clock.ts";
import { startOfDay } from "#src/core/instant.ts";
import { notFound } from "#src/core/problem.ts";
import type { Reading } from "#src/db/transaction.ts";
import { findBroadcast } from "#src/domain/broadcasts/read.ts";
import { findById, findPerson } from "#src/domain/contacts/find.ts";
import { messageStatuses } from "#src/domain/messages/message.ts";
import { findForWork } from "#src/domain/messages/read.ts";
import type { Message } from "#src/domain/messages/table.ts";
import { findNumber } from "#src/domain/numbers/read.ts";
import { answerData, requireId } from "../../endpoint.ts";
import { answerRows, PER_PAGE, readPage, wrongCursor, wrongParameter } from "../../page.ts";
import { listHandedOver, START } from "../queries/conversation.ts";
import { tellStory } from "../queries/message-timeline.ts";
import { findCallbacks, findEvents, type Slice } from "../queries/message-traces.ts";
import { singlesSql } from "../queries/recent-activity.ts";
import { firstSince } from "../queries/today-counters.ts";
import type { ConsoleRoute, WorkspaceCall } from "../route.ts";
import { viewAnyMessage, viewStep } from "../view-messages.ts";

/** A filter looks through so many at a time; whoever wants more goes on from there. */
const LOOKED_AT = 20_000;
/** What tells of a message comes soon after it: a story looks through so many slices of what came since. */
const SLICES_MAX = 10;
const GAP_MS = 2;

const statuses = [...messageStatuses, "unknown"] as const;
const origins = ["api", "console"] as const;

export const messageRoutes: readonly ConsoleRoute[] = [
  { method: "GET", path: "/w/{workspace}/messages", needs: "member", handle: searchMessages },
  {
    method: "GET",
    path: "/w/{workspace}/messages/{id}",
    needs: "member",
    handle: async (call) => {
      const { store, workspace, path } = call;
      const id = requireId(path.id, "message");
      const message = store.read((reading) => findOwn(reading, workspace.id, id));
      if (message === undefined) throw notFound("message");
      const callbacks = await readSlices(call, (reading, from) => findCallbacks(reading, message, from));
      const events = await readSlices(call, (reading, from) => findEvents(reading, message, from));
      return store.read((reading) => {
        const now = findOwn(reading, workspace.id, id) ?? message;
        const network = findNumber(reading, now.numberId)?.network ?? "simulator";
        const { parse } = call.handOver.networks[network];
        const steps = tellStory(reading, now, { callbacks: callbacks.rows, events: events.rows, parse });
        return answerData(200, {
          ...viewOf(reading, now, call),
          reference: now.reference,
          network_message_id: now.networkMessageId,
          network,
          is_whole: callbacks.isWhole && events.isWhole,
          steps: steps.map(viewStep),
        });
      });
    },
  },
];

/** Undefined for another workspace's. */
export function findOwn(reading: Reading, workspaceId: number, id: number): Message | undefined {
  const message = findForWork(reading, id);
  return message?.workspaceId === workspaceId ? message : undefined;
}

/** By a phone number everything that a person was sent, by an id that one, else words among those sent alone. */
async function searchMessages(call: WorkspaceCall) {
  const { store, workspace, query } = call;
  const text = (query.get("q") ?? "").trim();
  const byId = /^#?(\d{1,12})$/.exec(text)?.[1];
  if (byId !== undefined) {
    const message = store.read((reading) => findOwn(reading, workspace.id, Number(byId)));
    if (message !== undefined) return answer(call, [message], null);
    if (text.startsWith("#")) return answer(call, [], null);
  }
  if (/^[+\d][\d\s().-]{4,}$/.test(text)) return searchPerson(call, text);
  return searchSingles(call, text === "" ? null : text);
}

function searchPerson(call: WorkspaceCall, typed: string) {
  const { store, workspace, query } = call;
  const from = readPage(query);
  const { at, id } = "after" in from ? from.after : { at: START.messageAt, id: START.messageId };
  if (typeof at !== "number" || typeof id !== "number") throw wrongCursor();
  const status = wordOf(query, "status", statuses);
  const origin = wordOf(query, "origin", origins);
  const since = store.read((reading) => sinceOf(call, reading)) ?? 0;
  const found = store.read((reading) => {
    const contact = findPerson(reading, workspace.id, typed, workspace.country)?.contact;
    return contact == null ? [] : listHandedOver(reading, contact.id, { messageAt: at, messageId: id }, PER_PAGE + 1);
  });
  const page = found.slice(0, PER_PAGE);
  const last = page.at(-1);
  const next = found.length > PER_PAGE && last !== undefined ? { at: last.handedOverAt, id: last.id } : null;
  const shown = page.filter(
    (message) =>
      message.createdAt >= since &&
      (status === null || statusOf(message) === status) &&
      (origin === null || message.origin === origin),
  );
  return answer(call, shown, next);
}

async function searchSingles(call: WorkspaceCall, words: string | null) {
  const { searchReader, workspace, query } = call;
  const from = readPage(query);
  const below = "after" in from ? from.after.id : Number.MAX_SAFE_INTEGER;
  if (typeof below !== "number") throw wrongCursor();
  const status = wordOf(query, "status", statuses);
  const origin = wordOf(query, "origin", origins);
  const lowestId = call.store.read((reading) => {
    const since = sinceOf(call, reading);
    return since === null ? 0 : firstSince(reading, "messages", since);
  });
  const pairs = [status, status, origin, origin, words, words];
  const rows = await searchReader.query(singlesSql, [workspace.id, below, lowestId, LOOKED_AT, ...pairs, PER_PAGE + 1]);
  const ids = rows.flatMap(({ id }) => (typeof id === "number" ? [id] : []));
  const { looked = 0, lowest = null } = rows.find(({ id }) => id === null) ?? {};
  const shown = ids.slice(0, PER_PAGE);
  const goesOn = ids.length > PER_PAGE ? shown.at(-1) : looked === LOOKED_AT ? lowest : null;
  const messages = call.store.read((reading) => shown.flatMap((id) => findOwn(reading, workspace.id, id) ?? []));
  return answer(call, messages, typeof goesOn === "number" ? { id: goesOn } : null);
}

/** Of today alone: what Home counts. Null: of any day. */
function sinceOf({ query, workspace }: WorkspaceCall, { now }: Reading): number | null {
  return wordOf(query, "day", ["today"]) === null ? null : startOfDay(now, workspace.timezone);
}

function answer(call: WorkspaceCall, found: readonly Message[], next: object | null) {
  return call.store.read((reading) => {
    const data = found.map((message) => viewOf(reading, message, call));
    return answerRows(readPage(call.query), data, { total: data.length, hasMore: next !== null, next });
  });
}

function viewOf(reading: Reading, message: Message, { workspace }: WorkspaceCall) {
  const { broadcastId, contactId } = message;
  const broadcast = broadcastId === null ? null : (findBroadcast(reading, workspace.id, broadcastId) ?? null);
  const contact = contactId === null ? undefined : findById(reading, workspace.id, contactId);
  return viewAnyMessage(message, broadcast, contact, workspace);
}

function statusOf({ status, outcomeUnknown }: Message): (typeof statuses)[number] {
  return status === "failed" && outcomeUnknown ? "unknown" : status;
}

/** Slice by slice, with a turn for everybody else between two. */
async function readSlices<Row>(
  { store, clock }: WorkspaceCall,
  slice: (reading: Reading, from: number | null) => Slice<Row>,
): Promise<{ rows: Row[]; isWhole: boolean }> {
  const rows: Row[] = [];
  let from: number | null = null;
  for (let count = 0; count < SLICES_MAX; count += 1) {
    const holder: { found: Slice<Row> } = { found: { rows: [], next: null } };
    const start: number | null = from;
    store.read((reading) => {
      holder.found = slice(reading, start);
    });
    rows.push(...holder.found.rows);
    from = holder.found.next;
    if (from === null) return { rows, isWhole: true };
    await sleep(clock, GAP_MS);
  }
  return { rows, isWhole: false };
}

/** One of a fixed list of words in the query; null where it is left out. Throws `invalid_request`. */
function wordOf<Word extends string>(query: URLSearchParams, name: string, known: readonly Word[]): Word | null {
  const given = query.get(name);
  if (given === null) return null;
  const word = known.find((one) => one === given);
  if (word === undefined) throw wrongParameter(name, `This is one of ${known.join(", ")}.`);
  return word;
}
