/** The progress of a job on the database, and the invariants that a damaged database violates. */
import { LoaderCircle } from "lucide-react";
import { formatCount } from "../../ui/plural.ts";
import { Time } from "../../ui/time.tsx";
import { jobStrings as strings } from "./strings.ts";
import type { InvariantFinding, Jobs } from "./system-view.ts";

export function RunningJob({ jobs: { current } }: { jobs: Jobs }) {
  if (current === null) return null;
  const { kind, name, step, started_at } = current;
  const what = kind === "verify" || kind === "drill" ? strings[kind](name ?? "") : strings[kind];
  return (
    <div role="status" className="mb-6 flex items-start gap-3 rounded-panel border border-line bg-surface p-4">
      <LoaderCircle aria-hidden size={18} className="turns mt-0.5 shrink-0" />
      <div className="min-w-0">
        <p className="font-semibold">
          {what}
          {step !== null && <span className="font-normal">: {step.replaceAll("_", " ")}</span>}
        </p>
        <p className="text-quiet">
          {strings.beside} <Time at={started_at} />.
        </p>
      </div>
    </div>
  );
}

/** Each violated invariant, with the first few rows that violate it. */
export function InvariantFindings({ findings }: { findings: readonly InvariantFinding[] }) {
  return (
    <ul className="flex flex-col gap-3">
      {findings.map(({ name, sentence, count, of, ids, next }) => (
        <li key={name} className="rounded-control bg-red-tint p-3 text-red">
          <p className="font-semibold">{name.replaceAll("_", " ")}</p>
          <p>
            {strings.shouldBe} {sentence}
          </p>
          <p className="wrap-anywhere">
            {strings.but} {count >= 1_000 ? strings.many : formatCount(count)} × {of}: {ids.join(", ")}
            {count > ids.length ? ", …" : ""}
          </p>
          <p>
            {strings.next} {next}
          </p>
        </li>
      ))}
    </ul>
  );
}
