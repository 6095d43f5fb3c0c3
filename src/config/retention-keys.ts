/** The keys of the section `[retention]`: how long rows and files are kept. */
import { key } from "./key.ts";
import { optional, retentionPeriod } from "./kinds.ts";

export const retentionKeys = {
  recipients: key(
    "recipients",
    optional(retentionPeriod),
    "18 months",
    "Retention of a broadcast's recipients; its counters stay. Empty: for ever.",
  ),
  events: key(
    "events",
    optional(retentionPeriod),
    "30 days",
    "Retention of events and their delivery attempts, which limits how far back a replay can go. Empty: for ever.",
  ),
  raw: key(
    "raw",
    optional(retentionPeriod),
    "30 days",
    "Retention of raw callbacks and answers of the network, for troubleshooting. Empty: for ever.",
  ),
  messages: key("messages", optional(retentionPeriod), "", "Retention of single messages. Empty: for ever."),
  inbound: key("inbound", optional(retentionPeriod), "", "Retention of received messages. Empty: for ever."),
  media: key("media", optional(retentionPeriod), "", "Retention of the files that people sent. Empty: for ever."),
  uploads: key(
    "uploads",
    optional(retentionPeriod),
    "30 days",
    "Retention of the files that programs upload to send them, from the last time that each was sent. Empty: for ever.",
  ),
};
