/** Times as answers of the console show them. */
import { formatInstant } from "#src/core/instant.ts";
import type { Workspace } from "#src/domain/workspaces/table.ts";

/** A function that formats times in the workspace's timezone; null stays null. */
export function timesOf({ timezone }: Pick<Workspace, "timezone">) {
  function when(ms: number): string;
  function when(ms: number | null): string | null;
  function when(ms: number | null): string | null {
    return ms === null ? null : formatInstant(ms, timezone);
  }
  return when;
}

/** In UTC: sessions and users belong to no workspace, so the browser shows these times in its own timezone. */
export const whenUtc = timesOf({ timezone: "UTC" });
