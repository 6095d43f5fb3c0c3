/** Changes to many contacts as the console's server shows them, and asking for them. */
import { useQuery } from "@tanstack/react-query";
import { get } from "../../data/api.ts";
import { useWorkspace } from "../../data/session.ts";
import type { ChipTone } from "../../ui/chip.tsx";
import type { strings } from "./bulk-strings.ts";

/** Whom it is about; the server counts them, and does what was counted. */
export type BulkPeople =
  | { phones: string[] }
  | { search: { q?: string; consent?: string; group?: string } }
  | { broadcast: number; status?: string };

export type BulkState = keyof typeof strings.states;

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

/** One of them until it has ended. */
export function useBulkChange(id: number | null) {
  const { id: workspaceId } = useWorkspace();
  return useQuery({
    queryKey: ["bulk", workspaceId, id],
    queryFn: ({ signal }) => get<BulkChange>(`/w/${workspaceId}/bulk/${id}`, signal),
    enabled: id !== null,
    refetchInterval: ({ state }) => (state.data === undefined || state.data.state === "running" ? 500 : false),
  });
}
