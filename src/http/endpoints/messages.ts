/** Messages of a workspace: send one, search, and the timeline of each. */
import { type Static, Type } from "@sinclair/typebox";
import { notFound } from "#src/core/problem.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import { getContact } from "#src/domain/contacts/find.ts";
import { emptySentDraft } from "#src/domain/inbound/drafts.ts";
import { countMessage, requireInGroup } from "#src/domain/messages/key-limits.ts";
import type { SendInput } from "#src/domain/messages/plan.ts";
import { findVisible, findWholeMessage } from "#src/domain/messages/read.ts";
import { cancelMessage } from "#src/domain/messages/scheduled.ts";
import { MessageView } from "#src/domain/messages/schema.ts";
import { viewMessage } from "#src/domain/messages/view.ts";
import { findNumber } from "#src/domain/numbers/read.ts";
import { seesNumber } from "#src/domain/users/read.ts";
import type { SendRequest } from "#src/sending/send-message.ts";
import { keptAnswer } from "../answer.ts";
import { readSendMessage, SendMessageBody } from "../bodies/message.ts";
import { buildTimeline } from "../console/queries/message-timeline.ts";
import { findCallbacks, findEvents, type Slice } from "../console/queries/message-traces.ts";
import { readKey } from "../idempotency.ts";
import { scheduleOnce, sendOnce } from "../send-once.ts";
import { readTogether } from "../validate.ts";
import { type KeyCall, recordAct, type WorkspaceCall, type WorkspaceCallWith } from "./call.ts";
import { AnyMessage, TimelineStepView, viewTimelineStep } from "./conversation-items.ts";
import { Data, endpoint, Id } from "./endpoint.ts";
import { messageExample } from "./examples.ts";
import { findRepeated, readFormKey } from "./form-key.ts";
import { Network, OptionalText } from "./fragments.ts";
import { unchangedCheck } from "./if-unchanged.ts";
import { messageListEndpoints } from "./list-messages.ts";
import { viewWithContact } from "./search-messages.ts";
import { senderOf, sentByUser } from "./sender.ts";

/**
 * Callbacks and events follow soon after a message, so a timeline reads at most this many slices of what came later. The
 * body of a single one may have megabytes.
 */
const SLICES_MAX = 800;
const SLICE_ROWS = 25;
const params = { id: Id("message") };

const MessageDetail = Type.Object({
  ...AnyMessage.properties,
  send_token: Type.String(),
  network_message_id: OptionalText,
  network: Network,
  /** Whether everything that came later was searched. */
  is_whole: Type.Boolean(),
  steps: Type.Array(TimelineStepView),
});

