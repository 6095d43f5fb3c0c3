/** A template as the server's JSON has it, and the label of its state. */
import type { Entry } from "../../data/api.ts";
import type { ChipTone } from "../../ui/chip.tsx";
import { strings } from "./strings.ts";

export type TemplateStatus = keyof typeof strings.states;

export type Template = Entry<"GET /w/{workspace}/templates">;

const TONES: Readonly<Record<TemplateStatus, ChipTone>> = {
  APPROVED: "green",
  PENDING: "grey",
  REJECTED: "red",
  PAUSED: "amber",
  DISABLED: "red",
};

export function templateChip(status: TemplateStatus): { label: string; tone: ChipTone } {
  return { label: strings.states[status], tone: TONES[status] };
}

/** Why the template cannot be sent; null if it can. */
export function findBlocker({
  sendable,
  status,
  unsupported,
  order_to_confirm: order,
  reason,
}: Template): string | null {
  if (sendable) return null;
  if (status !== "APPROVED") return `${strings.notSendable[status]}${reason === null ? "" : ` “${reason}”`}`;
  if (unsupported === null && order !== null) return strings.orderOpen;
  return strings.unsupported(unsupported ?? "");
}
