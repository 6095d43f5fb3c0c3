/** One broadcast, live: a summary, the funnel, the causes of failures, all recipients; pause, resume and cancel. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { ArrowLeft } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { NotFound } from "../../app/not-found.tsx";
import { ApiError, reading, request } from "../../data/api.ts";
import { isSimulated, useWorkspace } from "../../data/session.ts";
import { Button, textLink } from "../../ui/button.tsx";
import { Chip } from "../../ui/chip.tsx";
import { Copyable } from "../../ui/copy.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { Card, DescriptionList, Page, Section } from "../../ui/page.tsx";
import { formatCount, plural } from "../../ui/plural.ts";
import { Failed, Loading, Notice } from "../../ui/states.tsx";
import { ExactTime } from "../../ui/time.tsx";
import { showToast } from "../../ui/toast.tsx";
import { strings as messageStrings } from "../messages/strings.ts";
import { Causes, Funnel } from "./broadcast-counters.tsx";
import { type BroadcastDetail, broadcastChip, isFinished, pendingCount } from "./broadcast-view.ts";
import { ChangeButton, DuplicateButton } from "./change.tsx";
import { Family, GroupLink, MetaBill } from "./facts.tsx";
import { type Live, useLive } from "./live.ts";
import { Recipients } from "./recipients.tsx";
import { SendAgain } from "./send-again.tsx";
import { strings } from "./strings.ts";
import { WaitNotice } from "./waits.tsx";

export function Screen() {
  const { id } = useWorkspace();
  const { broadcast } = useParams({ from: "/shell/w/$workspace/broadcasts/$broadcast" });
  const detail = useQuery({
    ...reading("GET /w/{workspace}/broadcasts/{id}", { workspace: id, id: broadcast }, ["broadcast", id, broadcast]),
    // Causes require a scan of the recipients, so they are polled slowly; the counters are streamed.
    refetchInterval: ({ state }) => (state.data !== undefined && isFinished(state.data) ? 60_000 : 10_000),
  });
  if (detail.isError && detail.error instanceof ApiError && detail.error.status === 404) return <NotFound />;
  if (detail.data === undefined) {
    return (
      <Page title={strings.title}>
        {detail.isError ? <Failed error={detail.error} retry={() => void detail.refetch()} /> : <Loading />}
      </Page>
    );
  }
  return <Detail detail={detail.data} />;
}

const { bill } = messageStrings;

function Detail({ detail }: { detail: BroadcastDetail }) {
  const workspace = useWorkspace();
  const { id: workspaceId, timezone } = workspace;
  const client = useQueryClient();
  const live = useLive(workspaceId, detail.id, !isFinished(detail));
  // A refetch can bring the end before the stream does, which then closes: its last event is older.
  const shown: BroadcastDetail = isFinished(detail) ? detail : { ...detail, ...live.broadcast };
  const status = useRef(shown.status);
  useEffect(() => {
    if (status.current === shown.status) return;
    status.current = shown.status;
    // After a change of state, causes and recipients differ.
    void client.invalidateQueries({ queryKey: ["broadcast", workspaceId, String(shown.id)] });
    void client.invalidateQueries({ queryKey: ["recipients", workspaceId, shown.id] });
  }, [shown.status, shown.id, workspaceId, client]);
  const { label, tone } = broadcastChip(shown.status);
  const when = (at: string | null) => (at === null ? strings.none : <ExactTime at={at} zone={timezone} />);
  return (
    <Page
      title={shown.name}
      about={strings.title}
      action={hasActions(shown) ? <Actions broadcast={shown} /> : undefined}
    >
      <p className="-mt-4 mb-4">
        <Link
          to="/w/$workspace/broadcasts"
          params={{ workspace: String(workspaceId) }}
          className={`inline-flex min-h-9 items-center gap-1 ${textLink}`}
        >
          <ArrowLeft aria-hidden size={16} />
          {strings.back}
        </Link>
      </p>
      <div className="mb-6 flex flex-wrap items-center gap-3 text-form" aria-live="polite">
        <Chip tone={tone}>{label}</Chip>
        <span className="figures">{sentence(shown, useRate(shown))}</span>
      </div>
      <div className="mb-6 flex flex-wrap gap-3">
        {!isFinished(shown) && <SendAgain broadcast={shown} />}
        <ChangeButton broadcast={shown} />
        <DuplicateButton broadcast={shown} />
      </div>
      {shown.wait !== null && (
        <div className="mb-6">
          <WaitNotice wait={shown.wait} />
        </div>
      )}
      {live.isDisconnected && !isFinished(shown) && <ConnectionLost live={live} />}
      <Funnel broadcast={shown} />
      <Causes broadcast={shown} />
      <Recipients broadcast={shown} />
      <Section title={strings.template}>
        <Card>
          <DescriptionList
            items={[
              [
                strings.template,
                <code
                  key="template"
                  className="font-mono"
                >{`${shown.template.name} (${shown.template.language})`}</code>,
              ],
              [strings.from, shown.from],
              ...(shown.group === null
                ? []
                : [[strings.group, <GroupLink key="group" group={shown.group} />] as const]),
              ...(shown.family.length === 0
                ? []
                : [[strings.family, <Family key="family" family={shown.family} />] as const]),
              [strings.created, when(shown.created_at)],
              ...(shown.send_at === null ? [] : [[strings.startsAt, when(shown.send_at)] as const]),
              [strings.startedAt, when(shown.started_at)],
              [strings.endedAt, when(shown.completed_at)],
              ...(workspace.billing === null && shown.charged === null
                ? []
                : [
                    [
                      strings.charged,
                      shown.charged ?? (isFinished(shown) && shown.settled ? strings.none : strings.notSettledYet),
                    ] as const,
                  ]),
              [
                strings.metaBill,
                isSimulated(workspace, shown.from) ? bill.simulated : <MetaBill key="bill" broadcast={shown} />,
              ],
              [strings.id, <Copyable key="id" text={String(shown.id)} label={strings.copyId} />],
            ]}
          />
        </Card>
      </Section>
    </Page>
  );
}

function ConnectionLost({ live }: { live: Live }) {
  const at = live.at === null ? "" : new Date(live.at).toLocaleTimeString("en-GB");
  return (
    <div className="mb-6">
      <Notice tone="grey">
        {strings.liveLost}
        {at === "" ? "" : ` (${strings.asOf} ${at})`}
      </Notice>
    </div>
  );
}

function sentence(broadcast: BroadcastDetail, rate: number): string {
  const { counts, status, status_reason: reason } = broadcast;
  const people = (count: number) => plural(count, strings.one, strings.other);
  switch (status) {
    case "scheduled":
      return strings.sentence.scheduled;
    case "queueing":
      return strings.sentence.queueing;
    case "running": {
      const left = pendingCount(broadcast);
      const pace = rate < 0.5 ? "" : strings.sentence.rate(formatCount(Math.round(rate)), formatDuration(left / rate));
      const text = strings.sentence.running(formatCount(counts.total - left), people(counts.total), pace);
      return reason === null ? text : `${text} ${reason}.`;
    }
    case "paused":
      return strings.sentence.paused(reason ?? "");
    case "completed":
      return strings.sentence.completed(formatCount(counts.sent), people(counts.total));
    case "cancelled":
      return strings.sentence.cancelled(people(counts.sent));
    case "failed":
      return strings.sentence.failed(reason ?? "");
  }
}

function formatDuration(seconds: number): string {
  if (seconds < 90) return plural(Math.max(1, Math.round(seconds)), "second", "seconds");
  if (seconds < 5_400) return plural(Math.round(seconds / 60), "minute", "minutes");
  return plural(Math.round(seconds / 3_600), "hour", "hours");
}

/** Recipients per second over the last ten seconds; 0 until there are two samples. */
function useRate(broadcast: BroadcastDetail): number {
  const seen = useRef<{ at: number; done: number }[]>([]);
  const done = broadcast.counts.total - pendingCount(broadcast);
  const [rate, setRate] = useState(0);
  useEffect(() => {
    const now = performance.now();
    seen.current = [...seen.current.filter(({ at }) => now - at < 10_000), { at: now, done }];
    const first = seen.current[0];
    if (first !== undefined && now - first.at > 500) setRate(((done - first.done) / (now - first.at)) * 1_000);
  }, [done]);
  return broadcast.status === "running" ? rate : 0;
}

