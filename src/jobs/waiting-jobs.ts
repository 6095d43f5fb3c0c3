/** Jobs that this process has claimed and not begun, by queue, in the order of their arrival. */
import type { OutboxRow } from "./table.ts";

export class WaitingJobs {
  readonly #rows = new Map<number, OutboxRow[]>();
  #count = 0;

  /** Of all queues. */
  get count(): number {
    return this.#count;
  }

  countOf(queueKey: number): number {
    return this.#rows.get(queueKey)?.length ?? 0;
  }

  get queueKeys(): number[] {
    return [...this.#rows.keys()];
  }

  add(row: OutboxRow): void {
    const rows = this.#rows.get(row.queueKey);
    if (rows === undefined) this.#rows.set(row.queueKey, [row]);
    else rows.push(row);
    this.#count += 1;
  }

  /** The first one of a queue, which no longer waits; null if none waits. */
  takeFirst(queueKey: number): OutboxRow | null {
    const rows = this.#rows.get(queueKey);
    const first = rows?.shift();
    if (rows === undefined || first === undefined) return null;
    if (rows.length === 0) this.#rows.delete(queueKey);
    this.#count -= 1;
    return first;
  }

  takeAll(): OutboxRow[] {
    const all = [...this.#rows.values()].flat();
    this.#rows.clear();
    this.#count = 0;
    return all;
  }
}
