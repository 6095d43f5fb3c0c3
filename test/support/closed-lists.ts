/**
 * The closed lists of the specification, listed by hand as a strict client has them, and a walk through a JSON that
 * names each value outside of them. The test server walks every answer of the API and every event that a test leaves.
 */

/** What the specification does not have, each with the page that names it. */
const BEYOND = {
  // The reference, under errors: faults of the server's own, and of a request that a client of the specification never makes.
  "Error.code": ["internal_error", "unavailable", "thread_owned_elsewhere", "conversation_assigned"],
  // The reference, under events: for addresses that ask for them, and in the event log.
  "Event.type": [
    ...["media.stored", "media.failed", "contact.may_want_to_stop", "contact.updated", "contact.erased"],
    ...[
      "conversation.updated",
      "broadcast.paused",
      "broadcast.resumed",
      "broadcast.blocked",
      "message.scheduled",
      "message.cancelled",
      "template.updated",
    ],
  ],
  // The reference, under messages: of those that were made with `send_at` alone.
  "ScheduledMessage.status": ["scheduled", "cancelled"],
  // The reference, under messages: free messages of the kinds that the request names.
  "Message.type": ["image", "video", "audio", "document", "sticker", "location", "contacts", "interactive", "reaction"],
} as const;

const sources = ["inbound_message", "manual", "bulk", "import", "api"];

/** By object and member. */
export const closedLists = {
  "Message.type": ["template", "text", ...BEYOND["Message.type"]],
  "Message.status": ["sent", "delivered", "read", "failed"],
  "ScheduledMessage.status": ["sent", "delivered", "read", "failed", ...BEYOND["ScheduledMessage.status"]],
  "Broadcast.status": ["scheduled", "queueing", "running", "paused", "completed", "cancelled", "failed"],
  "Skip.reason": ["opted_out", "invalid_number", "duplicate", "no_opt_in", "missing_variable", "daily_cap"],
  "Recipient.status": ["pending", "queued", "sending", "sent", "delivered", "read", "failed", "skipped"],
  "Consent.status": ["unknown", "opted_in", "opted_out"],
  "Consent.source": sources,
  "OptOut.source": sources,
  "Group.type": ["static", "dynamic"],
  "Template.category": ["MARKETING", "UTILITY", "AUTHENTICATION"],
  "Template.status": ["APPROVED", "PENDING", "REJECTED", "PAUSED", "DISABLED"],
  "TemplateMedia.type": ["image", "video", "document"],
  "Event.type": [
    ...["message.sent", "message.delivered", "message.read", "message.failed", "message.received"],
    ...["contact.opted_out", "contact.opted_in", "broadcast.finished", "template.approved", "template.rejected"],
    ...["webhook.test", ...BEYOND["Event.type"]],
  ],
  "Error.code": [
    ...["invalid_request", "unauthenticated", "insufficient_balance", "api_not_enabled", "workspace_suspended"],
    ...["not_found", "idempotency_conflict", "opted_out", "invalid_number", "window_closed", "template_not_found"],
    ...["template_not_sendable", "missing_variable", "missing_media", "unsupported_template", "number_not_ready"],
    ...["not_cancellable", "rate_limited", "whatsapp_error", ...BEYOND["Error.code"]],
  ],
} as const satisfies Record<string, readonly string[]>;
export type ClosedList = keyof typeof closedLists;

type Json = Readonly<Record<string, unknown>>;

/** Which object a JSON is, by its members. `under`: the name of the member that holds it. */
const KINDS: readonly [kind: string, is: (json: Json, under: string) => boolean, members: readonly string[]][] = [
  ["Event", ({ id }) => typeof id === "string" && id.startsWith("evt_"), ["type"]],
  ["Error", (json, under) => under === "error" && "code" in json, ["code"]],
  ["Message", isMessage, ["type"]],
  ["Message", (json) => isMessage(json) && json.send_at === null, ["status"]],
  ["ScheduledMessage", (json) => isMessage(json) && json.send_at !== null, ["status"]],
  ["Broadcast", (json) => "counts" in json, ["status"]],
  ["Skip", (json, under) => under === "skipped" && "reason" in json, ["reason"]],
  ["Recipient", (json) => "message_id" in json && "reason" in json && "status" in json, ["status"]],
  ["Consent", (json, under) => under === "consent" && "source" in json, ["status", "source"]],
  ["OptOut", (json) => "opted_out_at" in json, ["source"]],
  ["Group", (json) => "count" in json && "type" in json, ["type"]],
  ["Template", (json) => "sendable" in json, ["category", "status"]],
  ["TemplateMedia", (json, under) => under === "media" && "default" in json, ["type"]],
];

function isMessage(json: Json): boolean {
  return "charged" in json && "template" in json && "to" in json;
}

/** `found` hears every value of a closed list; null is none. */
function walk(json: unknown, under: string, found: (list: ClosedList, value: unknown) => void): void {
  if (Array.isArray(json)) for (const one of json) walk(one, under, found);
  else if (typeof json === "object" && json !== null) {
    const known = json as Json;
    for (const [kind, is, members] of KINDS) {
      if (!is(known, under)) continue;
      for (const member of members) {
        if (known[member] !== null) found(`${kind}.${member}` as ClosedList, known[member]);
      }
    }
    // What people and callers named themselves may be called anything.
    for (const [name, value] of Object.entries(known))
      if (name !== "fields" && name !== "details") walk(value, name, found);
  }
}

/** The values outside of their closed list, such as `Skip.reason: may_want_to_stop`. */
export function strangersIn(json: unknown): string[] {
  const strangers = new Set<string>();
  walk(json, "", (list, value) => {
    if (!(closedLists[list] as readonly unknown[]).includes(value)) strangers.add(`${list}: ${String(value)}`);
  });
  return [...strangers];
}

/** By closed list, the values that occur. */
export function valuesIn(json: unknown): Map<ClosedList, Set<unknown>> {
  const values = new Map<ClosedList, Set<unknown>>();
  walk(json, "", (list, value) => values.set(list, (values.get(list) ?? new Set()).add(value)));
  return values;
}
