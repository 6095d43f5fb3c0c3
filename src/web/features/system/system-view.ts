/** The server's status and its jobs on the database, as its JSON has them. */
import type { ChipTone } from "../../ui/chip.tsx";

export interface ServerFinding {
  level: "warning" | "problem";
  check: string;
  message: string;
  since: string | null;
  hits: string | null;
  next: string;
  command: string | null;
  /** For a finding about a workspace: its id, and the id of the number or broadcast concerned. */
  workspace_id: number | null;
  subject_id: number | null;
}

export interface Health {
  at: string;
  findings: ServerFinding[];
  version: string;
  commit: string | null;
  bun: string;
  sqlite: string;
  schema: number;
  started_at: string;
  memory_bytes: number;
  is_writable: boolean;
  database: { path: string; bytes: number; wal_bytes: number };
  disk: { free_bytes: number; total_bytes: number } | null;
  outbox: { kind: string; rows: number; age_seconds: number }[];
  callbacks_waiting: number;
  commits: { last_hour: number; failures: number; p50_seconds: number | null; p99_seconds: number | null };
  backup: { schedule: string | null; next_at: string | null; verified_at: string | null };
}

export interface SetupFinding {
  level: "ok" | "warning" | "problem";
  check: string;
  message: string;
  next: string | null;
  workspace: { id: number; name: string } | null;
}

/** A violated invariant of the database. */
export interface InvariantFinding {
  name: string;
  sentence: string;
  count: number;
  of: string;
  ids: (number | string)[];
  next: string;
}

type JobKind = "backup" | "verify" | "drill" | "check";

export interface Jobs {
  current: { kind: JobKind; name: string | null; started_at: string; step: string | null } | null;
  failed: { kind: JobKind; name: string | null; at: string; error: string }[];
  check: { at: string; error: string | null; checks: number; findings: InvariantFinding[] } | null;
}

export interface VerificationReport {
  verified_at: string;
  snapshot_at: string | null;
  schema: number;
  is_older_schema: boolean;
  checks: number;
  counts: Record<string, number>;
  findings: InvariantFinding[];
  drill: {
    at: string;
    took_ms: number;
    counts: Record<string, number>;
    taken_over: Record<string, number> | null;
    gap: string | null;
    flaws: string[];
  } | null;
}

export interface Backup {
  name: string;
  bytes: number;
  made_at: string;
  state: "sound" | "broken" | "unverified";
  verification: VerificationReport | null;
}

export interface Backups extends Jobs {
  directory: string;
  schedule: string | null;
  keep: number;
  next_at: string | null;
  free_bytes: number | null;
  backups: Backup[];
}

export const backupTones: Readonly<Record<Backup["state"], ChipTone>> = {
  sound: "green",
  broken: "red",
  unverified: "grey",
};

/** Polls quickly while a job runs. */
export const jobsPollMs = (jobs: Jobs | undefined): number => (jobs?.current == null ? 10_000 : 700);