export const messageEndpoints = {
  "POST /w/{workspace}/messages": endpoint({
    key: ["send"],
    session: "inbox",
    body: SendMessageBody,
    checkedBy: "handler",
    output: Data(MessageView),
    reference: {
      operationId: "sendMessage",
      tag: "Messages",
      summary: "Send a message",
      description:
        "Sends a template (at any time), or free-form text, a file, a place, contact cards, a text with buttons, a list or a link, or a reaction (within 24 hours of the recipient's last message; a text, and one with buttons or a link, at any time with a `category`). The message is sent to the network before the response is returned, so the response says whether the network accepted it. Later status changes are reported by events and by `GET /messages/{id}`. With `send_at` the message is stored and sent at that time: everything but the 24 hours, the balance, the daily cap and the number's readiness is evaluated now, and everything again when it is due. Where the workspace has an AI notice, the first message of a key that is marked as an AI's in a window begins with it: lengths count with it, and a message without words waits for a text.",
      bodies: {
        template: {
          summary: "A template with variables",
          value: { to: "+442079460210", template: "order_shipped", variables: ["Asha", 10042] },
        },
        template_by_name: {
          summary: "A template with named variables",
          value: {
            to: "+442079460210",
            template: "order_confirmation",
            variables: { body: { first_name: "Asha", order: 10042 } },
          },
        },
        template_with_file: {
          summary: "A template with a PDF header, in a specific language",
          value: {
            to: "+44 20 7946 0210",
            template: "invoice",
            language: "en_US",
            variables: { header: [], body: ["Asha", "1,250.00"] },
            media: { link: "https://files.example.com/invoice-10042.pdf", filename: "Invoice 10042.pdf" },
            from: "+442079460100",
          },
        },
        text: { summary: "Free-form text", value: { to: "+442079460210", text: "Your table is ready." } },
        media: {
          summary: "A picture",
          value: {
            to: "+442079460210",
            media: { link: "https://files.example.com/table.jpg", caption: "Your table by the window" },
          },
        },
        location: {
          summary: "A place",
          value: {
            to: "+442079460210",
            location: { latitude: 51.5033, longitude: -0.1196, name: "Corner Shop", address: "1 South Bank, London" },
          },
        },
        reply: {
          summary: "An answer that quotes a message",
          value: { to: "+442079460210", text: "Yes, until eight.", reply_to: { inbound: 311 } },
        },
        take: {
          summary: "A text that takes the conversation from another sender on the number",
          value: { to: "+442079460210", text: "I am a person, how can I help?", take: true },
        },
        reaction: {
          summary: "A reaction",
          value: { to: "+442079460210", reaction: { emoji: "👍", to: { inbound: 311 } } },
        },
        contacts: {
          summary: "A contact card",
          value: {
            to: "+442079460210",
            contacts: [{ name: { formatted_name: "Asha Rao" }, phones: [{ phone: "+442079460211", type: "Work" }] }],
          },
        },
        buttons: {
          summary: "Buttons",
          value: {
            to: "+442079460210",
            interactive: {
              body: "When shall we come?",
              buttons: [
                { id: "monday", title: "Monday" },
                { id: "tuesday", title: "Tuesday" },
              ],
            },
          },
        },
        direct: {
          summary: "A text outside the window without a template, where Meta has enabled the account",
          value: { to: "+442079460210", text: "Your parcel arrives today.", category: "utility" },
        },
        later: {
          summary: "A template at a later time, unless the person writes before",
          value: {
            to: "+442079460210",
            template: "order_shipped",
            variables: ["Asha", 10042],
            send_at: "2026-11-27T10:00:00+05:30",
            cancel_on_reply: true,
          },
        },
      },
      keys: {
        template: "shipped-10042",
        template_by_name: "confirmed-10042",
        template_with_file: "invoice-10042",
        text: "table-7-ready",
        media: "table-7-picture",
        location: "way-to-the-shop",
        reply: "answer-to-311",
        take: "person-for-311",
        reaction: "thumb-for-311",
        contacts: "driver-of-10042",
        buttons: "day-of-10042",
        direct: "parcel-10042",
        later: "reminder-10042",
      },
      success: "The network accepted the message.",
      status: 201,
      scheduled: "The message is to be sent at `send_at`.",
      example: messageExample,
      problems: [
        "insufficient_balance",
        "workspace_suspended",
        "idempotency_conflict",
        "invalid_number",
        "opted_out",
        "number_not_ready",
        "template_not_found",
        "template_not_sendable",
        "unsupported_template",
        "missing_media",
        "missing_variable",
        "window_closed",
        "thread_owned_elsewhere",
        "whatsapp_error",
      ],
    },
  }).answer(async (call) => {
    // The console's form has its key kept like an API key's, so that a message in doubt is never sent again.
    const [input, use] = readTogether(
      () => readSendMessage(call.body, call.workspace.timezone),
      () => (call.user === null ? readKey(call) : readFormKey(call)),
    );
    const repeated = call.user === null ? undefined : findRepeated(call, use);
    if (repeated !== undefined) return repeated;
    const onStored = call.user === null ? countIn(call, input.later != null) : recordSending(call, input.to);
    const request = { ...requestOf(call, input), ...(onStored === null ? {} : { onStored }) };
    const sent =
      input.later == null
        ? await sendOnce(call, request, use)
        : await scheduleOnce(call, { ...request, keyId: call.limitedKey?.keyId ?? null }, use);
    return keptAnswer<{ data: Static<typeof MessageView> }>(sent);
  }),
  ...messageListEndpoints,
  "POST /w/{workspace}/messages/{id}/cancel": endpoint({
    key: ["send"],
    keyOfFirstVersion: [],
    session: "inbox",
    params,
    output: Data(MessageView),
    reference: {
      operationId: "cancelMessage",
      tag: "Messages",
      summary: "Cancel a scheduled message",
      description:
        "Cancels a message that was accepted with `send_at` and is not sent yet. Cancelling it again returns the same message. A message that is being sent, was sent or has failed cannot be cancelled.",
      success: "The cancelled message.",
      example: { ...messageExample, status: "cancelled", send_at: "2026-11-27T10:00:00+05:30", sent_at: null },
      problems: ["not_found", "not_cancellable"],
    },
  }).change((tx, call) => {
    const { workspace, path } = call;
    const message = findVisible(tx, workspace.id, path.id);
    if (message === undefined || (call.user !== null && !seesNumber(call, message.numberId))) throw notFound("message");
    const cancelled = cancelMessage(tx, message);
    const audit = { action: "message.cancel", subject: cancelled.toPhone, details: { id: cancelled.id } };
    return { status: 200, data: viewMessage(cancelled, workspace), audit };
  }),
  "GET /w/{workspace}/messages/{id}": endpoint({
    key: ["read"],
    session: "inbox",
    params,
    output: Data(MessageView),
    consoleOutput: Data(MessageDetail),
    reference: {
      operationId: "getMessage",
      tag: "Messages",
      summary: "Retrieve a message",
      description: "Returns a message that was sent through the API, with its current status.",
      success: "The message.",
      example: messageExample,
      problems: ["not_found"],
    },
  }).load((call) => (call.user === null ? showSent(call) : loadDetail(call))),
};

