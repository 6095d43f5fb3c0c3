/** Jobs that this process has taken and not begun, by queue, in the order of their arrival. */
import type { OutboxRow } from "./table.ts";

interface Queue {
  rows: OutboxRow[];
  /** How many of `rows` have been taken. To shift each off an array of thousands would move all that follow. */
  taken: number;
}

/** Rows that were taken are given up together. */
const TAKEN_MAX = 1_000;

export class WaitingJobs {
  readonly #queues = new Map<number, Queue>();
  #count = 0;

  /** Of all queues. */
  get count(): number {
    return this.#count;
  }

  countOf(queueKey: number): number {
    const queue = this.#queues.get(queueKey);
    return queue === undefined ? 0 : queue.rows.length - queue.taken;
  }

  get queueKeys(): number[] {
    return [...this.#queues.keys()];
  }

  add(row: OutboxRow): void {
    const queue = this.#queues.get(row.queueKey);
    if (queue === undefined) this.#queues.set(row.queueKey, { rows: [row], taken: 0 });
    else queue.rows.push(row);
    this.#count += 1;
  }

  /** The first one of a queue, which no longer waits; null if none waits. */
  takeFirst(queueKey: number): OutboxRow | null {
    const queue = this.#queues.get(queueKey);
    const first = queue?.rows[queue.taken];
    if (queue === undefined || first === undefined) return null;
    queue.taken += 1;
    if (queue.taken === queue.rows.length) this.#queues.delete(queueKey);
    else if (queue.taken === TAKEN_MAX) {
      queue.rows.splice(0, TAKEN_MAX);
      queue.taken = 0;
    }
    this.#count -= 1;
    return first;
  }

  takeAll(): OutboxRow[] {
    const all = [...this.#queues.values()].flatMap(({ rows, taken }) => rows.slice(taken));
    this.#queues.clear();
    this.#count = 0;
    return all;
  }
}
