/**
 * Adds a number: on the simulator, or on WhatsApp through Meta. Connecting to Meta is one page of steps; what was entered
 * is kept by the server, so the page can be left at any step.
 */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { NotFound } from "../../app/not-found.tsx";
import { reading } from "../../data/api.ts";
import { useWorkspace } from "../../data/session.ts";
import { ParameterLink, useParameters } from "../../ui/address.tsx";
import { buttonClass, textLink } from "../../ui/button.tsx";
import { Copyable } from "../../ui/copy.tsx";
import { DocsLink } from "../../ui/docs-link.tsx";
import { Card, Page } from "../../ui/page.tsx";
import { Failed, Loading, Notice } from "../../ui/states.tsx";
import { ConnectSteps } from "./connect-steps.tsx";
import { strings } from "./connect-strings.ts";
import { NewNumber } from "./new-number.tsx";
import type { Connection } from "./number-view.ts";
import { SignUpWay } from "./sign-up-way.tsx";
import { strings as numberStrings } from "./strings.ts";
import { Unfinished } from "./unfinished.tsx";

const SCREEN = "/w/$workspace/numbers/connect";

export function Screen() {
  const { id } = useWorkspace();
  const { via, number: opened } = useParameters(SCREEN);
  const connection = useQuery({
    ...reading("GET /w/{workspace}/connection", { workspace: id }, ["connection", id]),
    // Nothing is asked of Meta here: this shows when Meta has asked.
    refetchInterval: 3_000,
  });
  const numbers = useQuery({
    ...reading("GET /w/{workspace}/numbers", { workspace: id }, ["numbers", id]),
    refetchInterval: 5_000,
  });
  if (connection.isPending || numbers.isPending) return <Loading />;
  if (connection.data === undefined) return <Failed error={connection.error} retry={() => void connection.refetch()} />;
  if (numbers.data === undefined) return <Failed error={numbers.error} retry={() => void numbers.refetch()} />;
  const number = numbers.data.find((one) => String(one.id) === opened) ?? null;
  if (opened !== undefined && (number === null || number.network !== "whatsapp")) return <NotFound />;
  const unfinished = numbers.data.filter(({ network, ready }) => network === "whatsapp" && !ready);
  if (number !== null) return <ConnectSteps connection={connection.data} number={number} unfinished={[]} />;
  if (via === "meta") return <ConnectSteps connection={connection.data} number={null} unfinished={unfinished} />;
  return (
    <Page title={strings.title} lead={strings.lead} isNarrow>
      {via === undefined && <Unfinished numbers={unfinished} />}
      {via === "simulator" ? <NewNumber /> : <Choice connection={connection.data} />}
    </Page>
  );
}

function Choice({ connection }: { connection: Connection }) {
  const { id } = useWorkspace();
  const hasDraft = connection.draft !== null;
  const hasSignUp = connection.sign_up !== null;
  return (
    <div className="flex flex-col gap-4">
      {hasSignUp && (
        <Way title={strings.signUp} text={strings.signUpText} keeps={strings.keeps.choice}>
          <SignUpWay connection={connection} />
        </Way>
      )}
      <Way title={strings.meta} text={strings.metaText} keeps={strings.keeps.signsOut}>
        {hasDraft && <Notice tone="grey">{strings.metaBegun}</Notice>}
        <ParameterLink
          screen={SCREEN}
          change={{ via: "meta" }}
          className={buttonClass(hasSignUp && !hasDraft ? "plain" : "primary")}
        >
          {hasDraft ? strings.metaContinue : strings.metaAction}
        </ParameterLink>
      </Way>
      <Way title={strings.simulator} text={strings.simulatorText} keeps={strings.keeps.untouched}>
        <ParameterLink screen={SCREEN} change={{ via: "simulator" }} className={buttonClass("plain")}>
          {strings.simulatorAction}
        </ParameterLink>
      </Way>
      <Way title={strings.provider} text={strings.providerText} keeps={strings.keeps.provider}>
        <Copyable text={numberStrings.addProviderCommand(id)} label={strings.copyCommand} />
      </Way>
      <section aria-label={strings.appTitle} className="mt-4 max-w-[72ch]">
        <h2 className="mb-1 font-semibold">{strings.appTitle}</h2>
        <p className="text-quiet">
          {strings.appText} {hasSignUp ? strings.appBySignUp : strings.appWithoutSignUp}
        </p>
        <p className="mt-2">
          <DocsLink page="whatsapp#by-signing-in-at-meta">{strings.signUpGuide}</DocsLink>
        </p>
      </section>
      <p>
        <Link to="/w/$workspace/numbers" params={{ workspace: String(id) }} className={textLink}>
          {strings.backToNumbers}
        </Link>
      </p>
    </div>
  );
}

interface WayProps {
  title: string;
  text: string;
  /** What becomes of the app on the phone. */
  keeps: string;
  children: ReactNode;
}

function Way({ title, text, keeps, children }: WayProps) {
  return (
    <Card>
      <h2 className="text-section font-semibold">{title}</h2>
      <p className="mt-1 max-w-[72ch] text-quiet">{text}</p>
      <p className="mt-1 mb-4 max-w-[72ch] text-quiet">
        {strings.keepsApp}: <span className="font-semibold text-ink">{keeps}</span>
      </p>
      <div className="flex flex-col items-start gap-3">{children}</div>
    </Card>
  );
}
