/** An import as the server's JSON has it. */
import type { Entry, Output } from "../../data/api.ts";
import type { ChipTone } from "../../ui/chip.tsx";
import { strings } from "./strings.ts";

type ImportState = keyof typeof strings.states;

export type ImportOutcome = NonNullable<Import["outcome"]>;

export type Import = Entry<"GET /w/{workspace}/imports">;

export type ImportDetail = Output<"GET /w/{workspace}/imports/{id}">;

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
