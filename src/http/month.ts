/** Reads the parameter `month`. */
import { monthOf } from "#src/domain/messages/network-usage.ts";
import { wrongParameter } from "./page.ts";

/** By default the present month of the workspace. */
export function readMonth(value: string | null, now: number, { timezone }: { timezone: string }): string {
  if (value === null || value === "") return monthOf(now, timezone);
  if (/^\d{4}-(0[1-9]|1[0-2])$/.test(value)) return value;
  throw wrongParameter("month", "A month is written as 2026-11.");
}
