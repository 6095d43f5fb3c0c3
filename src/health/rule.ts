/**
 * A rule: one kind of thing that may need a person, with how it is found and what is said about it. The kinds are the rows
 * of `kinds.ts`; `status`, Health, the metrics and alarms show what their rules find, and the page about operating lists
 * them. What may be wrong with a connection to WhatsApp is the kind `connection`, with a rule for each cause in
 * `connection-rule.ts` and beside it.
 */
import type { Store } from "#src/db/store.ts";
import type { ConnectionSettings } from "./connection-settings.ts";
import type { HealthFacts } from "./facts.ts";

/** What was checked. */
export type Check =
  | "write"
  | "file"
  | "disk"
  | "commit"
  | "log"
  | "queue"
  | "callbacks"
  | "backup"
  | "certificate"
  | "workspace"
  | "number"
  | "balance"
  | "broadcast"
  | "connection"
  | "version"
  | "alarm"
  | "configuration";

/** What a rule found, where it differs from one to the next. */
export interface Found {
  says: string;
  /** What the id has after the kind and a colon. */
  of?: string | number;
  severity?: "warning" | "critical";
  subject?: string;
  /** When it began, milliseconds; null: it is not recorded. */
  since?: number | null;
  hits?: string | null;
  next?: string;
  command?: string | null;
  /** Set for a condition of a workspace: its id, and the id of the number or broadcast. */
  workspaceId?: number;
  subjectId?: number;
}

export interface Rule {
  /** `either`: a warning or critical. Of a connection: critical if a number cannot send, or Meta accepts nothing for it. */
  severity: "critical" | "warning" | "either";
  check: Check;
  /** What it is about, in words. */
  subject?: string;
  /** What the id has after a colon. */
  of?: "ID" | "KIND";
  when: string;
  /** Who is affected. Absent: no one yet. */
  hits?: string;
  next?: string;
  /** A command to copy. */
  command?: string;
  /** Finds it in the facts about the server. Pure. A text is what it says, where all the rest is in the row. */
  evaluate?: (facts: HealthFacts) => string | Found | readonly Found[] | null;
  /** Finds it in the rows of the workspaces: a few rows at most, so that it can run every half minute. */
  probe?: (sources: WorkspaceSources) => Promise<readonly Found[]>;
}

export interface WorkspaceSources {
  query: (sql: string, parameters?: (string | number | null)[]) => Promise<Record<string, unknown>[]>;
  store: Pick<Store, "read">;
  now: number;
  settings: ConnectionSettings & { verifyToken: string | null };
}
