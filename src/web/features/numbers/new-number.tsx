/**
 * Adds a number on the simulator, which can send at once. A real number needs the network's credentials, so it is added
 * on the server.
 */
import { useQueryClient } from "@tanstack/react-query";
import { useForm } from "react-hook-form";
import { request } from "../../data/api.ts";
import { useWorkspace } from "../../data/session.ts";
import { Copyable } from "../../ui/copy.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { TextField } from "../../ui/field.tsx";
import { Form } from "../../ui/form.tsx";
import { showToast } from "../../ui/toast.tsx";
import { strings } from "./strings.ts";

export function NewNumber({ onClose }: { onClose: () => void }) {
  const { id } = useWorkspace();
  const client = useQueryClient();
  const form = useForm({ defaultValues: { phone: "", name: "" } });
  return (
    <Dialog title={strings.addTitle} isOpen onClose={onClose}>
      <p className="text-quiet">{strings.addText}</p>
      <Form
        form={form}
        submit={strings.add}
        onSend={async (values, key) => {
          await request("POST /w/{workspace}/numbers", { workspace: id, body: values }, { key });
          await client.invalidateQueries({ queryKey: ["numbers", id] });
          showToast(strings.added);
          onClose();
        }}
      >
        <TextField form={form} name="phone" label={strings.phone} hint={strings.addPhoneHint} autoComplete="off" />
        <TextField form={form} name="name" label={strings.addName} hint={strings.addNameHint} autoComplete="off" />
      </Form>
      <p className="text-quiet">{strings.addReal}</p>
      <Copyable text={strings.addRealCommand(id)} label={strings.copyCommand} />
    </Dialog>
  );
}
