/** A delivery as the server's JSON has it, and the label of its state. */
import type { Entry, Output } from "../../data/api.ts";
import type { ChipTone } from "../../ui/chip.tsx";

type Delivery = Entry<"GET /w/{workspace}/deliveries">;

export type Attempt = DeliveryDetail["attempts"][number];

export type DeliveryDetail = Output<"GET /w/{workspace}/deliveries/{id}">;

/** The first attempt and six retries. */
const ATTEMPTS_MAX = 7;

/** Distinguishes "waiting for the first attempt" from "retrying", because only the latter indicates trouble. */
export function deliveryChip({ status, attempt_count }: Delivery): { label: string; tone: ChipTone } {
  if (status === "delivered") return { label: "Delivered", tone: "green" };
  if (status === "exhausted") return { label: "Failed", tone: "red" };
  if (attempt_count === 0) return { label: "Waiting", tone: "grey" };
  return { label: `Retrying ${attempt_count + 1} of ${ATTEMPTS_MAX}`, tone: "amber" };
}
