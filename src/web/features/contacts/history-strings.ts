/** Texts of a person's timeline. */
export const strings = {
  title: "Timeline",
  pages: "Pages of the timeline",
  older: "Older",
  newer: "Newer",
  wrote: "They wrote",
  sent: "Sent",
  broadcast: (name: string) => `Broadcast “${name}”`,
  elsewhere: "Sent elsewhere",
  note: "Note",
  move: "New number",
  moved: (from: string, to: string) => `From ${from} to ${to}`,
  added: "Added",
  addedText: "The contact was added.",
} as const;
