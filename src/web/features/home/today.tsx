/**
 * Today's counters, messages sent alone and in broadcasts together, and inbound messages, beside those of the same weekday
 * a week ago at this time of day. The failed count links to exactly the failed messages.
 */
import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { reading } from "../../data/api.ts";
import type { Workspace } from "../../data/session.ts";
import { textLink } from "../../ui/button.tsx";
import { Chip, type ChipTone } from "../../ui/chip.tsx";
import { Section } from "../../ui/page.tsx";
import { formatCount, plural, share } from "../../ui/plural.ts";
import { Failed } from "../../ui/states.tsx";
import type { TodayView } from "./attention.ts";
import { strings } from "./strings.ts";

type CounterName = "sent" | "delivered" | "read" | "failed" | "unknown";
type Counters = Record<CounterName, number>;

const NO_COUNTS: Counters = { sent: 0, delivered: 0, read: 0, failed: 0, unknown: 0 };
const NOTHING: TodayView = {
  since: "",
  single: NO_COUNTS,
  broadcast: { ...NO_COUNTS, begun: 0 },
  received: { messages: 0, people: 0 },
  week_ago: null,
  failures: [],
  broadcast_failures: [],
};

const TONES: Readonly<Partial<Record<CounterName, ChipTone>>> = { failed: "red", unknown: "violet" };

export function useToday({ id }: Workspace): UseQueryResult<TodayView> {
  return useQuery({
    ...reading("GET /w/{workspace}/today", { workspace: id }, ["today", id]),
    refetchInterval: 15_000,
  });
}

export function Today({ workspace, today }: { workspace: Workspace; today: UseQueryResult<TodayView> }) {
  if (today.isError) {
    return (
      <Section title={strings.today}>
        <Failed error={today.error} retry={() => void today.refetch()} />
      </Section>
    );
  }
  // Reserve the space before the counters arrive, so that the page does not jump.
  const { single, broadcast, received, week_ago: weekAgo } = today.data ?? NOTHING;
  const params = { workspace: String(workspace.id) };
  const sum = (name: CounterName) => single[name] + broadcast[name];
  const names: CounterName[] = [
    "sent",
    "delivered",
    "read",
    "failed",
    ...(sum("unknown") > 0 ? (["unknown"] as const) : []),
  ];
  const shareOfSent = (name: CounterName) =>
    (name === "delivered" || name === "read") && sum("sent") > 0 ? share(sum(name), sum("sent")) : null;
  return (
    <Section
      title={strings.today}
      lead={
        <>
          {strings.todayLead(workspace.timezone)}
          {weekAgo !== null && ` ${strings.weekAgoLead(...weekdayAndTime(weekAgo.until, workspace.timezone))}`}
        </>
      }
    >
      <dl
        aria-busy={today.data === undefined}
        className={`grid grid-cols-2 gap-3 mid:grid-cols-3 ${today.data === undefined ? "invisible" : ""}`}
      >
        {names.map((name) => (
          <Card
            key={name}
            label={strings.counters[name]}
            tone={sum(name) > 0 ? TONES[name] : undefined}
            count={sum(name)}
            {...(weekAgo === null || name === "unknown" ? {} : { before: weekAgo[name] })}
          >
            {shareOfSent(name) !== null && (
              <span className="block">{strings.shareOfSent(shareOfSent(name) ?? "")}</span>
            )}
            {(name === "failed" || name === "unknown") && single[name] > 0 && (
              <Link
                to="/w/$workspace/messages"
                params={params}
                search={{ status: name, day: "today" }}
                className={textLink}
              >
                {strings.single(formatCount(single[name]))}
              </Link>
            )}
            {name === "sent" && <span className="block">{strings.single(formatCount(single.sent))}</span>}
            {(name === "sent" || broadcast[name] > 0) && name !== "delivered" && name !== "read" && (
              <span className="block">{strings.inBroadcasts(formatCount(broadcast[name]))}</span>
            )}
          </Card>
        ))}
        <Card
          label={strings.received}
          count={received.messages}
          {...(weekAgo === null ? {} : { before: weekAgo.received })}
        >
          <span className="block">{strings.fromPeople(plural(received.people, strings.one, strings.other))}</span>
        </Card>
      </dl>
      <p className="mt-3">
        <Link
          to="/w/$workspace/messages"
          params={params}
          search={{ day: "today" }}
          className={`inline-flex min-h-9 items-center max-mid:min-h-11 ${textLink}`}
        >
          {strings.todayMessages}
        </Link>
      </p>
    </Section>
  );
}

/** `Friday`, `14:05` */
function weekdayAndTime(at: string, timeZone: string): [weekday: string, time: string] {
  const ms = Date.parse(at);
  return [
    new Intl.DateTimeFormat("en-GB", { weekday: "long", timeZone }).format(ms),
    new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", timeZone }).format(ms),
  ];
}

interface CardProps {
  label: string;
  count: number;
  /** A week ago at this time. */
  before?: number;
  tone?: ChipTone | undefined;
  children: ReactNode;
}

function Card({ label, count, before, tone, children }: CardProps) {
  return (
    <div className="rounded-panel border border-line bg-surface p-4">
      <dt className="text-quiet [&>span]:whitespace-normal">
        {tone === undefined ? label : <Chip tone={tone}>{label}</Chip>}
      </dt>
      <dd>
        <span className="figures block text-section font-semibold">{formatCount(count)}</span>
        {before !== undefined && (
          <span className="figures block text-label text-quiet">{strings.weekAgo(formatCount(before))}</span>
        )}
        <span className="figures block text-label text-quiet">{children}</span>
      </dd>
    </div>
  );
}
