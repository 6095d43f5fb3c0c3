/** The log of requests with API keys: the list with its filters, and what it lacks. */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { type Output, reading } from "../../data/api.ts";
import { may, useWorkspace } from "../../data/session.ts";
import { useParameters } from "../../ui/address.tsx";
import { ButtonLink } from "../../ui/button.tsx";
import { Chip, type ChipTone } from "../../ui/chip.tsx";
import { FilterBar } from "../../ui/list.tsx";
import { ListScreen } from "../../ui/list-screen.tsx";
import { Page } from "../../ui/page.tsx";
import { SelectFilter } from "../../ui/select-filter.tsx";
import { Empty, NothingFound, Notice } from "../../ui/states.tsx";
import { ExactTime, Time } from "../../ui/time.tsx";
import { strings } from "./strings.ts";

const SCREEN = "/w/$workspace/requests";

export function Screen() {
  const workspace = useWorkspace();
  const { id, timezone } = workspace;
  const { status, key, after } = useParameters(SCREEN);
  const list = useQuery({
    ...reading("GET /w/{workspace}/requests", { workspace: id, query: { status, key, after } }, [
      "requests",
      id,
      status,
      key,
      after,
    ]),
    placeholderData: keepPreviousData,
    // The first page refreshes automatically, because users watch it while they call the API.
    refetchInterval: after === undefined ? 5_000 : false,
  });
  const about = useQuery(reading("GET /w/{workspace}/requests/about", { workspace: id }, ["requests-about", id]));
  const isFiltered = status !== undefined || key !== undefined;
  return (
    <Page title={strings.title} lead={strings.lead}>
      <div className="flex flex-wrap justify-between gap-x-6">
        <FilterBar
          screen={SCREEN}
          label={strings.result}
          name="status"
          choices={[
            { value: undefined, label: strings.all },
            { value: "2xx", label: strings.classes["2xx"] },
            { value: "4xx", label: strings.classes["4xx"] },
            { value: "5xx", label: strings.classes["5xx"] },
          ]}
        />
        <SelectFilter
          screen={SCREEN}
          label={strings.key}
          name="key"
          any={strings.allKeys}
          choices={(about.data?.keys ?? []).map((one) => ({
            value: String(one.id),
            label: strings.keyChoice(one.name, one.prefix),
          }))}
        />
      </div>
      {about.data !== undefined && <Lacks about={about.data} zone={timezone} />}
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
                  <ButtonLink to="/w/$workspace/api" params={{ workspace: String(id) }}>
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
        columns={[
          {
            head: strings.request,
            phone: "who",
            cell: ({ method, path }) => (
              <code className="font-mono wrap-anywhere">
                {method} {path}
              </code>
            ),
          },
          {
            head: strings.status,
            phone: "state",
            cell: (row) => <Chip tone={toneOf(row.status)}>{row.status}</Chip>,
          },
          { head: strings.key, phone: "what", cell: (row) => row.key.name },
          {
            head: strings.took,
            phone: "hidden",
            cell: ({ duration_ms: ms }) => strings.milliseconds(ms),
            isNumeric: true,
          },
          { head: strings.time, phone: "time", cell: ({ at }) => <Time at={at} zone={timezone} /> },
        ]}
      />
    </Page>
  );
}

function toneOf(status: number): ChipTone {
  if (status >= 500) return "red";
  return status >= 400 ? "amber" : "green";
}

/** What is known to be missing in the list. */
function Lacks({ about, zone }: { about: Output<"GET /w/{workspace}/requests/about">; zone: string }) {
  const { full_days: days, unclean_ends: ends, listed_per_day: limit } = about;
  if (days.length + ends.length === 0) return null;
  return (
    <div className="mb-4">
      <Notice tone="grey">
        <p>{strings.lacks}</p>
        <ul className="list-disc ps-5">
          {days.map(({ from, unlisted }) => (
            <li key={from}>
              <ExactTime at={from} zone={zone} />: {strings.fullDay(unlisted, limit)}
            </li>
          ))}
          {ends.map(({ from, until }) => (
            <li key={from}>
              <ExactTime at={from} zone={zone} /> – <ExactTime at={until} zone={zone} />: {strings.uncleanEnd}
            </li>
          ))}
        </ul>
      </Notice>
    </div>
  );
}
