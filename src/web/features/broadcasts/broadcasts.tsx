/** All broadcasts, newest first, with their results. */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { request } from "../../data/api.ts";
import { useWorkspace } from "../../data/session.ts";
import { useParameters } from "../../ui/address.tsx";
import { ButtonLink, textLink } from "../../ui/button.tsx";
import { Chip } from "../../ui/chip.tsx";
import { ListScreen } from "../../ui/list-screen.tsx";
import { Page } from "../../ui/page.tsx";
import { formatCount, plural, share } from "../../ui/plural.ts";
import { Empty, NothingFound } from "../../ui/states.tsx";
import { Time } from "../../ui/time.tsx";
import { OwnNumberCommand } from "../developer/own-number-command.tsx";
import { commandContext, exampleTemplate, sendBroadcastCommand } from "../developer/printed-commands.ts";
import { ProgressBar } from "./broadcast-counters.tsx";
import { type Broadcast, broadcastChip, isFinished } from "./broadcast-view.ts";
import { Drafts, NewBroadcastLink } from "./drafts.tsx";
import { ListFilters, SCREEN, sinceOf } from "./list-filters.tsx";
import { strings } from "./strings.ts";

export function Screen() {
  const workspace = useWorkspace();
  const { id, timezone } = workspace;
  const { q, status, template, from, when, after } = useParameters(SCREEN);
  const isFiltered = [q, status, template, from, when].some((one) => one !== undefined);
  const list = useQuery({
    queryKey: ["broadcasts", id, q, status, template, from, when, after],
    queryFn: ({ signal }) => {
      const query = { q, status, template, from, since: sinceOf(when), after };
      return request("GET /w/{workspace}/broadcasts", { workspace: id, query }, { signal });
    },
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.data.some((one) => !isFinished(one)) === true ? 2_000 : 30_000),
  });
  const params = { workspace: String(id) };
  return (
    <Page
      title={strings.title}
      total={list.data === undefined ? undefined : formatCount(list.data.meta.total)}
      lead={strings.lead}
      action={<NewBroadcastLink />}
    >
      {!isFiltered && <Drafts />}
      <ListFilters />
      <ListScreen
        query={list}
        screen={SCREEN}
        empty={
          isFiltered || after !== undefined ? (
            <NothingFound title={strings.notFound} clear={strings.clear} />
          ) : (
            <Empty
              title={strings.empty}
              action={
                <>
                  <ButtonLink to="/w/$workspace/contacts" params={params}>
                    {strings.emptyContacts}
                  </ButtonLink>
                  <p className="mt-4 text-quiet">{strings.emptyApi}</p>
                  <div className="w-full">
                    <OwnNumberCommand
                      make={(own) =>
                        sendBroadcastCommand(commandContext(location.origin, workspace, exampleTemplate("offer")), own)
                      }
                      label={strings.emptyApi}
                    />
                  </div>
                </>
              }
            >
              {strings.emptyText}
            </Empty>
          )
        }
        label={strings.title}
        rowKey={(row) => row.id}
        rowLink={(row, props) => (
          <Link {...props} to="/w/$workspace/broadcasts/$broadcast" params={{ ...params, broadcast: String(row.id) }} />
        )}
        columns={[
          { head: strings.name, phone: "who", cell: (row) => row.name },
          {
            head: strings.state,
            phone: "state",
            cell: (row) => {
              const { label, tone } = broadcastChip(row.status);
              return (
                <div className="flex items-center gap-2 max-mid:justify-end">
                  <Chip tone={tone}>{label}</Chip>
                  {!isFinished(row) && row.status !== "scheduled" && <ProgressBar broadcast={row} />}
                </div>
              );
            },
          },
          { head: strings.people, phone: "what", isNumeric: true, cell: people },
          {
            head: strings.delivered,
            phone: "hidden",
            isNumeric: true,
            cell: ({ counts }) => share(counts.delivered, counts.sent),
          },
          {
            head: strings.read,
            phone: "hidden",
            isNumeric: true,
            cell: ({ counts }) => share(counts.read, counts.sent),
          },
          {
            head: strings.failed,
            phone: "hidden",
            isNumeric: true,
            cell: ({ id: broadcast, counts }) =>
              counts.failed === 0 ? (
                formatCount(0)
              ) : (
                <Link
                  to="/w/$workspace/broadcasts/$broadcast"
                  params={{ ...params, broadcast: String(broadcast) }}
                  search={{ status: "unsuccessful" }}
                  hash="people"
                  className={`relative z-1 ${textLink}`}
                >
                  {formatCount(counts.failed)}
                </Link>
              ),
          },
          { head: strings.cost, phone: "hidden", isNumeric: true, cell: ({ charged }) => charged ?? strings.none },
          {
            head: strings.when,
            phone: "time",
            cell: (row) => <Time at={row.started_at ?? row.send_at ?? row.created_at} zone={timezone} />,
          },
        ]}
      />
    </Page>
  );
}

/**
 * Phone cards have no column head, so the count gets its noun. A scheduled broadcast has no count before its recipients
 * are built.
 */
function people({ status, counts: { total } }: Broadcast) {
  if (status === "scheduled" && total === 0) return <span className="max-mid:hidden">{strings.none}</span>;
  return (
    <>
      <span className="max-mid:hidden">{formatCount(total)}</span>
      <span className="mid:hidden">{plural(total, strings.one, strings.other)}</span>
    </>
  );
}
