/** A delivery as the server's JSON has it, and the label of its state. */
import type { ChipTone } from "../../ui/chip.tsx";

export interface Delivery {
  id: number;
  event_id: string;
  event_type: string;
  status: "pending" | "delivered" | "exhausted";
  attempt_count: number;
  created_at: string;
  next_attempt_at: string | null;
  finished_at: string | null;
}

export interface Attempt {
  id: number;
  attempted_at: string;
  url: string;
  status_code: number | null;
  error: string | null;
  response: string | null;
  duration_ms: number;
}

export interface DeliveryDetail extends Delivery {
  body: string;
  attempts: Attempt[];
}

/** The first attempt and six retries. */
const ATTEMPTS_MAX = 7;

/** Distinguishes "waiting for the first attempt" from "retrying", because only the latter indicates trouble. */
export function deliveryChip({ status, attempt_count }: Delivery): { label: string; tone: ChipTone } {
  if (status === "delivered") return { label: "Delivered", tone: "green" };
  if (status === "exhausted") return { label: "Failed", tone: "red" };
  if (attempt_count === 0) return { label: "Waiting", tone: "grey" };
  return { label: `Retrying ${attempt_count + 1} of ${ATTEMPTS_MAX}`, tone: "amber" };
}
