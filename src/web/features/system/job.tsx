/** Work on the database: that it is under way and how far, and what a broken database breaks. */
import { LoaderCircle } from "lucide-react";
import { figure } from "../../ui/plural.ts";
import { Time } from "../../ui/time.tsx";
import { jobWords as words } from "./strings.ts";
import type { Broken, Jobs } from "./system-view.ts";

export function UnderWay({ jobs: { current } }: { jobs: Jobs }) {
  if (current === null) return null;
  const { kind, name, step, started_at } = current;
  const what = kind === "verify" || kind === "drill" ? words[kind](name ?? "") : words[kind];
  return (
    <div role="status" className="mb-6 flex items-start gap-3 rounded-panel border border-line bg-surface p-4">
      <LoaderCircle aria-hidden size={18} className="turns mt-0.5 shrink-0" />
      <div className="min-w-0">
        <p className="font-semibold">
          {what}
          {step !== null && <span className="font-normal">: {step.replaceAll("_", " ")}</span>}
        </p>
        <p className="text-quiet">
          {words.beside} <Time at={started_at} />.
        </p>
      </div>
    </div>
  );
}

/** Each thing that is not as it must be, with the first few that break it. */
export function BrokenThings({ findings }: { findings: readonly Broken[] }) {
  return (
    <ul className="flex flex-col gap-3">
      {findings.map(({ name, sentence, count, of, ids, next }) => (
        <li key={name} className="rounded-control bg-red-tint p-3 text-red">
          <p className="font-semibold">{name.replaceAll("_", " ")}</p>
          <p>
            {words.shouldBe} {sentence}
          </p>
          <p className="wrap-anywhere">
            {words.but} {count >= 1_000 ? words.many : figure(count)} × {of}: {ids.join(", ")}
            {count > ids.length ? ", …" : ""}
          </p>
          <p>
            {words.next} {next}
          </p>
        </li>
      ))}
    </ul>
  );
}
