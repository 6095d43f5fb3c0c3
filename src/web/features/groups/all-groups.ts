/** All groups of a workspace, for the fields that choose one. */
import { useQuery } from "@tanstack/react-query";
import { request } from "../../data/api.ts";
import type { Group } from "./group-view.ts";

const PAGES = 10;

/** In the order of the list; the first pages of it where there are very many. */
export function useAllGroups(workspaceId: number, isWanted = true) {
  return useQuery({
    queryKey: ["groups", workspaceId, "all"],
    queryFn: ({ signal }) => allGroups(workspaceId, signal),
    enabled: isWanted,
  });
}

async function allGroups(workspaceId: number, signal: AbortSignal): Promise<Group[]> {
  const all: Group[] = [];
  let after: string | null = null;
  for (let page = 0; page < PAGES; page += 1) {
    const groupPage: { data: Group[]; meta: { next: string | null } } = await request(
      "GET /w/{workspace}/groups",
      { workspace: workspaceId, query: { after } },
      { signal },
    );
    all.push(...groupPage.data);
    after = groupPage.meta.next;
    if (after === null) break;
  }
  return all;
}
