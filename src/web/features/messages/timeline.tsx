/** A timeline, one line per step: time, kind, description; the network's or receiver's answer can be expanded. */
import { Link } from "@tanstack/react-router";
import type { ScreenWith } from "../../app/routes.ts";
import { useWorkspace } from "../../data/session.ts";
import { ParameterLink } from "../../ui/address.tsx";
import { textLink } from "../../ui/button.tsx";
import { Chip, type ChipTone } from "../../ui/chip.tsx";
import { CodeBlock } from "../../ui/copy.tsx";
import { clockOf, dayOf, type TimelineStep } from "./message-view.ts";
import { strings } from "./strings.ts";

interface TimelineProps {
  /** The screen whose panel shows the message of a step. */
  screen: ScreenWith<"open">;
  steps: readonly TimelineStep[];
  label: string;
  /** For narrow places: the description is below the time instead of beside it. */
  isNarrow?: boolean;
}

export function Timeline({ screen, steps, label, isNarrow = false }: TimelineProps) {
  const { timezone } = useWorkspace();
  return (
    <ol aria-label={label} className="flex flex-col">
      {steps.map((step, index) => {
        const day = dayOf(step.at, timezone);
        const previous = steps[index - 1];
        const isNewDay = previous === undefined || dayOf(previous.at, timezone) !== day;
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: several steps may have the same millisecond.
          <li key={`${step.at} ${step.what} ${step.says} ${index}`} className="flex flex-col">
            {isNewDay && <p className="mt-2 mb-1 text-label text-quiet">{day}</p>}
            <TimelineRow screen={screen} step={step} timezone={timezone} isNarrow={isNarrow} />
          </li>
        );
      })}
    </ol>
  );
}

interface TimelineRowProps {
  screen: ScreenWith<"open">;
  step: TimelineStep;
  timezone: string;
  isNarrow: boolean;
}

function TimelineRow({ screen, step, timezone, isNarrow }: TimelineRowProps) {
  const { what, says, details } = step;
  const body = responseText(details);
  return (
    <div className="border-s-2 border-line ps-3 py-1.5">
      <div className="flex flex-wrap items-baseline gap-x-2 gap-y-1">
        <time dateTime={step.at} className="font-mono text-label text-quiet">
          {clockOf(step.at, timezone)}
        </time>
        <Chip tone={toneOf(step)}>{strings.what[what]}</Chip>
        <span className={`min-w-0 flex-1 ${isNarrow ? "order-last basis-full" : "basis-40"}`}>{says}</span>
        <StepLink screen={screen} details={details} />
      </div>
      {body !== null && (
        <details className="mt-1">
          <summary className="cursor-pointer text-quiet">{strings.details}</summary>
          <div className="mt-1">
            <CodeBlock text={body} label={strings.details} />
          </div>
        </details>
      )}
    </div>
  );
}

/** Links a webhook attempt to its delivery, and a step of a message to the message. */
function StepLink({ screen, details }: { screen: ScreenWith<"open">; details: TimelineStep["details"] }) {
  const { id } = useWorkspace();
  const { delivery, message } = details;
  if (typeof delivery === "number") {
    return (
      <Link
        to="/w/$workspace/deliveries"
        params={{ workspace: String(id) }}
        search={{ open: String(delivery) }}
        className={`ms-auto ${textLink}`}
      >
        {strings.openDelivery}
      </Link>
    );
  }
  if (typeof message === "number") {
    return (
      <ParameterLink
        screen={screen}
        change={{ open: String(message) }}
        resetScroll={false}
        className={`ms-auto ${textLink}`}
      >
        #{message}
      </ParameterLink>
    );
  }
  return null;
}

function toneOf({ what, details }: TimelineStep): ChipTone {
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

/** The answer of the network or the receiver, formatted; null if the line already says everything. */
function responseText({ answer, response }: Record<string, unknown>): string | null {
  const body = answer ?? response;
  if (body === null || body === undefined || body === "") return null;
  if (typeof body !== "string") return JSON.stringify(body, null, 2);
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
