/** Texts that several system screens share. */
export const strings = {
  system: "System",
  health: "Health",
  workspaces: "Workspaces",
  users: "Users",
  backups: "Backups",
  metrics: "Metrics",
  log: "Log",
  configuration: "Configuration",
  upgrade: "Upgrade",
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

export const logStrings = {
  title: "Log",
  lead: "What the server logged since it started: up to a thousand entries, newest first. The whole log is where the service writes it (journalctl -u waxwing).",
  show: "Level",
  all: "Everything",
  warnings: "Warnings and errors",
  errors: "Errors",
  search: "Search the log",
  message: "Message",
  level: "Level",
  event: "Event",
  time: "Time",
  entry: "Entry",
  pause: "Pause",
  resume: "Continue",
  paused: "Paused. What the server logs meanwhile is shown when you continue.",
  empty: "No entries",
  emptyText: "Nothing was logged with this level and these words. [log] level decides what is logged at all.",
} as const;

export const configurationStrings = {
  title: "Configuration",
  lead: (file: string | null) =>
    file === null
      ? "The settings that this server runs with. There is no configuration file."
      : `The settings that this server runs with. It was started with ${file}.`,
  guide: "How to run this server",
  show: "Settings",
  all: "All",
  given: "Given by you",
  search: "Search settings",
  setting: "Setting",
  value: "Value",
  from: "Given by",
  change: "To change it",
  howToChange: (path: string, file: string | null) => {
    const parts = path.split(".");
    const section = parts.slice(0, -1).join(".");
    return `Edit ${parts.at(-1)} in the section [${section}] of ${file ?? "waxwing.toml"}, check it with "waxwing config check", and restart the server.`;
  },
  secret: "Set, not shown",
  none: "None",
  standard: "Default",
  line: (source: string, line: number) => `${source}, line ${line}`,
  empty: "No setting found",
  emptyText: "No name or description contains these words.",
} as const;
