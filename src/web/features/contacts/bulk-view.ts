/** Bulk changes as the server's JSON has them, and the queries for them. */

import { useQuery } from "@tanstack/react-query";
import { type Body, type Entry, reading } from "../../data/api.ts";
import { useWorkspace } from "../../data/session.ts";
import type { ChipTone } from "../../ui/chip.tsx";
import type { Consent } from "./contact-view.ts";

/** The target. The server counts it, and applies the change to exactly that count. */
export type BulkPeople = Body<"POST /w/{workspace}/bulk">["people"];

export type BulkChange = Entry<"GET /w/{workspace}/bulk">;
type BulkState = BulkChange["state"];

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
    ...reading("GET /w/{workspace}/bulk/{id}", { workspace: workspaceId, id: id ?? 0 }, ["bulk", workspaceId, id]),
    enabled: id !== null,
    refetchInterval: ({ state }) => (state.data === undefined || state.data.state === "running" ? 500 : false),
  });
}

/** The search of the list, as it is in the address. */
export interface ListSearch {
  q?: string | undefined;
  consent?: Consent | undefined;
  group?: string | undefined;
  filter?: string | undefined;
}
