/** One step of connecting a number: its state in a word, its content, and what the doctor found about it. */
import { type ReactNode, useId } from "react";
import { Chip, type ChipTone } from "../../ui/chip.tsx";
import { strings } from "./connect-strings.ts";
import type { Finding } from "./number-view.ts";
import { strings as numberStrings } from "./strings.ts";

export type StepState = keyof typeof strings.states;

const TONES: Readonly<Record<StepState, ChipTone>> = {
  done: "green",
  now: "grey",
  problem: "red",
  later: "grey",
  checking: "grey",
};

interface StepProps {
  position: number;
  title: string;
  state: StepState;
  findings?: readonly Finding[];
  action?: ReactNode;
  children: ReactNode;
}

export function Step({ position, title, state, findings = [], action, children }: StepProps) {
  const id = useId();
  const open = findings.filter(({ level }) => level !== "ok");
  return (
    <li>
      <section
        aria-labelledby={id}
        aria-current={state === "now" || state === "problem" ? "step" : undefined}
        className={`flex flex-col gap-4 rounded-panel border bg-surface p-4 mid:p-6 ${state === "now" ? "border-accent" : "border-line"}`}
      >
        <div className="flex flex-wrap items-center justify-between gap-3">
          <h2 id={id} className="text-section font-semibold">
            {strings.step(position, title)}
          </h2>
          {state !== "later" && <Chip tone={TONES[state]}>{strings.states[state]}</Chip>}
        </div>
        {open.length > 0 && (
          <ul className="flex flex-col gap-3">
            {open.map((finding, index) => (
              <OpenFinding
                key={finding.message}
                finding={finding}
                isToDo={state === "now" || state === "later"}
                hasSameNext={open[index + 1]?.next === finding.next}
              />
            ))}
          </ul>
        )}
        {children}
        {action}
      </section>
    </li>
  );
}

interface FindingProps {
  finding: Finding;
  /** The step was not done yet, so what is missing is no fault. */
  isToDo: boolean;
  /** The next finding says the same next step. */
  hasSameNext: boolean;
}

function OpenFinding({ finding: { level, message, next }, isToDo, hasSameNext }: FindingProps) {
  const tone = isToDo && level === "problem" ? "grey" : level === "problem" ? "red" : "amber";
  const label = isToDo && level === "problem" ? strings.missing : numberStrings.levels[level];
  return (
    <li className={`rounded-control p-3 ${FINDING_TONES[tone]}`}>
      <p>
        <span className="font-semibold">{label}:</span> {message}
      </p>
      {next !== null && !hasSameNext && (
        <p className="mt-1">
          <span className="font-semibold">{numberStrings.next}</span> {next}
        </p>
      )}
    </li>
  );
}

const FINDING_TONES = {
  grey: "bg-grey-tint text-grey",
  amber: "bg-amber-tint text-amber",
  red: "bg-red-tint text-red",
};

/** A link to a page of Meta's, which opens beside the console. */
export function MetaLink({ href, children }: { href: string; children: string }) {
  return (
    <a
      href={href}
      target="_blank"
      rel="noreferrer"
      className="text-accent underline underline-offset-2 hover:no-underline"
    >
      {children} <span className="sr-only">{strings.newTab}</span>
    </a>
  );
}