function hasActions(broadcast: BroadcastDetail): boolean {
  return !isFinished(broadcast) || broadcast.counts.failed > 0;
}

type Action = "POST /w/{workspace}/broadcasts/{id}/pause" | "POST /w/{workspace}/broadcasts/{id}/cancel";

function Actions({ broadcast }: { broadcast: BroadcastDetail }) {
  const { id: workspaceId } = useWorkspace();
  const client = useQueryClient();
  const [asking, setAsking] = useState<"pause" | "resume" | "cancel" | null>(null);
  if (isFinished(broadcast)) return <SendAgain broadcast={broadcast} />;
  const { name, counts, status } = broadcast;
  const waiting = plural(pendingCount(broadcast), strings.one, strings.other);
  const told = async (done: string) => {
    showToast(done);
    await client.invalidateQueries({ queryKey: ["broadcast", workspaceId, String(broadcast.id)] });
  };
  const act = (route: Action, done: string) => async (key: string) => {
    await request(route, { workspace: workspaceId, id: broadcast.id }, { key });
    await told(done);
  };
  const close = () => setAsking(null);
  return (
    <>
      {status === "paused" ? (
        <Button tone="primary" onClick={() => setAsking("resume")}>
          {strings.resume}
        </Button>
      ) : (
        <Button onClick={() => setAsking("pause")}>{strings.pause}</Button>
      )}
      <Button tone="danger" onClick={() => setAsking("cancel")}>
        {strings.cancel}
      </Button>
      <Confirm
        isOpen={asking === "pause"}
        title={strings.pauseTitle(name)}
        action={strings.pauseAction}
        cancelLabel={strings.keepSending}
        onClose={close}
        act={act("POST /w/{workspace}/broadcasts/{id}/pause", strings.paused)}
      >
        {strings.pauseText(formatCount(counts.sent), formatCount(pendingCount(broadcast)))}
      </Confirm>
      {asking === "resume" && (
        <Resume broadcast={broadcast} waiting={waiting} onClose={close} onDone={() => told(strings.resumed)} />
      )}
      <Confirm
        isOpen={asking === "cancel"}
        title={strings.cancelTitle(name)}
        action={strings.cancelAction}
        cancelLabel={status === "paused" ? strings.keepPaused : strings.keepSending}
        confirmationText={name}
        onClose={close}
        act={act("POST /w/{workspace}/broadcasts/{id}/cancel", strings.cancelled)}
      >
        {strings.cancelText(waiting)}
      </Confirm>
    </>
  );
}

