/**
 * Where Meta leads back to after a sign-up. The code in the address is taken out of it before anything else, given to the
 * server once, and kept nowhere. What the address says in words is not shown: every site can write such an address.
 */
import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { SignedOutPage } from "../../app/signed-out-page.tsx";
import { ApiError, request } from "../../data/api.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { Loading, Notice, sentenceOf } from "../../ui/states.tsx";
import { strings } from "./connect-strings.ts";

const SCREEN = "/w/$workspace/numbers/connect";

interface Returned {
  /** The state begins with the workspace's id. Null: there is none. */
  workspace: number | null;
  state: string;
  code: string | null;
  isCancelled: boolean;
}

function readReturn(): Returned {
  const query = new URLSearchParams(location.search);
  const state = query.get("state") ?? "";
  const workspace = /^(\d{1,15})\./.exec(state)?.[1];
  return {
    workspace: workspace === undefined ? null : Number(workspace),
    state,
    code: query.get("code"),
    isCancelled: query.get("error") === "access_denied",
  };
}

export function Screen() {
  const [returned] = useState(readReturn);
  const navigate = useNavigate();
  const isBegun = useRef(false);
  const { workspace, state, code, isCancelled } = returned;
  const finish = useMutation({
    mutationFn: (it: { workspace: number; body: { state: string; code: string } }) =>
      request("POST /w/{workspace}/connection/sign-up/finish", it),
    onSuccess: async ({ number_id: number }, it) => {
      await navigate({
        to: SCREEN,
        params: { workspace: String(it.workspace) },
        search: { via: "meta", ...(number === null ? {} : { number: String(number) }) },
        replace: true,
        // The router has read the code in the address: with this document, its memory goes.
        reloadDocument: true,
      });
    },
  });
  const { mutate } = finish;
  useEffect(() => {
    if (isBegun.current) return;
    isBegun.current = true;
    history.replaceState(null, "", location.pathname);
    if (workspace !== null && code !== null && !isCancelled) mutate({ workspace, body: { state, code } });
  }, [mutate, workspace, state, code, isCancelled]);

  const failure = isCancelled
    ? strings.returnCancelled
    : workspace === null || code === null
      ? strings.returnIncomplete
      : finish.isError
        ? describe(finish.error)
        : null;
  if (failure === null) {
    return (
      <SignedOutPage title={strings.returnTitle} lead={strings.returnWaitingText}>
        <Loading label={strings.returnWaiting} />
      </SignedOutPage>
    );
  }
  return (
    <SignedOutPage title={strings.returnFailed}>
      <Notice>{failure}</Notice>
      {workspace === null ? (
        <ButtonLink to="/">{strings.returnHome}</ButtonLink>
      ) : (
        <ButtonLink to={SCREEN} params={{ workspace: String(workspace) }} tone="primary">
          {strings.returnAgain}
        </ButtonLink>
      )}
    </SignedOutPage>
  );
}

function describe(error: unknown): string {
  return error instanceof ApiError && error.status === 401 ? strings.returnSignedOut : sentenceOf(error);
}
