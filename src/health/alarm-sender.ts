/**
 * Sends the alarms that are stored, in order on each channel, and calls the ping address while nothing is critical. A
 * channel that does not answer is tried again with growing pauses, and is itself a condition.
 */
import type { Clock } from "#src/core/clock.ts";
import type { Log } from "#src/core/log.ts";
import { type NextRun, ServiceLoop } from "#src/core/service-loop.ts";
import type { ConditionFile, Notice } from "./condition-file.ts";
import { lasts } from "./conditions.ts";

/** Sends one alarm; rejects with a sentence for the operator if it did not arrive. */
export type AlarmChannel = (notice: Notice) => Promise<void>;

interface SenderOptions {
  clock: Pick<Clock, "now">;
  timers: Pick<Clock, "setTimer">;
  log: Log;
  file: ConditionFile;
  channels: Readonly<Record<string, AlarmChannel>>;
  ping: { call: () => Promise<void>; everyMs: number } | null;
}

const RETRY_MS = [10_000, 30_000, 60_000, 120_000, 300_000] as const;
const PING_RETRY_MS = 30_000;
/** What could not be sent for this long tells no one anything any more. */
const NOTICE_LASTS_MS = 3 * 24 * 60 * 60_000;

export class AlarmSender extends ServiceLoop {
  readonly #options: SenderOptions;
  #pingDueAt = 0;

  constructor(options: SenderOptions) {
    const { log, timers } = options;
    super({
      name: "alarms",
      clock: timers,
      // After the first evaluation, which says whether anything is critical.
      firstRunAfterMs: PING_RETRY_MS,
      retryAfterMs: PING_RETRY_MS,
      onError: (error) => log.error("alarm.failed", "Alarms could not be processed; trying again", { error }),
    });
    this.#options = options;
  }

  async runOnce(): Promise<NextRun> {
    const { channels, clock, file } = this.#options;
    await Promise.all([...Object.keys(channels).map((channel) => this.#sendFrom(channel)), this.#ping()]);
    const due = file.memory.notices.map(({ dueAt }) => dueAt);
    if (this.#options.ping !== null && !this.#isCritical) due.push(this.#pingDueAt);
    return due.length === 0 ? null : Math.max(1_000, Math.min(...due) - clock.now());
  }

  /** Sends what is due, the oldest first, until the channel fails. */
  async #sendFrom(channel: string): Promise<void> {
    const { channels, clock, log } = this.#options;
    for (;;) {
      const notice = this.#options.file.memory.notices.find((one) => one.channel === channel);
      if (notice === undefined || notice.dueAt > clock.now() || this.isStopped) return;
      try {
        await channels[channel]?.(notice);
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        log.error("alarm.not_sent", "An alarm could not be sent; trying again", {
          channel,
          condition: notice.condition.id,
          attempt: notice.attempts + 1,
          reason,
        });
        this.#markFailing(channel, reason);
        this.#postpone(notice);
        return;
      }
      log.info("alarm.sent", "Alarm sent", { channel, condition: notice.condition.id, state: notice.state });
      this.#markWorking(channel);
      this.#replace(notice, null);
    }
  }

  #postpone(notice: Notice): void {
    const now = this.#options.clock.now();
    const isTooOld = now - notice.at > NOTICE_LASTS_MS;
    const pause = RETRY_MS[Math.min(notice.attempts, RETRY_MS.length - 1)] ?? PING_RETRY_MS;
    this.#replace(notice, isTooOld ? null : { ...notice, attempts: notice.attempts + 1, dueAt: now + pause });
  }

  /** Notices may have been added while this one was under way. */
  #replace({ key }: Notice, by: Notice | null): void {
    const { file } = this.#options;
    this.#change({ notices: file.memory.notices.flatMap((one) => (one.key === key ? (by ?? []) : one)) });
  }

  get #isCritical(): boolean {
    return this.#options.file.memory.conditions.some((one) => lasts(one) && one.severity === "critical");
  }

  async #ping(): Promise<void> {
    const { ping, clock, log } = this.#options;
    if (ping === null || this.#isCritical || clock.now() < this.#pingDueAt) return;
    try {
      await ping.call();
      this.#pingDueAt = clock.now() + ping.everyMs;
      this.#markWorking("ping");
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.#pingDueAt = clock.now() + Math.min(PING_RETRY_MS, ping.everyMs);
      log.warn("alarm.ping_failed", "The ping address could not be called; trying again", { reason });
      this.#markFailing("ping", reason);
    }
  }

  #markFailing(channel: string, error: string): void {
    const { file, clock } = this.#options;
    const since = file.memory.failing[channel]?.since ?? clock.now();
    this.#change({ failing: { ...file.memory.failing, [channel]: { since, error } } });
  }

  #markWorking(channel: string): void {
    const { [channel]: failed, ...failing } = this.#options.file.memory.failing;
    if (failed !== undefined) this.#change({ failing });
  }

  /** A disk that cannot be written must not stop the alarms about it; the watch reports that storing fails. */
  #change(changes: Parameters<ConditionFile["change"]>[0]): void {
    try {
      this.#options.file.change(changes);
    } catch {}
  }
}
