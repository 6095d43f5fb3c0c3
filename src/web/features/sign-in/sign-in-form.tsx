/** E-mail address and password, then the code if the account has a second factor. */
import { useState } from "react";
import { useForm } from "react-hook-form";
import { ApiError, request } from "../../data/api.ts";
import { Button } from "../../ui/button.tsx";
import { TextField } from "../../ui/field.tsx";
import { Form } from "../../ui/form.tsx";
import { strings } from "./strings.ts";

interface Values {
  email: string;
  password: string;
  code: string;
}

interface SignInProps {
  email?: string;
  /** Token of an invitation that signing in accepts. Only the invited account can sign in. */
  invitation?: string;
  onSignedIn: () => unknown;
}

export function SignInForm({ email = "", invitation, onSignedIn }: SignInProps) {
  const form = useForm<Values>({ defaultValues: { email, password: "", code: "" } });
  const [wantsCode, setWantsCode] = useState(false);
  const signIn = async (values: Values) => {
    const { code, ...typed } = values;
    const pair = invitation === undefined ? typed : { ...typed, invitation };
    try {
      await request("POST /sign-in", { body: wantsCode ? { ...pair, code } : pair });
      await onSignedIn();
    } catch (error) {
      if (error instanceof ApiError && error.code === "code_required") {
        setWantsCode(true);
        return;
      }
      // The message says that a code may help; the field for it must be there.
      if (error instanceof ApiError && error.code === "too_many_guesses") setWantsCode(true);
      throw error;
    }
  };
  return (
    <Form form={form} onSend={signIn} submit={invitation === undefined ? strings.signIn : strings.acceptAction}>
      {wantsCode ? (
        <TextField
          key="code"
          form={form}
          name="code"
          label={strings.code}
          hint={strings.codeHint}
          autoComplete="one-time-code"
          inputMode="text"
          autoFocus
        />
      ) : (
        <>
          <TextField
            form={form}
            name="email"
            label={strings.email}
            type="email"
            autoComplete="username"
            readOnly={invitation !== undefined}
            required
          />
          <TextField
            form={form}
            name="password"
            label={strings.password}
            type="password"
            autoComplete="current-password"
            required
          />
        </>
      )}
      {wantsCode && (
        <Button tone="quiet" small className="self-start" onClick={() => setWantsCode(false)}>
          {strings.other}
        </Button>
      )}
    </Form>
  );
}
