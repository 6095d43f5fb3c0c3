/**
 * Callbacks that were refused: counted in memory, told once a minute, written down every few seconds. Anybody can send
 * them, so none of them costs a write or a line, and no request waits for one.
 */

import type { Clock, Timer } from "#src/core/clock.ts";
import type { Log } from "#src/core/log.ts";
import type { Store } from "#src/db/store.ts";
import { addRefused, hourOf } from "#src/domain/inbound/refused-callbacks.ts";
import type { RefusalReason, RefusedCount } from "#src/domain/inbound/table.ts";
import { listOnNetwork } from "#src/domain/numbers/read.ts";
import { idsIn } from "./callback-secrets.ts";

export interface RefusedCallbacksOptions {
  store: Store;
  clock: Clock;
  log: Log;
  /** Told of each. */
  onRefused: (reason: RefusalReason) => void;
}

const WRITE_EVERY_MS = 10_000;
const LOG_EVERY_MS = 60_000;
/** Whom a body names stands near its beginning; the rest of what a stranger sends is not looked at. */
const SCANNED_BYTES = 16 * 1024;

/** In place of a number's id where the body names none of ours. */
const NO_NUMBER = 0;

const WORDS: Readonly<Record<RefusalReason, string>> = {
  wrong_signature: "callbacks are refused: their signature does not match the app secret; see waxwing doctor",
  no_signature: "callbacks are refused: they are not signed",
  no_secret: "callbacks are refused: there is no app secret to prove them with; see waxwing doctor",
  unknown_address: "callbacks are refused: no number has the address that they come to",
};

/** Our numbers by what a body may name them. */
interface NumberIndex {
  phoneNumberIds: Map<string, number>;
  accountIds: Map<string, number>;
}

export class RefusedCallbacks {
  readonly #options: RefusedCallbacksOptions;
  /** Not written yet: as many as there are reasons and numbers, an hour. */
  #counts = new Map<string, RefusedCount>();
  readonly #logged = new Map<RefusalReason, { at: number; untold: number }>();
  #names: NumberIndex | null = null;
  #timer: Timer | null = null;
  /** When (monotonic) it was last written. */
  #writtenAt = Number.NEGATIVE_INFINITY;
  #isStopped = false;

  constructor(options: RefusedCallbacksOptions) {
    this.#options = options;
  }

  /** `body`: as it came, where it was read at all. Never throws, and waits for nothing. */
  note(reason: RefusalReason, body: Uint8Array | null): void {
    const { clock, log, onRefused } = this.#options;
    onRefused(reason);
    const numberId = body === null ? NO_NUMBER : this.#numberIn(body);
    const now = clock.now();
    const hour = hourOf(now);
    const key = `${hour} ${reason} ${numberId}`;
    const { count } = this.#counts.get(key) ?? { count: 0 };
    this.#counts.set(key, { hour, reason, numberId, count: count + 1, lastAt: now });
    const logged = this.#logged.get(reason) ?? { at: Number.NEGATIVE_INFINITY, untold: 0 };
    const isTold = clock.monotonic() - logged.at >= LOG_EVERY_MS;
    if (isTold) {
      log.warn(WORDS[reason], {
        refused: logged.untold + 1,
        number: numberId === NO_NUMBER ? undefined : numberId,
      });
    }
    this.#logged.set(reason, isTold ? { at: clock.monotonic(), untold: 0 } : { ...logged, untold: logged.untold + 1 });
    this.#writeSoon();
  }

  /** What is not written yet is written now; later ones are only counted and told. */
  stop(): void {
    this.#isStopped = true;
    this.#timer?.cancel();
    void this.#write();
  }

  #writeSoon(): void {
    if (this.#timer !== null || this.#isStopped) return;
    const { clock } = this.#options;
    const waitMs = this.#writtenAt + WRITE_EVERY_MS - clock.monotonic();
    if (waitMs <= 0) void this.#write();
    else
      this.#timer = clock.setTimer(waitMs, () => {
        this.#timer = null;
        void this.#write();
      });
  }

  async #write(): Promise<void> {
    if (this.#counts.size === 0) return;
    const counts = [...this.#counts.values()];
    this.#counts = new Map();
    this.#names = null;
    this.#writtenAt = this.#options.clock.monotonic();
    try {
      await this.#options.store.write((tx) => addRefused(tx, counts));
    } catch {
      // The disk fails, and the log says so elsewhere: these go with the next ones.
      for (const count of counts) this.#restoreCounts(count);
    }
  }

  #restoreCounts(count: RefusedCount): void {
    const key = `${count.hour} ${count.reason} ${count.numberId}`;
    const newer = this.#counts.get(key);
    this.#counts.set(key, newer === undefined ? count : { ...newer, count: newer.count + count.count });
  }

  /** Whom the body claims to be about: good enough for a hint, and nothing else. */
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

  /** Looked up once between two writes. */
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
