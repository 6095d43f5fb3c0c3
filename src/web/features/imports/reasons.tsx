/** Why rows were refused, cells skipped and numbers changed: classes with counts, and a way to mend each. */
import type { ReactNode } from "react";
import { Button } from "../../ui/button.tsx";
import { formatCount, plural } from "../../ui/plural.ts";
import type { Choices } from "./choices.ts";
import type { ImportOutcome } from "./import-view.ts";
import { strings } from "./result-strings.ts";

/** Decides how the file is read and checks it again. */
export type Decide = (changes: Partial<Choices>) => void;

type Reason = ImportOutcome["reasons"][number];

const CHOICES: Readonly<Record<string, { label: string; changes: Partial<Choices> }>> = {
  quotes_swallow: { label: strings.readQuotes, changes: { quotes: "none" } },
  quotes_open: { label: strings.readQuotes, changes: { quotes: "none" } },
  bad_cell: { label: strings.skipCells, changes: { bad_cells: "skip" } },
};

export function Reasons({
  reasons,
  unit,
  decide,
}: {
  reasons: readonly Reason[];
  unit: "row" | "cell";
  decide: Decide | null;
}) {
  return (
    <List>
      {reasons.map(({ code, reason, rows, lines, fix }) => {
        const choice = CHOICES[code];
        return (
          <Entry
            key={code}
            count={plural(rows, strings.units[unit][0], strings.units[unit][1])}
            lines={lines}
            action={
              decide !== null &&
              choice !== undefined && (
                <Button small onClick={() => decide(choice.changes)}>
                  {choice.label}
                </Button>
              )
            }
          >
            <p>{sentence(reason)}</p>
            {fix !== "" && <p className="text-quiet">{sentence(fix)}</p>}
          </Entry>
        );
      })}
    </List>
  );
}

export function NumberChanges({ changes }: { changes: ImportOutcome["changes"] }) {
  return (
    <List>
      {changes.map(({ change, rows, example_line: line }) => (
        <Entry key={change} count={plural(rows, strings.units.number[0], strings.units.number[1])} lines={[line]}>
          <p>{sentence(change)}</p>
        </Entry>
      ))}
    </List>
  );
}

function List({ children }: { children: ReactNode }) {
  return <ul className="rounded-panel border border-line bg-surface">{children}</ul>;
}

interface EntryProps {
  count: string;
  lines: readonly number[];
  action?: ReactNode;
  children: ReactNode;
}

function Entry({ count, lines, action, children }: EntryProps) {
  return (
    <li className="flex flex-wrap items-start gap-x-6 gap-y-2 border-b border-line px-4 py-3 last:border-b-0">
      <span className="w-24 shrink-0 font-semibold figures">{count}</span>
      <div className="min-w-0 flex-1 basis-60">{children}</div>
      {action}
      <span className="max-w-40 min-w-24 shrink-0 text-quiet figures mid:text-end">
        {strings.exampleLines(lines.map(formatCount))}
      </span>
    </li>
  );
}

/** The server's phrases begin small and have no full stop. */
function sentence(phrase: string): string {
  return `${phrase.charAt(0).toUpperCase()}${phrase.slice(1)}.`;
}
