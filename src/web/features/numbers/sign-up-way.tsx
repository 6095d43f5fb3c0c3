/** The way to Meta's own page: the whole window goes there, and comes back with a code. No script of Meta's is loaded. */
import { useMutation } from "@tanstack/react-query";
import { useId, useState } from "react";
import { request } from "../../data/api.ts";
import { useWorkspace } from "../../data/session.ts";
import { Button } from "../../ui/button.tsx";
import { Tick } from "../../ui/field.tsx";
import { Failed, Notice } from "../../ui/states.tsx";
import { strings } from "./connect-strings.ts";
import type { Connection, SendingNumber } from "./number-view.ts";

interface Begun {
  keeps_app: boolean;
  number_id?: number;
}

function useSignUp() {
  const { id } = useWorkspace();
  return useMutation({
    mutationFn: (body: Begun) => request("POST /w/{workspace}/connection/sign-up", { workspace: id, body }),
    onSuccess: ({ address }) => location.assign(address),
  });
}

export function SignUpWay({ connection }: { connection: Connection }) {
  const signUp = useSignUp();
  const [keepsApp, setKeepsApp] = useState<boolean | null>(null);
  const name = useId();
  const { server_issue: issue } = connection;
  if (connection.sign_up?.is_possible !== true) {
    return (
      <Notice>
        <p className="font-semibold">{strings.signUpNotYet}</p>
        {issue !== null && (
          <>
            <p>{issue.message}</p>
            <p>{issue.next}</p>
          </>
        )}
        <p>{strings.signUpNotYetNote}</p>
      </Notice>
    );
  }
  const choices = [
    { keeps: true, label: strings.signUpKeeps, text: strings.signUpKeepsText },
    { keeps: false, label: strings.signUpTakes, text: strings.signUpTakesText },
  ];
  return (
    <>
      <fieldset className="flex flex-col gap-2">
        <legend className="mb-1 font-semibold">{strings.signUpQuestion}</legend>
        {choices.map(({ keeps, label, text }) => (
          <Tick
            key={label}
            className="max-w-[72ch]"
            type="radio"
            name={name}
            checked={keepsApp === keeps}
            onChange={() => setKeepsApp(keeps)}
            hint={text}
          >
            {label}
          </Tick>
        ))}
      </fieldset>
      {signUp.isError && <Failed error={signUp.error} />}
      <Button
        tone="primary"
        disabled={keepsApp === null}
        busy={signUp.isPending || signUp.isSuccess}
        onClick={() => signUp.mutate({ keeps_app: keepsApp === true })}
      >
        {strings.signUpAction}
      </Button>
    </>
  );
}

/** Renews the token of a connected number. Meta's page offers one that is in the app too: no phone is signed out by it. */
export function SignUpAgain({ number: { id } }: { number: SendingNumber }) {
  const signUp = useSignUp();
  return (
    <>
      <Button
        busy={signUp.isPending || signUp.isSuccess}
        title={strings.signUpAgainText}
        onClick={() => signUp.mutate({ keeps_app: true, number_id: id })}
      >
        {strings.signUpAgain}
      </Button>
      {signUp.isError && <Failed error={signUp.error} />}
    </>
  );
}
