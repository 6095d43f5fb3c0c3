/** A broadcast as the API's JSON has it, its recipients as the console's has them, and the labels of its states. */
import type { ChipTone } from "../../ui/chip.tsx";
import type { MessageStatus } from "../messages/message-state.ts";
import { strings } from "./strings.ts";

type BroadcastStatus = keyof typeof strings.states;

export interface Broadcast {
  id: number;
  name: string;
  status: BroadcastStatus;
  status_reason: string | null;
  template: { name: string; language: string };
  from: string;
  counts: { total: number; sent: number; delivered: number; read: number; failed: number; skipped: number };
  charged: string | null;
  send_at: string | null;
  started_at: string | null;
  completed_at: string | null;
  created_at: string;
}

interface Cause {
  status: "failed" | "skipped";
  code: string | null;
  is_unknown: boolean;
  reason: string;
  count: number;
}

export interface BroadcastDetail extends Broadcast {
  in_doubt: number;
  /** Of the failed ones, those whose outcome is unknown. */
  unknown: number;
  causes: Cause[];
}

export interface Recipient {
  id: number;
  to: string;
  name: string | null;
  status: MessageStatus;
  /** Dispatched, with an unknown outcome. */
  is_unknown: boolean;
  code: string | null;
  reason: string | null;
  sent_at: string | null;
  delivered_at: string | null;
  read_at: string | null;
  failed_at: string | null;
}

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
