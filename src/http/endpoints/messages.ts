/** Messages of a workspace: send one, search, and the timeline of each. */
import { type Static, Type } from "@sinclair/typebox";
import { sleep } from "#src/core/clock.ts";
import { startOfDay } from "#src/core/instant.ts";
import { notFound } from "#src/core/problem.ts";
import { OneOf } from "#src/core/schema.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import { findBroadcast } from "#src/domain/broadcasts/read.ts";
import { findById, lookUpContact } from "#src/domain/contacts/find.ts";
import { listDispatched, NEWEST } from "#src/domain/inbound/read-conversation.ts";
import { type MessageStatus, messageStatuses } from "#src/domain/messages/message.ts";
import { findWholeMessage } from "#src/domain/messages/read.ts";
import { MessageView } from "#src/domain/messages/schema.ts";
import type { Message, MessageRow } from "#src/domain/messages/table.ts";
import { findNumber } from "#src/domain/numbers/read.ts";
import { recordAudit } from "#src/domain/users/audit-log.ts";
import type { SendRequest } from "#src/sending/send-message.ts";
import { readSendMessage } from "../bodies/send-body.ts";
import { SendMessageBody } from "../bodies/send-schema.ts";
import { buildTimeline } from "../console/queries/message-timeline.ts";
import { findCallbacks, findEvents, type Slice } from "../console/queries/message-traces.ts";
import { singlesSql } from "../console/queries/recent-activity.ts";
import { firstSince } from "../console/queries/today-counters.ts";
import { keptAnswer } from "../endpoint.ts";
import { readKey } from "../idempotency.ts";
import { pageOfRows, readPage, wrongCursor } from "../page.ts";
import { PER_PAGE } from "../page-view.ts";
import { sendOnce } from "../send-once.ts";
import type { CallOf, WorkspaceCall } from "./call.ts";
import { AnyMessage, TimelineStepView, viewAnyMessage, viewTimelineStep } from "./conversation-items.ts";
import { Data, type Declaration, Id, ListOf, PageQuery } from "./declare.ts";
import { endpoint } from "./endpoint.ts";
import { Network, OptionalText } from "./fragments.ts";

/** How many messages a filtered search scans; the next page continues there. */
const MESSAGES_SCANNED = 20_000;

/**
 * Callbacks and events follow soon after a message, so a timeline reads at most this many slices of what came later.
 */
const SLICES_MAX = 10;

const YIELD_MS = 2;

const search = {
  session: "member",
  query: {
    ...PageQuery,
    q: Type.String(),
    status: OneOf([...messageStatuses, "unknown"]),
    origin: OneOf(["api", "console"]),
    day: OneOf(["today"]),
  },
  output: ListOf(AnyMessage),
} as const satisfies Declaration;

export const messageEndpoints = {
  /** The form's key is kept like an API key's, so that a message in doubt is never sent again. */
  "POST /w/{workspace}/v1/messages": endpoint({
    session: "member",
    body: SendMessageBody,
    checkedBy: "handler",
    output: Data(MessageView),
  }).answer(async (call) => {
    const { workspace, user, address, body } = call;
    const input = readSendMessage(body);
    const onStored: SendRequest["onStored"] = (tx, { id }) => {
      const entry = { action: "message.send", subject: input.to, details: { id } };
      recordAudit(tx, { userId: user.id, address }, { workspaceId: workspace.id, ...entry });
    };
    const sent = await sendOnce(call, { workspaceId: workspace.id, origin: "console", input, onStored }, readKey(call));
    return keptAnswer<{ data: Static<typeof MessageView> }>(sent);
  }),
  /** Searches by phone number (everything sent to that person), by id, or by words (messages sent alone only). */
  "GET /w/{workspace}/messages": endpoint(search).load(async (call) => {
    const { store, workspace, query } = call;
    const text = (query.get("q") ?? "").trim();
    const byId = /^#?(\d{1,12})$/.exec(text)?.[1];
    if (byId !== undefined) {
      const message = store.read((tx) => findWholeMessage(tx, workspace.id, Number(byId)));
      if (message !== undefined) return answer(call, [message], null);
      if (text.startsWith("#")) return answer(call, [], null);
    }
    if (/^[+\d][\d\s().-]{4,}$/.test(text)) return searchByPhone(call, text);
    return searchSingles(call, text === "" ? null : text);
  }),
  "GET /w/{workspace}/messages/{id}": endpoint({
    session: "member",
    params: { id: Id("message") },
    output: Data(
      Type.Object({
        ...AnyMessage.properties,
        send_token: Type.String(),
        network_message_id: OptionalText,
        network: Network,
        /** Whether everything that came later was searched. */
        is_whole: Type.Boolean(),
        steps: Type.Array(TimelineStepView),
      }),
    ),
  }).load(async (call) => {
    const { store, workspace, path } = call;
    const id = path.id;
    const message = store.read((tx) => findWholeMessage(tx, workspace.id, id));
    if (message === undefined) throw notFound("message");
    const callbacks = await readSlices(call, (tx, from) => findCallbacks(tx, message, from));
    const events = await readSlices(call, (tx, from) => findEvents(tx, message, from));
    return store.read((tx) => {
      const current = findWholeMessage(tx, workspace.id, id) ?? message;
      const network = findNumber(tx, current.numberId)?.network ?? "simulator";
      const { parse } = call.dispatch.networks[network];

      const steps = buildTimeline(tx, current, { callbacks: callbacks.rows, events: events.rows, parse });
      return {
        ...viewOf(tx, current, call),
        send_token: current.sendToken,
        network_message_id: current.networkMessageId,
        network,
        is_whole: callbacks.isWhole && events.isWhole,
        steps: steps.map(viewTimelineStep),
      };
    });
  }),
};

