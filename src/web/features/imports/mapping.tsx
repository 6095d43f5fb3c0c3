/**
 * What the user decides before the file is checked: how it is read, where each column goes, and, separately, whether these
 * people have consented.
 */
import { useQueryClient } from "@tanstack/react-query";
import { useId, useRef, useState } from "react";
import { ApiError, newFormKey, request } from "../../data/api.ts";
import { usePress } from "../../data/press.ts";
import { may, useWorkspace } from "../../data/session.ts";
import { Button } from "../../ui/button.tsx";
import { inputClass, Tick } from "../../ui/field.tsx";
import { Card, Section } from "../../ui/page.tsx";
import { sentenceOf } from "../../ui/states.tsx";
import { AddField } from "../developer/add-field.tsx";
import { type ChoicesOf, useChoices } from "./choices.ts";
import { FoundInFile } from "./found.tsx";
import type { ImportDetail } from "./import-view.ts";
import { strings } from "./strings.ts";

interface Props {
  job: ImportDetail;
  onStarted: () => Promise<void>;
}

const NOWHERE = "-";
const NEW_FIELD = "new";

export function ImportMapping({ job: stored, onStarted }: Props) {
  const { id } = useWorkspace();
  const of = useChoices(stored);
  const { shown: job } = of;
  const { press, isBusy, error } = usePress();
  // A second press of the same choices is the same request.
  const key = useRef({ text: newFormKey(), body: "" });
  const check = async () => {
    // Leaving the last field by this press has begun to store it.
    const body = await of.stored();
    const text = JSON.stringify(body);
    if (key.current.body !== text) key.current = { text: newFormKey(), body: text };
    const path = { workspace: id, id: job.id, body };
    await request("POST /w/{workspace}/imports/{id}/check", path, { key: key.current.text });
    await onStarted();
  };
  const refusal = of.error ?? error;
  return (
    <>
      {job.found !== null && <FoundInFile job={job} found={job.found} of={of} />}
      <Columns job={job} of={of} />
      <Consent job={job} of={of} />
      {refusal !== null && (
        <p role="alert" className="mb-4 text-red">
          {sentencesOf(refusal)}
        </p>
      )}
      <div className="flex flex-wrap items-center gap-3">
        <Button tone="primary" busy={isBusy} onClick={() => void press(check)}>
          {strings.check}
        </Button>
        <span className="text-quiet">{strings.checkText}</span>
      </div>
    </>
  );
}

/** The server's sentences about the file, which name no field of a form. */
function sentencesOf(error: unknown): string {
  const sentences = error instanceof ApiError ? Object.values(error.fields).flat() : [];
  return sentences.length === 0 ? sentenceOf(error) : sentences.join(" ");
}

function Columns({ job, of }: { job: ImportDetail; of: ChoicesOf }) {
  const workspace = useWorkspace();
  const client = useQueryClient();
  const [adding, setAdding] = useState<{ column: string; name: string } | null>(null);
  const mayAdd = may(workspace, "manage");
  const choose = (column: string, target: string) => of.save({ map: { ...job.choices.map, [column]: target } });
  return (
    <Section title={strings.columns} lead={strings.columnsText}>
      <ul className="overflow-hidden rounded-panel border border-line bg-surface">
        {job.columns.map(({ name, target }, index) => {
          const column = `#${index + 1}`;
          return (
            <li
              key={column}
              className="grid gap-x-4 gap-y-2 border-b border-line px-4 py-3 last:border-b-0 mid:grid-cols-[minmax(8rem,1fr)_16rem_2fr] mid:items-center mid:py-2"
            >
              <span className="min-w-0 font-semibold break-words">
                {job.found?.header_line === null ? strings.column(name) : name || strings.column(String(index + 1))}
              </span>
              <select
                aria-label={strings.targetOf(name)}
                className={`${inputClass} ${target === NOWHERE ? "text-quiet" : ""}`}
                value={target}
                onChange={({ target: { value } }) => {
                  if (value === NEW_FIELD) setAdding({ column, name });
                  else void choose(column, value);
                }}
              >
                <option value={NOWHERE}>{strings.skipColumn}</option>
                {mayAdd && <option value={NEW_FIELD}>{strings.newField}</option>}
                {job.targets.map((one) => (
                  <option key={one} value={one}>
                    {strings.targets[one] ?? job.labels[one] ?? one}
                  </option>
                ))}
              </select>
              <span className="min-w-0 break-words text-quiet">
                <span className="sr-only">{strings.first}: </span>
                {samples(job.rows, index)}
              </span>
            </li>
          );
        })}
      </ul>
      {adding !== null && (
        <AddField
          suggested={adding.name}
          onClose={() => setAdding(null)}
          onAdded={async (field) => {
            await client.invalidateQueries({ queryKey: ["fields", workspace.id] });
            await choose(adding.column, `fields.${field}`);
          }}
        />
      )}
    </Section>
  );
}

function Consent({ job, of: { save } }: { job: ImportDetail; of: ChoicesOf }) {
  const { opt_in: optIn, proof } = job.choices;
  const id = useId();
  const isStated = job.columns.some(({ target }) => target === "consent");
  return (
    <Section title={strings.consent} lead={strings.consentText}>
      <Card>
        {isStated && <p className="mb-3 max-w-[72ch]">{strings.consentColumn}</p>}
        <fieldset className="flex flex-col gap-2">
          <legend className="sr-only">{strings.consent}</legend>
          <Tick type="radio" name={id} checked={optIn === true} onChange={() => void save({ opt_in: true })}>
            {strings.yes}
          </Tick>
          <Tick
            type="radio"
            name={id}
            checked={optIn === false}
            onChange={() => void save({ opt_in: false, proof: "" })}
          >
            {strings.no}
          </Tick>
        </fieldset>
        {optIn === true && (
          <div className="mt-3 flex flex-col gap-1">
            <label htmlFor={`${id}-proof`} className="font-semibold">
              {strings.proof}
            </label>
            <textarea
              id={`${id}-proof`}
              rows={2}
              maxLength={1_000}
              defaultValue={proof}
              aria-describedby={`${id}-hint`}
              className={inputClass}
              onBlur={({ target }) => void (target.value.trim() !== proof && save({ proof: target.value }))}
            />
            <p id={`${id}-hint`} className="text-label text-quiet">
              {strings.proofHint}
            </p>
          </div>
        )}
      </Card>
    </Section>
  );
}

function samples(rows: readonly string[][], column: number): string {
  const cells = rows.map((row) => (row[column] ?? "").trim()).filter((cell) => cell !== "");
  return cells.map((cell) => (cell.length > 40 ? `${cell.slice(0, 40)}…` : cell)).join(" · ");
}
