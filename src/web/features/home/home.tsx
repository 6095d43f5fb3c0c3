/** Until the first delivery: the steps to it, which tick themselves. After: what needs somebody, and what is under way. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Check, Circle } from "lucide-react";
import type { ReactNode } from "react";
import { get } from "../../data/api.ts";
import { mayOwn, useWorkspace, type Workspace, workspaceQuery } from "../../data/session.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { Chip } from "../../ui/chip.tsx";
import { CodeBlock, Copyable } from "../../ui/copy.tsx";
import { Card, Page, Section } from "../../ui/page.tsx";
import { Failed, Loading } from "../../ui/states.tsx";
import { Time } from "../../ui/time.tsx";
import { ProgressBar } from "../broadcasts/broadcast-counters.tsx";
import { type Broadcast, statusLook } from "../broadcasts/broadcast-view.ts";
import {
  addNumberCommand,
  type CommandTemplate,
  commandContext,
  sendMessageCommand,
} from "../developer/printed-commands.ts";
import { words } from "./strings.ts";
import { Today } from "./today.tsx";

interface HomeView {
  has_key: boolean;
  has_sent: boolean;
  has_delivered_events: boolean;
  exhausted_deliveries: number;
  last_delivered_at: string | null;
  template: CommandTemplate | null;
  broadcasts: Broadcast[];
}

export function Home() {
  const workspace = useWorkspace();
  const home = useQuery({
    queryKey: ["home", workspace.id],
    queryFn: ({ signal }) => get<HomeView>(`/w/${workspace.id}/home`, signal),
    // The steps tick themselves while somebody follows them elsewhere.
    refetchInterval: (query) => (query.state.data?.has_delivered_events === true ? 60_000 : 5_000),
  });
  // A number may be added, or become ready, on the command line or by the network.
  useQuery({ ...workspaceQuery(workspace.id), staleTime: 0, refetchInterval: 5_000 });
  return (
    <Page title={words.title} about={workspace.name} lead={workspace.name} isNarrow>
      {home.isPending && <Loading />}
      {home.isError && <Failed error={home.error} retry={() => void home.refetch()} />}
      {home.data !== undefined && <Content workspace={workspace} home={home.data} />}
    </Page>
  );
}

function Content({ workspace, home }: { workspace: Workspace; home: HomeView }) {
  const hasBegun = home.has_sent && home.has_delivered_events;
  return (
    <>
      <NeedsYou workspace={workspace} home={home} hasBegun={hasBegun} />
      <UnderWay workspace={workspace} broadcasts={home.broadcasts} />
      {home.has_sent && <Today workspace={workspace} isQuiet={false} />}
      {!hasBegun && <Steps workspace={workspace} home={home} />}
      {!home.has_sent && <Today workspace={workspace} isQuiet />}
    </>
  );
}

/** What is not finished, each with how far it is. */
function UnderWay({ workspace, broadcasts }: { workspace: Workspace; broadcasts: Broadcast[] }) {
  if (broadcasts.length === 0) return null;
  return (
    <Section title={words.broadcastsTitle}>
      <ul className="rounded-panel border border-line bg-surface">
        {broadcasts.map((broadcast) => {
          const { word, tone } = statusLook(broadcast.status);
          return (
            <li key={broadcast.id} className="border-b border-line last:border-b-0">
              <Link
                to={"/w/$workspace/broadcasts/$broadcast" as never}
                params={{ workspace: String(workspace.id), broadcast: String(broadcast.id) } as never}
                className="flex min-h-11 flex-wrap items-center justify-between gap-3 px-4 py-2 text-ink no-underline hover:bg-sunken"
              >
                <span className="font-semibold">{broadcast.name}</span>
                <span className="flex items-center gap-3">
                  {broadcast.status !== "scheduled" && <ProgressBar broadcast={broadcast} />}
                  <Chip tone={tone}>{word}</Chip>
                </span>
              </Link>
            </li>
          );
        })}
      </ul>
    </Section>
  );
}

