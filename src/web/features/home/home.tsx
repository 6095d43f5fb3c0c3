/**
 * Home: problems, active broadcasts and today's counters. Until a first message and a first event have been delivered,
 * also the onboarding steps, which complete by themselves.
 */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Check, Circle } from "lucide-react";
import type { ReactNode } from "react";
import { type Output, request } from "../../data/api.ts";
import { may, useWorkspace, type Workspace, workspaceQuery } from "../../data/session.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Chip } from "../../ui/chip.tsx";
import { Copyable } from "../../ui/copy.tsx";
import { Card, Page, Section } from "../../ui/page.tsx";
import { Loaded, Notice } from "../../ui/states.tsx";
import { Time } from "../../ui/time.tsx";
import { ProgressBar } from "../broadcasts/broadcast-counters.tsx";
import { type Broadcast, broadcastChip } from "../broadcasts/broadcast-view.ts";
import { OwnNumberCommand } from "../developer/own-number-command.tsx";
import { addNumberCommand, commandContext, sendMessageCommand } from "../developer/printed-commands.ts";
import { strings } from "./strings.ts";
import { Today } from "./today.tsx";

type HomeView = Output<"GET /w/{workspace}/home">;

export function Screen() {
  const workspace = useWorkspace();
  const home = useQuery({
    queryKey: ["home", workspace.id],
    queryFn: ({ signal }) => request("GET /w/{workspace}/home", { workspace: workspace.id }, { signal }),
    // The user completes the steps elsewhere, so they are polled.
    refetchInterval: (query) => (query.state.data?.has_delivered_events === true ? 60_000 : 5_000),
  });
  // A number may be added or become ready from the command line or by the network.
  useQuery({ ...workspaceQuery(workspace.id), staleTime: 0, refetchInterval: 5_000 });
  return (
    <Page title={strings.title} about={workspace.name} lead={workspace.name} isNarrow>
      <Loaded query={home}>{(data) => <Content workspace={workspace} home={data} />}</Loaded>
    </Page>
  );
}

function Content({ workspace, home }: { workspace: Workspace; home: HomeView }) {
  const isOnboarded = home.has_sent && home.has_delivered_events;
  return (
    <>
      {workspace.has_news && <News workspace={workspace} />}
      <ActionsNeeded workspace={workspace} home={home} isOnboarded={isOnboarded} />
      <ActiveBroadcasts workspace={workspace} broadcasts={home.broadcasts} />
      {home.has_sent && <Today workspace={workspace} isHiddenWhenEmpty={false} />}
      {!isOnboarded && <OnboardingSteps workspace={workspace} home={home} />}
      {!home.has_sent && <Today workspace={workspace} isHiddenWhenEmpty />}
    </>
  );
}

/** What an upgrade changed for the workspace's people. It is shown until the owner has read it. */
function News({ workspace: { id } }: { workspace: Workspace }) {
  const client = useQueryClient();
  const close = useMutation({
    mutationFn: () => request("POST /w/{workspace}/news/read", { workspace: id }),
    onSuccess: () => client.invalidateQueries({ queryKey: workspaceQuery(id).queryKey }),
  });
  return (
    <div className="mb-6">
      <Notice>
        <p>{strings.newsOfRoles}</p>
        <Button small className="mt-2" disabled={close.isPending} onClick={() => close.mutate()}>
          {strings.newsRead}
        </Button>
      </Notice>
    </div>
  );
}

/** Unfinished broadcasts with their progress. */
function ActiveBroadcasts({ workspace, broadcasts }: { workspace: Workspace; broadcasts: Broadcast[] }) {
  if (broadcasts.length === 0) return null;
  return (
    <Section title={strings.broadcastsTitle}>
      <ul className="rounded-panel border border-line bg-surface">
        {broadcasts.map((broadcast) => {
          const { label, tone } = broadcastChip(broadcast.status);
          return (
            <li key={broadcast.id} className="border-b border-line last:border-b-0">
              <Link
                to="/w/$workspace/broadcasts/$broadcast"
                params={{ workspace: String(workspace.id), broadcast: String(broadcast.id) }}
                className="flex min-h-11 flex-wrap items-center justify-between gap-3 px-4 py-2 text-ink no-underline hover:bg-sunken"
              >
                <span className="font-semibold">{broadcast.name}</span>
                <span className="flex items-center gap-3">
                  {broadcast.status !== "scheduled" && <ProgressBar broadcast={broadcast} />}
                  <Chip tone={tone}>{label}</Chip>
                </span>
              </Link>
            </li>
          );
        })}
      </ul>
    </Section>
  );
}

