/** What the staff have made of a conversation. A new message of the person opens it. Pure. */
export const conversationStates = ["open", "snoozed", "done"] as const;
export type ConversationState = (typeof conversationStates)[number];
