/** Adds a contact by number and name; everything else is edited in its panel. */
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useForm } from "react-hook-form";
import { request } from "../../data/api.ts";
import { useWorkspace } from "../../data/session.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { TextField } from "../../ui/field.tsx";
import { Form } from "../../ui/form.tsx";
import { showToast } from "../../ui/toast.tsx";
import { phoneOf } from "./contact-view.ts";
import { strings } from "./strings.ts";

export function AddContact({ onClose }: { onClose: () => void }) {
  const { id, country } = useWorkspace();
  const client = useQueryClient();
  const navigate = useNavigate();
  const form = useForm({ defaultValues: { phone: "", name: "" } });
  return (
    <Dialog title={strings.addTitle} isOpen onClose={onClose}>
      <Form
        form={form}
        submit={strings.add}
        onSend={async ({ phone, name }, key) => {
          const contact = await request(
            "PUT /w/{workspace}/contacts/{phone}",
            { workspace: id, phone: phone.trim() || " ", body: name.trim() === "" ? {} : { name: name.trim() } },
            { key },
          );
          await client.invalidateQueries({ queryKey: ["contacts", id] });
          showToast(strings.added);
          onClose();
          await navigate({ from: "/w/$workspace/contacts", to: ".", search: { open: phoneOf(contact) } });
        }}
      >
        <TextField
          form={form}
          name="phone"
          type="tel"
          inputMode="tel"
          label={strings.phone}
          hint={strings.phoneHint(country)}
          autoComplete="off"
        />
        <TextField form={form} name="name" label={strings.name} autoComplete="off" />
      </Form>
    </Dialog>
  );
}
