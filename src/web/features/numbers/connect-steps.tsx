/**
 * The steps of connecting a number to Meta, with what the doctor finds at each. The doctor asks Meta, so it asks again
 * automatically only for a while, and only until nothing is left to do.
 */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useCallback, useState } from "react";
import { reading } from "../../data/api.ts";
import { useWorkspace } from "../../data/session.ts";
import { Button, textLink } from "../../ui/button.tsx";
import { Chip, type ChipTone } from "../../ui/chip.tsx";
import { Page } from "../../ui/page.tsx";
import { Failed, Loading, Notice } from "../../ui/states.tsx";
import { AccessStep } from "./access-step.tsx";
import { CallbacksStep } from "./callbacks-step.tsx";
import { ChooseStep } from "./choose-step.tsx";
import { strings } from "./connect-strings.ts";
import { FirstMessage } from "./first-message.tsx";
import type { Connection, Finding, SendingNumber } from "./number-view.ts";
import { RegistrationStep } from "./registration-step.tsx";
import { Step, type StepState } from "./step.tsx";
import { Unfinished } from "./unfinished.tsx";

interface Props {
  connection: Connection;
  /** Null: it is not chosen yet. */
  number: SendingNumber | null;
  /** Numbers that were chosen before, whose steps are not all done. */
  unfinished: readonly SendingNumber[];
}

/** Meta allows 200 questions an hour for an account, and the doctor asks five. */
const CHECK_EVERY_MS = 20_000;
const CHECKS_MAX = 15;

export function ConnectSteps({ connection, number, unfinished }: Props) {
  const { id } = useWorkspace();
  const title = number === null ? strings.connectTitle : strings.connectedTitle(number.phone);
  const { server_issue: issue } = connection;
  return (
    <Page title={title} lead={strings.connectLead} isNarrow>
      {issue !== null && (
        <div className="mb-4">
          <Notice>
            <p className="font-semibold">{strings.serverTitle}</p>
            <p>{issue.message}</p>
            <p>{issue.next}</p>
            <p>{strings.serverNote}</p>
          </Notice>
        </div>
      )}
      <Unfinished numbers={unfinished} />
      {number === null ? (
        <FirstSteps connection={connection} />
      ) : (
        <LaterSteps key={number.id} connection={connection} number={number} />
      )}
      <p className="mt-6">
        <Link to="/w/$workspace/numbers" params={{ workspace: String(id) }} className={textLink}>
          {strings.backToNumbers}
        </Link>
      </p>
    </Page>
  );
}

/** Until a number is chosen. */
function FirstSteps({ connection }: { connection: Connection }) {
  const hasDraft = connection.draft !== null;
  return (
    <ol className="flex flex-col gap-4">
      <Step position={1} title={strings.access} state={hasDraft ? "done" : "now"}>
        <AccessStep connection={connection} number={null} />
      </Step>
      <Step position={2} title={strings.number} state={hasDraft ? "now" : "later"}>
        {hasDraft ? <ChooseStep /> : <p className="text-quiet">{strings.numberLater}</p>}
      </Step>
    </ol>
  );
}

