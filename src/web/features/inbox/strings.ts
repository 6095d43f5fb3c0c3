/** Texts of the inbox. */
export const strings = {
  title: "Inbox",
  show: "Show conversations",
  all: "All",
  unread: "Unread",
  waiting: "Needs reply",
  open: "Window open",
  conversations: "Conversations",
  newer: "Newer",
  older: "Older",
  empty: "No conversations yet",
  emptyText: (phone: string | undefined) =>
    phone === undefined ? "Messages from people appear here." : `Messages sent to ${phone} appear here.`,
  emptySimulator: "Open the simulator",
  emptyUnread: "No unread conversations",
  emptyWaiting: "No conversations need a reply",
  emptyWaitingYet: "None of the newest conversations need a reply. Older ones have not been searched yet.",
  emptyOpen: "No open windows",
  emptyFiltered: "Clear filters",
  choose: "Choose a conversation.",
  back: "All conversations",
  unknownNumber: "Unknown number",
  you: "You: ",
  edited: "Edited",
  forwarded: "Forwarded",
  forwardedOften: "Forwarded many times",
  aboutProduct: (product: string) => `About product ${product}`,
  fromAdvertisement: (headline: string) => `From an advertisement: ${headline}`,
  inboundOrigins: {
    standby: "While another sender held the conversation",
    history: "From the phone's history",
  },
  echoOrigins: {
    phone: "Sent from the phone",
    standby: "Sent by another sender on this number",
    history: "From the phone's history",
    control_pass: "Change of control",
  },
  echoStatuses: { sent: "Sent", delivered: "Delivered", read: "Read", failed: "Failed" },
  /** The network's words for who holds a conversation. */
  roles: {
    ai_agent: "Meta's Business Agent",
    meta_business_agent: "Meta's Business Agent",
    business_app: "your software",
    escalation: "your team",
  } as Readonly<Record<string, string>>,
  controlPass: (from: string | null, to: string | null) => {
    if (to === null)
      return from === null ? "Another sender holds the conversation" : `${from} passed on the conversation`;
    return from === null ? `Passed to ${to}` : `${from} passed the conversation to ${to}`;
  },
  unreadCount: (count: number) => (count === 1 ? "1 unread" : `${count} unread`),
  windowOpen: (left: string) => `Open ${left}`,
  windowClosing: (left: string) => `Closes in ${left}`,
  windowClosed: "Closed",
  windowHint:
    "You can send free-form replies for 24 hours after a person's last message. After that, WhatsApp accepts only templates.",
  conversation: "Conversation",
  earlier: "Earlier messages",
  nothing: "No messages yet.",
  reply: "Your reply",
  send: "Send reply",
  sendHint: "Press Ctrl+Enter to send.",
  closesSoon: (left: string) => `The window closes in ${left}. After that, you can only send a template.`,
  closed: (at: string) => `The 24-hour window closed on ${at}. You can still send a template.`,
  neverOpen: "The 24-hour window is not open. You can send a template.",
  optedOut: (at: string) => `They wrote STOP on ${at}. They can't be messaged until they write START.`,
  optedOutElse: (at: string) => `They opted out on ${at}. They can't be messaged until they write START.`,
  erased: "This person was erased, so nothing can be sent to them.",
  askForNumber: "Ask for their number",
  askHint: "WhatsApp does not share this person's number. You can reply, and you can ask for it.",
  askText: "Please share your phone number with us: press the button below.",
  notReady: (phone: string) => `${phone} can't send now, so you can't reply. See Numbers.`,
  noNumber: "There is no number to reply from.",
  suspended: "This workspace is suspended and can't send messages.",
  template: "Template",
  templates: "Templates",
  chooseTemplate: "Choose a template",
  noTemplates: "There are no approved templates. WhatsApp must approve one first.",
  headerValue: (index: number) => `Header placeholder {{${index}}}`,
  bodyValue: (index: number) => `Body placeholder {{${index}}}`,
  preview: "Preview",
  costs: (rate: string, currency: string) => `Costs ${rate} ${currency} when delivered.`,
  sendTemplate: "Send template",
  failedLine: (reason: string) => `Not delivered: ${reason}`,
  person: "Contact",
  openContact: "Open contact",
  consent: "Consent",
  tags: "Tags",
  groups: "Groups",
  lastWrote: "Last message",
  none: "–",
} as const;

/** `3 h 12 min`, `12 min`, `40 s` */
export function formatTimeLeft(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) return `${Math.max(1, Math.ceil(ms / 1_000))} s`;
  if (minutes < 60) return `${minutes} min`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
