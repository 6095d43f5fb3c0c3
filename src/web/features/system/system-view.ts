/** The server's status and its jobs on the database, as its JSON has them. */
import type { Entry, Output } from "../../data/api.ts";
import type { ChipTone } from "../../ui/chip.tsx";

export type ServerFinding = Health["findings"][number];

export type Health = Output<"GET /system/health">;

export type SetupFinding = Entry<"GET /system/findings">;

/** A violated invariant of the database. */
export type InvariantFinding = NonNullable<Jobs["check"]>["findings"][number];

export type Jobs = Output<"GET /system/check">;

export type VerificationReport = NonNullable<Backup["verification"]>;

export type Backup = Backups["backups"][number];

export type Backups = Output<"GET /system/backups">;

export const backupTones: Readonly<Record<Backup["state"], ChipTone>> = {
  sound: "green",
  broken: "red",
  unverified: "grey",
};

/** Polls quickly while a job runs. */
export const jobsPollMs = (jobs: Jobs | undefined): number => (jobs?.current == null ? 10_000 : 700);
