/** Texts of what a team does with a conversation: its state, who answers it, its tags. */
export const strings = {
  view: "View",
  views: { mine: "Mine", unassigned: "Unassigned", open: "Open", snoozed: "Snoozed", done: "Done", all: "All" },
  counted: (name: string, count: number) => `${name} ${count > 99 ? "99+" : count}`,
  emptyViews: {
    mine: "No open conversations are assigned to you",
    unassigned: "Every open conversation is assigned",
    open: "No open conversations",
    snoozed: "No snoozed conversations",
    done: "No conversations are done",
    all: "No conversations yet",
  },
  seeAll: "See all conversations",
  states: { open: "Open", snoozed: "Snoozed", done: "Done" },
  snoozedUntil: (time: string) => `Snoozed until ${time}`,
  snoozedUntilWritten: "Snoozed until they write",
  done: "Done",
  reopen: "Open again",
  snooze: "Snooze",
  snoozeTimes: {
    hour: "In an hour",
    evening: "This evening",
    tomorrow: "Tomorrow morning",
    monday: "Monday morning",
  },
  untilWritten: "Until they write",
  chosenTime: "Choose a time …",
  snoozeTitle: "Snooze the conversation",
  snoozeUntil: (zone: string) => `Until (${zone})`,
  snoozeHint: "It opens again then, or when the person writes.",
  /** In the list. */
  answeredBy: (who: string) => `Assigned to ${who}`,
  assign: "Assign",
  assignTo: (who: string) => `Assigned to ${who}. Assign`,
  unassigned: "Without an assignee. Assign",
  me: (email: string) => `Me (${email})`,
  you: "You",
  nobody: "Nobody",
  /** In the list and in the head of a conversation. */
  typing: (names: readonly string[]) => `${namesOf(names)} ${names.length === 1 ? "is" : "are"} typing …`,
  looking: (names: readonly string[]) => `${namesOf(names)} ${names.length === 1 ? "is" : "are"} here`,
  takeTitle: (email: string) => `Take the conversation from ${email}?`,
  takeText: (email: string) => `${email} answers this conversation now.`,
  take: "Take it",
  leave: "Leave it",
  changedTitle: "Send anyway?",
  changedText: "The conversation changed meanwhile:",
  customerWrote: "The customer wrote",
  answered: (by: string | null) => (by === null ? "Your business wrote" : `${by} answered`),
  changedState: (by: string | null, state: string) => (by === null ? `It is ${state} now` : `${by} set it to ${state}`),
  changedAssignee: (by: string | null, assignee: string | null) => {
    if (assignee === null) return by === null ? "It has no assignee now" : `${by} removed the assignee`;
    return by === assignee || by === null ? `${assignee} answers it now` : `${by} assigned it to ${assignee}`;
  },
  changeTitle: { done: "Done anyway?", snoozed: "Snooze anyway?", open: "Open anyway?" },
  changeAnyway: { done: "Done anyway", snoozed: "Snooze anyway", open: "Open anyway" },
  takeAnyway: "Take it anyway?",
  leaveOpen: "Leave it open",
  sendAnyway: "Send anyway",
  keepWriting: "Keep writing",
  writeWhat: "What you write",
  replyTab: "Reply",
  note: "Note",
  notePlaceholder: "A note for your team",
  noteHint: "Only your team sees notes.",
  addNote: "Add note",
  noteBy: (who: string) => `Note by ${who}`,
  block: "Block",
  unblock: "Unblock",
  blockItem: "Block …",
  unblockItem: "Unblock …",
  blocked: "Blocked",
  unblocked: "Unblocked",
  blockTitle: "Block this person?",
  blockText: (number: string) =>
    `They can't write to ${number} any more, and get nothing that you send from it, broadcasts included. They are not notified. Your other numbers stay open to them.`,
  blockLimit: "WhatsApp blocks only people who wrote within the last 24 hours. You can unblock them at any time.",
  keepUnblocked: "Don't block",
  unblockTitle: "Unblock this person?",
  unblockText: (number: string) => `They can write to ${number} again, and get what you send.`,
  keepBlocked: "Keep blocked",
  blockedOn: (number: string) =>
    `You blocked this person on ${number}. They can't write to it, and messages to them fail.`,
  blockChecking: "WhatsApp did not answer. Whether this person is blocked is checked within a minute.",
  more: "More actions",
  tags: "Tags …",
  tagsTitle: "Tags of this person",
  saved: "Saved",
  save: "Save tags",
  openContact: "Open contact",
} as const;

/** `ana`, `ana and bob`, `ana, bob and 2 others` */
function namesOf(names: readonly string[]): string {
  const [first = "", second] = names;
  if (second === undefined) return first;
  const more = names.length - 2;
  return more === 0 ? `${first} and ${second}` : `${first}, ${second} and ${more === 1 ? "another" : `${more} others`}`;
}
