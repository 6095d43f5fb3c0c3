/** Everybody in a broadcast, by what became of them. */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { getList, queryText } from "../api.ts";
import { useWorkspace } from "../session.ts";
import { Chip } from "../ui/chip.tsx";
import { FilterBar, List, Pager } from "../ui/list.tsx";
import { Section } from "../ui/page.tsx";
import { Empty, Failed, Loading } from "../ui/states.tsx";
import { Time } from "../ui/time.tsx";
import { type Broadcast, isFinished, type Recipient, recipientLook } from "./broadcast-view.ts";
import { words } from "./broadcasts-words.ts";

interface Search {
  status?: string;
  after?: string;
}

const filters = ["pending", "sent", "delivered", "read", "failed", "skipped"] as const;

export function Recipients({ broadcast }: { broadcast: Broadcast }) {
  const { id: workspaceId, timezone } = useWorkspace();
  const { status, after } = useSearch({ strict: false }) as Search;
  const list = useQuery({
    queryKey: ["recipients", workspaceId, broadcast.id, status, after],
    queryFn: ({ signal }) =>
      getList<Recipient>(
        `/w/${workspaceId}/v1/broadcasts/${broadcast.id}/recipients${queryText({ status, after })}`,
        signal,
      ),
    placeholderData: keepPreviousData,
    refetchInterval: isFinished(broadcast) ? false : 3_000,
  });
  const rows = list.data?.data ?? [];
  return (
    <div id="people" className="scroll-mt-4">
      <Section title={words.recipients}>
        <FilterBar
          label={words.recipients}
          name="status"
          choices={[
            { value: undefined, label: words.allPeople },
            ...filters.map((value) => ({ value, label: words.statuses[value] })),
          ]}
        />
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
              rowKey={({ to, status, reason }) => `${to} ${status} ${reason}`}
              isStale={list.isPlaceholderData}
              columns={[
                { head: words.to, phone: "who", cell: ({ to }) => <span className="figures font-semibold">{to}</span> },
                {
                  head: words.state,
                  phone: "state",
                  cell: (recipient) => {
                    const { word, tone } = recipientLook(recipient);
                    return <Chip tone={tone}>{word}</Chip>;
                  },
                },
                { head: words.reason, phone: "what", cell: ({ reason }) => reason ?? "" },
                {
                  head: words.at,
                  phone: "time",
                  cell: ({ read_at, delivered_at, sent_at }) => {
                    const at = read_at ?? delivered_at ?? sent_at;
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
