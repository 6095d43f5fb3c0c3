/**
 * A stream of server-sent events. A browser opens at most six connections to a server and a stream occupies one, so a tab has
 * at most one stream of a name, closes it while hidden, and shares it with other tabs: the tab that holds the lock listens and
 * forwards the events.
 */
import { useEffect, useRef, useState } from "react";

export interface StreamEvent {
  /** `disconnected`: the connection was lost; the browser reconnects automatically. */
  name: string;
  /** Of the event's JSON. */
  data: unknown;
}

interface SharedStream {
  /** Of the lock and the channel: tabs with the same name share. Null: no stream. */
  name: string | null;
  path: string;
  /** The names of the events that are wanted. */
  events: readonly string[];
  onEvent: (event: StreamEvent) => void;
  /** What a tab that opens later is sent by the tab that listens; null: it waits for the next event. */
  recap?: () => StreamEvent | null;
}

const ASK = "ask";
const AGAIN_MS = 5_000;

/** While the tab is visible. Returns whether it is. */
export function useSharedStream(stream: SharedStream): boolean {
  const { name, path } = stream;
  const isVisible = useVisible();
  const latest = useRef(stream);
  latest.current = stream;
  useEffect(() => {
    if (name === null || !isVisible) return;
    const receive = (event: StreamEvent) => latest.current.onEvent(event);
    const others = new BroadcastChannel(name);
    let isListening = false;
    others.onmessage = ({ data }: MessageEvent<StreamEvent | typeof ASK>) => {
      if (data !== ASK) return receive(data);
      const recap = isListening ? latest.current.recap?.() : null;
      if (recap != null) others.postMessage(recap);
    };
    others.postMessage(ASK);
    const ended = new AbortController();
    const listen = () => {
      isListening = true;
      return open(path, latest.current.events, ended.signal, (event) => {
        receive(event);
        others.postMessage(event);
      });
    };
    // `navigator.locks` is missing on plain HTTP except on localhost: each tab then opens its own stream.
    if (navigator.locks === undefined) void listen();
    else void navigator.locks.request(name, { signal: ended.signal }, listen).catch(() => undefined);
    return () => {
      ended.abort();
      others.close();
    };
  }, [name, path, isVisible]);
  return isVisible;
}

/** Resolves when `signal` aborts. */
function open(
  path: string,
  events: readonly string[],
  signal: AbortSignal,
  onEvent: (event: StreamEvent) => void,
): Promise<void> {
  return new Promise((resolve) => {
    let source: EventSource;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const begin = () => {
      source = new EventSource(path);
      for (const name of events)
        source.addEventListener(name, ({ data }) => onEvent({ name, data: JSON.parse(String(data)) }));
      source.onerror = () => {
        if (signal.aborted) return;
        onEvent({ name: "disconnected", data: null });
        // The browser reconnects after a broken line, but not after a refusal, such as that of a proxy whose server restarts.
        if (source.readyState === EventSource.CLOSED) timer = setTimeout(begin, AGAIN_MS);
      };
    };
    begin();
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
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
