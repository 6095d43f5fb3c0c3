/**
 * Who has the conversation on a number that others answer too, before anything is typed: in its header, and in place of the
 * reply while another sender has it.
 */
import { request } from "../../data/api.ts";
import { usePress } from "../../data/press.ts";
import { useWorkspace } from "../../data/session.ts";
import { Button } from "../../ui/button.tsx";
import { Chip } from "../../ui/chip.tsx";
import { ErrorLine, Notice } from "../../ui/states.tsx";
import { exact } from "../../ui/time.tsx";
import type { Conversation } from "./inbox-view.ts";
import { useRefresh } from "./sending.ts";
import { strings } from "./strings.ts";

type Owned = Conversation["thread"] & object;

/** Asks the network once; the answer is the owner that is shown then. */
function useThreadControl({ contact_id: contact, conversation }: Conversation) {
  const { id: workspace } = useWorkspace();
  const refresh = useRefresh(workspace, contact);
  const { press, isBusy, error } = usePress();
  const ask = async (action: "take" | "release") => {
    if (conversation === null) return;
    const input = { workspace, conversation: conversation.id, body: { action } };
    await press(() => request("POST /w/{workspace}/conversations/{conversation}/thread", input));
    await refresh();
  };
  return { ask, isBusy, error };
}

function nameOf({ role }: Owned): string {
  const name = role === null ? undefined : strings.roles[role];
  return name ?? strings.anotherSender;
}

/** Nothing on a number of ours alone. */
export function ThreadOwner({ conversation }: { conversation: Conversation }) {
  const { thread } = conversation;
  return thread === null ? null : <Owner conversation={conversation} thread={thread} />;
}

interface OwnerProps {
  conversation: Conversation;
  thread: Owned;
}

function Owner({ conversation, thread }: OwnerProps) {
  const { ask, isBusy, error } = useThreadControl(conversation);
  const { owner } = thread;
  return (
    <div className="flex flex-wrap items-center justify-end gap-2">
      <Chip tone={owner === "us" ? "green" : owner === "other" ? "amber" : "grey"} title={strings.ownerHint}>
        {owner === "other" ? strings.ownedBy(nameOf(thread)) : strings.owners[owner]}
      </Chip>
      {owner === "us" && (
        <Button small busy={isBusy} onClick={() => void ask("release")}>
          {strings.release}
        </Button>
      )}
      <ErrorLine error={error} className="text-label" />
    </div>
  );
}

/** `onReply`: the reply is written all the same, and takes the conversation. */
export function OwnedElsewhere({ conversation, onReply }: { conversation: Conversation; onReply: () => void }) {
  const { thread } = conversation;
  return thread === null ? null : <Elsewhere conversation={conversation} thread={thread} onReply={onReply} />;
}

function Elsewhere({ conversation, thread, onReply }: OwnerProps & { onReply: () => void }) {
  const { timezone } = useWorkspace();
  const { ask, isBusy, error } = useThreadControl(conversation);
  const isByMessage = thread.is_taken_by_message;
  return (
    <div className="flex flex-col gap-2">
      <Notice>{strings.ownerOther(nameOf(thread), exact(Date.parse(thread.since), timezone))}</Notice>
      <ErrorLine error={error} />
      <div className="flex flex-wrap gap-2">
        <Button busy={isBusy} onClick={isByMessage ? onReply : () => void ask("take")}>
          {strings.takeOver}
        </Button>
        {error !== null && <Button onClick={onReply}>{strings.replyAnyway}</Button>}
      </div>
    </div>
  );
}
