/** The kinds of load that one workspace puts on the server. */
export const kinds = ["searches", "imports", "exports", "sends", "bulk changes", "media", "slow webhooks"] as const;
/** The worst that a workspace may ask for within its limits: large answers, readers that do not read, many connections. */
export const attacks = [
  "fat lists",
  "unread answers",
  "slow readers",
  "fat puts",
  "previews",
  "fat events",
  "streams",
  "new hosts",
  "unknown members",
  "broken bodies",
] as const;
export type Attack = (typeof attacks)[number];
export type Kind = (typeof kinds)[number] | Attack;
