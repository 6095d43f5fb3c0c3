/**
 * How long a workspace keeps what is its own, where that is shorter than the server's retention. There are few periods, so that
 * housekeeping walks the tables once for each and not once for each workspace. Pure.
 */
import { type Duration, readDuration } from "#src/core/duration.ts";

/** By the value that is stored; what the console calls it. */
export const RETENTIONS: Readonly<Record<string, string>> = {
  server: "As long as this server keeps them",
  ...Object.fromEntries(
    ["7 days", "30 days", "90 days", "6 months", "1 year", "2 years", "3 years", "5 years", "10 years"].map(
      (period) => [period, period],
    ),
  ),
};

/** The settings of retention by the server's key of the section `[retention]`. */
export const retentionSettings = {
  messages: "messageRetention",
  inbound: "inboundRetention",
  media: "mediaRetention",
} as const;
export type RetentionKey = keyof typeof retentionSettings;

/** Null: the workspace has no retention of its own. */
export function readRetention(choice: string): Duration | null {
  return choice === "server" ? null : readDuration(choice);
}
