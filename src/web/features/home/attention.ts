/**
 * What on Home a person has to act on, and whether everything is quiet: only if nothing of the list is true, and all of it is
 * known. Pure.
 */
import type { Output } from "#src/http/endpoints/endpoints.ts";

export type HomeView = Output<"GET /w/{workspace}/home">;
export type TodayView = Output<"GET /w/{workspace}/today">;

interface Known {
  workspace: Pick<Output<"GET /w/{workspace}/me">, "numbers" | "suspended">;
  home: HomeView;
  /** Undefined: not known, or not any more. */
  today: TodayView | undefined;
}

/** The names of all that is true; every one of them has its place on the page. */
export function listAttention({ workspace, home, today }: Known): string[] {
  const { waiting, broadcasts, conditions } = home;
  const facts: Readonly<Record<string, boolean>> = {
    waiting: waiting.people > 0,
    suspended: workspace.suspended !== null,
    numbers: workspace.numbers.some(({ ready }) => !ready),
    conditions: conditions.length > 0,
    deliveries: home.exhausted_deliveries > 0,
    broadcasts: broadcasts.some(isUnderWay),
    failed: today !== undefined && today.single.failed > 0,
    failedBroadcasts: today !== undefined && today.broadcast.failed > 0,
    unknown: today !== undefined && today.single.unknown + today.broadcast.unknown > 0,
  };
  return Object.keys(facts).filter((name) => facts[name]);
}

/** "All quiet" is about a workspace that has delivered something: before that there is nothing to be quiet. */
export function isQuiet(known: Known): boolean {
  const { workspace, home, today } = known;
  const hasBegun = workspace.numbers.length > 0 && home.last_delivered_at !== null;
  return hasBegun && today !== undefined && listAttention(known).length === 0;
}

export function isUnderWay({ status }: HomeView["broadcasts"][number]): boolean {
  return status !== "scheduled";
}

/** Conditions, but for those that the page says in its own words. */
export function conditionsToShow({ conditions }: HomeView): HomeView["conditions"] {
  const ownWords = ["number_not_ready", "workspace_suspended", "broadcast_paused"];
  return conditions.filter(({ id }) => !ownWords.includes(id.split(":", 1)[0] ?? ""));
}
