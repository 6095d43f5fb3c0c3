/** Texts of the settings. The names of settings and what they change come from the server. */
import { plural } from "../../ui/plural.ts";

export const strings = {
  title: "Settings",
  lead: "They hold for the whole workspace, from the moment you save them.",
  save: "Save settings",
  saved: "Saved",
  unchanged: "Nothing was changed",
  standard: (value: string) => `Default: ${value}.`,
  none: "none",
  changed: "Last changed",
  by: (who: string) => `by ${who}`,
  commandLine: "the command line",
  wordsHint: "Separate several by commas.",
  groups: {
    workspace: { title: "Workspace", lead: "How your team and your customers see the time, and which name you have." },
    sending: { title: "Sending", lead: "Limits of what goes out." },
    consent: { title: "Consent", lead: "Which words stop and start messages, and what people agree to." },
    inbox: { title: "Inbox", lead: "When you answer, and what people see of it." },
    retention: { title: "Retention", lead: "How long you keep things, if it is shorter than the server does." },
  },
  retention: "How long this server keeps things",
  retentionLead: "The operator of this server decides, for all workspaces. What is older is deleted; figures stay.",
  forEver: "for ever",
  kept: {
    recipients: "Recipients of broadcasts",
    events: "Events and webhook deliveries",
    raw: "Raw callbacks and answers of WhatsApp",
    messages: "Messages sent to one person",
    inbound: "What people wrote",
    media: "Files that people sent",
    uploads: "Files that you uploaded, after they were last sent",
  } as Readonly<Record<string, string>>,
  confirmTitle: "Change these settings?",
  confirm: "Change settings",
  keep: "Keep as they are",
  broadcasts: (count: number) =>
    count === 1
      ? "A scheduled broadcast keeps its moment, which has another time of day:"
      : `${count} scheduled broadcasts keep their moments, which have another time of day:`,
  becomes: (was: string, becomes: string) => `${was} becomes ${becomes}`,
  people: (count: number, examined: number) =>
    `${plural(count, "person", "people")} would have been read differently in the last ${plural(examined, "message that a person wrote", "messages that people wrote")}:`,
  would: { opt_out: "opted out", opt_in: "opted in" } as const,
  said: (text: string) => `“${text}”`,
  more: (count: number) => `and ${count} more`,
  removes: "What is older is deleted within minutes, and cannot be brought back:",
  removed: {
    message_retention: ["message to one person", "messages to one person"],
    inbound_retention: ["text that a person wrote", "texts that people wrote"],
    media_retention: ["file that a person sent", "files that people sent"],
  } as Readonly<Record<string, readonly [one: string, other: string]>>,
  orMore: (what: string) => `more than ${what}`,
  onlyFromNow: "No consent changes now: the words hold for what people write from now on.",
} as const;
