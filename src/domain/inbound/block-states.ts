/** What is known of a person whom a number may block. The console's bundle may contain this file, so it imports nothing. */
export const blockStates = ["blocked", "checking"] as const;
export type BlockState = (typeof blockStates)[number];
