/** Sends a template in a conversation. */
import { request } from "../../data/api.ts";
import { sendOrWait } from "../../data/outbox.ts";
import { noteOwn } from "../../data/own-messages.ts";
import { useMe, useWorkspace } from "../../data/session.ts";
import { Empty } from "../../ui/states.tsx";
import { phoneOf } from "../contacts/contact-view.ts";
import type { Conversation } from "../inbox/inbox-view.ts";
import { isShownInConversation, useRefresh } from "../inbox/sending.ts";
import { strings } from "../inbox/strings.ts";
import { ChooseTemplate } from "./choose-template.tsx";

interface SendTemplateProps {
  conversation: Conversation;
  onSent?: () => void;
}

export function SendTemplate({ conversation: { contact, contact_id, from, version }, onSent }: SendTemplateProps) {
  const { id } = useWorkspace();
  const { id: userId } = useMe().user;
  const refresh = useRefresh(id, contact_id);
  return (
    <ChooseTemplate
      from={from}
      to={phoneOf(contact)}
      none={<Empty title={strings.noTemplates} />}
      send={async (message, key) => {
        const place = { userId, workspaceId: id, contactId: contact_id };
        try {
          const waiting = { ...place, key, seen: version, what: { message }, text: message.template };
          await sendOrWait(waiting, async (options) => {
            noteOwn((await request("POST /w/{workspace}/messages", { workspace: id, body: message }, options)).id);
          });
          onSent?.();
        } catch (error) {
          if (!isShownInConversation(error)) throw error;
        } finally {
          await refresh();
        }
      }}
    />
  );
}
