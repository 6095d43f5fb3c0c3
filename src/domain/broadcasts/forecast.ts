/**
 * What will keep people waiting, said before it does, and while it does. The times come from the functions that decide when
 * messages are sent: `quietUntil` and `roomAt`. Nothing is decided here.
 */
import { formatQuietHours, type QuietHours } from "#src/core/quiet-hours.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import { getCounters } from "../messages/adjust-counters.ts";
import { findLimitedPortfolio, roomAt } from "../messages/portfolio-limit.ts";
import { getWorkspace } from "../workspaces/read.ts";
import { quietOf, quietUntil } from "./lateness.ts";
import type { BroadcastPlan } from "./plan.ts";
import type { Broadcast } from "./table.ts";
import { isLateForQuiet } from "./wait.ts";

export interface Wait {
  /**
   * `quiet_hours`: they wait until these hours end. `network_limit`: until there is room under Meta's limit. `in_quiet_hours`:
   * nobody waits, but the broadcast starts within these hours; only if it started late, it would wait until they end.
   */
  kind: "quiet_hours" | "network_limit" | "in_quiet_hours";
  people: number;
  /** Milliseconds. */
  until: number;
  /** The quiet hours, such as `21:00-08:00`; null if they play no part. */
  hours: string | null;
}

/** `waiting`: how many people have no room under Meta's limit when the broadcast starts. `quiet`: the server's own. */
export function forecastWaits(
  tx: ReadTx,
  { workspace, sender, template, sendAt }: BroadcastPlan,
  { reached, waiting }: { reached: number; waiting: number },
  quiet: QuietHours | null,
): Wait[] {
  const startsAt = sendAt ?? tx.now;
  const hours = hoursOf(workspace, quiet);
  const quietEnd = (at: number) => (template.category === "MARKETING" ? quietUntil({ quiet }, at, workspace) : null);
  const until = quietEnd(startsAt);
  const waits: Wait[] = until === null ? [] : [{ kind: "in_quiet_hours", people: reached, until, hours }];
  const limited = findLimitedPortfolio(tx, sender);
  if (limited === null || waiting === 0) return waits;
  const room = Math.max(startsAt, roomAt(tx, limited));
  const quietAfter = isLateForQuiet(startsAt, room) ? quietEnd(room) : null;
  const wait: Wait =
    quietAfter === null
      ? { kind: "network_limit", people: waiting, until: room, hours: null }
      : { kind: "quiet_hours", people: waiting, until: quietAfter, hours };
  return [...waits, wait];
}

/** What the broadcast waits for now; null: nothing. */
export function currentWait(tx: ReadTx, broadcast: Broadcast, quiet: QuietHours | null): Wait | null {
  const { waitsUntil: until, waitsFor: kind, workspaceId, id } = broadcast;
  if (until === null || kind === null) return null;
  const people = getCounters(tx, id).pending;
  const hours = kind === "quiet_hours" ? hoursOf(getWorkspace(tx, workspaceId), quiet) : null;
  return { kind, people, until, hours };
}

/** The scheduled start lies in quiet hours, as far as is known now; null: it does not. */
export function quietStart(tx: ReadTx, broadcast: Broadcast, quiet: QuietHours | null): Wait | null {
  const { sendAt, status, templateCategory, waitsUntil, id } = broadcast;
  if (status !== "scheduled" || sendAt === null || waitsUntil !== null || templateCategory !== "MARKETING") return null;
  const workspace = getWorkspace(tx, broadcast.workspaceId);
  const until = quietUntil({ quiet }, sendAt, workspace);
  if (until === null) return null;
  return { kind: "in_quiet_hours", people: getCounters(tx, id).pending, until, hours: hoursOf(workspace, quiet) };
}

function hoursOf(workspace: BroadcastPlan["workspace"], server: QuietHours | null): string | null {
  const quiet = quietOf(workspace, server);
  return quiet === null ? null : formatQuietHours(quiet);
}
