/** What this server asks the network to do with a thread, in the network's words. Pure. */
export const threadActions = ["take", "release", "pass"] as const;
export type ThreadAction = (typeof threadActions)[number];
