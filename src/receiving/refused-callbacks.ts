/**
 * Counts refused callbacks in memory, logs them once a minute, and writes the counts every few seconds. Anybody can send such
 * callbacks, so one of them costs neither a write nor a log line of its own, and its request waits for neither.
 */

import type { Clock } from "#src/core/clock.ts";
import type { Log } from "#src/core/log.ts";
import { type NextRun, ServiceLoop } from "#src/core/service-loop.ts";
import type { Store } from "#src/db/store.ts";
import { addRefusals, addRefused, hourOf } from "#src/domain/inbound/refused-callbacks.ts";
import type { Refusal, RefusalReason, RefusedCount } from "#src/domain/inbound/table.ts";
import { listOnNetwork } from "#src/domain/numbers/read.ts";
import { idsIn } from "./callback-secrets.ts";

interface RefusedCallbacksOptions {
  store: Store;
  clock: Clock;
  log: Log;
  /** Called for each refused callback. */
  onRefused: (reason: RefusalReason) => void;
}

const WRITE_EVERY_MS = 10_000;
/** Kept one by one between two writes. */
const UNWRITTEN_MAX = 100;
const LOG_EVERY_MS = 60_000;
/** The ids are near the beginning of a body; the rest of a stranger's body is not scanned. */
const SCANNED_BYTES = 16 * 1024;

/** The number id of a body that names none of our numbers. */
const NO_NUMBER = 0;

const WORDS: Readonly<Record<RefusalReason, string>> = {
  wrong_signature: "Callbacks refused: their signature does not match the app secret; see waxwing doctor",
  no_signature: "Callbacks refused: they are not signed",
  no_secret: "Callbacks refused: no app secret is configured to verify them; see waxwing doctor",
  wrong_header: "Callbacks refused: the secret header of their address is missing or wrong",
  unknown_address: "Callbacks refused: no number has this callback address",
  not_an_object: "Callbacks refused: their body is not a JSON object",
};

/** Our numbers by the ids that a body may contain. */
interface NumberIndex {
  phoneNumberIds: Map<string, number>;
  accountIds: Map<string, number>;
}

export class RefusedCallbacks extends ServiceLoop {
  readonly #options: RefusedCallbacksOptions;
  /** Not written yet: one count for each hour, reason and number. */
  #counts = new Map<string, RefusedCount>();
  /** Not written yet, one by one, oldest first. */
  #refusals: Omit<Refusal, "id">[] = [];
  readonly #logged = new Map<RefusalReason, { at: number; untold: number }>();
  #names: NumberIndex | null = null;
  /** Monotonic time of the last write. */
  #writtenAt = Number.NEGATIVE_INFINITY;

  constructor(options: RefusedCallbacksOptions) {
    const { clock, log } = options;
    super({
      name: "refused_callbacks",
      clock,
      isUpkeep: true,
      retryAfterMs: WRITE_EVERY_MS,
      onError: (error) =>
        log.error("callback.counts_failed", "Counts of refused callbacks could not be written", { error }),
    });
    this.#options = options;
  }

  /** `body` is null when it was not read. Never throws, and does not wait. */
  note(reason: RefusalReason, body: Uint8Array | null): void {
    const { clock, log, onRefused } = this.#options;
    onRefused(reason);
    const numberId = body === null ? NO_NUMBER : this.#numberIn(body);
    const now = clock.now();
    const hour = hourOf(now);
    const key = `${hour} ${reason} ${numberId}`;
    const isFirst = this.#counts.size === 0;
    if (this.#refusals.length < UNWRITTEN_MAX) this.#refusals.push({ at: now, reason, numberId });
    const { count } = this.#counts.get(key) ?? { count: 0 };
    this.#counts.set(key, { hour, reason, numberId, count: count + 1, lastAt: now });
    const logged = this.#logged.get(reason) ?? { at: Number.NEGATIVE_INFINITY, untold: 0 };
    const isTold = clock.monotonic() - logged.at >= LOG_EVERY_MS;
    if (isTold) {
      log.warn("callback.refused", WORDS[reason], {
        refused: logged.untold + 1,
        number: numberId === NO_NUMBER ? undefined : numberId,
      });
    }
    this.#logged.set(reason, isTold ? { at: clock.monotonic(), untold: 0 } : { ...logged, untold: logged.untold + 1 });
    // The others wait for the write that the first one asked for.
    if (isFirst) this.notify();
  }

  /** Writes the counts at once; callbacks that are refused later are counted in the metrics and logged only. */
  override stop(): void {
    super.stop();
    void this.#write();
  }

  async runOnce(): Promise<NextRun> {
    if (this.#counts.size === 0) return null;
    const waitMs = this.#writtenAt + WRITE_EVERY_MS - this.#options.clock.monotonic();
    if (waitMs > 0) return waitMs;
    await this.#write();
    return this.#counts.size === 0 ? null : WRITE_EVERY_MS;
  }

  async #write(): Promise<void> {
    if (this.#counts.size === 0) return;
    const counts = [...this.#counts.values()];
    this.#counts = new Map();
    const refusals = this.#refusals;
    this.#refusals = [];
    this.#names = null;
    this.#writtenAt = this.#options.clock.monotonic();
    try {
      await this.#options.store.write((tx) => {
        addRefused(tx, counts);
        addRefusals(tx, refusals);
      });
    } catch {
      // The storage failed, which is logged elsewhere: these counts are written with the next ones.
      for (const count of counts) this.#restoreCounts(count);
    }
  }

  #restoreCounts(count: RefusedCount): void {
    const key = `${count.hour} ${count.reason} ${count.numberId}`;
    const newer = this.#counts.get(key);
    this.#counts.set(key, newer === undefined ? count : { ...newer, count: newer.count + count.count });
  }

  /** The number that an unverified body claims to be about: a hint for the operator, not a fact. */
  #numberIn(body: Uint8Array): number {
    const names = this.#known();
    let ofAccount = NO_NUMBER;
    for (const id of idsIn(body.subarray(0, SCANNED_BYTES))) {
      const number = names.phoneNumberIds.get(id);
      if (number !== undefined) return number;
      if (ofAccount === NO_NUMBER) ofAccount = names.accountIds.get(id) ?? NO_NUMBER;
    }
    return ofAccount;
  }

  /** Read once between two writes. */
  #known(): NumberIndex {
    if (this.#names !== null) return this.#names;
    const numbers = this.#options.store.read((reading) => listOnNetwork(reading, "whatsapp"));
    this.#names = {
      phoneNumberIds: new Map(numbers.map(({ phoneNumberId, id }) => [phoneNumberId, id])),
      accountIds: new Map(numbers.toReversed().map(({ accountId, id }) => [accountId, id])),
    };
    return this.#names;
  }
}
