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
  backup: "Creating a backup",
  verify: (name: string) => `Verifying ${name}`,
  send: "Sending a backup off-site",
  drill: (name: string) => `Running a restore drill of ${name}`,
  check: "Checking the database",
  beside: "The server keeps running. Started",
  shouldBe: "Expected:",
  but: "Found:",
  next: "Next step:",
  many: "1,000 or more",
} as const;
