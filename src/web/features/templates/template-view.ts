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

/** An order to pay is made by software, for one person. */
const NOT_ASKED = "order_details";

/** Why the template cannot be sent; null if it can. */
export function findBlocker({
  sendable,
  status,
  network_status: networkStatus,
  needs,
  unsupported,
  order_to_confirm: order,
  reason,
}: Template): string | null {
  if (sendable) return null;
  if (networkStatus === "DELETED") return strings.deleted;
  if (status !== "APPROVED") return `${strings.notSendable[status]}${reason === null ? "" : ` “${reason}”`}`;
  if (unsupported !== null) return strings.unsupported(unsupported);
  if (order !== null) return strings.orderOpen;
  return needs.includes(NOT_ASKED) ? strings.needsOrder : null;
}
