/**
 * Live figures of a broadcast. A browser opens six connections to a server at most, and a stream holds one: so there is
 * one for each tab at most, it is closed while nobody looks at the tab, and tabs that show the same broadcast share one
 * (whoever holds the lock listens, and tells the others).
 */
import { useEffect, useState } from "react";
import type { Broadcast } from "./broadcast-view.ts";

export interface Live {
  broadcast: Broadcast | null;
  /** When the last figures came, milliseconds; null before the first. */
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
      stream(`/console/api/w/${workspaceId}/broadcasts/${broadcastId}/live`, ended.signal, (event) => {
        receive(event);
        others.postMessage(event);
      });
    // Locks are missing on plain http beyond this machine: each tab then has a stream of its own.
    if (navigator.locks === undefined) void listen();
    else void navigator.locks.request(name, { signal: ended.signal }, listen).catch(() => undefined);
    return () => {
      ended.abort();
      others.close();
    };
  }, [workspaceId, broadcastId, isEnabled, isVisible]);
  return live;
}

/** Resolves when it is ended. The browser reconnects by itself. */
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
