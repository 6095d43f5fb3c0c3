/** Texts of the inbox. */
export const words = {
  title: "Inbox",
  show: "Which conversations",
  all: "All",
  unread: "Unread",
  open: "Window open",
  conversations: "Conversations",
  newer: "Newer",
  older: "Older",
  empty: "Nobody has written yet.",
  emptyText: (phone: string | undefined) =>
    phone === undefined ? "When somebody writes to you, it is here." : `Write to ${phone}, and it is here.`,
  emptySimulator: "Write from the simulator",
  emptyUnread: "Everything has been read.",
  emptyOpen: "No window is open.",
  emptyFiltered: "Show all",
  choose: "Choose a conversation.",
  back: "All conversations",
  somebody: "Somebody without a number",
  you: "You: ",
  unreadCount: (count: number) => (count === 1 ? "1 unread" : `${count} unread`),
  windowOpen: (left: string) => `Open ${left}`,
  windowClosing: (left: string) => `Closes in ${left}`,
  windowClosed: "Closed",
  windowHint:
    "For 24 hours after somebody writes you can answer in your own words. After that WhatsApp takes templates only.",
  thread: "Conversation",
  earlier: "Earlier messages",
  nothing: "Nothing passed between you yet.",
  reply: "Your reply",
  send: "Send reply",
  sendHint: "Ctrl + Enter sends.",
  closesSoon: (left: string) => `The window closes in ${left}. After that only a template can be sent.`,
  closed: (at: string) => `The 24-hour window closed on ${at}. A template can still be sent.`,
  neverOpen: "No window is open. A template can be sent.",
  optedOut: (at: string) => `They wrote STOP on ${at}. Nobody can message them until they write START.`,
  optedOutElse: (at: string) => `They opted out on ${at}. Nobody can message them until they write START.`,
  noPhone: "WhatsApp does not show this person's number, so nothing can be sent to them yet.",
  notReady: (phone: string) => `${phone} cannot send now, so nothing can be answered. See Numbers.`,
  noNumber: "There is no number to answer from.",
  suspended: "This workspace is suspended; nothing can be sent.",
  template: "Template",
  templates: "Templates",
  chooseTemplate: "Choose a template",
  noTemplates: "No template can be sent. WhatsApp has to approve one first.",
  headerValue: (index: number) => `Value ${index} of the heading`,
  bodyValue: (index: number) => `Value ${index} of the text`,
  preview: "As they see it",
  costs: (rate: string, currency: string) => `Costs ${rate} ${currency} once it is delivered.`,
  sendTemplate: "Send template",
  failedLine: (reason: string) => `Not delivered: ${reason}`,
  person: "Person",
  openContact: "Open the contact",
  consent: "Consent",
  tags: "Tags",
  groups: "Groups",
  lastWrote: "Last wrote",
  none: "–",
} as const;

/** `3 h 12 min`, `12 min`, `40 s` */
export function leftWords(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) return `${Math.max(1, Math.ceil(ms / 1_000))} s`;
  if (minutes < 60) return `${minutes} min`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
