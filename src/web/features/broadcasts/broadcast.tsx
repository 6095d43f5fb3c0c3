/** One broadcast: a sentence, the funnel, why people failed, everybody in it; paused, resumed and cancelled here. Live. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { ArrowLeft } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { NothingHere } from "../../app/not-found.tsx";
import { ApiError, get, send } from "../../data/api.ts";
import { useWorkspace } from "../../data/session.ts";
import { Button, textLink } from "../../ui/button.tsx";
import { Chip } from "../../ui/chip.tsx";
import { Copyable } from "../../ui/copy.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { Card, Facts, Page, Section } from "../../ui/page.tsx";
import { figure, plural } from "../../ui/plural.ts";
import { Failed, Loading, Notice } from "../../ui/states.tsx";
import { ExactTime } from "../../ui/time.tsx";
import { sayDone } from "../../ui/toast.tsx";
import { Causes, Funnel } from "./broadcast-counters.tsx";
import { type BroadcastDetail, isFinished, statusLook, toGo } from "./broadcast-view.ts";
import { type Live, useLive } from "./live.ts";
import { Recipients } from "./recipients.tsx";
import { SendAgain } from "./send-again.tsx";
import { words } from "./strings.ts";

export function Screen() {
  const { id } = useWorkspace();
  const { broadcast } = useParams({ strict: false }) as { broadcast: string };
  const detail = useQuery({
    queryKey: ["broadcast", id, broadcast],
    queryFn: ({ signal }) => get<BroadcastDetail>(`/w/${id}/broadcasts/${broadcast}`, signal),
    // Causes are a walk over people: looked at now and then, while the figures come by themselves.
    refetchInterval: ({ state }) => (state.data !== undefined && isFinished(state.data) ? 60_000 : 10_000),
  });
  if (detail.isError && detail.error instanceof ApiError && detail.error.status === 404) return <NothingHere />;
  if (detail.data === undefined) {
    return (
      <Page title={words.title}>
        {detail.isError ? <Failed error={detail.error} retry={() => void detail.refetch()} /> : <Loading />}
      </Page>
    );
  }
  return <Detail detail={detail.data} />;
}

function Detail({ detail }: { detail: BroadcastDetail }) {
  const { id: workspaceId, timezone } = useWorkspace();
  const client = useQueryClient();
  const live = useLive(workspaceId, detail.id, !isFinished(detail));
  const shown: BroadcastDetail = live.broadcast === null ? detail : { ...detail, ...live.broadcast };
  const status = useRef(shown.status);
  useEffect(() => {
    if (status.current === shown.status) return;
    status.current = shown.status;
    // Another state has other causes and other people.
    void client.invalidateQueries({ queryKey: ["broadcast", workspaceId, String(shown.id)] });
    void client.invalidateQueries({ queryKey: ["recipients", workspaceId, shown.id] });
  }, [shown.status, shown.id, workspaceId, client]);
  const { word, tone } = statusLook(shown.status);
  const when = (at: string | null) => (at === null ? words.none : <ExactTime at={at} zone={timezone} />);
  return (
    <Page title={shown.name} about={words.title} action={hasActions(shown) ? <Actions broadcast={shown} /> : undefined}>
      <p className="-mt-4 mb-4">
        <Link
          to={"/w/$workspace/broadcasts" as never}
          params={{ workspace: String(workspaceId) } as never}
          className={`inline-flex min-h-9 items-center gap-1 ${textLink}`}
        >
          <ArrowLeft aria-hidden size={16} />
          {words.back}
        </Link>
      </p>
      <div className="mb-6 flex flex-wrap items-center gap-3 text-form" aria-live="polite">
        <Chip tone={tone}>{word}</Chip>
        <span className="figures">{sentence(shown, useRate(shown))}</span>
      </div>
      {live.isLost && !isFinished(shown) && <Lost live={live} />}
      <Funnel broadcast={shown} />
      <Causes broadcast={shown} />
      <Recipients broadcast={shown} />
      <Section title={words.template}>
        <Card>
          <Facts
            facts={[
              [
                words.template,
                <code
                  key="template"
                  className="font-mono"
                >{`${shown.template.name} (${shown.template.language})`}</code>,
              ],
              [words.from, shown.from],
              [words.made, when(shown.created_at)],
              ...(shown.send_at === null ? [] : [[words.startsAt, when(shown.send_at)] as const]),
              [words.startedAt, when(shown.started_at)],
              [words.endedAt, when(shown.completed_at)],
              [words.charged, shown.charged ?? (isFinished(shown) ? words.none : words.notYet)],
              [words.id, <Copyable key="id" text={String(shown.id)} label={words.copyId} />],
            ]}
          />
        </Card>
      </Section>
    </Page>
  );
}

function Lost({ live }: { live: Live }) {
  const at = live.at === null ? "" : new Date(live.at).toLocaleTimeString("en-GB");
  return (
    <div className="mb-6">
      <Notice tone="grey">
        {words.liveLost}
        {at === "" ? "" : ` (${words.asOf} ${at})`}
      </Notice>
    </div>
  );
}

function sentence(broadcast: BroadcastDetail, rate: number): string {
  const { counts, status, status_reason: reason } = broadcast;
  const people = (count: number) => plural(count, words.one, words.other);
  switch (status) {
    case "scheduled":
      return words.sentence.scheduled;
    case "queueing":
      return words.sentence.queueing;
    case "running": {
      const left = toGo(broadcast);
      const pace = rate < 0.5 ? "" : words.sentence.rate(figure(Math.round(rate)), inWords(left / rate));
      const text = words.sentence.running(figure(counts.total - left), people(counts.total), pace);
      return reason === null ? text : `${text} ${reason}.`;
    }
    case "paused":
      return words.sentence.paused(reason ?? "");
    case "completed":
      return words.sentence.completed(figure(counts.sent), people(counts.total));
    case "cancelled":
      return words.sentence.cancelled(people(counts.sent));
    case "failed":
      return words.sentence.failed(reason ?? "");
  }
}

function inWords(seconds: number): string {
  if (seconds < 90) return plural(Math.max(1, Math.round(seconds)), "second", "seconds");
  if (seconds < 5_400) return plural(Math.round(seconds / 60), "minute", "minutes");
  return plural(Math.round(seconds / 3_600), "hour", "hours");
}

/** People a second over the last ten seconds of figures; 0 until there are two. */
function useRate(broadcast: BroadcastDetail): number {
  const seen = useRef<{ at: number; done: number }[]>([]);
  const done = broadcast.counts.total - toGo(broadcast);
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

function Actions({ broadcast }: { broadcast: BroadcastDetail }) {
  const { id: workspaceId } = useWorkspace();
  const client = useQueryClient();
  const [asking, setAsking] = useState<"pause" | "resume" | "cancel" | null>(null);
  if (isFinished(broadcast)) return <SendAgain broadcast={broadcast} />;
  const { name, counts, status } = broadcast;
  const waiting = plural(toGo(broadcast), words.one, words.other);
  const act = (path: string, done: string) => async (key: string) => {
    await send("POST", `/w/${workspaceId}${path}`, {}, key);
    sayDone(done);
    await client.invalidateQueries({ queryKey: ["broadcast", workspaceId, String(broadcast.id)] });
  };
  const close = () => setAsking(null);
  const own = `/broadcasts/${broadcast.id}`;
  return (
    <>
      {status === "paused" ? (
        <Button tone="primary" onClick={() => setAsking("resume")}>
          {words.resume}
        </Button>
      ) : (
        <Button onClick={() => setAsking("pause")}>{words.pause}</Button>
      )}
      <Button tone="danger" onClick={() => setAsking("cancel")}>
        {words.cancel}
      </Button>
      <Confirm
        isOpen={asking === "pause"}
        title={words.pauseTitle(name)}
        action={words.pauseAction}
        keep={words.keepSending}
        onClose={close}
        act={act(`${own}/pause`, words.paused)}
      >
        {words.pauseText(figure(counts.sent), figure(toGo(broadcast)))}
      </Confirm>
      <Confirm
        isOpen={asking === "resume"}
        title={words.resumeTitle(name)}
        action={words.resumeAction}
        keep={words.keepPaused}
        onClose={close}
        act={act(`${own}/resume`, words.resumed)}
      >
        {words.resumeText(waiting, broadcast.status_reason)}
      </Confirm>
      <Confirm
        isOpen={asking === "cancel"}
        title={words.cancelTitle(name)}
        action={words.cancelAction}
        keep={status === "paused" ? words.keepPaused : words.keepSending}
        typeToGoOn={name}
        onClose={close}
        act={act(`/v1${own}/cancel`, words.cancelled)}
      >
        {words.cancelText(waiting)}
      </Confirm>
    </>
  );
}
