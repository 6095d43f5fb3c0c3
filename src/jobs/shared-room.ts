/**
 * Queues that share a number of jobs in flight, such as the webhook addresses of a workspace. Each has a share that is kept
 * free for it, so that slow jobs of one queue do not delay the first job of another; what is beyond the shares goes to the
 * queues with work. Pure.
 */

/** Which queues share how many jobs in flight. Every one of `queues` gives the same answer. */
export interface Room {
  queues: readonly number[];
  limit: number;
}

interface SharingQueue<Job> {
  inFlight: number;
  /** Due jobs in order, as many as the queue's own limit admits. */
  due: readonly Job[];
  /** When a job of it last began, as a number that grows. */
  lastTurn: number;
}

/** The jobs that may begin now. Those with fewer in flight are first, then those that have waited longest for a turn. */
export function takeTurns<Job>(queues: readonly SharingQueue<Job>[], limit: number): Job[] {
  const share = Math.max(1, Math.floor(limit / queues.length));
  const states = queues.map((queue) => ({ ...queue, next: 0 }));
  const begun: Job[] = [];
  for (;;) {
    const total = states.reduce((sum, { inFlight }) => sum + inFlight, 0);
    const kept = states.reduce((sum, { inFlight }) => sum + Math.max(0, share - inFlight), 0);
    const [next] = states
      .filter(({ inFlight, due, next }) => next < due.length && (inFlight < share || total + kept < limit))
      .toSorted((a, b) => a.inFlight - b.inFlight || a.lastTurn - b.lastTurn);
    const job = next?.due[next.next];
    if (total >= limit || next === undefined || job === undefined) return begun;
    begun.push(job);
    next.next += 1;
    next.inFlight += 1;
  }
}
