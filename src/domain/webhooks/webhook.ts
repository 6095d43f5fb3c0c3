/** The states of a webhook address. Pure. */
export const webhookStates = ["active", "disabled"] as const;
export type WebhookState = (typeof webhookStates)[number];
