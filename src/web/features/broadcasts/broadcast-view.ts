/** A broadcast as the API's JSON has it, its recipients as the console's has them, and the labels of its states. */
import type { Body, Entry, Output } from "../../data/api.ts";
import type { ChipTone } from "../../ui/chip.tsx";
import { strings } from "./strings.ts";

type BroadcastStatus = keyof typeof strings.states;

export type Broadcast = Entry<"GET /w/{workspace}/broadcasts">;

export type BroadcastDetail = Output<"GET /w/{workspace}/broadcasts/{id}">;

/** How recipients are filtered. */
export type RecipientFilter = NonNullable<
  Extract<Body<"POST /w/{workspace}/bulk">["people"], { broadcast: number }>["status"]
>;

const TONES: Readonly<Record<BroadcastStatus, ChipTone>> = {
  scheduled: "grey",
  queueing: "grey",
  running: "blue",
  paused: "amber",
  completed: "green",
  cancelled: "grey",
  failed: "red",
};

export function broadcastChip(status: BroadcastStatus): { label: string; tone: ChipTone } {
  return { label: strings.states[status], tone: TONES[status] };
}

export function isFinished({ status }: Broadcast): boolean {
  return status === "completed" || status === "cancelled" || status === "failed";
}

/** Recipients that have not been dispatched yet. */
export function pendingCount({ counts }: Broadcast): number {
  return Math.max(0, counts.total - counts.sent - counts.failed - counts.skipped);
}
