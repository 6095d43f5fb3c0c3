/**
 * Streams the live counters of a broadcast as server-sent events. At most one snapshot a second, only when something
 * changed, computed once for all viewers. Each snapshot holds the whole state, so a client that reconnects has missed
 * nothing.
 */

import type { Clock, Timer } from "#src/core/clock.ts";
import { Problem } from "#src/core/problem.ts";
import type { Store } from "#src/db/store.ts";
import { findBroadcast } from "#src/domain/broadcasts/read.ts";
import { viewBroadcast } from "#src/domain/broadcasts/view.ts";
import type { Workspace } from "#src/domain/workspaces/table.ts";

const SNAPSHOT_EVERY_MS = 1_000;
/** Proxies cut a silent stream, so a comment is sent after this long. */
const COMMENT_EVERY_MS = 15_000;

/** Streams that may be open at once. */
const STREAMS_MAX = { workspace: 200, user: 20, address: 100 };

interface Viewer {
  workspace: Workspace;
  broadcastId: number;
  userId: number;
  address: string;
}

interface Topic {
  listeners: Set<(text: string) => void>;
  timer: Timer;
  last: string;
  sentAt: number;
}

export class BroadcastStreams {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #topics = new Map<string, Topic>();
  /** Open streams of each workspace, user and address. */
  readonly #held = new Map<string, number>();

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Opens a stream that ends when the client disconnects or `signal` aborts. */
  open({ workspace, broadcastId, userId, address }: Viewer, signal: AbortSignal): Response {
    const release = this.#take([`workspace ${workspace.id}`, `user ${userId}`, `address ${address}`]);
    const name = `${workspace.id} ${broadcastId}`;
    const encoder = new TextEncoder();
    let leave = (): void => undefined;
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        const listener = (text: string): void => {
          try {
            controller.enqueue(encoder.encode(text));
          } catch {
            leave();
          }
        };
        leave = () => {
          leave = () => undefined;
          release();
          this.#leave(name, listener);
          try {
            controller.close();
          } catch {
            // The client has closed it already.
          }
        };
        signal.addEventListener("abort", () => leave());
        this.#join(name, workspace, broadcastId, listener);
      },
      cancel: () => leave(),
    });
    return new Response(body, {
      headers: {
        "content-type": "text/event-stream; charset=utf-8",
        "cache-control": "no-store",
        "x-accel-buffering": "no",
      },
    });
  }

  /** Throws `rate_limited` where one of these has too many streams already. */
  #take(holders: readonly string[]): () => void {
    for (const holder of holders) {
      const max = STREAMS_MAX[holder.split(" ", 1)[0] as keyof typeof STREAMS_MAX];
      if ((this.#held.get(holder) ?? 0) < max) continue;
      throw new Problem("rate_limited", "Too many live views are open: close some of them.");
    }
    const add = (count: number): void => {
      for (const holder of holders) {
        const held = (this.#held.get(holder) ?? 0) + count;
        if (held === 0) this.#held.delete(holder);
        else this.#held.set(holder, held);
      }
    };
    add(1);
    return () => add(-1);
  }

  #join(name: string, workspace: Workspace, broadcastId: number, listener: (text: string) => void): void {
    const known = this.#topics.get(name);
    if (known !== undefined) {
      known.listeners.add(listener);
      listener(known.last);
      return;
    }
    const first = this.#snapshot(workspace, broadcastId);
    const topic: Topic = {
      listeners: new Set([listener]),
      last: first,
      sentAt: this.#clock.monotonic(),
      timer: this.#clock.setTimer(SNAPSHOT_EVERY_MS, () => this.#tick(name, workspace, broadcastId)),
    };
    this.#topics.set(name, topic);
    listener(first);
  }

  #leave(name: string, listener: (text: string) => void): void {
    const topic = this.#topics.get(name);
    if (topic === undefined) return;
    topic.listeners.delete(listener);
    if (topic.listeners.size > 0) return;
    topic.timer.cancel();
    this.#topics.delete(name);
  }

  #tick(name: string, workspace: Workspace, broadcastId: number): void {
    const topic = this.#topics.get(name);
    if (topic === undefined) return;
    topic.timer = this.#clock.setTimer(SNAPSHOT_EVERY_MS, () => this.#tick(name, workspace, broadcastId));
    const text = this.#snapshot(workspace, broadcastId);
    const now = this.#clock.monotonic();
    if (text === topic.last && now - topic.sentAt < COMMENT_EVERY_MS) return;
    const chunk = text === topic.last ? ": still here\n\n" : text;
    topic.last = text;
    topic.sentAt = now;
    for (const listener of [...topic.listeners]) listener(chunk);
  }

  #snapshot(workspace: Workspace, broadcastId: number): string {
    const data = this.#store.read((tx) => {
      const broadcast = findBroadcast(tx, workspace.id, broadcastId);
      return broadcast === undefined ? null : viewBroadcast(tx, broadcast, workspace);
    });
    return `event: broadcast\ndata: ${JSON.stringify(data)}\n\n`;
  }
}
