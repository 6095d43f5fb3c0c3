/** An import as the server's JSON has it. */
import type { ChipTone } from "../../ui/chip.tsx";
import { strings } from "./strings.ts";

type ImportState = keyof typeof strings.states;

export interface ImportOutcome {
  rows: number;
  created: number;
  updated: number;
  unchanged: number;
  failed: number;
  opted_in: number;
  kept_opted_out: number;
  failures: { line: number; reason: string }[];
}

export interface Import {
  id: number;
  name: string;
  state: ImportState;
  rows_done: number | null;
  opt_in: boolean;
  proof: string;
  outcome: ImportOutcome | null;
  error: string | null;
  has_errors: boolean;
  created_at: string;
}

export interface ImportDetail extends Import {
  columns: { name: string; target: string }[];
  rows: string[][];
  targets: string[];
  /** Labels of custom fields, by target. */
  labels: Record<string, string>;
}

const TONES: Readonly<Record<ImportState, ChipTone>> = {
  given: "grey",
  checking: "blue",
  checked: "grey",
  importing: "blue",
  interrupted: "amber",
  done: "green",
  failed: "red",
};

export function importChip(state: ImportState): { label: string; tone: ChipTone } {
  return { label: strings.states[state], tone: TONES[state] };
}

export function isRunning({ state }: Import): boolean {
  return state === "checking" || state === "importing";
}
