/** The kinds of load that one workspace puts on the server. */
export const kinds = ["searches", "imports", "exports", "sends", "bulk changes", "media"] as const;
export type Kind = (typeof kinds)[number];
