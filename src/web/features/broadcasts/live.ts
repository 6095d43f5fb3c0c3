/** Live counters of a broadcast. */
import { useState } from "react";
import { addressOf } from "../../data/api.ts";
import { useSharedStream } from "../../data/shared-stream.ts";
import type { Broadcast } from "./broadcast-view.ts";

export interface Live {
  broadcast: Broadcast | null;
  /** When the last counters arrived, in milliseconds; null before the first. */
  at: number | null;
  isDisconnected: boolean;
}

const NOT_CONNECTED: Live = { broadcast: null, at: null, isDisconnected: false };

export function useLive(workspaceId: number, broadcastId: number, isEnabled: boolean): Live {
  const [live, setLive] = useState<Live>(NOT_CONNECTED);
  useSharedStream({
    name: isEnabled ? `waxwing-live-${workspaceId}-${broadcastId}` : null,
    path: addressOf("GET /w/{workspace}/broadcasts/{id}/live", { workspace: workspaceId, id: broadcastId }),
    events: ["broadcast"],
    onEvent: ({ name, data }) => {
      if (name === "disconnected") setLive((known) => ({ ...known, isDisconnected: true }));
      else if (data !== null) setLive({ broadcast: data as Broadcast, at: Date.now(), isDisconnected: false });
    },
  });
  return live;
}
