/** A banner above every screen, reserved for conditions that stop all sending. */
import { useQuery } from "@tanstack/react-query";
import { TriangleAlert } from "lucide-react";
import { workspaceQuery } from "../data/session.ts";
import { strings } from "./strings.ts";

export function Banner({ workspaceId }: { workspaceId: number | undefined }) {
  const { data } = useQuery({ ...workspaceQuery(workspaceId ?? 0), enabled: workspaceId !== undefined });
  if (data === undefined || data.suspended === null) return null;
  return (
    <div
      role="status"
      className="flex items-center gap-3 border-b border-line bg-amber-tint px-4 py-3 text-amber mid:px-8"
    >
      <TriangleAlert aria-hidden size={18} className="shrink-0" />
      {strings.suspended(data.suspended)}
    </div>
  );
}
