/** A broadcast and its people as the API shows them, and our words for their states. */
import type { ChipTone } from "../ui/chip.tsx";
import { words } from "./broadcasts-words.ts";

export type BroadcastStatus = keyof typeof words.states;
export type RecipientStatus = keyof typeof words.statuses;

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

export interface Cause {
  status: "failed" | "skipped";
  code: string | null;
  is_unknown: boolean;
  reason: string;
  count: number;
}

export interface BroadcastDetail extends Broadcast {
  in_doubt: number;
  causes: Cause[];
}

export interface Recipient {
  to: string;
  status: RecipientStatus;
  reason: string | null;
  sent_at: string | null;
  delivered_at: string | null;
  read_at: string | null;
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

export function statusLook(status: BroadcastStatus): { word: string; tone: ChipTone } {
  return { word: words.states[status], tone: TONES[status] };
}

const RECIPIENT_TONES: Readonly<Record<RecipientStatus, ChipTone>> = {
  pending: "grey",
  queued: "grey",
  sending: "grey",
  sent: "grey",
  delivered: "green",
  read: "blue",
  failed: "red",
  skipped: "grey",
};

/** Failed for want of an answer is not known to have failed: what the reason says decides the colour. */
export function recipientLook({ status, reason }: Recipient): { word: string; tone: ChipTone } {
  if (status === "failed" && reason !== null && /may have arrived|may already have been sent|no answer/i.test(reason)) {
    return { word: words.unknown, tone: "violet" };
  }
  return { word: words.statuses[status], tone: RECIPIENT_TONES[status] };
}

export function isFinished({ status }: Broadcast): boolean {
  return status === "completed" || status === "cancelled" || status === "failed";
}

/** Whose turn has not come. */
export function toGo({ counts }: Broadcast): number {
  return Math.max(0, counts.total - counts.sent - counts.failed - counts.skipped);
}
