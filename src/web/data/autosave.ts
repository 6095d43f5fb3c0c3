/**
 * Content that is saved as it is typed: shortly after the last change, before the next step, and when the user leaves the
 * page, so that Back and reload lose nothing. What could not be saved is tried again until it is.
 */
import { useCallback, useEffect, useRef, useState } from "react";

export interface Autosaved<Content> {
  content: Content;
  change: (next: (current: Content) => Content) => void;
  /** Resolves when all changes are stored on the server. */
  flush: () => Promise<void>;
  error: unknown;
  /** Something is not stored yet: from the change on. */
  isSaving: boolean;
}

const DELAY_MS = 500;
const RETRY_MS = 5_000;

/** `save` gets one content at a time, in order. */
export function useAutosave<Content>(
  initial: Content,
  save: (content: Content) => Promise<unknown>,
): Autosaved<Content> {
  const [content, setContent] = useState(initial);
  const [isSaving, setIsSaving] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const latest = useRef(initial);
  const sent = useRef<Content | null>(initial);
  const chain = useRef<Promise<void>>(Promise.resolve());
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const saving = useRef(save);
  saving.current = save;
  const isOpen = useRef(true);
  const underWay = useRef(0);
  const tell = useCallback(() => setIsSaving(underWay.current > 0 || latest.current !== sent.current), []);

  const flush = useCallback((): Promise<void> => {
    clearTimeout(timer.current);
    if (latest.current === sent.current) return chain.current;
    const snapshot = latest.current;
    sent.current = snapshot;
    underWay.current += 1;
    tell();
    const before = chain.current.catch(() => undefined);
    chain.current = before.then(async () => {
      try {
        await saving.current(snapshot);
        setError(null);
      } catch (reason) {
        sent.current = null;
        setError(reason);
        clearTimeout(timer.current);
        if (isOpen.current) timer.current = setTimeout(() => void flush().catch(() => undefined), RETRY_MS);
        throw reason;
      } finally {
        underWay.current -= 1;
        tell();
      }
    });
    return chain.current;
  }, [tell]);

  const change = useCallback(
    (next: (current: Content) => Content) => {
      latest.current = next(latest.current);
      setContent(latest.current);
      tell();
      clearTimeout(timer.current);
      timer.current = setTimeout(() => void flush().catch(() => undefined), DELAY_MS);
    },
    [flush, tell],
  );

  useEffect(() => {
    isOpen.current = true;
    const leave = () => void flush().catch(() => undefined);
    // The page is the only place of what could not be saved, so the browser asks before it is left.
    const ask = (event: BeforeUnloadEvent) => {
      if (sent.current === null) event.preventDefault();
    };
    addEventListener("pagehide", leave);
    addEventListener("beforeunload", ask);
    return () => {
      isOpen.current = false;
      removeEventListener("pagehide", leave);
      removeEventListener("beforeunload", ask);
      leave();
    };
  }, [flush]);

  return { content, change, flush, error, isSaving };
}
