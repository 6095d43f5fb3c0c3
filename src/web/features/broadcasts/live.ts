/**
 * Live counters of a broadcast. A browser opens at most six connections to a server and a stream occupies one, so a tab
 * has at most one stream, closes it while hidden, and shares it with other tabs that show the same broadcast: the tab
 * that holds the lock listens and forwards the events.
 */

import { useEffect, useState } from "react";
import { addressOf } from "../../data/api.ts";
import type { Broadcast } from "./broadcast-view.ts";

export interface Live {
  broadcast: Broadcast | null;
  /** When the last counters arrived, in milliseconds; null before the first. */
  at: number | null;
  isDisconnected: boolean;
}

type StreamEvent = { broadcast: Broadcast } | { isDisconnected: true };

const NOT_CONNECTED: Live = { broadcast: null, at: null, isDisconnected: false };

export function useLive(workspaceId: number, broadcastId: number, isEnabled: boolean): Live {
  const [live, setLive] = useState<Live>(NOT_CONNECTED);
  const isVisible = useVisible();
  useEffect(() => {
    if (!isEnabled || !isVisible) return;
    const name = `waxwing-live-${workspaceId}-${broadcastId}`;
    const receive = (event: StreamEvent) => {
      if ("isDisconnected" in event) setLive((known) => ({ ...known, isDisconnected: true }));
      else setLive({ broadcast: event.broadcast, at: Date.now(), isDisconnected: false });
    };
    const others = new BroadcastChannel(name);
    others.onmessage = ({ data }: MessageEvent<StreamEvent>) => receive(data);
    const ended = new AbortController();
    const listen = () =>
      stream(
        addressOf("GET /w/{workspace}/broadcasts/{id}/live", { workspace: workspaceId, id: broadcastId }),
        ended.signal,
        (event) => {
          receive(event);
          others.postMessage(event);
        },
      );
    // `navigator.locks` is missing on plain HTTP except on localhost: each tab then opens its own stream.
    if (navigator.locks === undefined) void listen();
    else void navigator.locks.request(name, { signal: ended.signal }, listen).catch(() => undefined);
    return () => {
      ended.abort();
      others.close();
    };
  }, [workspaceId, broadcastId, isEnabled, isVisible]);
  return live;
}

/** Resolves when `signal` aborts. The browser reconnects automatically. */
function stream(path: string, signal: AbortSignal, onEvent: (event: StreamEvent) => void): Promise<void> {
  return new Promise((resolve) => {
    const source = new EventSource(path);
    source.addEventListener("broadcast", ({ data }) => {
      const broadcast = JSON.parse(String(data)) as Broadcast | null;
      if (broadcast !== null) onEvent({ broadcast });
    });
    source.onerror = () => {
      if (!signal.aborted) onEvent({ isDisconnected: true });
    };
    signal.addEventListener("abort", () => {
      source.close();
      resolve();
    });
  });
}

function useVisible(): boolean {
  const [isVisible, setIsVisible] = useState(!document.hidden);
  useEffect(() => {
    const update = () => setIsVisible(!document.hidden);
    document.addEventListener("visibilitychange", update);
    return () => document.removeEventListener("visibilitychange", update);
  }, []);
  return isVisible;
}