type SearchCall = CallOf<typeof search>;

function searchByPhone(call: SearchCall, phone: string) {
  const { store, workspace, query } = call;
  const from = readPage(query);
  const { at, id } = "after" in from ? from.after : { at: NEWEST.messageAt, id: NEWEST.messageId };
  if (typeof at !== "number" || typeof id !== "number") throw wrongCursor();
  const status = query.get("status");
  const origin = query.get("origin");
  const since = store.read((tx) => sinceOf(call, tx)) ?? 0;
  const found = store.read((tx) => {
    const contact = lookUpContact(tx, workspace.id, phone, workspace.country)?.contact;
    return contact == null ? [] : listDispatched(tx, contact, { messageAt: at, messageId: id }, PER_PAGE + 1);
  });
  const page = found.slice(0, PER_PAGE);
  const last = page.at(-1);
  const next = found.length > PER_PAGE && last !== undefined ? { at: last.dispatchedAt, id: last.id } : null;
  const shown = page.filter(
    (message) =>
      message.createdAt >= since &&
      (status === null || statusOf(message) === status) &&
      (origin === null || message.origin === origin),
  );
  return answer(call, shown, next);
}

async function searchSingles(call: SearchCall, text: string | null) {
  const { searchReader, workspace, query } = call;
  const from = readPage(query);
  const below = "after" in from ? from.after.id : Number.MAX_SAFE_INTEGER;
  if (typeof below !== "number") throw wrongCursor();
  const status = query.get("status");
  const origin = query.get("origin");
  const lowestId = call.store.read((tx) => {
    const since = sinceOf(call, tx);
    return since === null ? 0 : firstSince(tx, "messages", since);
  });
  const pairs = [status, status, origin, origin, text, text];
  const rows = await searchReader.query(singlesSql, [
    workspace.id,
    below,
    lowestId,
    MESSAGES_SCANNED,
    ...pairs,
    PER_PAGE + 1,
  ]);
  const ids = rows.flatMap(({ id }) => (typeof id === "number" ? [id] : []));
  const { looked: scanned = 0, lowest = null } = rows.find(({ id }) => id === null) ?? {};
  const shown = ids.slice(0, PER_PAGE);
  const nextId = ids.length > PER_PAGE ? shown.at(-1) : scanned === MESSAGES_SCANNED ? lowest : null;
  const messages = call.store.read((tx) => shown.flatMap((id) => findWholeMessage(tx, workspace.id, id) ?? []));
  return answer(call, messages, typeof nextId === "number" ? { id: nextId } : null);
}

/** With `day=today`, the start of today, as Home counts it. Null: no limit. */
function sinceOf({ query, workspace }: SearchCall, { now: current }: ReadTx): number | null {
  return query.get("day") === null ? null : startOfDay(current, workspace.timezone);
}

function answer(call: SearchCall, found: readonly MessageRow[], next: object | null) {
  return call.store.read((tx) => {
    const data = found.map((message) => viewOf(tx, message, call));
    return pageOfRows(readPage(call.query), data, { total: data.length, hasMore: next !== null, next });
  });
}

function viewOf(tx: ReadTx, message: MessageRow, { workspace }: WorkspaceCall) {
  const { broadcastId, contactId } = message;
  const broadcast = broadcastId === null ? null : (findBroadcast(tx, workspace.id, broadcastId) ?? null);
  const contact = contactId === null ? undefined : findById(tx, workspace.id, contactId);
  return viewAnyMessage(message, broadcast, contact, workspace);
}

function statusOf({ status, outcomeUnknown }: Message): MessageStatus | "unknown" {
  return status === "failed" && outcomeUnknown ? "unknown" : status;
}

/** Reads slice by slice, with a pause in between so that other requests are not delayed. */
async function readSlices<Row>(
  { store, clock }: WorkspaceCall,
  slice: (tx: ReadTx, from: number | null) => Slice<Row>,
): Promise<{ rows: Row[]; isWhole: boolean }> {
  const rows: Row[] = [];
  let from: number | null = null;
  for (let count = 0; count < SLICES_MAX; count += 1) {
    const holder: { found: Slice<Row> } = { found: { rows: [], next: null } };
    const start: number | null = from;
    store.read((tx) => {
      holder.found = slice(tx, start);
    });
    rows.push(...holder.found.rows);
    from = holder.found.next;
    if (from === null) return { rows, isWhole: true };
    await sleep(clock, YIELD_MS);
  }
  return { rows, isWhole: false };
}
