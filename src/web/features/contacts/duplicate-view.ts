/** A pair of contacts that may be one person, as the console's JSON has it. */
import type { Entry } from "../../data/api.ts";
import { phoneOf } from "./contact-view.ts";

export type Pair = Entry<"GET /w/{workspace}/duplicates">;
export type Side = Pair["one"];

export function sideName(side: Side): string {
  return side.name ?? phoneOf(side);
}
