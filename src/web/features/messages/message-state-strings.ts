/** Texts of message states, for messages sent alone and in a broadcast. */
export const strings = {
  statuses: {
    pending: "Waiting",
    queued: "Waiting",
    sending: "Handing over",
    sent: "Sent",
    delivered: "Delivered",
    read: "Read",
    failed: "Failed",
    skipped: "Left out",
  },
  unknown: "Outcome unknown",
  inDoubt: "In doubt",
} as const;
