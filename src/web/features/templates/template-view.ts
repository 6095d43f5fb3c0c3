/** A template as the server's JSON has it, and the label of its state. */
import type { ChipTone } from "../../ui/chip.tsx";
import { strings } from "./strings.ts";

type TemplateStatus = keyof typeof strings.states;

export interface Template {
  id: number;
  name: string;
  language: string;
  category: keyof typeof strings.categories;
  status: TemplateStatus;
  sendable: boolean;
  variables: { header: number; body: number };
  /** The body with numbered placeholders. */
  text: string;
  media: { type: "image" | "video" | "document"; default: boolean } | null;
  header: { type: "text" | "image" | "video" | "document" | "location"; text: string | null } | null;
  footer: string | null;
  buttons: { type: string; text: string }[];
  unsupported: string | null;
  reason: string | null;
  network_status: string | null;
  quality: string | null;
  sample_link: string | null;
  is_simulated: boolean;
  decided_at: string | null;
  updated_at: string;
}

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
export function findBlocker({ sendable, status, unsupported, reason }: Template): string | null {
  if (sendable) return null;
  if (status !== "APPROVED") return `${strings.notSendable[status]}${reason === null ? "" : ` “${reason}”`}`;
  return strings.unsupported(unsupported ?? "");
}