function LaterSteps({ connection, number }: { connection: Connection; number: SendingNumber }) {
  const { id } = useWorkspace();
  const found = useQuery({
    // What the server knows of the number has changed: ask again at once.
    ...reading("GET /w/{workspace}/numbers/{id}/findings", { workspace: id, id: number.id }, [
      "findings",
      id,
      number.id,
      number.ready,
      number.state?.status,
      connection.verified_at,
    ]),
    placeholderData: keepPreviousData,
    staleTime: 0,
    refetchOnWindowFocus: false,
    refetchInterval: ({ state }) =>
      state.dataUpdateCount < CHECKS_MAX && (state.data === undefined || !isGreen(state.data)) ? CHECK_EVERY_MS : false,
  });
  const [isDelivered, setIsDelivered] = useState(false);
  // The doctor has noted the callback that reported it.
  const { refetch } = found;
  const onDelivered = useCallback(() => {
    setIsDelivered(true);
    void refetch();
  }, [refetch]);
  const findings = found.data ?? [];
  const at = (step: Finding["step"]) => findings.filter((finding) => finding.step === step);
  const has = (step: Finding["step"]) => at(step).some(({ level }) => level === "problem");
  const isKnown = found.data !== undefined;
  const isRegistered = number.ready || number.state?.status === "CONNECTED";
  const isSetUp = knownSetUp(found, has("callbacks"));
  // The first step with something to do is the one to take now.
  const open = [has("access"), !isSetUp, !isRegistered, !number.ready].indexOf(true);
  const stateOf = (place: number, isDone: boolean | null, isProblem: boolean) =>
    stateAt(place - open, isDone, isProblem);
  return (
    <>
      <ol className="flex flex-col gap-4">
        <Step position={1} title={strings.access} state={has("access") ? "problem" : "done"} findings={at("access")}>
          <AccessStep connection={connection} number={number} />
        </Step>
        <Step position={2} title={strings.number} state="done">
          <p>
            <span className="figures font-semibold">{number.phone}</span> {number.name}
          </p>
        </Step>
        <Step
          position={3}
          title={strings.callbacks}
          state={stateOf(1, isSetUp, has("callbacks"))}
          findings={at("callbacks")}
        >
          <CallbacksStep connection={connection} number={number} isSetUp={isSetUp} />
        </Step>
        <Step
          position={4}
          title={strings.registration}
          state={stateOf(2, isRegistered && !has("registration"), has("registration"))}
          findings={at("registration")}
        >
          <RegistrationStep number={number} isRegistered={isRegistered && !has("registration")} />
        </Step>
        <Step
          position={5}
          title={strings.sending}
          state={stateOf(3, number.ready && !has("sending"), has("sending"))}
          findings={at("sending")}
        >
          <p>{number.ready ? strings.sendingReady : strings.sendingNot}</p>
          <DisplayName number={number} />
        </Step>
        <Step position={6} title={strings.first} state={isDelivered ? "done" : number.ready ? "now" : "later"}>
          {number.ready ? (
            <FirstMessage number={number} onDelivered={onDelivered} />
          ) : (
            <p className="text-quiet">{strings.firstLater}</p>
          )}
        </Step>
      </ol>
      <div className="mt-4 flex flex-wrap items-center gap-3">
        <Button busy={found.isFetching} onClick={() => void found.refetch()}>
          {strings.again}
        </Button>
        {found.isPending && <Loading label={strings.checking} />}
        {found.isError && <Failed error={found.error} />}
        {isKnown && !isGreen(findings) && <p className="text-quiet">{strings.checkedAutomatically}</p>}
      </div>
    </>
  );
}

/** Only Meta knows of the callbacks. Null: it has not answered yet, so nothing is said to be missing. */
function knownSetUp(found: { isPending: boolean; data?: unknown }, hasProblem: boolean): boolean | null {
  return found.isPending ? null : found.data !== undefined && !hasProblem;
}

/** `place`: from the step to take now, which is 0. */
function stateAt(place: number, isDone: boolean | null, isProblem: boolean): StepState {
  if (isDone === null) return "checking";
  if (isDone) return "done";
  if (isProblem && place < 0) return "problem";
  return place === 0 ? "now" : "later";
}

function isGreen(findings: readonly Finding[]): boolean {
  return findings.every(({ level }) => level !== "problem");
}

const NAME_TONES: Readonly<Record<string, ChipTone>> = { APPROVED: "green", DECLINED: "red", EXPIRED: "amber" };

function DisplayName({ number: { state } }: { number: SendingNumber }) {
  if (state?.verified_name == null) return null;
  const { name_status: status } = state;
  return (
    <p>
      {strings.displayName}: <span className="font-semibold">{state.verified_name}</span>{" "}
      {status !== null && (
        <Chip tone={NAME_TONES[status] ?? "grey"}>{strings.displayNameStates[status] ?? status}</Chip>
      )}
    </p>
  );
}