function NeedsYou({ workspace, home, hasBegun }: { workspace: Workspace; home: HomeView; hasBegun: boolean }) {
  const params = { workspace: String(workspace.id) } as never;
  const needs: { text: string; action?: ReactNode }[] = workspace.numbers
    .filter(({ ready }) => !ready)
    .slice(0, 4)
    .map(({ phone }) => ({ text: words.needsNumber(phone) }));
  if (home.exhausted_deliveries > 0) {
    needs.push({
      text: words.needsDeliveries(home.exhausted_deliveries),
      action: (
        <ButtonLink
          small
          to={"/w/$workspace/deliveries" as never}
          params={params}
          search={{ status: "exhausted" } as never}
        >
          {words.needsDeliveriesAction}
        </ButtonLink>
      ),
    });
  }
  if (needs.length === 0) {
    if (!hasBegun) return null;
    return (
      <p className="mb-6 flex flex-wrap items-center gap-2 text-form">
        <Chip tone="green">{words.quietTitle}</Chip>
        {home.last_delivered_at !== null && (
          <span>
            {words.quietLast} <Time at={home.last_delivered_at} zone={workspace.timezone} />.
          </span>
        )}
      </p>
    );
  }
  return (
    <Section title={words.needsTitle}>
      <ul className="rounded-panel border border-line bg-surface">
        {needs.map(({ text, action }) => (
          <li
            key={text}
            className="flex flex-wrap items-center justify-between gap-3 border-b border-line px-4 py-3 last:border-b-0"
          >
            <span>{text}</span>
            {action}
          </li>
        ))}
      </ul>
    </Section>
  );
}

function Steps({ workspace, home }: { workspace: Workspace; home: HomeView }) {
  const ready = workspace.numbers.find((number) => number.ready);
  const some = workspace.numbers[0];
  const params = { workspace: String(workspace.id) } as never;
  const owns = mayOwn(workspace);
  const steps: { title: string; isDone: boolean; done: string; todo: ReactNode }[] = [
    {
      title: words.number,
      isDone: ready !== undefined,
      done: words.numberReady(ready?.phone ?? ""),
      todo:
        some === undefined && owns ? (
          <>
            <p>{words.numberNone}</p>
            <ButtonLink tone="primary" small to={"/w/$workspace/numbers" as never} params={params}>
              {words.numberAction}
            </ButtonLink>
          </>
        ) : some === undefined ? (
          <>
            <p>{words.numberNoneMember}</p>
            <Copyable text={addNumberCommand({ workspaceId: workspace.id })} label={words.copyCurl} />
          </>
        ) : (
          <p>{words.numberNotReady(some.phone)}</p>
        ),
    },
    {
      title: words.key,
      isDone: home.has_key,
      done: words.keyDone,
      todo: (
        <>
          <p>{words.keyText}</p>
          {owns && (
            <ButtonLink tone="primary" small to={"/w/$workspace/api" as never} params={params}>
              {words.keyAction}
            </ButtonLink>
          )}
        </>
      ),
    },
    {
      title: words.send,
      isDone: home.has_sent,
      done: words.sendDone,
      todo:
        home.template === null ? (
          <>
            <p>{words.sendNoTemplate}</p>
            <Copyable text={words.templateCommand(workspace.id)} label={words.copyCurl} />
          </>
        ) : (
          <>
            <p>{words.sendText}</p>
            <CodeBlock
              text={sendMessageCommand(commandContext(location.origin, workspace, home.template))}
              label={words.send}
              copyLabel={words.copyCurl}
            />
          </>
        ),
    },
    {
      title: words.webhook,
      isDone: home.has_delivered_events,
      done: words.webhookDone,
      todo: (
        <>
          <p>{words.webhookText}</p>
          {owns && (
            <ButtonLink small to={"/w/$workspace/api" as never} params={params} hash="webhook">
              {words.webhookAction}
            </ButtonLink>
          )}
        </>
      ),
    },
  ];
  const doneCount = steps.filter(({ isDone }) => isDone).length;
  return (
    <Section title={words.beginTitle} lead={`${words.beginLead} ${words.stepsDone(doneCount, steps.length)}.`}>
      <Card>
        <ol className="flex flex-col gap-6">
          {steps.map(({ title, isDone, done, todo }) => (
            <li key={title} className="flex gap-3">
              {isDone ? (
                <Check role="img" aria-label={words.done} size={20} className="mt-0.5 shrink-0 text-green" />
              ) : (
                <Circle role="img" aria-label={words.open} size={20} className="mt-0.5 shrink-0 text-quiet" />
              )}
              <div className="flex min-w-0 flex-1 flex-col items-start gap-2 [&>*]:max-w-full">
                <h3 className="text-form font-semibold">{title}</h3>
                {isDone ? <p className="text-quiet">{done}</p> : todo}
              </div>
            </li>
          ))}
        </ol>
      </Card>
    </Section>
  );
}
