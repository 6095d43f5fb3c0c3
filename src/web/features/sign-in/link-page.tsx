/**
 * The target of one-time links: create the first operator, accept an invitation, set a new password. The token follows
 * the `#`, so no server or proxy sees it before this page sends it.
 */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useForm } from "react-hook-form";
import { SignedOutPage } from "../../app/signed-out-page.tsx";
import { ApiError, request } from "../../data/api.ts";
import { resetForNewUser } from "../../data/session.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Copyable } from "../../ui/copy.tsx";
import { TextField } from "../../ui/field.tsx";
import { Form } from "../../ui/form.tsx";
import { Failed, Loading } from "../../ui/states.tsx";
import { exact } from "../../ui/time.tsx";
import type { Account } from "../users/user-view.ts";
import { SignInForm } from "./sign-in-form.tsx";
import { strings } from "./strings.ts";

type Kind = "setup" | "join" | "reset";

/** Creates the first operator. */
export function SetUp() {
  return <LinkPage kind="setup" />;
}

/** Accepts an invitation. */
export function Join() {
  return <LinkPage kind="join" />;
}

/** Sets a new password. */
export function Reset() {
  return <LinkPage kind="reset" />;
}

function LinkPage({ kind }: { kind: Kind }) {
  const [token] = useState(() => location.hash.slice(1));
  const link = useQuery({
    queryKey: ["link", token],
    queryFn: () => request("POST /links/look", { body: { token } }),
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const { title, lead } = strings[kind];
  const look = () => void link.refetch();
  if (link.isPending) {
    return (
      <SignedOutPage title={title}>
        <Loading label={strings.checking} />
      </SignedOutPage>
    );
  }
  if (link.isError) {
    const isOver = link.error instanceof ApiError && link.error.status === 404;
    return isOver ? (
      <Ended kind={kind} />
    ) : (
      <SignedOutPage title={title}>
        <Failed error={link.error} retry={look} />
      </SignedOutPage>
    );
  }
  const { email, workspace, account } = link.data;
  if (email !== null && workspace !== null && account !== null) {
    return <Invited token={token} email={email} workspace={workspace} account={account} look={look} />;
  }
  return (
    <SignedOutPage title={title} lead={workspace === null ? lead : strings.joinLead(workspace)}>
      <Choose kind={kind} token={token} email={email} startsAgain={false} look={look} />
    </SignedOutPage>
  );
}

interface InvitedProps {
  token: string;
  email: string;
  workspace: string;
  account: Account;
  look: () => void;
}

/** The address already has an account: the invitee signs in to it. One that no workspace uses may get a new password. */
function Invited({ token, email, workspace, account, look }: InvitedProps) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const [startsAgain, setStartsAgain] = useState(false);
  const enter = async () => {
    await resetForNewUser(client);
    await navigate({ to: "/", replace: true });
  };
  return (
    <SignedOutPage
      title={startsAgain ? strings.join.startAgain : strings.join.known}
      lead={startsAgain ? strings.startAgainText : strings.joinLead(workspace)}
    >
      <p>{strings.accountText(email, exact(Date.parse(account.since)))}</p>
      {startsAgain ? (
        <Choose kind="join" token={token} email={email} startsAgain look={look} />
      ) : (
        <SignInForm email={email} invitation={token} onSignedIn={enter} />
      )}
      {account.is_in_use ? (
        <p className="text-quiet">{strings.accountInUse}</p>
      ) : (
        <Button tone="quiet" small className="self-start" onClick={() => setStartsAgain(!startsAgain)}>
          {startsAgain ? strings.mine : strings.startAgain}
        </Button>
      )}
    </SignedOutPage>
  );
}

interface ChooseProps {
  kind: Kind;
  token: string;
  email: string | null;
  startsAgain: boolean;
  /** Reloads the state of the link. */
  look: () => void;
}

function Choose({ kind, token, email, startsAgain, look }: ChooseProps) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const form = useForm({ defaultValues: { email: email ?? "", password: "" } });
  const use = async (values: { email: string; password: string }) => {
    const body = email === null ? { token, ...values } : { token, password: values.password };
    try {
      await request("POST /links/use", { body: startsAgain ? { ...body, starts_again: true } : body });
    } catch (error) {
      // Another invitation to this address was accepted after the page was opened.
      if (error instanceof ApiError && error.code === "account_exists") look();
      throw error;
    }
    await resetForNewUser(client);
    await navigate({ to: "/", replace: true });
  };
  return (
    <Form form={form} onSend={use} submit={startsAgain ? strings.startAgainAction : strings[kind].submit}>
      <TextField
        form={form}
        name="email"
        label={strings.email}
        type="email"
        autoComplete="username"
        readOnly={email !== null}
        required
      />
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
  );
}

function Ended({ kind }: { kind: Kind }) {
  return (
    <SignedOutPage title={strings.endedTitle} lead={strings.endedText}>
      <p>{strings.endedNext[kind]}</p>
      <Copyable text={kind === "setup" ? strings.createCommand : strings.resetCommand} label="Copy command" />
      <ButtonLink to="/sign-in">{strings.toSignIn}</ButtonLink>
    </SignedOutPage>
  );
}
