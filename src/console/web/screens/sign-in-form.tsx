/** E-mail and password, and then the code where there is a second factor. */
import { useState } from "react";
import { useForm } from "react-hook-form";
import { ApiError, send } from "../api.ts";
import type { Me } from "../session.ts";
import { Button } from "../ui/button.tsx";
import { TextField } from "../ui/field.tsx";
import { Form } from "../ui/form.tsx";
import { words } from "./sign-in-words.ts";

interface Values {
  email: string;
  password: string;
  code: string;
}

export function SignInForm({ email = "", onSignedIn }: { email?: string; onSignedIn: (me: Me) => unknown }) {
  const form = useForm<Values>({ defaultValues: { email, password: "", code: "" } });
  const [wantsCode, setWantsCode] = useState(false);
  const signIn = async (values: Values) => {
    const { code, ...pair } = values;
    try {
      await onSignedIn(await send<Me>("POST", "/sign-in", wantsCode ? { ...pair, code } : pair));
    } catch (error) {
      if (error instanceof ApiError && error.code === "code_required") {
        setWantsCode(true);
        return;
      }
      throw error;
    }
  };
  return (
    <Form form={form} onSend={signIn} submit={words.signIn}>
      {wantsCode ? (
        <TextField
          key="code"
          form={form}
          name="code"
          label={words.code}
          hint={words.codeHint}
          autoComplete="one-time-code"
          inputMode="text"
          autoFocus
        />
      ) : (
        <>
          <TextField form={form} name="email" label={words.email} type="email" autoComplete="username" required />
          <TextField
            form={form}
            name="password"
            label={words.password}
            type="password"
            autoComplete="current-password"
            required
          />
        </>
      )}
      {wantsCode && (
        <Button tone="quiet" small className="self-start" onClick={() => setWantsCode(false)}>
          {words.other}
        </Button>
      )}
    </Form>
  );
}
