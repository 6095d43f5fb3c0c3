/**
 * Streams the live counters of a broadcast as server-sent events. At most one snapshot a second, only when something
 * changed, computed once for all viewers. Each snapshot holds the whole state, so a client that reconnects has missed
 * nothing.
 */

import type { Clock, Timer } from "#src/core/clock.ts";
import type { Store } from "#src/db/store.ts";
import { findBroadcast } from "#src/domain/broadcasts/read.ts";
import { viewBroadcast } from "#src/domain/broadcasts/view.ts";
import type { Workspace } from "#src/domain/workspaces/table.ts";
import { answerEvents, COMMENT, eventText, type StreamPlaces } from "./event-stream.ts";

const SNAPSHOT_EVERY_MS = 1_000;
/** Proxies cut a silent stream, so a comment is sent after this long. */
const COMMENT_EVERY_MS = 15_000;

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
  readonly #places: StreamPlaces;

  constructor(store: Store, clock: Clock, places: StreamPlaces) {
    this.#store = store;
    this.#clock = clock;
    this.#places = places;
  }

  /** Opens a stream that ends when the client disconnects or `signal` aborts. */
  open({ workspace, broadcastId, userId, address }: Viewer, signal: AbortSignal): Response {
    const release = this.#places.take({ workspaceId: workspace.id, userId, address });
    const name = `${workspace.id} ${broadcastId}`;
    return answerEvents(signal, ({ send }) => {
      this.#join(name, workspace, broadcastId, send);
      return () => {
        release();
        this.#leave(name, send);
      };
    });
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
    const chunk = text === topic.last ? COMMENT : text;
    topic.last = text;
    topic.sentAt = now;
    for (const listener of [...topic.listeners]) listener(chunk);
  }

  #snapshot(workspace: Workspace, broadcastId: number): string {
    const data = this.#store.read((tx) => {
      const broadcast = findBroadcast(tx, workspace.id, broadcastId);
      return broadcast === undefined ? null : viewBroadcast(tx, broadcast, workspace);
    });
    return eventText("broadcast", data);
  }
}
