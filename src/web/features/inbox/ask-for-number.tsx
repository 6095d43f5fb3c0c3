/** Asks a person whom the network names by its user id alone for their phone number, with the network's own button. */
import { useRef, useState } from "react";
import { newFormKey, request } from "../../data/api.ts";
import { useWorkspace } from "../../data/session.ts";
import { Button } from "../../ui/button.tsx";
import { ErrorLine } from "../../ui/states.tsx";
import type { Conversation } from "./inbox-view.ts";
import { isAnswered, isShownInConversation, useRefresh } from "./sending.ts";
import { strings } from "./strings.ts";

export function AskForNumber({ conversation: { contact_id: id, from } }: { conversation: Conversation }) {
  const { id: workspaceId } = useWorkspace();
  const refresh = useRefresh(workspaceId, id);
  const [isBusy, setIsBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const key = useRef(newFormKey());
  const press = async () => {
    if (isBusy) return;
    setIsBusy(true);
    setError(null);
    try {
      const body = { text: strings.askText, ...(from === null ? {} : { from }) };
      await request(
        "POST /w/{workspace}/inbox/{contact}/ask-for-number",
        { workspace: workspaceId, contact: String(id), body },
        { key: key.current },
      );
      key.current = newFormKey();
    } catch (reason) {
      if (!isShownInConversation(reason)) setError(reason);
      if (isAnswered(reason)) key.current = newFormKey();
    } finally {
      setIsBusy(false);
      await refresh();
    }
  };
  return (
    <div className="flex flex-wrap items-center justify-between gap-2 text-quiet">
      <span className="text-label">{strings.askHint}</span>
      <Button small busy={isBusy} onClick={() => void press()}>
        {strings.askForNumber}
      </Button>
      <ErrorLine error={error} />
    </div>
  );
}
