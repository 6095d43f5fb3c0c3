/**
 * The targets of links that came by e-mail: a new password, and the verification of an address. The token follows the `#`; a program
 * that opens links in mails uses none of them up.
 */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useForm } from "react-hook-form";
import { SignedOutPage } from "../../app/signed-out-page.tsx";
import { request } from "../../data/api.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { TextField } from "../../ui/field.tsx";
import { Form } from "../../ui/form.tsx";
import { Failed } from "../../ui/states.tsx";
import { strings } from "./strings.ts";

export function NewPassword() {
  const [token] = useState(() => location.hash.slice(1));
  const [isDone, setIsDone] = useState(false);
  const form = useForm({ defaultValues: { password: "" } });
  if (isDone) {
    return (
      <SignedOutPage title={strings.passwordSet} lead={strings.passwordSetText}>
        <ButtonLink to="/sign-in">{strings.toSignIn}</ButtonLink>
      </SignedOutPage>
    );
  }
  return (
    <SignedOutPage title={strings.reset.title} lead={strings.newPasswordLead}>
      <Form
        form={form}
        submit={strings.setPassword}
        onSend={async ({ password }) => {
          await request("POST /lost-password/use", { body: { token, password } });
          setIsDone(true);
        }}
      >
        <TextField
          form={form}
          name="password"
          label={strings.password}
          type="password"
          autoComplete="new-password"
          hint={strings.passwordHint}
          required
        />
      </Form>
    </SignedOutPage>
  );
}

export function VerifyAddress() {
  const [token] = useState(() => location.hash.slice(1));
  const client = useQueryClient();
  const verify = useMutation({
    mutationFn: () => request("POST /links/verify", { body: { token } }),
    onSuccess: () => client.invalidateQueries({ queryKey: ["me"] }),
  });
  return (
    <SignedOutPage
      title={strings.verifyTitle}
      lead={verify.isSuccess ? strings.verified(verify.data.email) : strings.verifyLead}
    >
      {verify.isError && <Failed error={verify.error} />}
      {verify.isSuccess ? (
        <ButtonLink to="/sign-in">{strings.toSignIn}</ButtonLink>
      ) : (
        <Button tone="primary" busy={verify.isPending} onClick={() => verify.mutate()}>
          {strings.verifyAction}
        </Button>
      )}
    </SignedOutPage>
  );
}
