/** Webhook deliveries: the list with its filters, one in detail beside it, and replaying what failed. */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { getList, queryText } from "../../data/api.ts";
import { mayOwn, useWorkspace } from "../../data/session.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Chip } from "../../ui/chip.tsx";
import { FilterBar, List, Pager } from "../../ui/list.tsx";
import { Page } from "../../ui/page.tsx";
import { plural } from "../../ui/plural.ts";
import { SelectFilter } from "../../ui/select-filter.tsx";
import { Empty, Failed, Loading } from "../../ui/states.tsx";
import { Time } from "../../ui/time.tsx";
import { DeliveryPanel } from "./delivery-panel.tsx";
import { type Delivery, stateOf } from "./delivery-view.ts";
import { ReplayFailed } from "./replay-failed.tsx";
import { eventTypes, words } from "./strings.ts";

interface Search {
  status?: Delivery["status"];
  type?: string;
  after?: string;
  open?: string;
}

export function Screen() {
  const workspace = useWorkspace();
  const { id, timezone } = workspace;
  const { status, type, after, open } = useSearch({ strict: false }) as Search;
  const [isReplaying, setIsReplaying] = useState(false);
  const path = `/w/${id}/deliveries${queryText({ status, type, after })}`;
  const list = useQuery({
    queryKey: ["deliveries", id, status, type, after],
    queryFn: ({ signal }) => getList<Delivery>(path, signal),
    placeholderData: keepPreviousData,
    // The first page is what somebody watches while they mend a receiver.
    refetchInterval: after === undefined ? 5_000 : false,
  });
  const rows = list.data?.data ?? [];
  const isFiltered = status !== undefined || type !== undefined;
  const params = { workspace: String(id) } as never;
  return (
    <Page
      title={words.title}
      lead={words.lead}
      action={mayOwn(workspace) && <Button onClick={() => setIsReplaying(true)}>{words.replayAll}</Button>}
    >
      <div className="flex flex-wrap justify-between gap-x-6">
        <FilterBar
          label={words.state}
          name="status"
          choices={[
            { value: undefined, label: words.all },
            { value: "pending", label: words.pending },
            { value: "delivered", label: words.delivered },
            { value: "exhausted", label: words.exhausted },
          ]}
        />
        <SelectFilter
          label={words.type}
          name="type"
          any={words.allTypes}
          choices={eventTypes.map((value) => ({ value, label: value }))}
        />
      </div>
      {list.isPending && <Loading />}
      {list.isError && <Failed error={list.error} retry={() => void list.refetch()} />}
      {list.data !== undefined && rows.length === 0 && (
        <Empty
          title={isFiltered ? words.emptyFiltered : words.empty}
          action={
            isFiltered ? (
              <ButtonLink to={"." as never} search={{} as never}>
                {words.clearFilters}
              </ButtonLink>
            ) : (
              mayOwn(workspace) && (
                <ButtonLink to={"/w/$workspace/api" as never} params={params} hash="webhook">
                  {words.emptyAction}
                </ButtonLink>
              )
            )
          }
        >
          {isFiltered ? undefined : words.emptyText}
        </Empty>
      )}
      {list.data !== undefined && rows.length > 0 && (
        <>
          <List
            label={words.title}
            rows={rows}
            rowKey={(row) => row.id}
            openKey={open === undefined ? null : Number(open)}
            isStale={list.isPlaceholderData}
            rowLink={(row) => ({
              to: ".",
              search: ((known: Search) => ({ ...known, open: String(row.id) })) as never,
              resetScroll: false,
            })}
            columns={[
              { head: words.event, phone: "who", cell: (row) => row.event_type },
              {
                head: words.state,
                phone: "state",
                cell: (row) => {
                  const { word, tone } = stateOf(row);
                  return <Chip tone={tone}>{word}</Chip>;
                },
              },
              { head: words.attempts, phone: "hidden", cell: (row) => row.attempt_count, isFigure: true },
              {
                head: words.next,
                phone: "what",
                cell: (row) =>
                  row.next_attempt_at === null ? (
                    <>
                      <span className="max-mid:hidden">{words.none}</span>
                      <span className="mid:hidden">{plural(row.attempt_count, words.attempt, words.attemptsMade)}</span>
                    </>
                  ) : (
                    <>
                      <span className="mid:hidden">{words.next}: </span>
                      <Time at={row.next_attempt_at} zone={timezone} />
                    </>
                  ),
              },
              { head: words.created, phone: "time", cell: (row) => <Time at={row.created_at} zone={timezone} /> },
            ]}
          />
          <Pager meta={list.data.meta} />
        </>
      )}
      {open !== undefined && <DeliveryPanel key={open} id={open} />}
      {isReplaying && <ReplayFailed onClose={() => setIsReplaying(false)} />}
    </Page>
  );
}
