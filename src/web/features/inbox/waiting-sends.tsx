/** What waits for the line in this conversation, at the end of its thread, with what can be done about it. */
import { useQueryClient } from "@tanstack/react-query";
import { Clock } from "lucide-react";
import { useEffect, useState } from "react";
import { dropFile, readKept } from "../../data/kept-files.ts";
import { asks, confirmWaiting, recall, sendWaiting, useWaiting } from "../../data/outbox.ts";
import { useMe, useWorkspace } from "../../data/session.ts";
import { uploadedPart } from "../../data/waiting-file.ts";
import type { Waiting } from "../../data/waiting-store.ts";
import { Button } from "../../ui/button.tsx";
import { exact } from "../../ui/time.tsx";
import { showToast } from "../../ui/toast.tsx";
import { type Content, draftIdOf, note, noteIdOf, readDraft, write } from "./composer-draft.ts";
import type { PartName } from "./composer-parts.ts";
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
  const part = uploadedPart(waiting.at);
  const state = part === null ? strings.waiting : strings.uploading;
  const cancel = async () => {
    setIsBusy(true);
    const kept = waiting.file === undefined ? null : await readKept(waiting.file.kept);
    if (!(await recall(waiting, (found) => putBack(found, kept?.file ?? null)))) showToast(strings.tooLate);
  };
  return (
    <li className={`flex flex-col gap-1 ${isNote ? "" : "items-end"}`}>
      <div
        className={`max-w-[85%] rounded-panel border border-dashed border-edge px-3 py-2 text-form text-ink mid:text-body ${isNote ? "max-w-full! bg-amber-tint" : "rounded-ee-none bg-green-tint"}`}
      >
        <p dir="auto" className="whitespace-pre-wrap wrap-anywhere">
          {waiting.text}
        </p>
        {part !== null && (
          <progress aria-label={strings.uploading} value={part} max={1} className="h-1.5 w-full accent-accent" />
        )}
      </div>
      <div className={`flex flex-wrap items-center gap-2 ${isNote ? "" : "justify-end"}`}>
        <p role="status" className={`flex items-center gap-1 text-label ${isAsking ? "text-red" : "text-quiet"}`}>
          <Clock aria-hidden size={14} className="shrink-0" />
          <span className="wrap-anywhere">
            {waiting.refusal ?? (isAsking ? strings.old(exact(waiting.at, timezone)) : state)}
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

/**
 * What was cancelled returns to the field: its text before what stands there, the rest not where another is. Alone there, it is the same
 * message as before, so that it is sent once if its answer was lost. `kept`: its file, if the browser has it.
 */
async function putBack(waiting: Waiting, kept: File | null): Promise<void> {
  const { userId, workspaceId, contactId, key, what, draft, file } = waiting;
  const id = draftIdOf(userId, workspaceId, contactId);
  if ("note" in what) return merge(noteIdOf(id), { text: what.note }, key);
  if (draft === undefined) return;
  const held = draft as Content;
  if (file === undefined) return merge(id, held, key);
  // One that the server has is the same file, so that the message is the same.
  const stored = held.file === null || file.id === null ? kept : { ...held.file, id: file.id };
  merge(id, { ...held, file: stored }, key);
  await dropFile(file.kept);
}

function merge(draftId: string, held: Partial<Content>, key: string): void {
  const before = readDraft(draftId);
  const whole: Content = {
    text: [held.text, before.text].filter(Boolean).join("\n"),
    file: before.file ?? held.file ?? null,
    replyTo: before.replyTo ?? held.replyTo ?? null,
    sendAt: before.sendAt ?? held.sendAt ?? null,
    part: before.part ?? held.part ?? null,
    parts: { ...held.parts, ...before.parts },
    template: before.template ?? held.template ?? null,
  };
  const { file, parts, ...rest } = whole;
  write(draftId, file === before.file ? { parts, ...rest } : whole);
  const isSame = Object.entries(held).every(
    ([name, member]) => name === "parts" || whole[name as keyof Content] === member,
  );
  const hasParts = Object.entries(held.parts ?? {}).every(([name, part]) => parts[name as PartName] === part);
  if (isSame && hasParts) note(draftId, { key });
}

/** What waits begins to ask while it is in sight. */
function useAging(): void {
  const [, setTick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setTick((tick) => tick + 1), 60_000);
    return () => clearInterval(timer);
  }, []);
}
