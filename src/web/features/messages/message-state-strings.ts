/** Texts of the states of a message, whether it was sent alone or in a broadcast. */
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
