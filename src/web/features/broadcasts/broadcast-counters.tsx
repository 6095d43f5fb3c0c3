/**
 * The counters of a broadcast: a progress bar, the funnel, and the causes of failures. Each counter links to exactly
 * the recipients that it counts.
 */
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { textLink } from "../../ui/button.tsx";
import { Chip } from "../../ui/chip.tsx";
import { Section } from "../../ui/page.tsx";
import { formatCount, plural, share } from "../../ui/plural.ts";
import { strings as states } from "../messages/message-state-strings.ts";
import { type Broadcast, type BroadcastDetail, pendingCount, type RecipientFilter } from "./broadcast-view.ts";
import { strings } from "./strings.ts";

/** The completed share. Decorative: the list states the same in words. */
export function ProgressBar({ broadcast }: { broadcast: Broadcast }) {
  const { total } = broadcast.counts;
  const done = total === 0 ? 0 : (total - pendingCount(broadcast)) / total;
  return (
    <svg viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden className="h-1.5 w-20 rounded-control">
      <rect width="100" height="6" className="fill-line" />
      <rect width={done * 100} height="6" className="glides fill-accent" />
    </svg>
  );
}

export function Funnel({ broadcast }: { broadcast: BroadcastDetail }) {
  const { counts, held, in_doubt: inDoubt, unknown } = broadcast;
  const name = strings.funnelSentence(
    formatCount(counts.sent),
    share(counts.delivered, counts.sent),
    share(counts.read, counts.sent),
  );
  return (
    <Section title={strings.funnel}>
      <p className="sr-only">{name}</p>
      <div
        className={`grid grid-cols-2 gap-3 mid:grid-cols-3 ${unknown > 0 ? "wide:grid-cols-4" : "wide:grid-cols-6"}`}
      >
        <Counter label={strings.sent} count={counts.sent} of={counts.total} status="accepted" bar="fill-grey" />
        <Counter
          label={strings.delivered}
          count={counts.delivered}
          of={counts.sent}
          status="arrived"
          bar="fill-green"
        />
        <Counter label={strings.read} count={counts.read} of={counts.sent} status="read" bar="fill-blue" />
        <Counter
          label={strings.pending}
          count={pendingCount(broadcast)}
          of={counts.total}
          status="pending"
          bar="fill-grey"
        />
        <Counter
          label={strings.failed}
          count={Math.max(0, counts.failed - unknown)}
          of={counts.total}
          status="failed"
          bar="fill-red"
        />
        {unknown > 0 && (
          <Counter label={states.unknown} count={unknown} of={counts.total} status="unknown" bar="fill-violet" />
        )}
        <Counter label={strings.skipped} count={counts.skipped} of={counts.total} status="skipped" bar="fill-grey" />
      </div>
      {held > 0 && (
        <p className="mt-3">
          <Chip tone="amber">{strings.held(formatCount(held))}</Chip>
          <span className="ms-2 text-quiet">{strings.heldText}</span>
        </p>
      )}
      {inDoubt > 0 && (
        <p className="mt-3">
          <Chip tone="violet">{`${states.inDoubt}: ${formatCount(inDoubt)}`}</Chip>
          <span className="ms-2 text-quiet">{strings.inDoubtText}</span>
        </p>
      )}
    </Section>
  );
}

interface CounterProps {
  label: string;
  count: number;
  of: number;
  status: RecipientFilter;
  bar: string;
}

function Counter({ label, count, of, status, bar }: CounterProps) {
  const className = "block rounded-panel border border-line bg-surface p-4 text-ink no-underline";
  const body: ReactNode = (
    <>
      <span className="block text-quiet">{label}</span>
      <span className="figures block text-section font-semibold">{formatCount(count)}</span>
      <span className="figures block text-label text-quiet">{share(count, of)}</span>
      <svg viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden className="mt-2 h-1 w-full">
        <rect width="100" height="4" className="fill-line" />
        <rect width={of === 0 ? 0 : Math.min(100, (count / of) * 100)} height="4" className={`glides ${bar}`} />
      </svg>
    </>
  );
  return (
    <Link
      from="/w/$workspace/broadcasts/$broadcast"
      to="."
      search={{ status, code: undefined }}
      hash="people"
      resetScroll={false}
      className={`${className} hover:border-edge`}
    >
      {body}
    </Link>
  );
}

/** Most frequent first. Unknown outcomes are listed separately, in their own colour. */
export function Causes({ broadcast }: { broadcast: BroadcastDetail }) {
  const { causes } = broadcast;
  if (causes.length === 0) return null;
  const max = Math.max(...causes.map(({ count }) => count));
  return (
    <Section title={strings.causes}>
      <ul className="flex flex-col rounded-panel border border-line bg-surface">
        {causes.map((cause) => (
          <CauseItem key={`${cause.status} ${cause.code} ${cause.is_unknown}`} cause={cause} max={max} />
        ))}
      </ul>
    </Section>
  );
}

const lookOf = {
  unknown: { tone: "violet", label: states.unknown, bar: "fill-violet" },
  failed: { tone: "red", label: strings.failed, bar: "fill-red" },
  skipped: { tone: "grey", label: strings.skipped, bar: "fill-grey" },
} as const;

function CauseItem({ cause, max }: { cause: BroadcastDetail["causes"][number]; max: number }) {
  const { status, code, is_unknown: isUnknown, reason, count } = cause;
  const { tone, label, bar } = lookOf[isUnknown ? "unknown" : status === "failed" ? "failed" : "skipped"];
  return (
    <li className="grid grid-cols-[1fr_auto] items-center gap-x-4 gap-y-1 border-b border-line px-4 py-3 last:border-b-0">
      <span className="flex flex-wrap items-center gap-2">
        <Chip tone={tone}>{label}</Chip>
        <span>{isUnknown ? `${strings.unknownText} ${reason}` : reason}</span>
        {code !== null && <code className="font-mono text-label text-quiet">{code}</code>}
      </span>
      <Link
        from="/w/$workspace/broadcasts/$broadcast"
        to="."
        search={{ status: isUnknown ? "unknown" : status, code: code ?? "none" }}
        hash="people"
        resetScroll={false}
        aria-label={`${reason}: ${plural(count, strings.one, strings.other)}`}
        className={`figures inline-flex min-h-6 items-center font-semibold max-mid:min-h-11 ${textLink}`}
      >
        {formatCount(count)}
      </Link>
      <svg viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden className="col-span-2 h-1 w-full">
        <rect width="100" height="4" className="fill-line" />
        <rect width={(count / max) * 100} height="4" className={bar} />
      </svg>
    </li>
  );
}
