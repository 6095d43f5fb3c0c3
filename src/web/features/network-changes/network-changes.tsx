/** What the network changed about a number or a template over time: each change with its date and what it means. */
import { useInfiniteQuery } from "@tanstack/react-query";
import { useRef } from "react";
import { type Entry, request } from "../../data/api.ts";
import { useWorkspace } from "../../data/session.ts";
import { Button } from "../../ui/button.tsx";
import { Chip, type ChipTone } from "../../ui/chip.tsx";
import { Section } from "../../ui/page.tsx";
import { Loaded } from "../../ui/states.tsx";
import { ExactTime } from "../../ui/time.tsx";
import { strings } from "./strings.ts";

type Change = Entry<"GET /w/{workspace}/network-changes">;

/** On a panel, which is narrow and has more to show. */
const PER_PAGE = "10";

export function NetworkChanges({ of }: { of: { number: string } | { template: string; language: string } }) {
  const { id: workspace, timezone } = useWorkspace();
  const list = useRef<HTMLUListElement>(null);
  const changes = useInfiniteQuery({
    queryKey: ["network-changes", workspace, of],
    queryFn: ({ signal, pageParam: after }) =>
      request(
        "GET /w/{workspace}/network-changes",
        { workspace, query: { ...of, per_page: PER_PAGE, ...(after === null ? {} : { after }) } },
        { signal },
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ meta }) => meta.next,
  });
  const showOlder = async () => {
    const { hasNextPage } = await changes.fetchNextPage();
    // The button is gone: the keyboard stays in the list.
    if (!hasNextPage) list.current?.focus();
  };
  return (
    <Section title={strings.title} lead={strings.lead}>
      <Loaded query={changes} label={strings.title}>
        {({ pages }) => {
          const rows = pages.flatMap(({ data }) => data);
          if (rows.length === 0) return <p className="text-quiet">{strings.none}</p>;
          return (
            <>
              <ul ref={list} tabIndex={-1} aria-label={strings.title} className="rounded-panel border border-line">
                {rows.map((change) => (
                  <ChangeRow key={change.id} change={change} zone={timezone} />
                ))}
              </ul>
              {changes.hasNextPage && (
                <div className="mt-3">
                  <Button small busy={changes.isFetchingNextPage} onClick={() => void showOlder()}>
                    {strings.older}
                  </Button>
                </div>
              )}
            </>
          );
        }}
      </Loaded>
    </Section>
  );
}

function ChangeRow({ change, zone }: { change: Change; zone: string }) {
  const { property, from, to, at, meaning } = change;
  return (
    <li className="flex flex-col gap-1 border-b border-line px-4 py-3 last:border-b-0">
      <p className="flex flex-wrap items-center gap-2">
        <span className="font-semibold">{strings.properties[property]}</span>
        <span>{wordOf(property, from)}</span>
        <span aria-hidden>→</span>
        <span className="sr-only">{strings.to}</span>
        <Chip tone={toneOf(change)}>{wordOf(property, to)}</Chip>
      </p>
      <p>{meaning}</p>
      <p className="text-label text-quiet">
        <ExactTime at={at} zone={zone} />
      </p>
    </li>
  );
}

function wordOf(property: Change["property"], word: string | null): string {
  if (word === null) return property === "restriction" ? strings.noRestriction : strings.unknown;
  return property === "limit" ? strings.limit(word) : (strings.words[word] ?? word);
}

const GOOD = ["GREEN", "CONNECTED", "APPROVED"];
const NEUTRAL = ["UNKNOWN", "NA", "PENDING", "IN_APPEAL"];
const CAREFUL = ["YELLOW", "PAUSED", "FLAGGED", "LOCKED", "LIMIT_EXCEEDED", "ARCHIVED"];

function toneOf({ property, to }: Change): ChipTone {
  if (property === "restriction") return to === null ? "green" : "red";
  if (property === "limit" || property === "category" || to === null || NEUTRAL.includes(to)) return "grey";
  if (GOOD.includes(to)) return "green";
  return CAREFUL.includes(to) ? "amber" : "red";
}
