/** When a scheduled message is to be sent, and the button that cancels it. */
import { useQueryClient } from "@tanstack/react-query";
import { request } from "../../data/api.ts";
import { useWorkspace } from "../../data/session.ts";
import { ConfirmButton } from "../../ui/dialog.tsx";
import { ExactTime } from "../../ui/time.tsx";
import { showToast } from "../../ui/toast.tsx";
import { strings } from "./strings.ts";

interface ScheduledProps {
  message: { id: number; status: string; send_at: string | null };
  /** Below a message of ours, which is at the end of the line. */
  isAtEnd?: boolean;
}

/** Nothing for a message that is not scheduled (any more). */
export function Scheduled({ message: { id, status, send_at: at }, isAtEnd = false }: ScheduledProps) {
  const { id: workspaceId, timezone } = useWorkspace();
  const client = useQueryClient();
  if (status !== "scheduled" || at === null) return null;
  const refresh = () =>
    Promise.all(
      ["message", "messages", "conversation"].map((name) =>
        client.invalidateQueries({ queryKey: [name, workspaceId] }),
      ),
    );
  return (
    <div className={`flex flex-wrap items-center gap-3 ${isAtEnd ? "justify-end" : ""}`}>
      <p className="text-quiet">
        {strings.scheduledFor} <ExactTime at={at} zone={timezone} />
      </p>
      <ConfirmButton
        small
        tone="danger"
        title={strings.cancelTitle(id)}
        action={strings.cancelMessage}
        cancelLabel={strings.keepMessage}
        act={async (key) => {
          try {
            await request("POST /w/{workspace}/messages/{id}/cancel", { workspace: workspaceId, id }, { key });
            showToast(strings.messageCancelled);
          } finally {
            await refresh();
          }
        }}
      >
        {strings.cancelText}
      </ConfirmButton>
    </div>
  );
}
