/** What waits for the line in this conversation, at the end of its thread, with what can be done about it. */
import { useQueryClient } from "@tanstack/react-query";
import { Clock } from "lucide-react";
import { useEffect, useState } from "react";
import { asks, confirmWaiting, recall, sendWaiting, useWaiting, type Waiting } from "../../data/outbox.ts";
import { useMe, useWorkspace } from "../../data/session.ts";
import { Button } from "../../ui/button.tsx";
import { exact } from "../../ui/time.tsx";
import { showToast } from "../../ui/toast.tsx";
import { draftIdOf, noteIdOf, readDraft, write } from "./composer-draft.ts";
import { waitingStrings as strings } from "./waiting-strings.ts";

export function WaitingSends({ contactId }: { contactId: number }) {
  const { id: workspaceId } = useWorkspace();
  const { id: userId } = useMe().user;
  const waiting = useWaiting({ userId, workspaceId, contactId });
  if (waiting.length === 0) return null;
  return (
    <ul aria-label={strings.list} className="flex flex-col gap-2">
      {waiting.map((one) => (
        <WaitingSend key={one.key} waiting={one} />
      ))}
    </ul>
  );
}

function WaitingSend({ waiting }: { waiting: Waiting }) {
  const { timezone } = useWorkspace();
  const client = useQueryClient();
  const [isBusy, setIsBusy] = useState(false);
  useAging();
  const isNote = "note" in waiting.what;
  const isAsking = asks(waiting);
  const cancel = async () => {
    setIsBusy(true);
    const recalled = await recall(waiting);
    if (recalled === null) showToast(strings.tooLate);
    else putBack(recalled);
  };
  return (
    <li className={`flex flex-col gap-1 ${isNote ? "" : "items-end"}`}>
      <div
        className={`max-w-[85%] rounded-panel border border-dashed border-edge px-3 py-2 text-form text-ink mid:text-body ${isNote ? "max-w-full! bg-amber-tint" : "rounded-ee-none bg-green-tint"}`}
      >
        <p dir="auto" className="whitespace-pre-wrap wrap-anywhere">
          {waiting.text}
        </p>
      </div>
      <div className={`flex flex-wrap items-center gap-2 ${isNote ? "" : "justify-end"}`}>
        <p role="status" className={`flex items-center gap-1 text-label ${isAsking ? "text-red" : "text-quiet"}`}>
          <Clock aria-hidden size={14} className="shrink-0" />
          <span className="wrap-anywhere">
            {waiting.refusal ?? (isAsking ? strings.old(exact(waiting.at, timezone)) : strings.waiting)}
          </span>
        </p>
        {isAsking && (
          <Button
            small
            disabled={isBusy}
            onClick={() => {
              confirmWaiting(waiting);
              void sendWaiting(waiting.userId, client);
            }}
          >
            {strings.sendNow}
          </Button>
        )}
        <Button small tone="quiet" busy={isBusy} onClick={() => void cancel()}>
          {strings.cancel}
        </Button>
      </div>
    </li>
  );
}

/** The text returns to the field, unless something else stands there. */
function putBack({ userId, workspaceId, contactId, what }: Waiting): void {
  const id = draftIdOf(userId, workspaceId, contactId);
  const draftId = "note" in what ? noteIdOf(id) : id;
  const text = "note" in what ? what.note : "text" in what.message ? what.message.text : undefined;
  if (typeof text === "string" && readDraft(draftId).text === "") write(draftId, { text });
}

/** What waits begins to ask while it is in sight. */
function useAging(): void {
  const [, setTick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setTick((tick) => tick + 1), 60_000);
    return () => clearInterval(timer);
  }, []);
}
