/** Who may send free messages in a thread with a person: this server, another sender on the number, or no sender. Pure. */
export const threadOwners = ["us", "other", "nobody"] as const;
export type ThreadOwner = (typeof threadOwners)[number];
