/** Which column is what, with the first rows beside each; then, apart, whether these people agreed. */
import { type ReactNode, useState } from "react";
import { useForm } from "react-hook-form";
import { send } from "../../data/api.ts";
import { useWorkspace } from "../../data/session.ts";
import { AreaField, inputLook } from "../../ui/field.tsx";
import { Form } from "../../ui/form.tsx";
import { Card, Section } from "../../ui/page.tsx";
import { countryName } from "../workspaces/countries.ts";
import type { ImportDetail } from "./import-view.ts";
import { words } from "./strings.ts";

interface Props {
  job: ImportDetail;
  begun: () => Promise<void>;
}

const NOWHERE = "-";

export function ImportMapping({ job, begun }: Props) {
  const { id, country } = useWorkspace();
  const form = useForm({
    defaultValues: {
      // By place: two columns may have one name.
      map: job.columns.map(({ target }) => target),
      opt_in: job.state === "given" ? "" : String(job.opt_in),
      proof: job.proof,
    },
  });
  const [mistake, setMistake] = useState<string | null>(null);
  const targets = form.watch("map");
  const optIn = form.watch("opt_in");
  const check = async (values: { map: string[]; opt_in: string; proof: string }, key: string) => {
    setMistake(null);
    if (values.opt_in === "") {
      setMistake(words.chooseOne);
      return;
    }
    const map = Object.fromEntries(job.columns.map(({ name }, index) => [name, values.map[index] ?? NOWHERE]));
    const isOptIn = values.opt_in === "true";
    const body = { map, opt_in: isOptIn, proof: isOptIn ? values.proof : "" };
    await send("POST", `/w/${id}/imports/${job.id}/check`, body, key);
    await begun();
  };
  return (
    <Form
      form={form}
      submit={words.check}
      onSend={check}
      beside={<span className="text-quiet">{words.checkText}</span>}
    >
      <Section title={words.columns} lead={words.columnsText(countryName(country))}>
        <ul className="flex flex-col gap-3">
          {job.columns.map(({ name }, index) => (
            <li
              // biome-ignore lint/suspicious/noArrayIndexKey: two columns may have one name.
              key={index}
              className="grid gap-x-4 gap-y-2 rounded-panel border border-line bg-surface p-4 mid:grid-cols-[minmax(8rem,1fr)_16rem_2fr] mid:items-center"
            >
              <span className="min-w-0 font-semibold">{name}</span>
              <select
                aria-label={words.meansOf(name)}
                className={`${inputLook} ${targets[index] === NOWHERE ? "text-quiet" : ""}`}
                {...form.register(`map.${index}` as never)}
              >
                <option value={NOWHERE}>{words.nowhere}</option>
                {job.targets.map((target) => (
                  <option key={target} value={target}>
                    {words.targets[target] ?? job.labels[target] ?? target}
                  </option>
                ))}
              </select>
              <span className="min-w-0 text-quiet">
                <span className="sr-only">{words.first}: </span>
                {samples(job.rows, index)}
              </span>
            </li>
          ))}
        </ul>
      </Section>
      <Section title={words.consent} lead={words.consentText}>
        <Card>
          <fieldset className="flex flex-col gap-2">
            <legend className="sr-only">{words.consent}</legend>
            <Radio value="true" form={form}>
              {words.yes}
            </Radio>
            <Radio value="false" form={form}>
              {words.no}
            </Radio>
          </fieldset>
          {optIn === "true" && (
            <div className="mt-3">
              <AreaField form={form} name="proof" label={words.proof} hint={words.proofHint} rows={2} />
            </div>
          )}
        </Card>
      </Section>
      {mistake !== null && (
        <p role="alert" className="text-red">
          {mistake}
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
  // Only the one field is wanted of it.
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
