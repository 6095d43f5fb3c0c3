/** The event log: the events that webhooks carry, for programs that ask instead of being called. */
import { type Static, Type } from "@sinclair/typebox";
import { systemClock } from "#src/core/clock.ts";
import { Problem } from "#src/core/problem.ts";
import { Component, OneOf } from "#src/core/schema.ts";
import { serviceSignature } from "#src/core/service-signature.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import { openSigningSecrets } from "#src/domain/webhooks/address.ts";
import { type EventLogPage, eventBody, eventLogRange, readEventLog } from "#src/domain/webhooks/event-log.ts";
import { type EventType, eventTypes } from "#src/domain/webhooks/event-types.ts";
import { findWebhook } from "#src/domain/webhooks/read.ts";
import { type AnswerWith, answerRows } from "../answer.ts";
import { EventView } from "../api/openapi/events.ts";
import {
  CursorQuery,
  readBoolean,
  readCursor,
  readPerPage,
  writeCursor,
  wrongCursor,
  wrongParameter,
} from "../page.ts";
import { Rows } from "../rows.ts";
import type { KeyCall, LongPoll } from "./call.ts";
import { endpoint, listWith } from "./endpoint.ts";
import { messageExample } from "./examples.ts";

const WAIT_MAX_S = 30;
/** Instead of a cursor: only events from now on. */
const LATEST = "latest";

const EventLogMeta = Component("EventLogPage", "The position in the event log.", {
  per_page: Type.Integer({ examples: [50] }),
  signatures: Type.Optional(
    Type.Array(Type.Union([Type.String(), Type.Null()]), {
      description:
        "With `signed`: the `Service-Signature` of each event, made now with the webhook's secret (by both, while one replaces the other); null while the workspace has no secret.",
    }),
  ),
  cursors: Type.Optional(
    Type.Array(Type.String(), {
      description:
        "With `cursors`: the cursor behind each event. Stored in the transaction that holds the event's effects, it makes each event count once.",
    }),
  ),
  has_more: Type.Boolean({ description: "Whether to ask again at once: more events may follow." }),
  next: Type.String({ description: "Cursor to continue with, passed as `after`; never null." }),
});

const EventLog = listWith(EventView, EventLogMeta);

export const eventEndpoints = {
  "GET /w/{workspace}/events": endpoint({
    key: ["read"],
    query: {
      after: Type.String({
        description: `Cursor: the \`meta.next\` of the previous response. Without it, the log starts with the oldest kept event; with \`${LATEST}\`, with the next event.`,
      }),
      types: Type.Array(OneOf(eventTypes), {
        minItems: 1,
        examples: [["message.failed", "message.received"]],
        description: "Return only events of these types, separated by commas.",
      }),
      wait: Type.Integer({
        minimum: 0,
        default: 0,
        description: `Seconds to hold the response while there is no event; more than ${WAIT_MAX_S} counts as ${WAIT_MAX_S}.`,
      }),
      signed: Type.Boolean({
        default: false,
        description:
          "`true`: `meta.signatures` has a signature for each event, as its webhook would carry it. For programs that pass events on to a receiver that checks them.",
      }),
      cursors: Type.Boolean({
        default: false,
        description:
          "`true`: `meta.cursors` has the cursor behind each event, for programs that store their position with each.",
      }),
      per_page: CursorQuery.per_page,
    },
    output: EventLog,
    reference: {
      operationId: "listEvents",
      tag: "Events",
      summary: "Read the event log",
      description:
        "Returns events in the order in which they happened, oldest first, whether or not a webhook is set. Store `meta.next` with what you have processed, and pass it as `after`: no event is missed and none is returned twice. With `wait`, the response is held until there is an event. A page may be empty although `has_more` is true, if the events that were examined are of other types. A cursor that is older than the kept events, or that belongs to another copy of the database, returns 400 with `error.oldest`, the cursor to start again from.",
      success: "The next events.",
      meta: { per_page: 50, has_more: false, next: "eyJpIjoiMDFLQjJRIiwicyI6NDJ9" },
      example: [
        {
          id: "evt_01KB2Q7M3F8Z4W6Y9T5R1C0D2E",
          type: "message.sent",
          created_at: "2026-11-21T08:44:26+05:30",
          data: { message: messageExample },
        },
      ],
    },
  }).answer((call) => {
    const { store, clock, query } = call;
    const types = readTypes(query.get("types"));
    const waitS = readWait(query.get("wait"));
    const perPage = readPerPage(query);
    const shown = {
      isSigned: readBoolean(query, "signed"),
      hasCursors: readBoolean(query, "cursors"),
    };
    const deadline = clock.monotonic() + waitS * 1_000;
    let after = store.read((tx) => readAfter(call, tx, query.get("after")));
    const next = (): EventLogPage => {
      const page = store.read((tx) => readEventLog(tx, call.workspace.id, after, types, perPage));
      after = page.upTo;
      return page;
    };
    const first = next();
    const isDone = (page: EventLogPage): boolean => page.seqs.length > 0 || page.hasMore || isOver();
    const isOver = (): boolean => clock.monotonic() >= deadline;
    if (isDone(first)) return answerEvents(call, first, perPage, shown);
    return waitForEvents(call.longPoll);

    async function waitForEvents({ waiters, stopping, disconnected }: LongPoll): Promise<Events> {
      const signal = disconnected();
      for (;;) {
        await waiters.wait(call.workspace.id, after, deadline - clock.monotonic(), signal);
        const page = next();
        if (isDone(page) || stopping.aborted || signal.aborted) return answerEvents(call, page, perPage, shown);
      }
    }
  }),
};

