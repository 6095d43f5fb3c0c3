/** The signed-in user with their workspaces, and the open workspace. */
import { type QueryClient, queryOptions, useSuspenseQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { hasRight, type Right, type Role } from "#src/domain/users/roles.ts";
import { type Output, reading } from "./api.ts";

export type WorkspaceEntry = Me["workspaces"][number];

export type Me = Output<"GET /me">;

export type Workspace = Output<"GET /w/{workspace}/me">;

export const meQuery = queryOptions({
  ...reading("GET /me", {}, ["me"]),
  staleTime: 60_000,
});

export function workspaceQuery(id: number) {
  return queryOptions({
    ...reading("GET /w/{workspace}/me", { workspace: id }, ["workspace", id]),
    staleTime: 30_000,
  });
}

/** How many conversations are unread, and how many have notes that mention the user. The shell polls it. */
export function unreadQuery(id: number) {
  return queryOptions(reading("GET /w/{workspace}/inbox/unread", { workspace: id }, ["unread", id]));
}

export function useMe(): Me {
  return useSuspenseQuery(meQuery).data;
}

/** The workspace in the address. The route loads it before any of its screens render. */
export function useWorkspace(): Workspace {
  const { workspace } = useParams({ strict: false });
  return useSuspenseQuery(workspaceQuery(Number(workspace))).data;
}

/** Whether the simulator sends for this number; without one, for all numbers. Nothing is billed there. */
export function isSimulated({ numbers, simulated_numbers: simulated }: Workspace, from?: string): boolean {
  if (from !== undefined) return simulated.includes(from);
  return numbers.length > 0 && numbers.every(({ phone }) => simulated.includes(phone));
}

/** Whether the user's role in the workspace has the right. */
export function may({ role }: { role: Role }, right: Right): boolean {
  return hasRight(role, right);
}

/** Another user may have signed in: drop all cached data. */
export async function resetForNewUser(client: QueryClient): Promise<void> {
  client.clear();
  await client.ensureQueryData(meQuery);
}
