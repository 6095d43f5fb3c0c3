/** The number of unread conversations, next to the link to the inbox, and in the title of the tab. */
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { useAskEvery } from "../data/live.ts";
import { unreadQuery } from "../data/session.ts";
import { setTitleCount } from "../data/title.ts";
import { strings } from "./strings.ts";

const COUNT_MAX = 100;

export function Unread({ workspaceId }: { workspaceId: number }) {
  const every = useAskEvery(10_000);
  const { data } = useQuery({
    ...unreadQuery(workspaceId),
    // The title is read while another tab is open.
    refetchInterval: () => (document.hidden ? 30_000 : every),
    refetchIntervalInBackground: true,
  });
  const count = data?.count ?? 0;
  const shown = count >= COUNT_MAX ? "99+" : String(count);
  useEffect(() => {
    setTitleCount(count === 0 ? "" : shown);
    return () => setTitleCount("");
  }, [count, shown]);
  if (count === 0) return null;
  return (
    <span className="inline-flex min-w-5 justify-center rounded-control bg-accent px-1.5 text-label font-semibold text-on-accent figures wide:ms-auto">
      <span aria-hidden>{shown}</span>
      <span className="sr-only">{strings.unread(count)}</span>
    </span>
  );
}
