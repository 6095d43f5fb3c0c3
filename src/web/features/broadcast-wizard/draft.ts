/** A draft in the wizard, which is saved as it is filled in. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type Body, type Entry, reading, request } from "../../data/api.ts";
import { type Autosaved, useAutosave } from "../../data/autosave.ts";

type Content = Body<"PUT /w/{workspace}/drafts/{id}">;

/** What the wizard changes: undefined takes a value back. */
export type DraftContent = { [Name in keyof Content]?: Content[Name] | undefined };
export type DraftValue = NonNullable<Content["variables"]>["body"][number];

export type Draft = Entry<"GET /w/{workspace}/drafts">;

export function useDraft(workspaceId: number, id: string | undefined) {
  return useQuery({
    ...reading("GET /w/{workspace}/drafts/{id}", { workspace: workspaceId, id: id ?? "" }, ["draft", workspaceId, id]),
    enabled: id !== undefined,
    // Always refetched: another user or an earlier press may have sent the draft.
    gcTime: 0,
    refetchOnWindowFocus: false,
    staleTime: 0,
  });
}

export interface Saved extends Omit<Autosaved<DraftContent>, "change"> {
  change: (changes: DraftContent) => void;
}

export function useSaved(workspaceId: number, draft: Draft): Saved {
  const client = useQueryClient();
  const { change, ...saved } = useAutosave<DraftContent>(draft.content, async (content) => {
    const body = JSON.parse(JSON.stringify(content)) as Content;
    await request("PUT /w/{workspace}/drafts/{id}", { workspace: workspaceId, id: draft.id, body });
    void client.invalidateQueries({ queryKey: ["drafts", workspaceId] });
  });
  return { ...saved, change: (changes) => change((current) => ({ ...current, ...changes })) };
}
