/**
 * Many recipients' moves of one operation, counted together: each broadcast's figures and account are read once and
 * written once. Nothing is in the tables before `flush`, which belongs to the same operation; one that is undone takes
 * its tally with it. Only for moves by status: nobody else may read or write the same figures in between.
 */
import type { Tx } from "#src/db/transaction.ts";
import { bookCharge } from "../billing/hold.ts";
import { adjust, getFigures } from "./adjust-counters.ts";
import { type Heard, hearStatus } from "./breaker.ts";
import { addChange, asCounted, changeOf, type FiguresChange, noChange, type Recipient } from "./broadcast-counters.ts";
import type { BroadcastFigures } from "./table.ts";

interface Counted {
  figures: BroadcastFigures;
  sum: FiguresChange;
  /** Whether a streak of failures may have begun: without one, an arrival has none to end. */
  hasStreak: boolean;
}

export class Tally {
  readonly #tx: Tx;
  readonly #counted = new Map<number, Counted>();

  constructor(tx: Tx) {
    this.#tx = tx;
  }

  /** One recipient's row moved from `before` to `after`. */
  countMove(broadcastId: number, messageId: number, before: Recipient, after: Recipient): void {
    const { figures, sum } = this.#of(broadcastId);
    const change = changeOf(asCounted(before, figures), asCounted(after, figures), figures.rate);
    if (figures.settledAt !== null && change.charged > 0) {
      bookCharge(this.#tx, figures.workspaceId, { messageId, broadcastId }, change.charged);
    }
    addChange(sum, change);
  }

  /** What a status reported of one recipient, for the breaker: their order matters, so it is written at once. */
  hear(broadcastId: number, heard: Heard): void {
    const counted = this.#of(broadcastId);
    if (heard.kind === "failed") counted.hasStreak = true;
    else if (!counted.hasStreak || heard.kind === "accepted") return;
    hearStatus(this.#tx, broadcastId, heard);
    if (heard.kind === "arrived") counted.hasStreak = false;
  }

  /** Writes what was counted; the tally is then as new. */
  flush(): void {
    for (const { figures, sum } of this.#counted.values()) adjust(this.#tx, figures, sum);
    this.#counted.clear();
  }

  #of(broadcastId: number): Counted {
    const known = this.#counted.get(broadcastId);
    if (known !== undefined) return known;
    const figures = getFigures(this.#tx, broadcastId);
    const counted = { figures, sum: { ...noChange }, hasStreak: figures.statusRow > 0 || figures.statusStreak > 0 };
    this.#counted.set(broadcastId, counted);
    return counted;
  }
}
