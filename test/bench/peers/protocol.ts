/** What the parts of `bench:peers` tell each other. */

/** In the text of each job. */
export const LABEL = /job-\d{8}/;

export function labelOf(index: number): string {
  return `job-${String(index).padStart(8, "0")}`;
}

/** What the network keeps of a job. */
export interface Call {
  /** Of the first, milliseconds since the epoch. */
  at: number;
  times: number;
}

/** `wait`: until it has seen this many jobs; answers how many. `calls`: all, by label. */
export type NetworkJob =
  | { kind: "reset"; answerWithinMs: number }
  | { kind: "wait"; count: number; limitMs: number }
  | { kind: "calls" };

export interface CallerJob {
  port: number;
  path: string;
  /** Header lines of each request, beside its length and its key. */
  headers: string;
  people: string[];
  /** Labels count up from here. */
  from: number;
  connections: number;
  durationMs: number;
  /** Null: each connection sends its next request when the last was answered. */
  ratePerSecond: number | null;
}

/** Each label with the time of its request and of its answer, milliseconds since the epoch. */
export interface CallerResult {
  acknowledged: [label: string, sentAt: number, answeredAt: number][];
  /** The answer says that the outcome is unknown. */
  unknown: string[];
  /** Refused for good, with the status. */
  refused: [label: string, status: number][];
  /** Requests that were sent again under their key, because their connection broke or the server was not ready. */
  repeated: number;
}
