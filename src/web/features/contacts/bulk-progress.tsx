/** Progress of bulk changes: stop a running one, continue one that a restart interrupted. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { reading, request } from "../../data/api.ts";
import { usePress } from "../../data/press.ts";
import { useWorkspace } from "../../data/session.ts";
import { Button } from "../../ui/button.tsx";
import { Chip } from "../../ui/chip.tsx";
import { formatCount } from "../../ui/plural.ts";
import { sentenceOf } from "../../ui/states.tsx";
import { strings } from "./bulk-strings.ts";
import { BULK_TONES, type BulkChange } from "./bulk-view.ts";

/** Shows running changes, and those that ended while this page was open. */
export function BulkProgress() {
  const { id } = useWorkspace();
  const client = useQueryClient();
  const seen = useRef(new Set<number>());
  const [hidden, setHidden] = useState<readonly number[]>([]);
  const list = useQuery({
    ...reading("GET /w/{workspace}/bulk", { workspace: id }, ["bulk", id]),
    refetchInterval: ({ state }) => (state.data?.some((one) => one.state === "running") === true ? 1_000 : false),
  });
  const all = list.data ?? [];
  const running = all.filter(({ state }) => state === "running").length;
  for (const one of all) if (one.state === "running") seen.current.add(one.id);
  const before = useRef(running);
  useEffect(() => {
    if (running < before.current) {
      // A change has ended, so contacts and groups may look different.
      for (const key of ["contacts", "contact", "groups", "group"])
        void client.invalidateQueries({ queryKey: [key, id] });
    }
    before.current = running;
  }, [running, client, id]);
  const shown = all.filter(
    (one) =>
      !hidden.includes(one.id) && (one.state === "running" || one.state === "interrupted" || seen.current.has(one.id)),
  );
  // On an error, the contact list below shows it.
  if (shown.length === 0) return null;
  return (
    <ul aria-label={strings.progressTitle} className="mb-4 rounded-panel border border-line bg-surface">
      {shown.map((one) => (
        <li key={one.id} className="border-b border-line px-4 py-3 last:border-b-0">
          <BulkChangeRow job={one} hide={() => setHidden((known) => [...known, one.id])} />
        </li>
      ))}
    </ul>
  );
}

function BulkChangeRow({ job, hide }: { job: BulkChange; hide: () => void }) {
  const { id } = useWorkspace();
  const client = useQueryClient();
  const { press, error } = usePress();
  const act = (verb: "stop" | "go-on") =>
    press(async (key) => {
      const options = { key: `${key}-${verb}-${job.processed}` };
      await request(`POST /w/{workspace}/bulk/{id}/${verb}`, { workspace: id, id: job.id }, options);
      await client.invalidateQueries({ queryKey: ["bulk", id] });
    });
  const isOpen = job.state === "running" || job.state === "interrupted";
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2" aria-live={job.state === "running" ? "off" : "polite"}>
      <Chip tone={BULK_TONES[job.state]}>{strings.states[job.state]}</Chip>
      <span className="min-w-48 flex-1">
        {(job.state === "done" ? strings.ended : strings.running)[job.change.kind](job.change.name)}
        <span className="figures block text-quiet">{progressText(job)}</span>
        {error !== null && (
          <span role="alert" className="block text-red">
            {sentenceOf(error)}
          </span>
        )}
      </span>
      {isOpen && <BulkBar job={job} />}
      <span className="flex gap-3">
        {job.state === "interrupted" && (
          <Button small tone="primary" onClick={() => void act("go-on")}>
            {strings.resume}
          </Button>
        )}
        {isOpen ? (
          <Button small onClick={() => void act("stop")}>
            {strings.stop}
          </Button>
        ) : (
          <Button small tone="quiet" onClick={hide}>
            {strings.dismiss}
          </Button>
        )}
      </span>
    </div>
  );
}

export function BulkBar({ job: { processed, total } }: { job: BulkChange }) {
  const percent = total === 0 ? 0 : Math.min(100, (processed / total) * 100);
  return (
    <svg viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden className="h-1.5 w-32 rounded-control">
      <rect width="100" height="6" className="fill-line" />
      <rect width={percent} height="6" className="glides fill-accent" />
    </svg>
  );
}

function progressText({ state, processed, total, changed, error }: BulkChange): string {
  const outcome = strings.outcome(formatCount(changed), formatCount(processed - changed));
  const progress = strings.progress(formatCount(processed), formatCount(total));
  if (state === "running") return progress;
  if (state === "interrupted") return `${progress}. ${strings.interrupted}`;
  if (state === "failed") return `${progress}. ${error ?? ""}`;
  return state === "stopped" ? `${progress}. ${outcome}` : outcome;
}
