/** What is done to a conversation that others changed meanwhile asks once, and shows what is new and who did it. */
import { type ReactNode, useRef, useState } from "react";
import { useWorkspace } from "../../data/session.ts";
import { Confirm } from "../../ui/dialog.tsx";
import { textIn } from "./bubble.tsx";
import { type Change, type Changed, changeIn } from "./change.ts";
import { note, readDraft } from "./composer-draft.ts";
import { shortName } from "./conversation-state.ts";
import type { Conversation } from "./inbox-view.ts";
import { isOutgoing } from "./origin.tsx";
import { useRefresh } from "./sending.ts";
import { strings } from "./team-strings.ts";

/** The user types with this conversation in sight. */
export function noteSeen(draftId: string, { version }: Conversation): void {
  note(draftId, { seen: version });
}

/** `ask` sends the draft; where the server refuses it for what changed, it asks. */
export function useChangeQuestion(
  { contact_id: contact, version }: Conversation,
  draftId: string,
  send: () => Promise<void>,
): { ask: () => Promise<void>; question: ReactNode } {
  const { id: workspace } = useWorkspace();
  const refresh = useRefresh(workspace, contact);
  const [changed, setChanged] = useState<Changed | null>(null);
  const isAsking = useRef(false);
  const trySending = async () => {
    await send();
    const found = changeIn(readDraft(draftId).error);
    // It is asked about, so the draft has not failed.
    if (found !== null) note(draftId, { error: null });
    setChanged(found);
    return found;
  };
  const ask = async () => {
    if (isAsking.current) return;
    isAsking.current = true;
    try {
      // What was not typed, such as a file, is sent with what is on the screen in sight.
      if (readDraft(draftId).seen === null) note(draftId, { seen: version });
      await trySending();
      // The next message does not wait for the screen.
      void refresh();
    } finally {
      isAsking.current = false;
    }
  };
  const close = () => {
    // Asked once: what is sent now is sent with it in sight.
    if (changed !== null && readDraft(draftId).seen !== null) note(draftId, { seen: changed.version });
    // What was sent anyway may have met the next change, which is asked about by now.
    setChanged((now) => (now === changed ? null : now));
    void refresh();
  };
  const question = (
    <Confirm
      key={changed?.version}
      title={strings.changedTitle}
      isOpen={changed !== null}
      onClose={close}
      action={strings.sendAnyway}
      cancelLabel={strings.keepWriting}
      act={async () => {
        if (changed !== null) note(draftId, { seen: changed.version });
        await trySending();
        // What was new is in sight before the next message is typed.
        await refresh();
      }}
    >
      {changed !== null && <Changes {...changed} />}
    </Confirm>
  );
  return { ask, question };
}

export function Changes({ changes }: Changed) {
  return (
    <>
      <p>{strings.changedText}</p>
      <ul className="flex flex-col gap-2">
        {changes.map((change) => (
          <li key={keyOf(change)} className="border-s-2 border-edge ps-2">
            <p className="text-label font-semibold">{whatOf(change)}</p>
            <Words change={change} />
          </li>
        ))}
      </ul>
    </>
  );
}

function keyOf(change: Change): string {
  if (change.kind === "item") return change.item.key;
  return change.kind === "note" ? `n${change.note.id}` : change.kind;
}

function whatOf(change: Change): string {
  const by = change.by === null ? null : shortName(change.by);
  switch (change.kind) {
    case "item":
      return isOutgoing(change.item) ? strings.answered(by) : strings.customerWrote;
    case "note":
      return strings.noteBy(by ?? "");
    case "state":
      return strings.changedState(by, strings.states[change.state]);
    case "assignee":
      return strings.changedAssignee(by, change.assignee === null ? null : shortName(change.assignee));
  }
}

function Words({ change }: { change: Change }) {
  if (change.kind !== "item" && change.kind !== "note") return null;
  const words = change.kind === "item" ? textIn(change.item) : change.note.text;
  return <blockquote className="line-clamp-4 text-quiet wrap-anywhere">{words}</blockquote>;
}
