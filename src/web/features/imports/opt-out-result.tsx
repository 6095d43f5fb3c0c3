/** What a file of people who opt out would change, and what it did. */
import { useState } from "react";
import { Button } from "../../ui/button.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { Section } from "../../ui/page.tsx";
import { formatCount, plural } from "../../ui/plural.ts";
import { ErrorsLink, FailedRows } from "./failed-rows.tsx";
import type { ImportDetail } from "./import-view.ts";
import { type Decide, Reasons } from "./reasons.tsx";
import { strings } from "./result-strings.ts";

interface Props {
  job: ImportDetail;
  outcome: NonNullable<ImportDetail["opt_outs"]>;
  /** Null: it has run. */
  decide: Decide | null;
}

export function OptOutOutcome({ job, outcome, decide }: Props) {
  const { opted_out: optedOut, already, failed, blank, reasons, failures } = outcome;
  const { lines, skipped_lines: skipped, records, continued } = outcome;
  const counters = [
    [strings.counters.opted_out, optedOut],
    [strings.already, already],
    [strings.counters.failed, failed],
    [strings.counters.blank, blank],
  ] as const;
  const [all, above, rows, inside] = [lines, skipped, records, continued].map(formatCount);
  return (
    <>
      <Section title={decide === null ? strings.optOutDone : strings.optOutResult}>
        <dl className="grid grid-cols-2 gap-3 mid:grid-cols-4">
          {counters.map(([name, count]) => (
            <div
              key={name}
              className="flex flex-col-reverse justify-end rounded-panel border border-line bg-surface p-4"
            >
              <dt className="text-quiet">{name}</dt>
              <dd className="text-section font-semibold figures">{formatCount(count)}</dd>
            </div>
          ))}
        </dl>
        <p className="mt-3 text-quiet figures">{strings.sum(all ?? "", above ?? "", rows ?? "", inside ?? "")}</p>
      </Section>
      {reasons.length > 0 && (
        <Section title={strings.refused} lead={strings.errorsText} action={<ErrorsLink job={job} />}>
          <Reasons reasons={reasons} unit="row" decide={decide} />
          <FailedRows failures={failures} failed={failed} />
        </Section>
      )}
    </>
  );
}

/** Asks before many people are opted out, because only they can lift it. */
export function OptOutButton({ count, run }: { count: number; run: () => Promise<void> }) {
  const [isAsking, setIsAsking] = useState(false);
  const people = plural(count, strings.person, strings.people);
  return (
    <>
      <Button tone="primary" onClick={() => setIsAsking(true)}>
        {strings.optOut(people)}
      </Button>
      <Confirm
        isOpen={isAsking}
        title={strings.optOutAsk(people)}
        action={strings.optOut(people)}
        cancelLabel={strings.keepThem}
        onClose={() => setIsAsking(false)}
        act={run}
      >
        {strings.optOutText}
      </Confirm>
    </>
  );
}
