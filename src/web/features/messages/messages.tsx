/** Messages: searched by phone, id or words, filtered by state and by who sent them, one with its story beside the list. */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { getList, queryText } from "../../data/api.ts";
import { useWorkspace } from "../../data/session.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { Chip } from "../../ui/chip.tsx";
import { CodeBlock } from "../../ui/copy.tsx";
import { FilterBar, List, Pager } from "../../ui/list.tsx";
import { Page } from "../../ui/page.tsx";
import { SearchBox } from "../../ui/search-box.tsx";
import { SelectFilter } from "../../ui/select-filter.tsx";
import { Empty, Failed, Loading } from "../../ui/states.tsx";
import { Time } from "../../ui/time.tsx";
import { commandContext, exampleTemplate, sendMessageCommand } from "../developer/printed-commands.ts";
import { MessagePanel } from "./message-panel.tsx";
import { messageLook } from "./message-state.ts";
import { words as states } from "./message-state-strings.ts";
import type { AnyMessage } from "./message-view.ts";
import { words } from "./strings.ts";

interface Search {
  q?: string;
  status?: string;
  origin?: string;
  day?: "today";
  after?: string;
  open?: string;
}

export function Screen() {
  const workspace = useWorkspace();
  const { id, timezone } = workspace;
  const { q, status, origin, day, after, open } = useSearch({ strict: false }) as Search;
  const list = useQuery({
    queryKey: ["messages", id, q, status, origin, day, after],
    queryFn: ({ signal }) =>
      getList<AnyMessage>(`/w/${id}/messages${queryText({ q, status, origin, day, after })}`, signal),
    placeholderData: keepPreviousData,
    refetchInterval: after === undefined ? 5_000 : false,
  });
  const rows = list.data?.data ?? [];
  const isSearch = q !== undefined || status !== undefined || origin !== undefined || day !== undefined;
  return (
    <Page title={words.title} lead={words.lead}>
      <div className="flex flex-wrap gap-x-6">
        <SearchBox q={q} label={words.search} />
        <FilterBar
          label={words.state}
          name="status"
          choices={[
            { value: undefined, label: words.all },
            ...(["sent", "delivered", "read", "failed"] as const).map((value) => ({
              value,
              label: states.statuses[value],
            })),
            { value: "unknown", label: states.unknown },
          ]}
        />
        <SelectFilter
          label={words.origin}
          name="origin"
          any={words.anyOrigin}
          choices={[
            { value: "api", label: words.origins.api },
            { value: "console", label: words.origins.console },
          ]}
        />
        <FilterBar
          label={words.day}
          name="day"
          choices={[
            { value: undefined, label: words.anyDay },
            { value: "today", label: words.today },
          ]}
        />
      </div>
      {list.isPending && <Loading />}
      {list.isError && <Failed error={list.error} retry={() => void list.refetch()} />}
      {list.data !== undefined &&
        rows.length === 0 &&
        (isSearch || after !== undefined ? (
          <Empty
            title={list.data.meta.has_more ? words.notFoundYet : words.notFound}
            action={
              <ButtonLink to={"." as never} search={{} as never}>
                {words.clear}
              </ButtonLink>
            }
          />
        ) : (
          <Empty title={words.empty}>
            <p className="mb-3">{words.emptyText}</p>
            <div className="text-start">
              <CodeBlock
                text={sendMessageCommand(commandContext(location.origin, workspace, exampleTemplate("hello")))}
                label={words.emptyText}
                copyLabel={words.copyCurl}
              />
            </div>
          </Empty>
        ))}
      {list.data !== undefined && rows.length > 0 && (
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
            {
              head: words.to,
              phone: "who",
              cell: ({ name, to }) => <span className="figures mid:whitespace-nowrap">{name ?? to}</span>,
            },
            {
              head: words.text,
              phone: "what",
              cell: ({ text }) => (
                <span className="block truncate mid:max-w-[28rem] max-mid:max-w-[60vw]">
                  {text.replaceAll("\n", " ")}
                </span>
              ),
            },
            {
              head: words.state,
              phone: "state",
              cell: (row) => {
                const { word, tone } = messageLook(row);
                return (
                  <Chip tone={tone} {...(row.error === null ? {} : { title: row.error.message })}>
                    {word}
                  </Chip>
                );
              },
            },
            {
              head: words.cost,
              phone: "hidden",
              isFigure: true,
              cell: ({ rate, money }) => (rate === null || money === "released" ? words.none : rate),
            },
            { head: words.when, phone: "time", cell: ({ created_at: at }) => <Time at={at} zone={timezone} /> },
          ]}
        />
      )}
      {list.data !== undefined && <Pager meta={list.data.meta} newer={words.newer} older={words.older} />}
      {open !== undefined && <MessagePanel key={open} id={open} />}
    </Page>
  );
}
