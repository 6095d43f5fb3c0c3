/** Blocking the person of a conversation on its number, and ending that: the question before it, and what is known. */
import { useQueryClient } from "@tanstack/react-query";
import { request } from "../../data/api.ts";
import { useWorkspace } from "../../data/session.ts";
import { Confirm } from "../../ui/dialog.tsx";
import { Notice } from "../../ui/states.tsx";
import { showToast } from "../../ui/toast.tsx";
import type { Conversation } from "./inbox-view.ts";
import { useRefresh } from "./sending.ts";
import { strings } from "./team-strings.ts";

type State = Conversation["conversation"] & object;

/** In the conversation, above what was written. */
export function BlockNotice({ conversation: { conversation: state, from } }: { conversation: Conversation }) {
  if (state === null || state.block_state === null) return null;
  const isChecking = state.block_state === "checking";
  return (
    <div className="border-b border-line p-3">
      <Notice tone={isChecking ? "violet" : "amber"}>
        {isChecking ? strings.blockChecking : strings.blockedOn(from ?? "")}
      </Notice>
    </div>
  );
}

interface QuestionProps {
  conversation: Conversation;
  state: State;
  isOpen: boolean;
  onClose: () => void;
}

export function BlockQuestion({ conversation, state, isOpen, onClose }: QuestionProps) {
  const { id: workspace } = useWorkspace();
  const { from, contact_id: contact } = conversation;
  const client = useQueryClient();
  const refresh = useRefresh(workspace, contact);
  const isBlocked = state.block_state !== null;
  const number = from ?? "";
  const path = { workspace, conversation: state.id };
  const act = async (key: string) => {
    try {
      if (isBlocked) await request("DELETE /w/{workspace}/conversations/{conversation}/block", path, { key });
      else await request("POST /w/{workspace}/conversations/{conversation}/block", path, { key });
      showToast(isBlocked ? strings.unblocked : strings.blocked);
    } finally {
      // Also where it is not known: the conversation says so.
      await Promise.all([refresh(), client.invalidateQueries({ queryKey: ["number-blocked", workspace] })]);
    }
  };
  return (
    <Confirm
      title={isBlocked ? strings.unblockTitle : strings.blockTitle}
      isOpen={isOpen}
      onClose={onClose}
      action={isBlocked ? strings.unblock : strings.block}
      cancelLabel={isBlocked ? strings.keepBlocked : strings.keepUnblocked}
      act={act}
    >
      <p>{isBlocked ? strings.unblockText(number) : strings.blockText(number)}</p>
      {!isBlocked && <p className="mt-2">{strings.blockLimit}</p>}
    </Confirm>
  );
}
