/** How the recipients of a broadcast can be filtered. Pure. */

/** The API's filters. */
export const recipientFilters = ["pending", "sent", "delivered", "read", "failed", "skipped"] as const;
export type RecipientFilter = (typeof recipientFilters)[number];

/** The same plus `unknown`, which the API reports as failed. */
export const recipientOutcomes = [...recipientFilters, "unknown"] as const;
export type RecipientOutcome = (typeof recipientOutcomes)[number];
