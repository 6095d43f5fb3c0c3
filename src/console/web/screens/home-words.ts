/** Texts of Home. */
export const words = {
  title: "Home",
  beginTitle: "Five minutes to the first message",
  beginLead: "Each step ticks itself.",
  stepsDone: (done: number, all: number) => `${done} of ${all} done`,
  number: "A number that can send",
  numberReady: (phone: string) => `${phone} is ready.`,
  numberNotReady: (phone: string) => `${phone} is there, and cannot send yet.`,
  numberNone: "Try everything on the simulator first, on the server:",
  numberCommand: (id: number) =>
    `waxwing number add --workspace ${id} --phone "+1 555 010 0001" --name "Shop" --network simulator`,
  key: "A key for your software",
  keyText: "A key lets your software send from this workspace.",
  keyDone: "There is a key.",
  keyAction: "Make a key",
  send: "The first message",
  sendText: "Put your key in place of YOUR_KEY, then paste this into a terminal.",
  sendNoTemplate:
    "A message to somebody who has not written needs a template. Add one to the simulator's number, on the server:",
  templateCommand: (id: number) => `waxwing template add --workspace ${id} --file template.json --status APPROVED`,
  sendDone: "A message was delivered.",
  webhook: "An event at your server",
  webhookText: "Set the address that events go to, and send it a test event.",
  webhookDone: "Your server has taken an event.",
  webhookAction: "Set the address",
  copyCurl: "Copy the command",
  done: "Done",
  open: "To do",
  quietTitle: "All quiet.",
  quietLast: "Last message delivered",
  needsTitle: "Needs you",
  needsNumber: (phone: string) => `${phone} cannot send.`,
  needsDeliveries: (count: number) =>
    count >= 100
      ? "100 or more events could not be delivered."
      : `${count === 1 ? "One event" : `${count} events`} could not be delivered.`,
  needsDeliveriesAction: "Look at them",
  broadcastsTitle: "Broadcasts under way",
} as const;