function ActionsNeeded({
  workspace,
  home,
  isOnboarded,
}: {
  workspace: Workspace;
  home: HomeView;
  isOnboarded: boolean;
}) {
  const params = { workspace: String(workspace.id) };
  const needs: { text: string; action?: ReactNode }[] = workspace.numbers
    .filter(({ ready }) => !ready)
    .slice(0, 4)
    .map(({ phone }) => ({ text: strings.needsNumber(phone) }));
  if (home.exhausted_deliveries > 0) {
    needs.push({
      text: strings.needsDeliveries(home.exhausted_deliveries),
      action: (
        <ButtonLink small to="/w/$workspace/deliveries" params={params} search={{ status: "exhausted" }}>
          {strings.needsDeliveriesAction}
        </ButtonLink>
      ),
    });
  }
  if (needs.length === 0) {
    if (!isOnboarded) return null;
    return (
      <p className="mb-6 flex flex-wrap items-center gap-2 text-form">
        <Chip tone="green">{strings.quietTitle}</Chip>
        {home.last_delivered_at !== null && (
          <span>
            {strings.quietLast} <Time at={home.last_delivered_at} zone={workspace.timezone} />.
          </span>
        )}
      </p>
    );
  }
  return (
    <Section title={strings.needsTitle}>
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

function OnboardingSteps({ workspace, home }: { workspace: Workspace; home: HomeView }) {
  const { template } = home;
  const ready = workspace.numbers.find((number) => number.ready);
  const firstNumber = workspace.numbers[0];
  const params = { workspace: String(workspace.id) };
  const isOwner = may(workspace, "manage");
  const steps: { title: string; isDone: boolean; done: string; todo: ReactNode }[] = [
    {
      title: strings.number,
      isDone: ready !== undefined,
      done: strings.numberReady(ready?.phone ?? ""),
      todo:
        firstNumber === undefined && isOwner ? (
          <>
            <p>{strings.numberNone}</p>
            <ButtonLink tone="primary" small to="/w/$workspace/numbers/connect" params={params}>
              {strings.numberAction}
            </ButtonLink>
          </>
        ) : firstNumber === undefined ? (
          <>
            <p>{strings.numberNoneMember}</p>
            <Copyable text={addNumberCommand({ workspaceId: workspace.id })} label={strings.copyCurl} />
          </>
        ) : (
          <p>{strings.numberNotReady(firstNumber.phone)}</p>
        ),
    },
    {
      title: strings.key,
      isDone: home.has_key,
      done: strings.keyDone,
      todo: (
        <>
          <p>{strings.keyText}</p>
          {isOwner && (
            <ButtonLink tone="primary" small to="/w/$workspace/api" params={params}>
              {strings.keyAction}
            </ButtonLink>
          )}
        </>
      ),
    },
    {
      title: strings.send,
      isDone: home.has_sent,
      done: strings.sendDone,
      todo:
        template === null ? (
          <>
            <p>{strings.sendNoTemplate}</p>
            <Copyable text={strings.templateCommand(workspace.id)} label={strings.copyCurl} />
          </>
        ) : (
          <>
            <p>{strings.sendText}</p>
            <OwnNumberCommand
              make={(own) => sendMessageCommand(commandContext(location.origin, workspace, template), own)}
              label={strings.send}
            />
          </>
        ),
    },
    {
      title: strings.webhook,
      isDone: home.has_delivered_events,
      done: strings.webhookDone,
      todo: (
        <>
          <p>{strings.webhookText}</p>
          {isOwner && (
            <ButtonLink small to="/w/$workspace/api" params={params} hash="webhook">
              {strings.webhookAction}
            </ButtonLink>
          )}
        </>
      ),
    },
  ];
  const doneCount = steps.filter(({ isDone }) => isDone).length;
  return (
    <Section
      title={strings.onboardingTitle}
      lead={`${strings.onboardingLead} ${strings.stepsDone(doneCount, steps.length)}.`}
    >
      <Card>
        <ol className="flex flex-col gap-6">
          {steps.map(({ title, isDone, done, todo }) => (
            <li key={title} className="flex gap-3">
              {isDone ? (
                <Check role="img" aria-label={strings.done} size={20} className="mt-0.5 shrink-0 text-green" />
              ) : (
                <Circle role="img" aria-label={strings.open} size={20} className="mt-0.5 shrink-0 text-quiet" />
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
