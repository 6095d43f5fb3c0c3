/** Adds a number on the simulator, which can send at once. */
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useForm } from "react-hook-form";
import { request } from "../../data/api.ts";
import { useWorkspace } from "../../data/session.ts";
import { TextField } from "../../ui/field.tsx";
import { Form } from "../../ui/form.tsx";
import { Card } from "../../ui/page.tsx";
import { showToast } from "../../ui/toast.tsx";
import { strings } from "./strings.ts";

export function NewNumber() {
  const { id } = useWorkspace();
  const client = useQueryClient();
  const navigate = useNavigate();
  const form = useForm({ defaultValues: { phone: "", name: "" } });
  return (
    <Card>
      <h2 className="text-section font-semibold">{strings.addTitle}</h2>
      <p className="mt-1 mb-4 text-quiet">{strings.addText}</p>
      <Form
        form={form}
        submit={strings.add}
        onSend={async (values, key) => {
          await request("POST /w/{workspace}/numbers", { workspace: id, body: values }, { key });
          await client.invalidateQueries({ queryKey: ["numbers", id] });
          showToast(strings.added);
          await navigate({ to: "/w/$workspace/numbers", params: { workspace: String(id) } });
        }}
      >
        <TextField form={form} name="phone" label={strings.phone} hint={strings.addPhoneHint} autoComplete="off" />
        <TextField form={form} name="name" label={strings.addName} hint={strings.addNameHint} autoComplete="off" />
      </Form>
    </Card>
  );
}
