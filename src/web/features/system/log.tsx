/** What the server logged recently, as it happens: by level and words, each entry whole in the panel. */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { type Output, request } from "../../data/api.ts";
import { useParameters } from "../../ui/address.tsx";
import { Chip, type ChipTone } from "../../ui/chip.tsx";
import { CodeBlock } from "../../ui/copy.tsx";
import { FilterBar } from "../../ui/list.tsx";
import { ListScreen } from "../../ui/list-screen.tsx";
import { Page } from "../../ui/page.tsx";
import { Panel } from "../../ui/panel.tsx";
import { SearchBox } from "../../ui/search-box.tsx";
import { Empty } from "../../ui/states.tsx";
import { ExactTime } from "../../ui/time.tsx";
import { logStrings as strings } from "./strings.ts";
import { SystemTabs } from "./system-tabs.tsx";

const SCREEN = "/system/log";
const POLL_MS = 2_000;

const TONES: Readonly<Record<Output<"GET /system/log">[number]["level"], ChipTone>> = {
  debug: "grey",
  info: "grey",
  warn: "amber",
  error: "red",
};

export function Screen() {
  const { level, q, open } = useParameters(SCREEN);
  const entries = useQuery({
    queryKey: ["system", "log", level, q],
    queryFn: ({ signal }) => request("GET /system/log", { query: { level, q } }, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: POLL_MS,
  });
  const opened = entries.data?.find(({ id }) => String(id) === open);
  return (
    <Page title={strings.title} lead={strings.lead}>
      <SystemTabs />
      <div className="flex flex-wrap items-start justify-between gap-x-6">
        <FilterBar
          screen={SCREEN}
          label={strings.show}
          name="level"
          choices={[
            { value: undefined, label: strings.all },
            { value: "warn", label: strings.warnings },
            { value: "error", label: strings.errors },
          ]}
        />
        <SearchBox screen={SCREEN} label={strings.search} />
      </div>
      <ListScreen
        query={entries}
        empty={<Empty title={strings.empty}>{strings.emptyText}</Empty>}
        label={strings.title}
        rowKey={({ id }) => id}
        panelOf={SCREEN}
        columns={[
          {
            head: strings.message,
            phone: "who",
            cell: ({ message }) => <span className="line-clamp-1 wrap-anywhere">{message}</span>,
          },
          {
            head: strings.level,
            phone: "state",
            cell: (entry) => <Chip tone={TONES[entry.level]}>{entry.level}</Chip>,
          },
          { head: strings.event, phone: "what", cell: ({ event }) => <code className="font-mono">{event}</code> },
          { head: strings.time, phone: "time", cell: ({ time }) => <ExactTime at={time} /> },
        ]}
      />
      {opened !== undefined && (
        <Panel screen={SCREEN} title={opened.message}>
          <CodeBlock text={opened.text.trimEnd()} label={strings.entry} />
        </Panel>
      )}
    </Page>
  );
}