interface ResumeProps {
  broadcast: BroadcastDetail;
  waiting: string;
  onClose: () => void;
  onDone: () => Promise<void>;
}

/** After a restore with a gap, the user also decides about recipients that may already have the message. */
function Resume({ broadcast, waiting, onClose, onDone }: ResumeProps) {
  const { id } = useWorkspace();
  const [sendUnknown, setSendUnknown] = useState<boolean>();
  const { name, status_reason: reason, may_have_been_sent: unknown } = broadcast;
  return (
    <Confirm
      isOpen
      title={strings.resumeTitle(name)}
      action={strings.resumeAction}
      cancelLabel={strings.keepPaused}
      onClose={onClose}
      act={async (key) => {
        const body = sendUnknown === undefined ? {} : { send_unknown: sendUnknown };
        await request(
          "POST /w/{workspace}/broadcasts/{id}/resume",
          { workspace: id, id: broadcast.id, body },
          // Each decision is a request of its own.
          { key: `${key}-${sendUnknown}` },
        );
        await onDone();
      }}
    >
      {unknown === null ? (
        strings.resumeText(waiting, reason)
      ) : (
        <fieldset className="flex flex-col gap-3">
          <legend className="mb-3">{strings.resumeUnknown(unknown)}</legend>
          {[false, true].map((choice) => (
            <label key={String(choice)} className="flex min-h-9 items-start gap-3 max-mid:min-h-11">
              <input
                type="radio"
                name="send_unknown"
                className="mt-0.5 size-4 accent-accent max-mid:size-5"
                checked={sendUnknown === choice}
                onChange={() => setSendUnknown(choice)}
              />
              {choice ? strings.resumeSendUnknown : strings.resumeFailUnknown}
            </label>
          ))}
        </fieldset>
      )}
    </Confirm>
  );
}
