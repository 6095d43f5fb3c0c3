/** Sends a template in a conversation. What is written of it belongs to the conversation's draft. */
import { useCallback } from "react";
import { newFormKey, request } from "../../data/api.ts";
import { sendOrWait } from "../../data/outbox.ts";
import { noteOwn } from "../../data/own-messages.ts";
import { useMe, useWorkspace } from "../../data/session.ts";
import { Empty } from "../../ui/states.tsx";
import { phoneOf } from "../contacts/contact-view.ts";
import { draftIdOf, note, readDraft, useDraft, write } from "../inbox/composer-draft.ts";
import type { Conversation } from "../inbox/inbox-view.ts";
import { isAnswered, isShownInConversation, useRefresh } from "../inbox/sending.ts";
import { strings } from "../inbox/strings.ts";
import { ChooseTemplate, type WrittenTemplate } from "./choose-template.tsx";

interface SendTemplateProps {
  conversation: Conversation;
  /** A heading above says what it is. */
  isTitled?: boolean;
  onSent?: () => void;
}

export function SendTemplate({
  conversation: { contact, contact_id, from, version },
  isTitled,
  onSent,
}: SendTemplateProps) {
  const { id } = useWorkspace();
  const { id: userId } = useMe().user;
  const refresh = useRefresh(id, contact_id);
  const draftId = draftIdOf(userId, id, contact_id);
  const { template, revision } = useDraft(draftId);
  const keep = useCallback((written: WrittenTemplate | null) => write(draftId, { template: written }), [draftId]);
  return (
    <ChooseTemplate
      key={revision}
      from={from}
      to={phoneOf(contact)}
      keyName="m"
      isTitled={isTitled === true}
      none={<Empty title={strings.noTemplates} />}
      written={template}
      onWrite={keep}
      send={async (message) => {
        const place = { userId, workspaceId: id, contactId: contact_id };
        // The draft's, so that a page that was left while it was sent does not send it again.
        const { key, part, template: written } = readDraft(draftId);
        try {
          const draft = { part, template: written };
          const waiting = { ...place, key, seen: version, what: { message }, draft, text: message.template };
          await sendOrWait(waiting, async (options) => {
            noteOwn((await request("POST /w/{workspace}/messages", { workspace: id, body: message }, options)).id);
          });
          onSent?.();
        } catch (error) {
          if (isShownInConversation(error)) return;
          if (isAnswered(error)) note(draftId, { key: newFormKey() });
          throw error;
        } finally {
          // Not waited for: a page that is left meanwhile would have what was sent as a draft again.
          void refresh();
        }
      }}
    />
  );
}
