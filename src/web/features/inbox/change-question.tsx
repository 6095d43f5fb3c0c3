/** A reply into a conversation that changed while it was written asks once, and shows what is new. */
import { type ReactNode, useRef, useState } from "react";
import { request } from "../../data/api.ts";
import { useWorkspace } from "../../data/session.ts";
import { Confirm } from "../../ui/dialog.tsx";
import type { ConversationItem } from "../messages/message-view.ts";
import { textIn } from "./bubble.tsx";
import { note, readDraft } from "./composer-draft.ts";
import type { Conversation } from "./inbox-view.ts";
import { isOutgoing } from "./origin.tsx";
import { isWorthAnotherTry, newestOfOthers, useRefresh } from "./sending.ts";
import { strings } from "./team-strings.ts";

/** The user types with this conversation in sight. */
export function noteSeen(draftId: string, { items }: Conversation): void {
  note(draftId, { seen: newestOfOthers(items)?.key ?? null });
}

/** `ask` sends the draft, or first asks. */
export function useChangeQuestion(
  { contact_id: contact }: Conversation,
  draftId: string,
  send: () => Promise<void>,
): { ask: () => Promise<void>; question: ReactNode } {
  const { id: workspace } = useWorkspace();
  const refresh = useRefresh(workspace, contact);
  const [newer, setNewer] = useState<ConversationItem | null>(null);
  const isAsking = useRef(false);
  const ask = async () => {
    if (isAsking.current) return;
    isAsking.current = true;
    try {
      const { seen, error } = readDraft(draftId);
      // Another try is the same message, which may be what is new.
      const found = isWorthAnotherTry(error) ? null : await findNewer(workspace, contact, seen);
      if (found !== null) return setNewer(found);
      await send();
      // The next message does not wait for the screen.
      void refresh();
    } finally {
      isAsking.current = false;
    }
  };
  const close = () => {
    // Asked once: what is sent now is sent with it in sight.
    if (newer !== null) note(draftId, { seen: newer.key });
    setNewer(null);
    void refresh();
  };
  const question = (
    <Confirm
      title={strings.changedTitle}
      isOpen={newer !== null}
      onClose={close}
      action={strings.sendAnyway}
      cancelLabel={strings.keepWriting}
      act={async () => {
        await send();
        // What was new is in sight before the next message is typed.
        await refresh();
      }}
    >
      <p>{strings.changedText}</p>
      {newer !== null && (
        <blockquote className="line-clamp-4 border-s-2 border-edge ps-2 text-quiet wrap-anywhere">
          {isOutgoing(newer) && strings.byTeam}
          {textIn(newer)}
        </blockquote>
      )}
    </Confirm>
  );
  return { ask, question };
}

/** What came into the conversation since the user typed; null: nothing, or it is not known. */
async function findNewer(workspace: number, contact: number, seen: string | null): Promise<ConversationItem | null> {
  if (seen === null) return null;
  try {
    const { items } = await request("GET /w/{workspace}/inbox/{contact}", { workspace, contact });
    const newest = newestOfOthers(items);
    return newest === null || newest.key === seen ? null : newest;
  } catch {
    // Sending says what is wrong.
    return null;
  }
}
