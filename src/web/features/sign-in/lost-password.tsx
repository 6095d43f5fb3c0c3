/** Asks for a link to a new password by e-mail, where the server sends e-mail; else says who can make one. */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useForm } from "react-hook-form";
import { reading, request } from "../../data/api.ts";
import { TextField } from "../../ui/field.tsx";
import { Form } from "../../ui/form.tsx";
import { Notice } from "../../ui/states.tsx";
import { strings } from "./strings.ts";

export function LostPassword() {
  const [isSent, setIsSent] = useState(false);
  const form = useForm({ defaultValues: { email: "" } });
  const offer = useQuery(reading("GET /sign-in", {}, ["sign-in"]));
  const sendsEmail = offer.data?.sends_email === true;
  return (
    <details className="text-quiet">
      <summary className="cursor-pointer">{sendsEmail ? strings.lostByEmail : strings.lost}</summary>
      {sendsEmail && !isSent && (
        <Form
          form={form}
          submit={strings.sendLink}
          onSend={async (values) => {
            await request("POST /lost-password", { body: values });
            setIsSent(true);
          }}
        >
          <TextField form={form} name="email" label={strings.email} type="email" autoComplete="username" required />
        </Form>
      )}
      {isSent && <Notice tone="green">{strings.linkSent}</Notice>}
      <p className="mt-2">{strings.noScreen}</p>
      <code className="mt-1 block rounded-control bg-sunken p-2 font-mono">{strings.resetCommand}</code>
    </details>
  );
}
