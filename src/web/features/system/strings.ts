/** Texts that several system screens share. */
export const strings = {
  system: "System",
  health: "Health",
  workspaces: "Workspaces",
  users: "Users",
  backups: "Backups",
  metrics: "Metrics",
  audit: "Audit log",
} as const;

/** Texts of jobs on the database. */
export const jobStrings = {
  backup: "A backup is being made",
  verify: (name: string) => `${name} is being looked over`,
  drill: (name: string) => `A restore of ${name} is being rehearsed`,
  check: "The database is being checked",
  beside: "The server goes on beside it. Begun",
  shouldBe: "Should be:",
  but: "But:",
  next: "Next step:",
  many: "1,000 or more",
} as const;
