/** Bulk changes as the server's JSON has them, and the queries for them. */
import { useQuery } from "@tanstack/react-query";
import { get } from "../../data/api.ts";
import { useWorkspace } from "../../data/session.ts";
import type { ChipTone } from "../../ui/chip.tsx";
import type { strings } from "./bulk-strings.ts";

/** The target. The server counts it, and applies the change to exactly that count. */
export type BulkPeople =
  | { phones: string[] }
  | { search: { q?: string; consent?: string; group?: string } }
  | { broadcast: number; status?: string };

type BulkState = keyof typeof strings.states;

export interface BulkChange {
  id: number;
  state: BulkState;
  change: { kind: keyof typeof strings.running; name: string; group?: number };
  total: number;
  processed: number;
  changed: number;
  error: string | null;
  created_at: string;
}

export const BULK_TONES: Readonly<Record<BulkState, ChipTone>> = {
  running: "blue",
  done: "green",
  stopped: "grey",
  failed: "red",
  interrupted: "amber",
};

/** Polls one bulk change until it has ended. */
export function useBulkChange(id: number | null) {
  const { id: workspaceId } = useWorkspace();
  return useQuery({
    queryKey: ["bulk", workspaceId, id],
    queryFn: ({ signal }) => get<BulkChange>(`/w/${workspaceId}/bulk/${id}`, signal),
    enabled: id !== null,
    refetchInterval: ({ state }) => (state.data === undefined || state.data.state === "running" ? 500 : false),
  });
}
