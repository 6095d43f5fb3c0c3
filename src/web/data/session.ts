/** The signed-in user with their workspaces, and the open workspace. */
import { type QueryClient, queryOptions, useSuspenseQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { get } from "./api.ts";

export type Role = "operator" | "owner" | "member";

export interface WorkspaceEntry {
  id: number;
  name: string;
  timezone: string;
  role: Role;
}

export interface Me {
  user: { id: number; email: string; is_operator: boolean; second_factor: boolean; recovery_codes: number };
  workspaces: WorkspaceEntry[];
  version: string;
  theme: "light" | "dark" | null;
}

export interface Workspace extends WorkspaceEntry {
  country: string;
  numbers: { phone: string; name: string; ready: boolean }[];
  billing: { currency: string; available: string; rate: string } | null;
  api_enabled: boolean;
  suspended: string | null;
  has_simulator: boolean;
}

export const meQuery = queryOptions({
  queryKey: ["me"],
  queryFn: ({ signal }) => get<Me>("/me", signal),
  staleTime: 60_000,
});

export function workspaceQuery(id: number) {
  return queryOptions({
    queryKey: ["workspace", id],
    queryFn: ({ signal }) => get<Workspace>(`/w/${id}`, signal),
    staleTime: 30_000,
  });
}

export function useMe(): Me {
  return useSuspenseQuery(meQuery).data;
}

/** The workspace in the address. The route loads it before any of its screens render. */
export function useWorkspace(): Workspace {
  const { workspace } = useParams({ strict: false });
  return useSuspenseQuery(workspaceQuery(Number(workspace))).data;
}

/** Whether this role includes the rights of an owner. */
export function hasOwnerRights({ role }: { role: Role }): boolean {
  return role !== "member";
}

/** Another user may have signed in: drop all cached data. */
export async function resetForNewUser(client: QueryClient): Promise<void> {
  client.clear();
  await client.ensureQueryData(meQuery);
}
