/** Texts of message states, for messages sent alone and in a broadcast. */
export const strings = {
  statuses: {
    pending: "Waiting",
    queued: "Waiting",
    sending: "Sending",
    sent: "Sent",
    delivered: "Delivered",
    read: "Read",
    failed: "Failed",
    skipped: "Skipped",
    scheduled: "Scheduled",
    cancelled: "Cancelled",
  },
  unknown: "Outcome unknown",
  inDoubt: "Outcome unknown",
} as const;
