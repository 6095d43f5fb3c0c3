/**
 * Where one-time links lead: the first operator is made, an invitation is taken up, a new password is chosen. The token
 * stands behind the `#`, so no server and no proxy has seen it before this page sends it.
 */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useForm } from "react-hook-form";
import { ApiError, send } from "../api.ts";
import { type Me, signedInAs } from "../session.ts";
import { ButtonLink } from "../ui/button.tsx";
import { Copyable } from "../ui/copy.tsx";
import { TextField } from "../ui/field.tsx";
import { Form } from "../ui/form.tsx";
import { Failed, Loading } from "../ui/states.tsx";
import { Outside } from "./outside.tsx";
import { words } from "./sign-in-words.ts";

type Kind = "setup" | "join" | "reset";

export function LinkPage({ kind }: { kind: Kind }) {
  const [token] = useState(() => location.hash.slice(1));
  const link = useQuery({
    queryKey: ["link", token],
    queryFn: () => send<{ kind: Kind; email: string | null }>("POST", "/links/look", { token }),
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const { title, lead } = words[kind];
  if (link.isPending) {
    return (
      <Outside title={title}>
        <Loading label={words.checking} />
      </Outside>
    );
  }
  if (link.isError) {
    const isOver = link.error instanceof ApiError && link.error.status === 404;
    return isOver ? (
      <Ended kind={kind} />
    ) : (
      <Outside title={title}>
        <Failed error={link.error} retry={() => void link.refetch()} />
      </Outside>
    );
  }
  return (
    <Outside title={title} lead={lead}>
      <Choose kind={kind} token={token} email={link.data.email} />
    </Outside>
  );
}

function Choose({ kind, token, email }: { kind: Kind; token: string; email: string | null }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const form = useForm({ defaultValues: { email: email ?? "", password: "" } });
  const use = async (values: { email: string; password: string }) => {
    const body = email === null ? { token, ...values } : { token, password: values.password };
    await send<Me>("POST", "/links/use", body);
    await signedInAs(client);
    await navigate({ to: "/", replace: true } as never);
  };
  return (
    <Form form={form} onSend={use} submit={words[kind].submit}>
      <TextField
        form={form}
        name="email"
        label={words.email}
        type="email"
        autoComplete="username"
        readOnly={email !== null}
        required
      />
      <TextField
        form={form}
        name="password"
        label={words.password}
        type="password"
        autoComplete="new-password"
        hint={words.passwordHint}
        required
      />
    </Form>
  );
}

function Ended({ kind }: { kind: Kind }) {
  return (
    <Outside title={words.endedTitle} lead={words.endedText}>
      <p>{words.endedNext[kind]}</p>
      <Copyable text={kind === "setup" ? words.createCommand : words.resetCommand} label="Copy the command" />
      <ButtonLink to={"/sign-in" as never}>{words.toSignIn}</ButtonLink>
    </Outside>
  );
}
