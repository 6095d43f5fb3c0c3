/** `waxwing message show ID`: the timeline of a message, from the request to the last webhook attempt. */

import { formatMoney } from "#src/core/money.ts";
import { notFound } from "#src/core/problem.ts";
import type { Store } from "#src/db/store.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import type { Callback } from "#src/domain/inbound/table.ts";
import { consoleStatusOf } from "#src/domain/messages/message.ts";
import { findMessageById } from "#src/domain/messages/read.ts";
import type { Message } from "#src/domain/messages/table.ts";
import { typeOfMessage } from "#src/domain/messages/view.ts";
import { findNumber, findRemoved } from "#src/domain/numbers/read.ts";
import type { EventRow } from "#src/domain/webhooks/table.ts";
import { getWorkspace } from "#src/domain/workspaces/read.ts";
import { buildTimeline } from "#src/http/console/queries/message-timeline.ts";
import { findCallbacks, findEvents, type Slice } from "#src/http/console/queries/message-traces.ts";
import { parseCallback } from "#src/networks/whatsapp/callback.ts";
import { type Command, command } from "./command.ts";
import { withDatabase } from "./database.ts";
import { number, positional } from "./option.ts";
import { list, type Report, table, timesIn } from "./output.ts";

const SLICE_ROWS = 2_000;

export const commands: readonly Command[] = [
  command(
    "message show",
    {
      summary: "Show a message's timeline: request, attempts, statuses, webhooks",
      details: "Raw answers are kept for [retention] raw, events for [retention] events.",
    },
    { id: positional(number("ID", "The message's id")) },
    (context, values) =>
      withDatabase(context, "read", ({ store }) => {
        const message = store.read((tx) => findMessageById(tx, values.id));
        if (message === undefined) throw notFound("message");
        const callbacks = readAll(store, (tx, from) => findCallbacks(tx, message, from, SLICE_ROWS));
        const events = readAll(store, (tx, from) => findEvents(tx, message, from, SLICE_ROWS));
        return store.read((tx) => reportOf(tx, message, callbacks, events));
      }),
  ),
];

/** Reads slice by slice, each in its own read transaction, so that no read takes long while the server writes. */
function readAll<Row>(store: Store, slice: (tx: ReadTx, from: number | null) => Slice<Row>): Row[] {
  const rows: Row[] = [];
  let from: number | null = null;
  for (;;) {
    // `read` rejects promises, and the compiler cannot see that a slice of rows of any type is none.
    const found = store.read((tx): object => slice(tx, from)) as Slice<Row>;
    rows.push(...found.rows);
    if (found.next === null) return rows;
    from = found.next;
  }
}

/** The server charges nothing. That does not say whether Meta does. */
function notCharged(tx: ReadTx, { numberId, pricing, status, outcomeUnknown, type }: Message): string {
  const number = findNumber(tx, numberId) ?? findRemoved(tx, numberId);
  if (number?.network === "simulator") return "not charged (simulated number)";
  const isFailed = status === "skipped" || (status === "failed" && !outcomeUnknown);
  if (pricing === null ? isFailed : !pricing.billable) return "not charged, not billed by Meta";
  if (pricing !== null) return "not charged here, billed by Meta";
  return type === "text"
    ? "not charged here; Meta bills replies beyond its monthly allowance"
    : "not charged here; Meta bills it when it is delivered";
}

function reportOf(tx: ReadTx, message: Message, callbacks: readonly Callback[], events: readonly EventRow[]): Report {
  const workspace = getWorkspace(tx, message.workspaceId);
  const when = timesIn(workspace);
  const steps = buildTimeline(tx, message, { callbacks, events, parse: parseCallback });
  const head = {
    id: message.id,
    workspace_id: message.workspaceId,
    status: consoleStatusOf(message),
    send_at: message.sendAt === null ? null : when(message.sendAt),
    outcome_unknown: message.outcomeUnknown,
    to: message.toPhone,
    from: message.fromPhone,
    type: typeOfMessage(message),
    template: message.templateName,
    language: message.templateLanguage,
    content: message.content,
    reply_to: message.replyTo,
    reference: message.reference,
    send_token: message.sendToken,
    network_message_id: message.networkMessageId,
    rate: formatMoney(message.rate),
    money: message.money,
    error: message.errorCode === null ? null : { code: message.errorCode, message: message.errorMessage },
  };
  const timeline = steps.map(({ at, what, says, details }) => ({ at: when(at), what, says, ...details }));
  const text = [
    list({
      id: head.id,
      workspace: head.workspace_id,
      status: head.outcome_unknown ? `${head.status}; it is unknown whether it arrived` : head.status,
      "send at": head.send_at ?? undefined,
      to: head.to,
      from: head.from,
      type: head.type,
      template: head.template === null ? undefined : `${head.template} (${head.language})`,
      reference: head.reference ?? undefined,
      "send token": head.send_token,
      "network's id": head.network_message_id,
      money: head.money === "none" ? notCharged(tx, message) : `${head.rate} ${head.money}`,
      error: head.error === null ? undefined : `${head.error.code}: ${head.error.message}`,
    }),
    "",
    table(
      timeline.map(({ at, what, says }) => ({ at, what, says })),
      "Nothing is recorded.",
    ),
  ].join("\n");
  return { json: { ...head, timeline }, text };
}
