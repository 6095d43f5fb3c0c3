/** What a file would do, and what it did: counts, rejected rows with their reasons, and who stays opted out. */
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { addressOf, newFormKey, request } from "../../data/api.ts";
import { useWorkspace } from "../../data/session.ts";
import { Button, ButtonLink, buttonClass } from "../../ui/button.tsx";
import { Section } from "../../ui/page.tsx";
import { formatCount, plural } from "../../ui/plural.ts";
import { Failed, Notice } from "../../ui/states.tsx";
import type { ImportDetail, ImportOutcome } from "./import-view.ts";
import { strings } from "./strings.ts";

interface Props {
  job: ImportDetail;
  change: () => void;
  refresh: () => Promise<void>;
}

export function ImportResult({ job, change, refresh }: Props) {
  const { id } = useWorkspace();
  const client = useQueryClient();
  const [key] = useState(newFormKey);
  const [isBusy, setIsBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const { outcome, state } = job;
  const isDone = state === "done";
  const importCount = outcome === null ? 0 : outcome.created + outcome.updated;
  const run = async () => {
    if (isBusy) return;
    setIsBusy(true);
    setError(null);
    try {
      await request("POST /w/{workspace}/imports/{id}/run", { workspace: id, id: job.id }, { key: `${key}-${state}` });
      await refresh();
      await client.invalidateQueries({ queryKey: ["contacts", id] });
    } catch (reason) {
      setError(reason);
    }
    setIsBusy(false);
  };
  return (
    <>
      {isDone && outcome !== null && <Done outcome={outcome} />}
      {state === "interrupted" && (
        <div className="mb-6">
          <Notice>{strings.interrupted}</Notice>
        </div>
      )}
      {outcome !== null && (
        <Section title={isDone ? strings.resultDone : strings.result}>
          <ImportCounters outcome={outcome} />
          {outcome.kept_opted_out > 0 && (
            <div className="mt-4">
              <Notice>
                {strings.stillOptedOut(
                  plural(outcome.kept_opted_out, strings.person, strings.people),
                  outcome.kept_opted_out === 1,
                )}
              </Notice>
            </div>
          )}
        </Section>
      )}
      {outcome !== null && outcome.failed > 0 && <Refused job={job} outcome={outcome} />}
      {error !== null && (
        <div className="mb-4">
          <Failed error={error} />
        </div>
      )}
      {state === "checked" && importCount === 0 && <Notice tone="grey">{strings.nothing}</Notice>}
      <div className="mt-4 flex flex-wrap gap-3">
        {state === "interrupted" && (
          <Button tone="primary" busy={isBusy} onClick={() => void run()}>
            {strings.resume}
          </Button>
        )}
        {state === "checked" && importCount > 0 && (
          <Button tone="primary" busy={isBusy} onClick={() => void run()}>
            {strings.run(plural(importCount, strings.one, strings.other))}
          </Button>
        )}
        {isDone && (
          <>
            <ButtonLink tone="primary" to="/w/$workspace/contacts" params={{ workspace: String(id) }}>
              {strings.seeContacts}
            </ButtonLink>
            <ButtonLink to="." search={{}}>
              {strings.another}
            </ButtonLink>
          </>
        )}
        {!isDone && <Button onClick={change}>{strings.change}</Button>}
      </div>
    </>
  );
}

/** Reports success only if no row failed. */
function Done({ outcome }: { outcome: ImportOutcome }) {
  const people = plural(outcome.created + outcome.updated + outcome.unchanged, strings.one, strings.other);
  return (
    <div className="mb-6">
      <Notice tone={outcome.failed === 0 ? "green" : "amber"}>
        {outcome.failed === 0
          ? strings.doneAll(people)
          : strings.doneSome(people, plural(outcome.failed, strings.row, strings.rowsOther))}
      </Notice>
    </div>
  );
}

function ImportCounters({ outcome }: { outcome: ImportOutcome }) {
  const all = [
    [strings.created, outcome.created],
    [strings.updated, outcome.updated],
    [strings.unchanged, outcome.unchanged],
    [strings.failed, outcome.failed],
    [strings.optedIn, outcome.opted_in],
  ] as const;
  return (
    <dl className="grid grid-cols-2 gap-3 mid:grid-cols-5">
      {all.map(([name, count]) => (
        <div key={name} className="flex flex-col-reverse justify-end rounded-panel border border-line bg-surface p-4">
          <dt className="text-quiet">{name}</dt>
          <dd className="text-section font-semibold figures">{formatCount(count)}</dd>
        </div>
      ))}
    </dl>
  );
}

function Refused({ job, outcome }: { job: ImportDetail; outcome: ImportOutcome }) {
  const { id } = useWorkspace();
  const { failures, failed } = outcome;
  return (
    <Section
      title={strings.refused}
      lead={
        failures.length < failed
          ? `${strings.refusedText(formatCount(failures.length), formatCount(failed))} ${strings.errorsText}`
          : strings.errorsText
      }
      action={
        <a
          href={addressOf("GET /w/{workspace}/imports/{id}/errors", { workspace: id, id: job.id })}
          download
          className={buttonClass("plain", true)}
        >
          {strings.errors}
        </a>
      }
    >
      <div className="overflow-x-auto rounded-panel border border-line bg-surface">
        <table className="w-full border-collapse">
          <thead>
            <tr>
              <th scope="col" className="border-b border-line px-4 py-2 text-end text-label text-quiet">
                {strings.line}
              </th>
              <th scope="col" className="border-b border-line px-4 py-2 text-label text-quiet">
                {strings.why}
              </th>
            </tr>
          </thead>
          <tbody>
            {failures.map(({ line, reason }) => (
              <tr key={line} className="border-b border-line last:border-b-0">
                <td className="w-20 px-4 py-2 text-end figures">{formatCount(line)}</td>
                <td className="px-4 py-2">{reason}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Section>
  );
}
