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
  isLost: boolean;
}

type Told = { broadcast: Broadcast } | { isLost: true };

const NOTHING: Live = { broadcast: null, at: null, isLost: false };

export function useLive(workspaceId: number, broadcastId: number, isWanted: boolean): Live {
  const [live, setLive] = useState<Live>(NOTHING);
  const isVisible = useVisible();
  useEffect(() => {
    if (!isWanted || !isVisible) return;
    const name = `waxwing-live-${workspaceId}-${broadcastId}`;
    const hear = (told: Told) => {
      if ("isLost" in told) setLive((known) => ({ ...known, isLost: true }));
      else setLive({ broadcast: told.broadcast, at: Date.now(), isLost: false });
    };
    const others = new BroadcastChannel(name);
    others.onmessage = ({ data }: MessageEvent<Told>) => hear(data);
    const ended = new AbortController();
    const listen = () =>
      stream(`/console/api/w/${workspaceId}/broadcasts/${broadcastId}/live`, ended.signal, (told) => {
        hear(told);
        others.postMessage(told);
      });
    // Locks are missing on plain http beyond this machine: each tab then has a stream of its own.
    if (navigator.locks === undefined) void listen();
    else void navigator.locks.request(name, { signal: ended.signal }, listen).catch(() => undefined);
    return () => {
      ended.abort();
      others.close();
    };
  }, [workspaceId, broadcastId, isWanted, isVisible]);
  return live;
}

/** Resolves when it is ended. The browser reconnects by itself. */
function stream(path: string, signal: AbortSignal, tell: (told: Told) => void): Promise<void> {
  return new Promise((resolve) => {
    const source = new EventSource(path);
    source.addEventListener("broadcast", ({ data }) => {
      const broadcast = JSON.parse(String(data)) as Broadcast | null;
      if (broadcast !== null) tell({ broadcast });
    });
    source.onerror = () => {
      if (!signal.aborted) tell({ isLost: true });
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
    const look = () => setIsVisible(!document.hidden);
    document.addEventListener("visibilitychange", look);
    return () => document.removeEventListener("visibilitychange", look);
  }, []);
  return isVisible;
}
