/**
 * Home: who waits, what runs, what failed and why, what a person has to act on, today beside the same weekday a week ago; until
 * they are done, the first steps.
 */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useEffect, useRef } from "react";
import { reading, request } from "../../data/api.ts";
import { unreadQuery, useWorkspace, type Workspace, workspaceQuery } from "../../data/session.ts";
import { Button, ButtonLink, textLink } from "../../ui/button.tsx";
import { Chip } from "../../ui/chip.tsx";
import { Page, Section } from "../../ui/page.tsx";
import { formatCount, plural } from "../../ui/plural.ts";
import { Loaded, Notice } from "../../ui/states.tsx";
import { Length, Time } from "../../ui/time.tsx";
import { ProgressBar } from "../broadcasts/broadcast-counters.tsx";
import { type Broadcast, broadcastChip, pendingCount } from "../broadcasts/broadcast-view.ts";
import { useLive } from "../broadcasts/live.ts";
import { conditionsToShow, type HomeView, isQuiet, isUnderWay, type TodayView } from "./attention.ts";
import { Failures } from "./failures.tsx";
import { FirstSteps } from "./first-steps.tsx";
import { strings } from "./strings.ts";
import { Today, useToday } from "./today.tsx";

export function Screen() {
  const workspace = useWorkspace();
  const home = useQuery({
    ...reading("GET /w/{workspace}/home", { workspace: workspace.id }, ["home", workspace.id]),
    // The user completes the steps elsewhere, so they are polled.
    refetchInterval: (query) => (query.state.data?.has_delivered_events === true ? 60_000 : 5_000),
  });
  // A number may be added or become ready from the command line or by the network.
  useQuery({ ...workspaceQuery(workspace.id), staleTime: 0, refetchInterval: 5_000 });
  const today = useToday(workspace);
  useFollowing(workspace, today.data);
  return (
    <Page title={strings.title} about={workspace.name} lead={workspace.name} isNarrow>
      <Loaded query={home}>
        {(data) => (
          <Content workspace={workspace} home={data} today={today.isError ? undefined : today.data}>
            <Today workspace={workspace} today={today} />
          </Content>
        )}
      </Loaded>
    </Page>
  );
}

/** Reads Home again when what the shell and today's counters ask for anyway has changed: people wrote, or messages went. */
function useFollowing({ id }: Workspace, today: TodayView | undefined): void {
  const client = useQueryClient();
  const { data: unread } = useQuery({ ...unreadQuery(id), refetchInterval: false });
  const seen = useRef<string>(undefined);
  const present = unread === undefined || today === undefined ? undefined : JSON.stringify([unread, today]);
  useEffect(() => {
    if (present === undefined) return;
    if (seen.current !== undefined && seen.current !== present) {
      void client.invalidateQueries({ queryKey: ["home", id] });
    }
    seen.current = present;
  }, [client, id, present]);
}

interface ContentProps {
  workspace: Workspace;
  home: HomeView;
  today: TodayView | undefined;
  /** Today's counters. */
  children: ReactNode;
}

