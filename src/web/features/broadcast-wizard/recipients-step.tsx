/** Step 2: the recipients. A group, or numbers that are pasted or read from a file. */
import { useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useId, useState } from "react";
import { useWorkspace } from "../../data/session.ts";
import { Button } from "../../ui/button.tsx";
import { inputClass, Tick } from "../../ui/field.tsx";
import { formatCount, plural } from "../../ui/plural.ts";
import { Failed, Notice } from "../../ui/states.tsx";
import { useAllGroups } from "../groups/all-groups.ts";
import { NewGroup } from "../groups/new-group.tsx";
import { ImportLink } from "../imports/import-link.tsx";
import { countryName } from "../workspaces/countries.ts";
import type { DraftContent } from "./draft.ts";
import { strings } from "./strings.ts";

interface Props {
  content: DraftContent;
  change: (changes: DraftContent) => void;
}

const NUMBERS_MAX = 1_000;

export function RecipientsStep({ content, change }: Props) {
  const { id, numbers } = useWorkspace();
  const kind = content.to === undefined ? "group" : "numbers";
  const name = useId();
  return (
    <div className="flex max-w-3xl flex-col gap-6">
      {numbers.length > 1 && (
        <div className="flex flex-col gap-1">
          <label htmlFor={`${name}-from`} className="font-semibold">
            {strings.from}
          </label>
          <select
            id={`${name}-from`}
            className={inputClass}
            value={content.from ?? ""}
            onChange={({ target }) => change({ from: target.value })}
          >
            {numbers.map(({ phone, name: shown }) => (
              <option key={phone} value={phone}>
                {`${shown} ${phone}`}
              </option>
            ))}
          </select>
        </div>
      )}
      <fieldset className="flex flex-col gap-4">
        <legend className="sr-only">{strings.peopleLead}</legend>
        <Choice
          name={name}
          label={strings.group}
          text={strings.groupText}
          isChosen={kind === "group"}
          choose={() => change({ to: undefined })}
        >
          <GroupChoice workspaceId={id} content={content} change={change} />
        </Choice>
        <Choice
          name={name}
          label={strings.numbers}
          text={strings.numbersText}
          isChosen={kind === "numbers"}
          choose={() => change({ group: undefined, to: [] })}
        >
          <Numbers content={content} change={change} />
        </Choice>
      </fieldset>
    </div>
  );
}

interface ChoiceProps {
  name: string;
  label: string;
  text: string;
  isChosen: boolean;
  choose: () => void;
  children: ReactNode;
}

function Choice({ name, label, text, isChosen, choose, children }: ChoiceProps) {
  return (
    <div className={`rounded-panel border bg-surface p-4 ${isChosen ? "border-accent" : "border-line"}`}>
      <Tick type="radio" name={name} checked={isChosen} onChange={choose}>
        <span className="font-semibold">{label}</span>
        <span className="block text-quiet">{text}</span>
      </Tick>
      {isChosen && <div className="mt-4 flex flex-col gap-3">{children}</div>}
    </div>
  );
}

function GroupChoice({ workspaceId, content, change }: Props & { workspaceId: number }) {
  const client = useQueryClient();
  const fieldId = useId();
  const [creating, setCreating] = useState<"group" | "everybody" | null>(null);
  const groups = useAllGroups(workspaceId);
  return (
    <>
      {groups.isError && <Failed error={groups.error} retry={() => void groups.refetch()} />}
      {groups.data?.length === 0 && <p>{strings.groupsEmpty}</p>}
      <div className="flex flex-wrap items-end gap-3">
        {groups.data !== undefined && groups.data.length > 0 && (
          <div className="flex min-w-60 flex-1 flex-col gap-1">
            <label htmlFor={fieldId} className="font-semibold">
              {strings.chooseGroup}
            </label>
            <select
              id={fieldId}
              className={inputClass}
              value={content.group ?? ""}
              onChange={({ target }) => change({ group: target.value === "" ? undefined : Number(target.value) })}
            >
              <option value="">{strings.groupNone}</option>
              {groups.data.map(({ id, name, count }) => (
                <option key={id} value={id}>
                  {strings.groupOption(name, plural(count, strings.one, strings.other))}
                </option>
              ))}
            </select>
          </div>
        )}
        {groups.data?.length === 0 && (
          <Button onClick={() => setCreating("everybody")}>{strings.everybodyGroup}</Button>
        )}
        <Button onClick={() => setCreating("group")}>{strings.newGroup}</Button>
      </div>
      {creating !== null && (
        <NewGroup
          isDynamicByDefault
          isEverybody={creating === "everybody"}
          onClose={() => setCreating(null)}
          onCreated={async ({ id }) => {
            await client.invalidateQueries({ queryKey: ["groups", workspaceId] });
            change({ group: id });
          }}
        />
      )}
    </>
  );
}

