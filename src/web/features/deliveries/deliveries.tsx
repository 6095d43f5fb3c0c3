/** Webhook deliveries: the list with its filters, the detail of one, and replaying the failed ones. */

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { eventTypes } from "#src/domain/webhooks/event-types.ts";
import { type Entry, reading } from "../../data/api.ts";
import { may, useWorkspace } from "../../data/session.ts";
import { useParameters } from "../../ui/address.tsx";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Chip } from "../../ui/chip.tsx";
import { type Column, FilterBar } from "../../ui/list.tsx";
import { ListScreen } from "../../ui/list-screen.tsx";
import { Page } from "../../ui/page.tsx";
import { plural } from "../../ui/plural.ts";
import { SelectFilter } from "../../ui/select-filter.tsx";
import { Empty, NothingFound } from "../../ui/states.tsx";
import { Time } from "../../ui/time.tsx";
import { DeliveryPanel } from "./delivery-panel.tsx";
import { deliveryChip } from "./delivery-view.ts";
import { ReplayFailed } from "./replay-failed.tsx";
import { strings } from "./strings.ts";

const SCREEN = "/w/$workspace/deliveries";

/** Only where there are several. */
const addressColumn: Column<Entry<"GET /w/{workspace}/deliveries">> = {
  head: strings.address,
  phone: "hidden",
  cell: ({ url }) => <span className="line-clamp-1 max-w-72 wrap-anywhere">{url ?? strings.addressGone}</span>,
};

export function Screen() {
  const workspace = useWorkspace();
  const { id, timezone } = workspace;
  const { status, type, after, open } = useParameters(SCREEN);
  const [isReplaying, setIsReplaying] = useState(false);
  const query = { status, type: eventTypes.find((known) => known === type), after };
  const list = useQuery({
    ...reading("GET /w/{workspace}/deliveries", { workspace: id, query }, ["deliveries", id, status, type, after]),
    placeholderData: keepPreviousData,
    // The first page refreshes automatically, because users watch it while they repair a receiver.
    refetchInterval: after === undefined ? 5_000 : false,
  });
  const isFiltered = status !== undefined || type !== undefined;
  const params = { workspace: String(id) };
  const hasSeveral = new Set(list.data?.data.map(({ url }) => url)).size > 1;
  return (
    <Page
      title={strings.title}
      lead={strings.lead}
      action={may(workspace, "manage") && <Button onClick={() => setIsReplaying(true)}>{strings.replayAll}</Button>}
    >
      <div className="flex flex-wrap justify-between gap-x-6">
        <FilterBar
          screen={SCREEN}
          label={strings.state}
          name="status"
          choices={[
            { value: undefined, label: strings.all },
            { value: "pending", label: strings.pending },
            { value: "delivered", label: strings.delivered },
            { value: "exhausted", label: strings.exhausted },
          ]}
        />
        <SelectFilter
          screen={SCREEN}
          label={strings.type}
          name="type"
          any={strings.allTypes}
          choices={eventTypes.map((value) => ({ value, label: value }))}
        />
      </div>
      <ListScreen
        query={list}
        screen={SCREEN}
        empty={
          isFiltered ? (
            <NothingFound title={strings.emptyFiltered} clear={strings.clearFilters} />
          ) : (
            <Empty
              title={strings.empty}
              action={
                may(workspace, "manage") && (
                  <ButtonLink to="/w/$workspace/api" params={params} hash="webhook">
                    {strings.emptyAction}
                  </ButtonLink>
                )
              }
            >
              {strings.emptyText}
            </Empty>
          )
        }
        label={strings.title}
        rowKey={(row) => row.id}
        panelOf={SCREEN}
        columns={[
          { head: strings.event, phone: "who", cell: (row) => row.event_type },
          ...(hasSeveral ? [addressColumn] : []),
          {
            head: strings.state,
            phone: "state",
            cell: (row) => {
              const { label, tone } = deliveryChip(row);
              return <Chip tone={tone}>{label}</Chip>;
            },
          },
          { head: strings.attempts, phone: "hidden", cell: (row) => row.attempt_count, isNumeric: true },
          {
            head: strings.next,
            phone: "what",
            cell: (row) =>
              row.next_attempt_at === null ? (
                <>
                  <span className="max-mid:hidden">{strings.none}</span>
                  <span className="mid:hidden">{plural(row.attempt_count, strings.attempt, strings.attemptsMade)}</span>
                </>
              ) : (
                <>
                  <span className="mid:hidden">{strings.next}: </span>
                  <Time at={row.next_attempt_at} zone={timezone} />
                </>
              ),
          },
          { head: strings.created, phone: "time", cell: (row) => <Time at={row.created_at} zone={timezone} /> },
        ]}
      />
      {open !== undefined && <DeliveryPanel key={open} id={open} />}
      {isReplaying && <ReplayFailed onClose={() => setIsReplaying(false)} />}
    </Page>
  );
}
