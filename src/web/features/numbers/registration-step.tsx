/** Registers the number with the Cloud API. The PIN leaves this page with the form, and is kept nowhere. */
import { useQueryClient } from "@tanstack/react-query";
import { useForm } from "react-hook-form";
import { request } from "../../data/api.ts";
import { useWorkspace } from "../../data/session.ts";
import { TextField } from "../../ui/field.tsx";
import { Form } from "../../ui/form.tsx";
import { showToast } from "../../ui/toast.tsx";
import { strings } from "./connect-strings.ts";
import type { SendingNumber } from "./number-view.ts";

export function RegistrationStep({ number, isRegistered }: { number: SendingNumber; isRegistered: boolean }) {
  const { id } = useWorkspace();
  const client = useQueryClient();
  const form = useForm({ defaultValues: { pin: "" } });
  if (isRegistered) {
    return (
      <>
        <p>{strings.registered}</p>
        <PhoneData number={number} />
      </>
    );
  }
  return (
    <>
      <p className="max-w-[72ch] text-quiet">{strings.registrationText}</p>
      <Form
        form={form}
        submit={strings.register}
        onSend={async ({ pin }, key) => {
          const it = { workspace: id, id: number.id };
          await request("POST /w/{workspace}/numbers/{id}/register", { ...it, body: { pin } }, { key });
          form.reset();
          const changed = [
            ["numbers", id],
            ["findings", id, number.id],
          ];
          await Promise.all(changed.map((queryKey) => client.invalidateQueries({ queryKey })));
          showToast(strings.registerDone);
        }}
      >
        <TextField
          form={form}
          name="pin"
          label={strings.pin}
          hint={strings.pinHint}
          type="password"
          inputMode="numeric"
          maxLength={6}
          autoComplete="off"
        />
      </Form>
    </>
  );
}

/** For a number that is in the WhatsApp Business app too; the server asks Meta whether it is. */
function PhoneData({ number }: { number: SendingNumber }) {
  const { id } = useWorkspace();
  const client = useQueryClient();
  const form = useForm();
  if (number.provider !== "graph") return null;
  return (
    <details>
      <summary className="cursor-pointer py-1 text-quiet">{strings.phoneData}</summary>
      <p className="mt-2 mb-3 max-w-[72ch] text-quiet">{strings.phoneDataText}</p>
      <Form
        form={form}
        tone="plain"
        submit={strings.phoneDataAction}
        onSend={async (_, key) => {
          const it = { workspace: id, id: number.id };
          await request("POST /w/{workspace}/numbers/{id}/phone-data", it, { key });
          await client.invalidateQueries({ queryKey: ["numbers", id] });
          showToast(strings.phoneDataAsked);
        }}
      >
        {null}
      </Form>
    </details>
  );
}
