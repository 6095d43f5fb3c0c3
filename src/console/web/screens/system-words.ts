/** Texts that the screens of the system share. */
export const words = {
  system: "System",
  health: "Health",
  workspaces: "Workspaces",
  users: "Users",
  backups: "Backups",
  metrics: "Metrics",
  audit: "Audit log",
} as const;
