/** The states of a message, and of somebody in a broadcast: our words and colours. Sent is not delivered, unknown not failed. */
import type { ChipTone } from "../../ui/chip.tsx";
import { words } from "./message-state-strings.ts";

export type MessageStatus = keyof typeof words.statuses;

interface Stated {
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
};

export function messageLook({ status, is_unknown }: Stated): { word: string; tone: ChipTone } {
  if (status === "failed" && is_unknown) return { word: words.unknown, tone: "violet" };
  // Handed over, and no answer came: it may still turn up.
  if (status === "sending" && is_unknown) return { word: words.inDoubt, tone: "violet" };
  return { word: words.statuses[status], tone: TONES[status] };
}

export function isUnknown({ status, is_unknown }: Stated): boolean {
  return status === "failed" && is_unknown;
}
