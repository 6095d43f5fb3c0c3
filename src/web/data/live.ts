/** Whether the server says what changes in the inbox. While it does, asking again is a safety net. */
import { useSyncExternalStore } from "react";

const NET_MS = 60_000;
const listeners = new Set<() => void>();
let isLive = false;

export function setLive(next: boolean): void {
  if (next === isLive) return;
  isLive = next;
  for (const listener of listeners) listener();
}

/** How often a query of the inbox asks again, in milliseconds; `otherwise`: without the stream. */
export function useAskEvery(otherwise: number): number {
  return useSyncExternalStore(subscribe, () => isLive) ? NET_MS : otherwise;
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
