/** Shows the progress of a broadcast in the terminal, as one line that is rewritten once a second until it is over. */
import { sleep } from "#src/core/clock.ts";
import { formatDuration } from "#src/core/duration.ts";
import { visible } from "#src/core/shown-text.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import { isFinished } from "#src/domain/broadcasts/broadcast.ts";
import { countInDoubt } from "#src/domain/broadcasts/read.ts";
import type { Broadcast } from "#src/domain/broadcasts/table.ts";
import { getCounters } from "#src/domain/messages/adjust-counters.ts";
import { findNumber } from "#src/domain/numbers/read.ts";
import type { Io } from "./context.ts";

type Progress = ReturnType<typeof progressOf>;

const POLL_INTERVAL_MS = 1_000;
const BAR_WIDTH = 30;
/** The rate is averaged over this many samples, one per second. */
const RATE_SAMPLES = 10;

/** Where a broadcast is. */
export function progressOf(tx: ReadTx, { id, name, status, statusReason: reason, numberId }: Broadcast) {
  const { pending, sending, sent, failed, skipped } = getCounters(tx, id);
  return {
    /** Wall time, milliseconds. */
    now: tx.now,
    ...{ name, status: status as string, reason },
    /** The broadcast is finished, cancelled or paused: it makes no further progress on its own. */
    isOver: isFinished(status) || status === "paused",
    left: pending + sending,
    /** How many of `left` are in doubt: dispatched to the network, with an unknown outcome. */
    inDoubt: countInDoubt(tx, id),
    /** Sent, failed or skipped. */
    done: sent + failed + skipped,
    failed,
    /** Messages a second that the number may send. */
    throughput: findNumber(tx, numberId)?.throughput ?? 0,
  };
}

/** Calls `readProgress` once a second. On a terminal one line is rewritten; otherwise each sample adds a line. */
export async function watchBroadcast(io: Io, readProgress: () => Progress): Promise<void> {
  const seen: Progress[] = [];
  for (;;) {
    const progress = readProgress();
    seen.push(progress);
    if (seen.length > RATE_SAMPLES) seen.shift();
    const line = progressLine(progress, rateOf(seen));
    io.out(io.isTerminal ? `\r\u001b[2K${line}` : `${line}\n`);
    if (progress.isOver) break;
    await sleep(io.clock, POLL_INTERVAL_MS);
  }
  io.out(io.isTerminal ? "\n\n" : "\n");
}

/** Recipients a second over the samples seen; null if there are too few. */
function rateOf(seen: readonly Progress[]): number | null {
  const [first, last] = [seen[0], seen.at(-1)];
  if (first === undefined || last === undefined || last.now <= first.now) return null;
  return ((last.done - first.done) * 1000) / (last.now - first.now);
}

export function progressLine(progress: Progress, rate: number | null): string {
  const total = progress.done + progress.left;
  const share = total === 0 ? 0 : progress.done / total;
  const filled = Math.floor(share * BAR_WIDTH);
  const bar = `${"█".repeat(filled)}${"░".repeat(BAR_WIDTH - filled)}`;
  const speed = rate === null ? "" : `  ${rate >= 10 ? Math.round(rate) : rate.toFixed(1)}/s`;
  const left =
    rate !== null && rate > 0 && progress.left > 0 ? `  ${formatDuration((progress.left / rate) * 1000)} left` : "";
  const failed = progress.failed === 0 ? "" : `  ${progress.failed} failed`;
  // Only in-doubt messages are left: nothing would seem to happen until they expire, after ten minutes by default.
  const isWaiting = progress.inDoubt > 0 && progress.inDoubt === progress.left;
  const doubt = isWaiting ? `  waiting for the outcome of ${progress.inDoubt} in doubt` : "";
  const why = progress.reason === null ? "" : `: ${visible(progress.reason)}`;
  return `${bar} ${Math.floor(share * 100)} %  ${progress.done} of ${total}${speed}${left}${failed}${doubt}  ${progress.status}${why}`;
}
