/** Everybody in a broadcast, by what became of them. */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { getList, queryText } from "../../data/api.ts";
import { useWorkspace } from "../../data/session.ts";
import { Button, buttonLook } from "../../ui/button.tsx";
import { Chip } from "../../ui/chip.tsx";
import { FilterBar, List, Pager } from "../../ui/list.tsx";
import { Section } from "../../ui/page.tsx";
import { plural } from "../../ui/plural.ts";
import { Empty, Failed, Loading } from "../../ui/states.tsx";
import { Time } from "../../ui/time.tsx";
import { messageLook } from "../messages/message-state.ts";
import { words as states } from "../messages/message-state-strings.ts";
import { type Broadcast, isFinished, type Recipient } from "./broadcast-view.ts";
import { GroupOfRecipients } from "./group-of-recipients.tsx";
import { words } from "./strings.ts";

interface Search {
  status?: string;
  after?: string;
}

const filters = ["pending", "sent", "delivered", "read", "failed", "unknown", "skipped"] as const;

const choices = [
  { value: undefined, label: words.allPeople },
  ...filters.map((value) => ({ value, label: value === "unknown" ? states.unknown : states.statuses[value] })),
];

export function Recipients({ broadcast }: { broadcast: Broadcast }) {
  const { id: workspaceId, timezone } = useWorkspace();
  const { status, after } = useSearch({ strict: false }) as Search;
  const list = useQuery({
    queryKey: ["recipients", workspaceId, broadcast.id, status, after],
    queryFn: ({ signal }) =>
      getList<Recipient>(
        `/w/${workspaceId}/broadcasts/${broadcast.id}/recipients${queryText({ status, after })}`,
        signal,
      ),
    placeholderData: keepPreviousData,
    refetchInterval: isFinished(broadcast) ? false : 3_000,
  });
  const [isGrouping, setIsGrouping] = useState(false);
  const rows = list.data?.data ?? [];
  return (
    <div id="people" className="scroll-mt-4">
      <Section title={words.recipients}>
        <FilterBar label={words.recipients} name="status" choices={choices} />
        {rows.length > 0 && (
          <div className="mb-3 flex flex-wrap items-center gap-3">
            <span className="figures text-quiet">{plural(list.data?.meta.total ?? 0, words.one, words.other)}</span>
            <Button small className="mid:ms-auto" onClick={() => setIsGrouping(true)}>
              {words.newGroup}
            </Button>
            {/* A file, not a page of this one. */}
            <a
              href={`/console/api/w/${workspaceId}/broadcasts/${broadcast.id}/recipients/export${queryText({ status })}`}
              download
              className={buttonLook("plain", true)}
            >
              {words.csv}
            </a>
          </div>
        )}
        {isGrouping && (
          <GroupOfRecipients
            broadcast={broadcast}
            status={status}
            filter={choices.find(({ value }) => value === status)?.label ?? words.allPeople}
            onClose={() => setIsGrouping(false)}
          />
        )}
        {list.isPending && <Loading />}
        {list.isError && <Failed error={list.error} retry={() => void list.refetch()} />}
        {list.data !== undefined && rows.length === 0 && (
          <Empty
            title={broadcast.status === "scheduled" && status === undefined ? words.peopleEmptyYet : words.peopleEmpty}
          />
        )}
        {list.data !== undefined && rows.length > 0 && (
          <>
            <List
              label={words.recipients}
              rows={rows}
              rowKey={({ id }) => id}
              isStale={list.isPlaceholderData}
              columns={[
                {
                  head: words.to,
                  phone: "who",
                  cell: ({ to, name }) => (
                    <span className="font-semibold">
                      {name !== null && <span className="me-2">{name}</span>}
                      <span className={`figures whitespace-nowrap ${name === null ? "" : "font-normal text-quiet"}`}>
                        {to}
                      </span>
                    </span>
                  ),
                },
                {
                  head: words.state,
                  phone: "state",
                  cell: (recipient) => {
                    const { word, tone } = messageLook(recipient);
                    return <Chip tone={tone}>{word}</Chip>;
                  },
                },
                { head: words.reason, phone: "what", cell: ({ reason }) => reason ?? "" },
                {
                  head: words.at,
                  phone: "time",
                  cell: ({ read_at, delivered_at, sent_at, failed_at }) => {
                    const at = failed_at ?? read_at ?? delivered_at ?? sent_at;
                    return at === null ? words.none : <Time at={at} zone={timezone} />;
                  },
                },
              ]}
            />
            <Pager meta={list.data.meta} newer="Back" older="More" />
          </>
        )}
      </Section>
    </div>
  );
}
