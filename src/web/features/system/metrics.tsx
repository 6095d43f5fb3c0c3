/** Charts of the process's metrics: messages by outcome, waiting work, webhooks, and durations. */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { type Output, reading } from "../../data/api.ts";
import { useParameters } from "../../ui/address.tsx";
import { FilterBar } from "../../ui/list.tsx";
import { size, span } from "../../ui/measure.ts";
import { Page } from "../../ui/page.tsx";
import { Plot, type Series } from "../../ui/plot.tsx";
import { formatCount, share } from "../../ui/plural.ts";
import { Failed, Loading } from "../../ui/states.tsx";
import { ExactTime, Time } from "../../ui/time.tsx";
import { strings } from "./metrics-strings.ts";
import { SystemTabs } from "./system-tabs.tsx";

type TimeName = "network" | "api" | "webhook" | "commit";

type Sample = Metrics["points"][number];

type Metrics = Output<"GET /system/metrics">;

const SCREEN = "/system/metrics";

export function Screen() {
  const { hours = "1" } = useParameters(SCREEN);
  const metrics = useQuery({
    ...reading("GET /system/metrics", { query: { hours: hours } }, ["system", "metrics", hours]),
    placeholderData: keepPreviousData,
    refetchInterval: 15_000,
  });
  const { data } = metrics;
  return (
    <Page title={strings.title} lead={strings.lead}>
      <SystemTabs />
      <div className="flex flex-wrap items-start justify-between gap-x-6">
        <FilterBar
          screen={SCREEN}
          label={strings.range}
          name="hours"
          choices={[
            { value: undefined, label: strings.hours["1"] },
            { value: "6", label: strings.hours["6"] },
            { value: "24", label: strings.hours["24"] },
          ]}
        />
        {data !== undefined && (
          <p className="mb-4 text-quiet">
            {strings.since} <Time at={data.started_at} />. {strings.asOf} <ExactTime at={data.at} />.
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
  // The end of the current, incomplete step.
  const until = Math.max(Date.parse(at), Date.parse(points.at(-1)?.from ?? at) + step_minutes * 60_000);
  const frame = {
    from: until - hours * 3_600_000,
    until,
    stepMs: step_minutes * 60_000,
    moments: points.map(({ from }) => Date.parse(from)),
    strings,
  };
  const sum = (pick: (sample: Sample) => number): number => points.reduce((total, sample) => total + pick(sample), 0);
  const makeSeries = (name: string, tone: Series["tone"], pick: (sample: Sample) => number | null): Series => ({
    name,
    tone,
    values: points.map(pick),
  });
  const accepted = sum((sample) => sample.accepted);
  const attempts = accepted + sum(({ refused, unknown }) => refused + unknown);
  const succeeded = sum((sample) => sample.webhooks_succeeded);
  const calls = succeeded + sum((sample) => sample.webhooks_failed);
  const last = points.at(-1);
  const rows = last?.waiting ?? 0;
  const age = last?.age_seconds ?? 0;
  return (
    <>
      <Plot
        {...frame}
        kind="bars"
        title={strings.messages}
        sentence={strings.messagesText(attempts, share(accepted, attempts))}
        formatValue={formatCount}
        series={[
          makeSeries(strings.accepted, "green", (sample) => sample.accepted),
          makeSeries(strings.refused, "amber", (sample) => sample.refused),
          makeSeries(strings.unknown, "violet", (sample) => sample.unknown),
        ]}
      />
      <Plot
        {...frame}
        kind="bars"
        title={strings.webhooks}
        sentence={strings.webhooksText(calls, share(succeeded, calls))}
        formatValue={formatCount}
        series={[
          makeSeries(strings.succeeded, "green", (sample) => sample.webhooks_succeeded),
          makeSeries(strings.failed, "amber", (sample) => sample.webhooks_failed),
        ]}
      />
      <Plot
        {...frame}
        kind="lines"
        title={strings.waiting}
        sentence={rows > 0 && age < 1 ? strings.waitingNotDue(rows) : strings.waitingText(rows, span(age))}
        formatValue={formatCount}
        series={[makeSeries(strings.rows, "blue", (sample) => sample.waiting)]}
      />
      {(
        [
          ["network", strings.network],
          ["api", strings.api],
          ["commit", strings.commit],
          ["webhook", strings.webhookTimes],
        ] as const
      ).map(([name, title]) => (
        <Plot
          key={name}
          {...frame}
          kind="lines"
          title={title}
          sentence={timesOf(points, name)}
          formatValue={span}
          series={[
            makeSeries(strings.p50, "blue", (sample) => sample[name].p50),
            makeSeries(strings.p99, "amber", (sample) => sample[name].p99),
          ]}
        />
      ))}
      <Plot
        {...frame}
        kind="lines"
        title={strings.database}
        sentence={growthOf(metrics)}
        formatValue={size}
        series={[makeSeries(strings.bytes, "blue", (sample) => sample.database_bytes)]}
      />
    </>
  );
}

const DAY_MS = 24 * 3_600_000;
/** Growth over a shorter time does not support a forecast in days. */
const FORECAST_AFTER_MS = 3_600_000;
const DAYS_MAX = 365;

function growthOf({ points, free_bytes }: Metrics): string {
  const known = points.flatMap(({ from, database_bytes: bytes }) => (bytes === null ? [] : [{ from, bytes }]));
  const [first, last] = [known[0], known.at(-1)];
  if (first === undefined || last === undefined) return strings.databaseNone;
  const grown = last.bytes - first.bytes;
  if (grown <= 0) return strings.databaseSame(size(last.bytes));
  const lengthMs = Date.parse(last.from) - Date.parse(first.from);
  const text = strings.databaseText(size(last.bytes), size(grown), span(lengthMs / 1_000));
  const days = free_bytes === null ? DAYS_MAX : Math.floor((free_bytes / grown) * (lengthMs / DAY_MS));
  return lengthMs >= FORECAST_AFTER_MS && days < DAYS_MAX ? text + strings.daysLeft(days) : text;
}

/** The percentiles of the latest moment with measurements. */
function timesOf(points: readonly Sample[], name: TimeName): string {
  const { p50, p99 } = points.findLast((sample) => sample[name].p50 !== null)?.[name] ?? { p50: null, p99: null };
  return p50 === null || p99 === null ? strings.timesNone : strings.timesText(span(p50), span(p99));
}
