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
  "contact.updated",
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

/** What an address receives that asked for nothing in particular. `contact.updated` can be many times as frequent. */
export const defaultTypes: readonly EventType[] = eventTypes.filter((type) => type !== "contact.updated");

/** Whether an address receives events of this type. `types`: what it asked for; null: the default. A test always arrives. */
export function isWanted(types: readonly EventType[] | null, type: EventType): boolean {
  return type === "webhook.test" || (types === null ? type !== "contact.updated" : types.includes(type));
}