function Content({ workspace, home, today, children }: ContentProps) {
  const hasUse = home.has_broadcast || home.last_delivered_at !== null || (today?.received.messages ?? 0) > 0;
  return (
    <>
      {workspace.has_news && <News workspace={workspace} />}
      {home.waiting.people > 0 && <Waiting workspace={workspace} waiting={home.waiting} />}
      {isQuiet({ workspace, home, today }) && <Quiet workspace={workspace} at={home.last_delivered_at} />}
      <Broadcasts workspace={workspace} broadcasts={home.broadcasts} />
      {today !== undefined && <Failures workspace={workspace} today={today} />}
      <Needs workspace={workspace} home={home} />
      {hasUse && children}
      <FirstSteps workspace={workspace} home={home} />
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

/** The button opens who has waited longest; the link lists all of them. */
function Waiting({ workspace, waiting }: { workspace: Workspace; waiting: HomeView["waiting"] }) {
  const { people, is_more: isMore, longest } = waiting;
  const params = { workspace: String(workspace.id) };
  return (
    <section
      aria-label={strings.waitingTitle}
      className="mb-8 flex flex-wrap items-center justify-between gap-4 rounded-panel border border-line bg-surface p-4 mid:p-6"
    >
      <div className="min-w-0">
        <h2 className="text-section font-semibold">
          {isMore
            ? strings.waitingMore(formatCount(people))
            : strings.waiting(plural(people, "person waits", "people wait"))}
          {longest !== null && (
            <>
              {people === 1 ? strings.waitingFor : isMore ? strings.waitingSomeFor : strings.waitingLongestFor}
              <Length since={longest.since} zone={workspace.timezone} />
            </>
          )}
        </h2>
        <p className="flex flex-wrap items-center gap-x-4 text-quiet">
          {longest !== null && <span className="min-w-0 break-words">{strings.waitingFirst(longest.name)}</span>}
          <Link
            to="/w/$workspace/inbox"
            params={params}
            search={{ show: "waiting" }}
            className={`inline-flex items-center max-mid:min-h-11 ${textLink}`}
          >
            {strings.waitingAll}
          </Link>
        </p>
      </div>
      {longest !== null && (
        <ButtonLink
          tone="primary"
          to="/w/$workspace/inbox"
          params={params}
          search={{ show: "waiting", person: String(longest.contact_id) }}
        >
          {strings.waitingOpen}
        </ButtonLink>
      )}
    </section>
  );
}

function Quiet({ workspace, at }: { workspace: Workspace; at: string | null }) {
  return (
    <p className="mb-8 flex flex-wrap items-center gap-2 text-form">
      <Chip tone="green">{strings.quietTitle}</Chip>
      {at !== null && (
        <span>
          {strings.quietLast} <Time at={at} zone={workspace.timezone} />.
        </span>
      )}
    </p>
  );
}

/** Unfinished broadcasts with their progress. The first that is under way changes in place, as on its own page. */
function Broadcasts({ workspace, broadcasts }: { workspace: Workspace; broadcasts: Broadcast[] }) {
  const client = useQueryClient();
  const first = broadcasts.find(({ status }) => status === "running" || status === "queueing");
  const live = useLive(workspace.id, first?.id ?? 0, first !== undefined).broadcast;
  const hasEnded = live !== null && live.id === first?.id && live.status !== first.status;
  useEffect(() => {
    if (hasEnded) void client.invalidateQueries({ queryKey: ["home", workspace.id] });
  }, [client, workspace.id, hasEnded]);
  const present = broadcasts.map((broadcast) => (live?.id === broadcast.id ? live : broadcast));
  const groups = [
    { title: strings.broadcastsTitle, rows: present.filter(isUnderWay) },
    { title: strings.scheduledTitle, rows: present.filter((broadcast) => !isUnderWay(broadcast)) },
  ];
  return groups.map(
    ({ title, rows }) =>
      rows.length > 0 && (
        <Section key={title} title={title}>
          <ul className="rounded-panel border border-line bg-surface">
            {rows.map((broadcast) => (
              <BroadcastRow key={broadcast.id} workspace={workspace} broadcast={broadcast} />
            ))}
          </ul>
        </Section>
      ),
  );
}

function BroadcastRow({ workspace, broadcast }: { workspace: Workspace; broadcast: Broadcast }) {
  const { id, name, status, status_reason: reason, counts, send_at: sendAt } = broadcast;
  const { label, tone } = broadcastChip(status);
  const done = formatCount(counts.total - pendingCount(broadcast));
  return (
    <li className="border-b border-line last:border-b-0">
      <Link
        to="/w/$workspace/broadcasts/$broadcast"
        params={{ workspace: String(workspace.id), broadcast: String(id) }}
        className="flex min-h-11 flex-wrap items-center justify-between gap-x-3 gap-y-1 px-4 py-2 text-ink no-underline hover:bg-sunken"
      >
        <span className="min-w-0">
          <span className="block font-semibold break-words">{name}</span>
          {reason !== null && <span className="block text-quiet">{reason}</span>}
        </span>
        <span className="flex flex-wrap items-center gap-3">
          {status === "scheduled"
            ? sendAt !== null && <Time at={sendAt} zone={workspace.timezone} />
            : counts.total > 0 && (
                <>
                  <span className="figures text-quiet">{strings.progress(done, formatCount(counts.total))}</span>
                  <ProgressBar broadcast={broadcast} />
                </>
              )}
          <Chip tone={tone}>{label}</Chip>
        </span>
      </Link>
    </li>
  );
}

/** What a person has to act on: numbers, deliveries, and what the server has found. */
function Needs({ workspace, home }: { workspace: Workspace; home: HomeView }) {
  const params = { workspace: String(workspace.id) };
  const needs: { key: string; text: string; next?: string; action?: ReactNode }[] = workspace.numbers
    .filter(({ ready }) => !ready)
    .slice(0, 4)
    .map(({ phone }) => ({
      key: phone,
      text: strings.needsNumber(phone),
      action: (
        <ButtonLink small to="/w/$workspace/numbers" params={params}>
          {strings.needsNumberAction}
        </ButtonLink>
      ),
    }));
  if (home.exhausted_deliveries > 0) {
    needs.push({
      key: "deliveries",
      text: strings.needsDeliveries(home.exhausted_deliveries),
      action: (
        <ButtonLink small to="/w/$workspace/deliveries" params={params} search={{ status: "exhausted" }}>
          {strings.needsDeliveriesAction}
        </ButtonLink>
      ),
    });
  }
  needs.push(...conditionsToShow(home).map(({ id, says, next }) => ({ key: id, text: says, next })));
  if (needs.length === 0) return null;
  return (
    <Section title={strings.needsTitle}>
      <ul className="rounded-panel border border-line bg-surface">
        {needs.map(({ key, text, next, action }) => (
          <li
            key={key}
            className="flex flex-wrap items-center justify-between gap-3 border-b border-line px-4 py-3 last:border-b-0"
          >
            <span className="min-w-0">
              <span className="block break-words">{text}</span>
              {next !== undefined && next !== "" && <span className="block text-quiet">{next}</span>}
            </span>
            {action}
          </li>
        ))}
      </ul>
    </Section>
  );
}
