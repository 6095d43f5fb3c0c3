/** What a file would change, and what it did: counters, the first rows as stored, and what failed with a way to mend it. */
import { useQueryClient } from "@tanstack/react-query";
import { addressOf, request } from "../../data/api.ts";
import { usePress } from "../../data/press.ts";
import { useWorkspace } from "../../data/session.ts";
import { Button, ButtonLink, buttonClass } from "../../ui/button.tsx";
import { Section } from "../../ui/page.tsx";
import { formatCount, plural } from "../../ui/plural.ts";
import { Failed, Notice } from "../../ui/states.tsx";
import { countryName } from "../workspaces/countries.ts";
import type { Choices } from "./choices.ts";
import type { ImportDetail, ImportOutcome } from "./import-view.ts";
import { Question } from "./question.tsx";
import { type Decide, NumberChanges, Reasons } from "./reasons.tsx";
import { strings } from "./result-strings.ts";
import { StoredRows } from "./stored-rows.tsx";

interface Props {
  job: ImportDetail;
  change: () => void;
  refresh: () => Promise<void>;
}

export function ImportResult({ job, change, refresh }: Props) {
  const { id } = useWorkspace();
  const client = useQueryClient();
  const { press, isBusy, error } = usePress();
  const { outcome, state } = job;
  const isDone = state === "done";
  const importCount = outcome === null ? 0 : outcome.created + outcome.updated;
  const act = (request_: (key: string) => Promise<unknown>) =>
    press(async (key) => {
      await request_(key);
      await refresh();
      await client.invalidateQueries({ queryKey: ["contacts", id] });
    });
  const path = { workspace: id, id: job.id };
  const run = () => act((key) => request("POST /w/{workspace}/imports/{id}/run", path, { key: `${key}-${state}` }));
  const decide = (changes: Partial<Choices>) => {
    const body = { ...job.choices, ...changes };
    void act(() => request("POST /w/{workspace}/imports/{id}/check", { ...path, body }));
  };
  return (
    <>
      {isDone && outcome !== null && <Done outcome={outcome} />}
      {state === "interrupted" && (
        <div className="mb-6">
          <Notice>{strings.interrupted}</Notice>
        </div>
      )}
      {outcome !== null && <Outcome job={job} outcome={outcome} decide={isDone ? null : decide} />}
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

interface OutcomeProps {
  job: ImportDetail;
  outcome: ImportOutcome;
  /** Null: the import has run. */
  decide: Decide | null;
}

function Outcome({ job, outcome, decide }: OutcomeProps) {
  const { kept_opted_out: kept, question, stored, reasons, omitted, changes } = outcome;
  return (
    <>
      <Section title={decide === null ? strings.resultDone : strings.result}>
        <ImportCounters outcome={outcome} />
        {kept > 0 && (
          <div className="mt-4">
            <Notice>{strings.stillOptedOut(plural(kept, strings.person, strings.people), kept === 1)}</Notice>
          </div>
        )}
        {question !== null && decide !== null && (
          <div className="mt-4">
            <Question
              title={strings.countryQuestion(question.example, question.example_line)}
              value={null}
              options={question.choices.map((value) => ({ value, label: countryName(value) }))}
              choose={(country) => decide({ country })}
            />
          </div>
        )}
      </Section>
      {stored.length > 0 && (
        <Section title={strings.stored} lead={strings.storedText}>
          <StoredRows rows={stored} labels={job.labels} />
        </Section>
      )}
      {reasons.length > 0 && (
        <Section title={strings.refused} lead={strings.errorsText} action={<ErrorsLink job={job} />}>
          <Reasons reasons={reasons} unit="row" decide={decide} />
          <FailedRows outcome={outcome} />
        </Section>
      )}
      {omitted.length > 0 && (
        <Section title={strings.omitted} action={reasons.length === 0 && <ErrorsLink job={job} />}>
          <Reasons reasons={omitted} unit="cell" decide={decide} />
        </Section>
      )}
      {changes.length > 0 && (
        <Section title={strings.changes}>
          <NumberChanges changes={changes} />
        </Section>
      )}
    </>
  );
}

/** Reports success only if no row failed. */
function Done({ outcome }: { outcome: ImportOutcome }) {
  const people = plural(outcome.created + outcome.updated + outcome.unchanged, strings.one, strings.other);
  const [one, other] = strings.units.row;
  return (
    <div className="mb-6">
      <Notice tone={outcome.failed === 0 ? "green" : "amber"}>
        {outcome.failed === 0 ? strings.doneAll(people) : strings.doneSome(people, plural(outcome.failed, one, other))}
      </Notice>
    </div>
  );
}

/** The counters of the command. Those that are rarely met are shown where they were. */
const ALWAYS = ["created", "updated", "unchanged", "failed", "repeated"] as const;
const SOMETIMES = ["opted_in", "opted_out", "kept_opted_out", "changed", "cells_left_out"] as const;

function ImportCounters({ outcome }: { outcome: ImportOutcome }) {
  const shown = [...ALWAYS, ...SOMETIMES.filter((name) => outcome[name] > 0)];
  const { lines, skipped_lines: skipped, continued, records, created, updated, unchanged } = outcome;
  const { failed, repeated, blank } = outcome;
  const text = [lines, skipped, records, continued].map(formatCount) as [string, string, string, string];
  const rows = [records, created + updated + unchanged, failed, repeated, blank].map(formatCount);
  return (
    <>
      <dl className="grid grid-cols-2 gap-3 mid:grid-cols-5">
        {shown.map((name) => (
          <div key={name} className="flex flex-col-reverse justify-end rounded-panel border border-line bg-surface p-4">
            <dt className="text-quiet">{strings.counters[name]}</dt>
            <dd className="text-section font-semibold figures">{formatCount(outcome[name])}</dd>
          </div>
        ))}
      </dl>
      <p className="mt-3 text-quiet figures">
        {strings.sum(...text)} {strings.rowSum(...(rows as [string, string, string, string, string]))}
      </p>
    </>
  );
}

function ErrorsLink({ job }: { job: ImportDetail }) {
  const { id } = useWorkspace();
  if (!job.has_errors) return null;
  return (
    <a
      href={addressOf("GET /w/{workspace}/imports/{id}/errors", { workspace: id, id: job.id })}
      download
      className={buttonClass("plain", true)}
    >
      {strings.errors}
    </a>
  );
}

function FailedRows({ outcome: { failures, failed } }: { outcome: ImportOutcome }) {
  const isCut = failures.length < failed;
  return (
    <details className="mt-3">
      <summary className="min-h-9 cursor-pointer py-2 max-mid:min-h-11">
        {isCut ? strings.each(formatCount(failures.length), formatCount(failed)) : strings.eachAll}
      </summary>
      <ul className="rounded-panel border border-line bg-surface">
        {failures.map(({ line, reason }) => (
          <li key={line} className="flex gap-4 border-b border-line px-4 py-2 last:border-b-0">
            <span className="w-20 shrink-0 text-quiet figures">{strings.exampleLine(formatCount(line))}</span>
            <span className="min-w-0 break-words">{reason}</span>
          </li>
        ))}
      </ul>
    </details>
  );
}
