/** The types of events that a workspace's webhook receives. Pure. */
export const eventTypes = [
  "message.sent",
  "message.delivered",
  "message.read",
  "message.failed",
  "message.received",
  "media.stored",
  "media.failed",
  "contact.opted_out",
  "contact.opted_in",
  "contact.may_want_to_stop",
  "contact.erased",
  "broadcast.paused",
  "broadcast.resumed",
  "broadcast.blocked",
  "broadcast.finished",
  "template.approved",
  "template.rejected",
  "webhook.test",
] as const;

export type EventType = (typeof eventTypes)[number];
