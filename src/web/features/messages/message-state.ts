/**
 * The states of a message or a broadcast's recipient: labels and colours. "Sent" is not "delivered", and "unknown" is
 * not "failed".
 */
import type { ChipTone } from "../../ui/chip.tsx";
import { strings } from "./message-state-strings.ts";

type MessageStatus = keyof typeof strings.statuses;

interface MessageState {
  status: MessageStatus;
  is_unknown: boolean;
}

const TONES: Readonly<Record<MessageStatus, ChipTone>> = {
  pending: "grey",
  queued: "grey",
  sending: "grey",
  sent: "grey",
  delivered: "green",
  read: "blue",
  failed: "red",
  skipped: "grey",
  scheduled: "grey",
  cancelled: "grey",
};

export function messageChip({ status, is_unknown }: MessageState): { label: string; tone: ChipTone } {
  if (status === "failed" && is_unknown) return { label: strings.unknown, tone: "violet" };
  // Dispatched, but no answer arrived: the outcome is still open.
  if (status === "sending" && is_unknown) return { label: strings.inDoubt, tone: "violet" };
  return { label: strings.statuses[status], tone: TONES[status] };
}

export function isUnknown({ status, is_unknown }: MessageState): boolean {
  return status === "failed" && is_unknown;
}
