/** Changes the tags of the person of a conversation. */
import { useForm } from "react-hook-form";
import { request } from "../../data/api.ts";
import { useWorkspace } from "../../data/session.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { TextField } from "../../ui/field.tsx";
import { Form } from "../../ui/form.tsx";
import { showToast } from "../../ui/toast.tsx";
import { changesOfList } from "../contacts/contact-form.tsx";
import { phoneOf } from "../contacts/contact-view.ts";
import { strings as contactStrings } from "../contacts/strings.ts";
import type { Conversation } from "./inbox-view.ts";
import { useRefresh } from "./sending.ts";
import { strings } from "./team-strings.ts";

interface TagsDialogProps {
  conversation: Conversation;
  onClose: () => void;
}

export function TagsDialog({ conversation: { contact, contact_id: id }, onClose }: TagsDialogProps) {
  const { id: workspace } = useWorkspace();
  const refresh = useRefresh(workspace, id);
  const before = contact.tags.join(", ");
  const form = useForm({ defaultValues: { tags: before } });
  const save = async ({ tags }: { tags: string }, key: string) => {
    const body = changesOfList(before, tags, "add_tags", "remove_tags");
    await request("PUT /w/{workspace}/contacts/{phone}", { workspace, phone: phoneOf(contact), body }, { key });
    showToast(strings.saved);
    await refresh();
    onClose();
  };
  return (
    <Dialog title={strings.tagsTitle} isOpen onClose={onClose}>
      <Form form={form} onSend={save} submit={strings.save} names={{ add_tags: "tags", remove_tags: "tags" }}>
        <TextField
          autoFocus
          form={form}
          name="tags"
          label={contactStrings.tags}
          hint={contactStrings.tagsHint}
          autoComplete="off"
        />
      </Form>
    </Dialog>
  );
}
