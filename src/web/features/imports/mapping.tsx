/**
 * Maps the columns of a file, with the first rows beside each; then asks separately whether these people have
 * consented.
 */
import { type ReactNode, useState } from "react";
import { useForm } from "react-hook-form";
import { request } from "../../data/api.ts";
import { useWorkspace } from "../../data/session.ts";
import { AreaField, inputClass } from "../../ui/field.tsx";
import { Form } from "../../ui/form.tsx";
import { Card, Section } from "../../ui/page.tsx";
import { countryName } from "../workspaces/countries.ts";
import type { ImportDetail } from "./import-view.ts";
import { strings } from "./strings.ts";

interface Props {
  job: ImportDetail;
  onStarted: () => Promise<void>;
}

const NOWHERE = "-";

export function ImportMapping({ job, onStarted }: Props) {
  const { id, country } = useWorkspace();
  const form = useForm({
    defaultValues: {
      // By index, because two columns may have the same name.
      map: job.columns.map(({ target }) => target),
      opt_in: job.choices.opt_in === null ? "" : String(job.choices.opt_in),
      proof: job.choices.proof,
    },
  });
  const [error, setError] = useState<string | null>(null);
  const targets = form.watch("map");
  const optIn = form.watch("opt_in");
  const check = async (values: { map: string[]; opt_in: string; proof: string }, key: string) => {
    setError(null);
    if (values.opt_in === "") {
      setError(strings.chooseOne);
      return;
    }
    const map = Object.fromEntries(job.columns.map((_, index) => [`#${index + 1}`, values.map[index] ?? NOWHERE]));
    const isOptIn = values.opt_in === "true";
    const body = { map, opt_in: isOptIn, proof: isOptIn ? values.proof : "" };
    await request("POST /w/{workspace}/imports/{id}/check", { workspace: id, id: job.id, body }, { key });
    await onStarted();
  };
  return (
    <Form
      form={form}
      submit={strings.check}
      onSend={check}
      beside={<span className="text-quiet">{strings.checkText}</span>}
    >
      <Section title={strings.columns} lead={strings.columnsText(countryName(country))}>
        <ul className="flex flex-col gap-3">
          {job.columns.map(({ name }, index) => (
            <li
              // biome-ignore lint/suspicious/noArrayIndexKey: two columns may have the same name.
              key={index}
              className="grid gap-x-4 gap-y-2 rounded-panel border border-line bg-surface p-4 mid:grid-cols-[minmax(8rem,1fr)_16rem_2fr] mid:items-center"
            >
              <span className="min-w-0 font-semibold">{name}</span>
              <select
                aria-label={strings.targetOf(name)}
                className={`${inputClass} ${targets[index] === NOWHERE ? "text-quiet" : ""}`}
                {...form.register(`map.${index}` as const)}
              >
                <option value={NOWHERE}>{strings.skipColumn}</option>
                {job.targets.map((target) => (
                  <option key={target} value={target}>
                    {strings.targets[target] ?? job.labels[target] ?? target}
                  </option>
                ))}
              </select>
              <span className="min-w-0 text-quiet">
                <span className="sr-only">{strings.first}: </span>
                {samples(job.rows, index)}
              </span>
            </li>
          ))}
        </ul>
      </Section>
      <Section title={strings.consent} lead={strings.consentText}>
        <Card>
          <fieldset className="flex flex-col gap-2">
            <legend className="sr-only">{strings.consent}</legend>
            <Radio value="true" form={form}>
              {strings.yes}
            </Radio>
            <Radio value="false" form={form}>
              {strings.no}
            </Radio>
          </fieldset>
          {optIn === "true" && (
            <div className="mt-3">
              <AreaField form={form} name="proof" label={strings.proof} hint={strings.proofHint} rows={2} />
            </div>
          )}
        </Card>
      </Section>
      {error !== null && (
        <p role="alert" className="text-red">
          {error}
        </p>
      )}
    </Form>
  );
}

function Radio({
  value,
  form,
  children,
}: {
  value: string;
  // Only this one field is registered here.
  form: { register: (name: "opt_in") => object };
  children: ReactNode;
}) {
  return (
    <label className="flex min-h-9 items-center gap-3 max-mid:min-h-11">
      <input type="radio" value={value} className="size-4 accent-accent" {...form.register("opt_in")} />
      {children}
    </label>
  );
}

function samples(rows: readonly string[][], column: number): string {
  const cells = rows.map((row) => (row[column] ?? "").trim()).filter((cell) => cell !== "");
  return cells.map((cell) => (cell.length > 40 ? `${cell.slice(0, 40)}…` : cell)).join(" · ");
}
