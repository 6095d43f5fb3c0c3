/**
 * A draft in the wizard. Changes are saved to the server shortly after the last one, before the next step, and when the
 * user leaves the page, so that Back and reload lose nothing.
 */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useRef, useState } from "react";
import { type Body, type Entry, request } from "../../data/api.ts";

type Content = Body<"PUT /w/{workspace}/drafts/{id}">;

/** What the wizard changes: undefined takes a value back. */
export type DraftContent = { [Name in keyof Content]?: Content[Name] | undefined };
export type DraftValue = NonNullable<Content["variables"]>["body"][number];

export type Draft = Entry<"GET /w/{workspace}/drafts">;

export function useDraft(workspaceId: number, id: string | undefined) {
  return useQuery({
    queryKey: ["draft", workspaceId, id],
    queryFn: ({ signal }) =>
      request("GET /w/{workspace}/drafts/{id}", { workspace: workspaceId, id: id ?? "" }, { signal }),
    enabled: id !== undefined,
    // Always refetched: another user or an earlier press may have sent the draft.
    gcTime: 0,
    refetchOnWindowFocus: false,
    staleTime: 0,
  });
}

export interface Saved {
  content: DraftContent;
  change: (changes: DraftContent) => void;
  /** Resolves when all changes are stored on the server. */
  flush: () => Promise<void>;
  error: unknown;
  isSaving: boolean;
}

const AUTOSAVE_DELAY_MS = 500;

export function useSaved(workspaceId: number, draft: Draft): Saved {
  const client = useQueryClient();
  const [content, setContent] = useState<DraftContent>(draft.content);
  const [isSaving, setIsSaving] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const latest = useRef<DraftContent>(draft.content);
  const sent = useRef<DraftContent | null>(draft.content);
  const chain = useRef<Promise<void>>(Promise.resolve());
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);

  const flush = useCallback((): Promise<void> => {
    clearTimeout(timer.current);
    if (latest.current === sent.current) return chain.current;
    const snapshot = latest.current;
    sent.current = snapshot;
    setIsSaving(true);
    const before = chain.current.catch(() => undefined);
    chain.current = before.then(async () => {
      try {
        const body = JSON.parse(JSON.stringify(snapshot)) as Content;
        await request("PUT /w/{workspace}/drafts/{id}", { workspace: workspaceId, id: draft.id, body });
        setError(null);
      } catch (reason) {
        // The failed changes are sent again with the next change or press.
        sent.current = null;
        setError(reason);
        throw reason;
      } finally {
        setIsSaving(false);
      }
      void client.invalidateQueries({ queryKey: ["drafts", workspaceId] });
    });
    return chain.current;
  }, [client, workspaceId, draft.id]);

  const change = useCallback(
    (changes: DraftContent) => {
      latest.current = { ...latest.current, ...changes };
      setContent(latest.current);
      clearTimeout(timer.current);
      timer.current = setTimeout(() => void flush().catch(() => undefined), AUTOSAVE_DELAY_MS);
    },
    [flush],
  );

  useEffect(() => {
    const save = () => void flush().catch(() => undefined);
    addEventListener("pagehide", save);
    return () => {
      removeEventListener("pagehide", save);
      save();
    };
  }, [flush]);

  return { content, change, flush, error, isSaving };
}