type Events = AnswerWith<Static<typeof EventLog>>;

interface Shown {
  isSigned: boolean;
  hasCursors: boolean;
}

function answerEvents(call: KeyCall, page: EventLogPage, perPage: number, { isSigned, hasCursors }: Shown): Events {
  const { seqs, upTo, hasMore } = page;
  const signatures: (string | null)[] = [];
  const sign = isSigned ? signer(call) : null;
  // The bodies are JSON already, the very bytes that webhooks carry.
  const rows = Rows.ofJson(seqs, (seq, tx) => {
    const body = eventBody(tx, seq);
    if (sign !== null) signatures.push(sign(body));
    return body;
  });
  const { instanceId } = call.dispatch;
  const next = cursorOf(instanceId, upTo);
  return answerRows(call, rows, () => ({
    per_page: perPage,
    has_more: hasMore,
    next,
    ...(isSigned ? { signatures } : {}),
    ...(hasCursors ? { cursors: seqs.map((seq) => cursorOf(instanceId, seq)) } : {}),
  }));
}

/** Receivers compare the time of a signature with their own clock, whatever time a test has set here. */
function signer({ store, dispatch, workspace }: KeyCall): (body: string) => string | null {
  const secrets = store.read((tx) => {
    const webhook = findWebhook(tx, workspace.id);
    return webhook === undefined ? null : openSigningSecrets(dispatch.box, webhook, tx.now);
  });
  if (secrets === null) return () => null;
  return (body) => serviceSignature(body, secrets.secret, systemClock.now(), secrets.previous);
}

/** Bound to this database: in a restored copy, the same number may stand for another event. */
function cursorOf(instanceId: string, seq: number): string {
  return writeCursor({ i: instanceId, s: seq });
}

/** Throws `invalid_request` for a cursor that does not lead to the next event. */
function readAfter({ dispatch: { instanceId } }: KeyCall, tx: ReadTx, text: string | null): number {
  const { oldest, newest } = eventLogRange(tx);
  if (text === null) return oldest;
  if (text === LATEST) return newest;
  const { i, s } = readCursor(text);
  if (typeof i !== "string" || !Number.isSafeInteger(s)) throw wrongCursor();
  const seq = s as number;
  if (i === instanceId && seq >= oldest && seq <= newest) return seq;
  const start = cursorOf(instanceId, oldest);
  const why =
    i !== instanceId || seq > newest
      ? "This cursor belongs to another copy of this server's database."
      : "The events after this cursor are no longer kept.";
  const sentence = `${why} The oldest cursor is ${start}.`;
  throw new Problem("invalid_request", sentence, { fields: { after: [sentence] }, oldest: start });
}

function readTypes(text: string | null): EventType[] | null {
  if (text === null) return null;
  return text.split(",").map((name) => {
    const type = eventTypes.find((known) => known === name.trim());
    if (type === undefined)
      throw wrongParameter("types", { rule: "one_of", sentence: `The types are among ${eventTypes.join(", ")}.` });
    return type;
  });
}

function readWait(text: string | null): number {
  if (text === null) return 0;
  if (!/^\d+$/.test(text)) throw wrongParameter("wait", "The number of seconds to wait is a whole number, at least 0.");
  return Math.min(Number(text), WAIT_MAX_S);
}