function Numbers({ content, change }: Props) {
  const { country } = useWorkspace();
  const id = useId();
  const [text, setText] = useState((content.to ?? []).join("\n"));
  const [note, setNote] = useState<string | null>(null);
  const count = readNumbers(text).length;
  const type = (typed: string) => {
    setText(typed);
    const all = readNumbers(typed);
    // A longer list is not saved: the server accepts a thousand numbers, and the rest would be lost unnoticed.
    if (all.length <= NUMBERS_MAX) change({ to: all });
  };
  const readFile = async (file: File) => {
    const found = phonesIn(await file.text());
    if (found.length === 0) return setNote(strings.fileNone);
    setNote(strings.fileTaken(plural(found.length, strings.number, strings.numberOther), file.name));
    type([...readNumbers(text), ...found].join("\n"));
  };
  return (
    <>
      <Notice>{strings.numbersConsent}</Notice>
      <div className="flex flex-col gap-1">
        <label htmlFor={id} className="font-semibold">
          {strings.numbersLabel}
        </label>
        <textarea
          id={id}
          rows={8}
          inputMode="tel"
          className={`${inputClass} figures`}
          aria-describedby={`${id}-hint`}
          aria-invalid={count > NUMBERS_MAX || undefined}
          value={text}
          onChange={({ target }) => type(target.value)}
        />
        <p id={`${id}-hint`} className="text-label text-quiet">
          {strings.numbersHint(countryName(country))}
        </p>
      </div>
      <div className="flex flex-wrap items-center gap-3">
        <label className="relative inline-flex min-h-10 items-center rounded-control border border-edge bg-surface px-4 font-semibold focus-within:outline-2 focus-within:outline-offset-2 hover:bg-sunken max-mid:min-h-11">
          {strings.fromFile}
          <input
            type="file"
            accept=".csv,.txt,.tsv,text/csv,text/plain"
            className="absolute inset-0 cursor-pointer opacity-0"
            onChange={({ target }) => {
              const [file] = target.files ?? [];
              if (file !== undefined) void readFile(file);
              target.value = "";
            }}
          />
        </label>
        <span role="status" className={count > NUMBERS_MAX ? "text-red" : "text-quiet"}>
          {count > NUMBERS_MAX
            ? strings.numbersMany(formatCount(count - NUMBERS_MAX))
            : strings.numbersCount(plural(count, strings.number, strings.numberOther))}
          {note !== null && ` · ${note}`}
        </span>
        {count > NUMBERS_MAX && <ImportLink />}
      </div>
    </>
  );
}

/** Numbers separated by lines, commas or semicolons. Invalid numbers are reported by the review, not here. */
function readNumbers(text: string): string[] {
  return text
    .split(/[\n\r,;]+/)
    .map((one) => one.trim().slice(0, 64))
    .filter((one) => one !== "");
}

/** The first cell of each line that looks like a phone number. */
function phonesIn(text: string): string[] {
  return text.split(/[\r\n]+/).flatMap((line) => {
    const cells = line.split(/[,;\t|]/).map((cell) => cell.trim().replace(/^"|"$/g, "").trim());
    const phone = cells.find((cell) => /^[+\d][\d\s().\-/]{5,}$/.test(cell) && cell.replace(/\D/g, "").length >= 7);
    return phone === undefined ? [] : [phone];
  });
}
