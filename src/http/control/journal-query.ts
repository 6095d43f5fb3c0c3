/** The query parameters that both journals share: how many entries to wait for, and how long. */
import { readSpan } from "./fields.ts";
import { invalidField } from "./route.ts";

const COUNT_MAX = 20_000;
const WAIT_MAX_MS = 300_000;

/** Throws `invalid_request`. */
export function readWait(query: URLSearchParams): { count: number; waitMs: number } {
  const count = query.get("count") ?? "1";
  if (!/^[1-9]\d{0,4}$/.test(count) || Number(count) > COUNT_MAX) {
    throw invalidField("count", `The count is a whole number from 1 to ${COUNT_MAX}.`);
  }
  return { count: Number(count), waitMs: readSpan("wait", query.get("wait") ?? "0s", WAIT_MAX_MS) };
}
