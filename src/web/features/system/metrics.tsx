/** Plots of what the process measures: messages by outcome, work that waits, webhooks, and how long things take. */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { get } from "../../data/api.ts";
import { FilterBar } from "../../ui/list.tsx";
import { size, span } from "../../ui/measure.ts";
import { Page } from "../../ui/page.tsx";
import { Plot, type Series } from "../../ui/plot.tsx";
import { figure, share } from "../../ui/plural.ts";
import { Failed, Loading } from "../../ui/states.tsx";
import { ExactTime, Time } from "../../ui/time.tsx";
import { words } from "./metrics-strings.ts";
import { SystemTabs } from "./system-tabs.tsx";

interface Quantiles {
  p50: number | null;
  p99: number | null;
}

type TimeName = "network" | "api" | "webhook" | "commit";

interface Point extends Record<TimeName, Quantiles> {
  from: string;
  accepted: number;
  refused: number;
  unknown: number;
  webhooks_taken: number;
  webhooks_failed: number;
  waiting: number | null;
  age_seconds: number | null;
  database_bytes: number | null;
}

interface Metrics {
  at: string;
  started_at: string;
  hours: number;
  step_minutes: number;
  free_bytes: number | null;
  points: Point[];
}

export function Screen() {
  const { hours = "1" } = useSearch({ strict: false }) as { hours?: string };
  const metrics = useQuery({
    queryKey: ["system", "metrics", hours],
    queryFn: ({ signal }) => get<Metrics>(`/system/metrics?hours=${encodeURIComponent(hours)}`, signal),
    placeholderData: keepPreviousData,
    refetchInterval: 15_000,
  });
  const { data } = metrics;
  return (
    <Page title={words.title} lead={words.lead}>
      <SystemTabs />
      <div className="flex flex-wrap items-start justify-between gap-x-6">
        <FilterBar
          label={words.range}
          name="hours"
          choices={[
            { value: undefined, label: words.hours["1"] },
            { value: "6", label: words.hours["6"] },
            { value: "24", label: words.hours["24"] },
          ]}
        />
        {data !== undefined && (
          <p className="mb-4 text-quiet">
            {words.since} <Time at={data.started_at} />. {words.asOf} <ExactTime at={data.at} />.
          </p>
        )}
      </div>
      {metrics.isPending && <Loading />}
      {metrics.isError && <Failed error={metrics.error} retry={() => void metrics.refetch()} />}
      {data !== undefined && (
        <div
          className={`grid gap-4 wide:grid-cols-2 ${metrics.isPlaceholderData ? "opacity-60" : ""}`}
          aria-busy={metrics.isPlaceholderData}
        >
          <Plots metrics={data} />
        </div>
      )}
    </Page>
  );
}

function Plots({ metrics }: { metrics: Metrics }) {
  const { points, at, hours, step_minutes } = metrics;
  // To the end of the step that is open.
  const until = Math.max(Date.parse(at), Date.parse(points.at(-1)?.from ?? at) + step_minutes * 60_000);
  const frame = {
    from: until - hours * 3_600_000,
    until,
    stepMs: step_minutes * 60_000,
    moments: points.map(({ from }) => Date.parse(from)),
    words,
  };
  const sum = (pick: (point: Point) => number): number => points.reduce((total, point) => total + pick(point), 0);
  const of = (name: string, tone: Series["tone"], pick: (point: Point) => number | null): Series => ({
    name,
    tone,
    values: points.map(pick),
  });
  const accepted = sum((point) => point.accepted);
  const attempts = accepted + sum(({ refused, unknown }) => refused + unknown);
  const taken = sum((point) => point.webhooks_taken);
  const calls = taken + sum((point) => point.webhooks_failed);
  const last = points.at(-1);
  const rows = last?.waiting ?? 0;
  const age = last?.age_seconds ?? 0;
  return (
    <>
      <Plot
        {...frame}
        kind="bars"
        title={words.messages}
        sentence={words.messagesText(attempts, share(accepted, attempts))}
        say={figure}
        series={[
          of(words.accepted, "green", (point) => point.accepted),
          of(words.refused, "amber", (point) => point.refused),
          of(words.unknown, "violet", (point) => point.unknown),
        ]}
      />
      <Plot
        {...frame}
        kind="bars"
        title={words.webhooks}
        sentence={words.webhooksText(calls, share(taken, calls))}
        say={figure}
        series={[
          of(words.taken, "green", (point) => point.webhooks_taken),
          of(words.failed, "amber", (point) => point.webhooks_failed),
        ]}
      />
      <Plot
        {...frame}
        kind="lines"
        title={words.waiting}
        sentence={rows > 0 && age < 1 ? words.waitingNotDue(rows) : words.waitingText(rows, span(age))}
        say={figure}
        series={[of(words.rows, "blue", (point) => point.waiting)]}
      />
      {(
        [
          ["network", words.network],
          ["api", words.api],
          ["commit", words.commit],
          ["webhook", words.webhookTimes],
        ] as const
      ).map(([name, title]) => (
        <Plot
          key={name}
          {...frame}
          kind="lines"
          title={title}
          sentence={timesOf(points, name)}
          say={span}
          series={[
            of(words.p50, "blue", (point) => point[name].p50),
            of(words.p99, "amber", (point) => point[name].p99),
          ]}
        />
      ))}
      <Plot
        {...frame}
        kind="lines"
        title={words.database}
        sentence={growthOf(metrics)}
        say={size}
        series={[of(words.bytes, "blue", (point) => point.database_bytes)]}
      />
    </>
  );
}

const DAY_MS = 24 * 3_600_000;
/** What grew for a shorter time says nothing about days. */
const FORETOLD_AFTER_MS = 3_600_000;
const DAYS_MOST = 365;

function growthOf({ points, free_bytes }: Metrics): string {
  const known = points.flatMap(({ from, database_bytes: bytes }) => (bytes === null ? [] : [{ from, bytes }]));
  const [first, last] = [known[0], known.at(-1)];
  if (first === undefined || last === undefined) return words.databaseNone;
  const grown = last.bytes - first.bytes;
  if (grown <= 0) return words.databaseSame(size(last.bytes));
  const lengthMs = Date.parse(last.from) - Date.parse(first.from);
  const told = words.databaseText(size(last.bytes), size(grown), span(lengthMs / 1_000));
  const days = free_bytes === null ? DAYS_MOST : Math.floor((free_bytes / grown) * (lengthMs / DAY_MS));
  return lengthMs >= FORETOLD_AFTER_MS && days < DAYS_MOST ? told + words.daysLeft(days) : told;
}

/** Of the last moment in which there was something to measure. */
function timesOf(points: readonly Point[], name: TimeName): string {
  const { p50, p99 } = points.findLast((point) => point[name].p50 !== null)?.[name] ?? { p50: null, p99: null };
  return p50 === null || p99 === null ? words.timesNone : words.timesText(span(p50), span(p99));
}
