/** Messages: search by phone, id or words, filter by state and origin; the detail of one beside the list. */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { reading } from "../../data/api.ts";
import { useWorkspace } from "../../data/session.ts";
import { useChangeParameters, useParameters } from "../../ui/address.tsx";
import { Button } from "../../ui/button.tsx";
import { Chip } from "../../ui/chip.tsx";
import { FilterBar } from "../../ui/list.tsx";
import { ListScreen } from "../../ui/list-screen.tsx";
import { Page } from "../../ui/page.tsx";
import { SearchBox } from "../../ui/search-box.tsx";
import { SelectFilter } from "../../ui/select-filter.tsx";
import { Empty, NothingFound } from "../../ui/states.tsx";
import { Time } from "../../ui/time.tsx";
import { OwnNumberCommand } from "../developer/own-number-command.tsx";
import { commandContext, exampleTemplate, sendMessageCommand } from "../developer/printed-commands.ts";
import { textIn } from "../inbox/bubble.tsx";
import { MessagePanel } from "./message-panel.tsx";
import { messageChip } from "./message-state.ts";
import { strings as states } from "./message-state-strings.ts";
import { strings } from "./strings.ts";

const SCREEN = "/w/$workspace/messages";

export function Screen() {
  const workspace = useWorkspace();
  const { id, timezone } = workspace;
  const { q, status, origin, day, code, after, open } = useParameters(SCREEN);
  const change = useChangeParameters(SCREEN);
  const list = useQuery({
    ...reading("GET /w/{workspace}/messages", { workspace: id, query: { q, status, origin, day, code, after } }, [
      "messages",
      id,
      q,
      status,
      origin,
      day,
      code,
      after,
    ]),
    placeholderData: keepPreviousData,
    refetchInterval: after === undefined ? 5_000 : false,
  });
  const isSearch = [q, status, origin, day, code].some((value) => value !== undefined);
  return (
    <Page title={strings.title} lead={strings.lead}>
      <div className="flex flex-wrap gap-x-6">
        <SearchBox screen={SCREEN} label={strings.search} />
        <FilterBar
          screen={SCREEN}
          label={strings.state}
          name="status"
          choices={[
            { value: undefined, label: strings.all },
            ...(["scheduled", "sent", "delivered", "read", "failed", "cancelled"] as const).map((value) => ({
              value,
              label: states.statuses[value],
            })),
            { value: "unknown", label: states.unknown },
          ]}
        />
        <SelectFilter
          screen={SCREEN}
          label={strings.origin}
          name="origin"
          any={strings.anyOrigin}
          choices={[
            { value: "api", label: strings.origins.api },
            { value: "console", label: strings.origins.console },
          ]}
        />
        <FilterBar
          screen={SCREEN}
          label={strings.day}
          name="day"
          choices={[
            { value: undefined, label: strings.anyDay },
            { value: "today", label: strings.today },
          ]}
        />
      </div>
      {code !== undefined && (
        <p className="mb-4 flex flex-wrap items-center gap-3">
          {strings.ofCode(code)}
          <Button small onClick={() => change({ code: undefined, after: undefined })}>
            {strings.anyCode}
          </Button>
        </p>
      )}
      <ListScreen
        query={list}
        screen={SCREEN}
        newer={strings.newer}
        older={strings.older}
        empty={
          isSearch || after !== undefined ? (
            <NothingFound
              title={list.data?.meta.has_more ? strings.notFoundYet : strings.notFound}
              clear={strings.clear}
            />
          ) : (
            <Empty title={strings.empty}>
              <p className="mb-3">{strings.emptyText}</p>
              <OwnNumberCommand
                make={(own) =>
                  sendMessageCommand(commandContext(location.origin, workspace, exampleTemplate("hello")), own)
                }
                label={strings.emptyText}
              />
            </Empty>
          )
        }
        label={strings.title}
        rowKey={(row) => row.id}
        panelOf={SCREEN}
        columns={[
          {
            head: strings.to,
            phone: "who",
            cell: ({ name, to }) => <span className="figures mid:whitespace-nowrap">{name ?? to}</span>,
          },
          {
            head: strings.text,
            phone: "what",
            cell: (message) => (
              <span className="block truncate mid:max-w-[28rem] max-mid:max-w-[60vw]">
                {textIn(message).replaceAll("\n", " ")}
              </span>
            ),
          },
          {
            head: strings.state,
            phone: "state",
            cell: (row) => {
              const { label, tone } = messageChip(row);
              return (
                <Chip tone={tone} {...(row.error === null ? {} : { title: row.error.message })}>
                  {label}
                </Chip>
              );
            },
          },
          {
            head: strings.cost,
            phone: "hidden",
            isNumeric: true,
            cell: ({ rate, money }) => (rate === null || money === "released" ? strings.none : rate),
          },
          { head: strings.when, phone: "time", cell: ({ created_at: at }) => <Time at={at} zone={timezone} /> },
        ]}
      />
      {open !== undefined && <MessagePanel key={open} screen={SCREEN} id={open} />}
    </Page>
  );
}
