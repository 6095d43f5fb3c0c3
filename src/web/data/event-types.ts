/** The types of events, in the order in which they are offered. A type that the server adds and this list lacks does not compile. */
import type { Output } from "./api.ts";

export type EventType = Output<"GET /w/{workspace}/webhook">["types"][number];

const all: Readonly<Record<EventType, true>> = {
  "message.sent": true,
  "message.delivered": true,
  "message.read": true,
  "message.failed": true,
  "message.received": true,
  "media.stored": true,
  "media.failed": true,
  "contact.opted_out": true,
  "contact.opted_in": true,
  "contact.may_want_to_stop": true,
  "contact.updated": true,
  "contact.erased": true,
  "broadcast.paused": true,
  "broadcast.resumed": true,
  "broadcast.blocked": true,
  "broadcast.finished": true,
  "template.approved": true,
  "template.rejected": true,
  "webhook.test": true,
};

export const eventTypes = Object.keys(all) as readonly EventType[];