function requestOf(call: KeyCall | WorkspaceCall, input: SendInput): SendRequest {
  const workspaceId = call.workspace.id;
  if (call.user === null) {
    const { sentBy } = call;
    return { workspaceId, origin: "api", sentBy, onStart: null, input: { ...input, byAi: sentBy.byAi } };
  }
  const from = call.store.read((tx) => senderOf(tx, call, input.from));
  // A person is asked before a message takes the conversation from another sender.
  const asked = { ...input, from, take: input.take ?? false };
  const sentBy = sentByUser(call.user);
  return { workspaceId, origin: "console", sentBy, onStart: unchangedCheck(call), input: asked };
}

/** Counts the message under the key's limits, in the transaction that stores it. Null: the key has none. */
function countIn({ workspace, limitedKey }: KeyCall, isLater: boolean): NonNullable<SendRequest["onStored"]> | null {
  if (limitedKey === null) return null;
  return (tx, { contactId, rate }) => {
    if (contactId === null) return;
    const contact = getContact(tx, workspace.id, contactId);
    // Budgets are used when a scheduled message is due.
    if (isLater) requireInGroup(tx, limitedKey, workspace, contact);
    else countMessage(tx, limitedKey, workspace, contact, rate);
  };
}

function recordSending(call: WorkspaceCall, to: string): NonNullable<SendRequest["onStored"]> {
  return (tx, message) => {
    recordAct(tx, call, { action: "message.send", subject: to, details: { id: message.id } });
    emptySentDraft(tx, message, call.user.id);
  };
}

function showSent({ store, workspace, path }: KeyCall<{ path: { id: number }; query: unknown; body: unknown }>) {
  const message = store.read((tx) => findVisible(tx, workspace.id, path.id));
  if (message === undefined) throw notFound("message");
  return viewMessage(message, workspace);
}

async function loadDetail(call: WorkspaceCallWith<{ id: number }>): Promise<Static<typeof MessageDetail>> {
  const { store, workspace, path } = call;
  const id = path.id;
  const message = store.read((tx) => findWholeMessage(tx, workspace.id, id));
  if (message === undefined || !seesNumber(call, message.numberId)) throw notFound("message");
  const callbacks = await readSlices(call, (tx, from) => findCallbacks(tx, message, from, SLICE_ROWS));
  const events = await readSlices(call, (tx, from) => findEvents(tx, message, from, SLICE_ROWS));
  return store.read((tx) => {
    const current = findWholeMessage(tx, workspace.id, id) ?? message;
    const network = findNumber(tx, current.numberId)?.network ?? "simulator";
    const { parse } = call.dispatch.networks[network];
    const steps = buildTimeline(tx, current, { callbacks: callbacks.rows, events: events.rows, parse });
    return {
      ...viewWithContact(tx, current, call),
      send_token: current.sendToken,
      network_message_id: current.networkMessageId,
      network,
      is_whole: callbacks.isWhole && events.isWhole,
      steps: steps.map(viewTimelineStep),
    };
  });
}

/** Reads slice by slice, each when it is the workspace's turn. */
async function readSlices<Row>(
  { store, turns, workspace }: WorkspaceCall,
  slice: (tx: ReadTx, from: number | null) => Slice<Row>,
): Promise<{ rows: Row[]; isWhole: boolean }> {
  const rows: Row[] = [];
  let from: number | null = null;
  for (let count = 0; count < SLICES_MAX; count += 1) {
    const holder: { found: Slice<Row> } = { found: { rows: [], next: null } };
    const start: number | null = from;
    await turns.take(workspace.id, () =>
      store.read((tx) => {
        holder.found = slice(tx, start);
      }),
    );
    rows.push(...holder.found.rows);
    from = holder.found.next;
    if (from === null) return { rows, isWhole: true };
  }
  return { rows, isWhole: false };
}
