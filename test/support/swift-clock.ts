/**
 * A test clock that comes to rest in turns of the event loop instead of milliseconds, for tests of thousands of steps.
 * It may move on a little before everything has come to rest: fit for what has to hold at any moment, and for nothing
 * that counts on an exact order.
 */
import { TestClock } from "./clock.ts";

/** Turns without anything happening after which things count as at rest. */
const QUIET_TURNS = 6;
/** The same while a write is waiting or a request is under way: those end by themselves. */
const PATIENT_TURNS = 4_000;

export class SwiftClock extends TestClock {
  /** Something is under way that needs no timer. */
  isUnfinished: () => boolean = () => false;

  rests = 0;
  override async rest(): Promise<void> {
    this.rests += 1;
    if (process.env.DBG && this.rests % 20000 === 0)
      console.log("rests", this.rests, this.monotonic(), new Date(this.now()).toISOString());
    let seen = this.progress();
    let quiet = 0;
    let turns = 0;
    while (quiet < (this.isUnfinished() ? PATIENT_TURNS : QUIET_TURNS)) {
      await new Promise((resolve) => setImmediate(resolve));
      const now = this.progress();
      quiet = now === seen ? quiet + 1 : 0;
      if (++turns > 20_000) throw new Error(`it never comes to rest: ${now} after ${turns} turns`);
      seen = now;
    }
  }
}
