/** A number on the simulator: it can send at once. A real one needs the network's own credentials, so it is added on the server. */
import { useQueryClient } from "@tanstack/react-query";
import { useForm } from "react-hook-form";
import { send } from "../../data/api.ts";
import { useWorkspace } from "../../data/session.ts";
import { Copyable } from "../../ui/copy.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { TextField } from "../../ui/field.tsx";
import { Form } from "../../ui/form.tsx";
import { sayDone } from "../../ui/toast.tsx";
import type { SendingNumber } from "./number-view.ts";
import { words } from "./strings.ts";

export function NewNumber({ onClose }: { onClose: () => void }) {
  const { id } = useWorkspace();
  const client = useQueryClient();
  const form = useForm({ defaultValues: { phone: "", name: "" } });
  return (
    <Dialog title={words.addTitle} isOpen onClose={onClose}>
      <p className="text-quiet">{words.addText}</p>
      <Form
        form={form}
        submit={words.add}
        onSend={async (values, key) => {
          await send<SendingNumber>("POST", `/w/${id}/numbers`, values, key);
          await client.invalidateQueries({ queryKey: ["numbers", id] });
          sayDone(words.added);
          onClose();
        }}
      >
        <TextField form={form} name="phone" label={words.phone} hint={words.addPhoneHint} autoComplete="off" />
        <TextField form={form} name="name" label={words.addName} hint={words.addNameHint} autoComplete="off" />
      </Form>
      <p className="text-quiet">{words.addReal}</p>
      <Copyable text={words.addRealCommand(id)} label={words.copyCommand} />
    </Dialog>
  );
}
