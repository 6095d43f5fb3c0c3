/** The number of unread conversations, beside the link to the inbox. */
import { useQuery } from "@tanstack/react-query";
import { unreadQuery } from "../data/session.ts";
import { strings } from "./strings.ts";

const COUNT_MAX = 100;

export function Unread({ workspaceId }: { workspaceId: number }) {
  const { data } = useQuery({ ...unreadQuery(workspaceId), refetchInterval: 10_000 });
  const count = data?.count ?? 0;
  if (count === 0) return null;
  return (
    <span className="inline-flex min-w-5 justify-center rounded-control bg-accent px-1.5 text-label font-semibold text-on-accent figures wide:ms-auto">
      <span aria-hidden>{count >= COUNT_MAX ? "99+" : count}</span>
      <span className="sr-only">{strings.unread(count)}</span>
    </span>
  );
}
