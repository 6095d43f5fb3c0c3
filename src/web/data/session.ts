/** Who is signed in and where they may go, and the workspace that is open. */
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

/** The workspace of the address. The route has loaded it before anything of it is drawn. */
export function useWorkspace(): Workspace {
  const { workspace } = useParams({ strict: false }) as { workspace?: string };
  return useSuspenseQuery(workspaceQuery(Number(workspace))).data;
}

/** Whether the person may do what an owner may. */
export function hasOwnerRights({ role }: { role: Role }): boolean {
  return role !== "member";
}

/** Somebody else may sit here now: nothing of the one before may be shown. */
export async function resetForNewUser(client: QueryClient): Promise<void> {
  client.clear();
  await client.ensureQueryData(meQuery);
}
