/** The tone when a conversation becomes unread while the inbox is out of sight. Once in the shell, which shows the number twice. */
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { unreadQuery, useMe } from "../data/session.ts";
import { tellUnread } from "../data/sound.ts";

export function UnreadSound({ workspaceId }: { workspaceId: number }) {
  const { id: userId } = useMe().user;
  const { data, dataUpdatedAt } = useQuery({ ...unreadQuery(workspaceId), enabled: false });
  const known = useRef<{ owner: string; count: number } | null>(null);
  const count = data?.count;
  const owner = `${workspaceId} ${userId}`;
  // biome-ignore lint/correctness/useExhaustiveDependencies: each answer counts, also one that says the same number.
  useEffect(() => {
    if (count === undefined) return;
    const before = known.current?.owner === owner ? known.current.count : count;
    known.current = { owner, count };
    const isSeen = !document.hidden && location.pathname.endsWith("/inbox");
    void tellUnread({ owner, count, before, isSeen });
  }, [owner, count, dataUpdatedAt]);
  return null;
}
