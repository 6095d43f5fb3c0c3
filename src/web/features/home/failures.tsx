/** What failed today and why, in words. Each line is a link to exactly the messages that it counts. */
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Workspace } from "../../data/session.ts";
import { Chip } from "../../ui/chip.tsx";
import { Section } from "../../ui/page.tsx";
import { formatCount, plural } from "../../ui/plural.ts";
import { strings as states } from "../messages/message-state-strings.ts";
import type { TodayView } from "./attention.ts";
import { strings } from "./strings.ts";

const rowClass =
  "flex min-h-11 flex-wrap items-center justify-between gap-x-3 gap-y-1 px-4 py-2 text-ink no-underline hover:bg-sunken";

export function Failures({ workspace, today }: { workspace: Workspace; today: TodayView }) {
  const { single, failures, broadcast_failures: broadcasts } = today;
  const params = { workspace: String(workspace.id) };
  if (failures.length === 0 && broadcasts.length === 0 && single.unknown === 0) return null;
  const named = failures.reduce((sum, { count }) => sum + count, 0);
  return (
    <Section
      title={strings.failedTitle}
      action={
        single.failed > named && (
          <Link
            to="/w/$workspace/messages"
            params={params}
            search={{ status: "failed", day: "today" }}
            className="text-accent underline underline-offset-2 hover:no-underline"
          >
            {strings.failedAll(formatCount(single.failed))}
          </Link>
        )
      }
    >
      <ul className="rounded-panel border border-line bg-surface [&>li]:border-b [&>li]:border-line [&>li:last-child]:border-b-0">
        {broadcasts.map(({ id, name, count, reasons }) => (
          <li key={`broadcast ${id}`}>
            <Link
              to="/w/$workspace/broadcasts/$broadcast"
              params={{ ...params, broadcast: String(id) }}
              search={{ status: "failed" }}
              hash="people"
              className={rowClass}
            >
              <Words>
                <span className="block font-semibold break-words">{name}</span>
                {reasons.map(({ reason, count: of }) => (
                  <span key={reason} className="block break-words text-quiet">
                    {reasons.length === 1 && of === count ? "" : `${formatCount(of)}: `}
                    {reason ?? strings.noReason}
                  </span>
                ))}
              </Words>
              <Chip tone="red">{strings.failedPeople(plural(count, strings.one, strings.other))}</Chip>
            </Link>
          </li>
        ))}
        {failures.map(({ code, reason, count }) => (
          <li key={`single ${code}`}>
            <Link
              to="/w/$workspace/messages"
              params={params}
              search={{ status: "failed", day: "today", code }}
              className={rowClass}
            >
              <Words>
                <span className="block break-words">{reason ?? strings.noReason}</span>
              </Words>
              <Chip tone="red">{strings.failedMessages(plural(count, strings.message, strings.messages))}</Chip>
            </Link>
          </li>
        ))}
        {single.unknown > 0 && (
          <li>
            <Link
              to="/w/$workspace/messages"
              params={params}
              search={{ status: "unknown", day: "today" }}
              className={rowClass}
            >
              <Words>{strings.unknownText}</Words>
              <Chip tone="violet">{`${states.unknown}: ${formatCount(single.unknown)}`}</Chip>
            </Link>
          </li>
        )}
      </ul>
    </Section>
  );
}

function Words({ children }: { children: ReactNode }) {
  return <span className="min-w-40 flex-1">{children}</span>;
}
