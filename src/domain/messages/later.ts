/** When a scheduled message may be sent. */
import type { FieldProblems } from "#src/core/fault.ts";
import { formatInstant } from "#src/core/instant.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import type { Workspace } from "../workspaces/table.ts";

/** Of a scheduled message. */
export interface Later {
  /** Milliseconds. */
  sendAt: number;
  /** Whether anything that the person writes until then cancels it, reactions apart. */
  cancelOnReply: boolean;
}

/** `send_at` is at most this far ahead; one that passed less than this ago means now. */
const AHEAD_MAX_MS = 90 * 24 * 60 * 60 * 1000;
const PAST_MAX_MS = 5 * 60 * 1000;

export function findWrongTime({ now }: ReadTx, { timezone }: Workspace, later: Later | null): FieldProblems {
  if (later === null) return {};
  const { sendAt } = later;
  const time = formatInstant(sendAt, timezone);
  if (sendAt < now - PAST_MAX_MS) {
    return { send_at: [{ rule: "too_small", sentence: `${time} has passed. Omit send_at to send now.` }] };
  }
  if (sendAt <= now + AHEAD_MAX_MS) return {};
  const latest = formatInstant(now + AHEAD_MAX_MS, timezone);
  return { send_at: [{ rule: "too_large", sentence: `${time} is over 90 days ahead; the latest is ${latest}.` }] };
}
