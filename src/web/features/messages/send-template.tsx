/** Sends a template in a conversation. */
import { request } from "../../data/api.ts";
import { useWorkspace } from "../../data/session.ts";
import { Empty } from "../../ui/states.tsx";
import { phoneOf } from "../contacts/contact-view.ts";
import type { Conversation } from "../inbox/inbox-view.ts";
import { inSight, isShownInConversation, noteOwn, useRefresh } from "../inbox/sending.ts";
import { strings } from "../inbox/strings.ts";
import { ChooseTemplate } from "./choose-template.tsx";

interface SendTemplateProps {
  conversation: Conversation;
  onSent?: () => void;
}

export function SendTemplate({ conversation: { contact, contact_id, from, version }, onSent }: SendTemplateProps) {
  const { id } = useWorkspace();
  const refresh = useRefresh(id, contact_id);
  return (
    <ChooseTemplate
      from={from}
      to={phoneOf(contact)}
      none={<Empty title={strings.noTemplates} />}
      send={async (message, key) => {
        try {
          const { id: messageId } = await request(
            "POST /w/{workspace}/messages",
            { workspace: id, body: message },
            { key, version: inSight(version) },
          );
          noteOwn(messageId);
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
