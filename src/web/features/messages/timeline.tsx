/** What happened, one line each: the clock, what it was, in words, and folded below what a network or a receiver said. */
import { Link } from "@tanstack/react-router";
import { useWorkspace } from "../../data/session.ts";
import { textLink } from "../../ui/button.tsx";
import { Chip, type ChipTone } from "../../ui/chip.tsx";
import { CodeBlock } from "../../ui/copy.tsx";
import { clockOf, dayOf, type Step } from "./message-view.ts";
import { words } from "./strings.ts";

interface StepListProps {
  steps: readonly Step[];
  label: string;
  /** Beside something else: what is said stands below the clock, and not beside it. */
  isNarrow?: boolean;
}

export function StepList({ steps, label, isNarrow = false }: StepListProps) {
  const { timezone } = useWorkspace();
  return (
    <ol aria-label={label} className="flex flex-col">
      {steps.map((step, index) => {
        const day = dayOf(step.at, timezone);
        const before = steps[index - 1];
        const isNewDay = before === undefined || dayOf(before.at, timezone) !== day;
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: several things may happen in one millisecond.
          <li key={`${step.at} ${step.what} ${step.says} ${index}`} className="flex flex-col">
            {isNewDay && <p className="mt-2 mb-1 text-label text-quiet">{day}</p>}
            <StepLine step={step} timezone={timezone} isNarrow={isNarrow} />
          </li>
        );
      })}
    </ol>
  );
}

function StepLine({ step, timezone, isNarrow }: { step: Step; timezone: string; isNarrow: boolean }) {
  const { what, says, details } = step;
  const said = saidIn(details);
  return (
    <div className="border-s-2 border-line ps-3 py-1.5">
      <div className="flex flex-wrap items-baseline gap-x-2 gap-y-1">
        <time dateTime={step.at} className="font-mono text-label text-quiet">
          {clockOf(step.at, timezone)}
        </time>
        <Chip tone={toneOf(step)}>{words.what[what]}</Chip>
        <span className={`min-w-0 flex-1 ${isNarrow ? "order-last basis-full" : "basis-40"}`}>{says}</span>
        <Lead details={details} />
      </div>
      {said !== null && (
        <details className="mt-1">
          <summary className="cursor-pointer text-quiet">{words.details}</summary>
          <div className="mt-1">
            <CodeBlock text={said} label={words.details} />
          </div>
        </details>
      )}
    </div>
  );
}

/** From a webhook's attempt to its delivery, from a step of a message to its story. */
function Lead({ details: { delivery, message } }: Pick<Step, "details">) {
  const { id } = useWorkspace();
  if (typeof delivery === "number") {
    return (
      <Link
        to={"/w/$workspace/deliveries" as never}
        params={{ workspace: String(id) } as never}
        search={{ open: String(delivery) } as never}
        className={`ms-auto ${textLink}`}
      >
        {words.openDelivery}
      </Link>
    );
  }
  if (typeof message === "number") {
    return (
      <Link
        to="."
        search={((known: object) => ({ ...known, open: String(message) })) as never}
        resetScroll={false}
        className={`ms-auto ${textLink}`}
      >
        #{message}
      </Link>
    );
  }
  return null;
}

function toneOf({ what, details }: Step): ChipTone {
  if (what === "delivered") return "green";
  if (what === "read") return "blue";
  if (what === "failed") return "red";
  if (what === "attempt") return details.outcome === "unknown" ? "violet" : "amber";
  if (what === "webhook") {
    const code = Number(details.status_code ?? 0);
    return code >= 200 && code < 300 ? "green" : "red";
  }
  return "grey";
}

/** What the network or the receiver answered, readable; null where the line itself tells all of it. */
function saidIn({ answer, response }: Record<string, unknown>): string | null {
  const said = answer ?? response;
  if (said === null || said === undefined || said === "") return null;
  if (typeof said !== "string") return JSON.stringify(said, null, 2);
  try {
    return JSON.stringify(JSON.parse(said), null, 2);
  } catch {
    return said;
  }
}
