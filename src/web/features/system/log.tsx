/** What the server logged recently, as it happens: by level and words, each entry whole in the panel. */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type Output, reading } from "../../data/api.ts";
import { useParameters } from "../../ui/address.tsx";
import { Button } from "../../ui/button.tsx";
import { Chip, type ChipTone } from "../../ui/chip.tsx";
import { CodeBlock } from "../../ui/copy.tsx";
import { FilterBar } from "../../ui/list.tsx";
import { ListScreen } from "../../ui/list-screen.tsx";
import { Page } from "../../ui/page.tsx";
import { Panel } from "../../ui/panel.tsx";
import { SearchBox } from "../../ui/search-box.tsx";
import { Empty, Notice } from "../../ui/states.tsx";
import { ExactTime } from "../../ui/time.tsx";
import { logStrings as strings } from "./strings.ts";
import { SystemTabs } from "./system-tabs.tsx";

const SCREEN = "/system/log";
const POLL_MS = 2_000;

type Entry = Output<"GET /system/log">[number];

const TONES: Readonly<Record<Entry["level"], ChipTone>> = {
  debug: "grey",
  info: "grey",
  warn: "amber",
  error: "red",
};

export function Screen() {
  const { level, q, open } = useParameters(SCREEN);
  const [isPaused, setIsPaused] = useState(false);
  const entries = useQuery({
    ...reading("GET /system/log", { query: { level, q } }, ["system", "log", level, q]),
    placeholderData: keepPreviousData,
    refetchInterval: isPaused ? false : POLL_MS,
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
        <div className="flex flex-wrap items-start gap-3">
          <Button small onClick={() => setIsPaused((paused) => !paused)}>
            {isPaused ? strings.resume : strings.pause}
          </Button>
          <SearchBox screen={SCREEN} label={strings.search} />
        </div>
      </div>
      {isPaused && (
        <div className="mb-4">
          <Notice tone="grey">{strings.paused}</Notice>
        </div>
      )}
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
            cell: (entry) => <Message entry={entry} />,
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

function Message({ entry }: { entry: Entry }) {
  const details = detailsOf(entry);
  return (
    <>
      <span className="line-clamp-1 wrap-anywhere">{entry.message}</span>
      {details !== "" && (
        <span className="line-clamp-1 font-mono text-label font-normal text-quiet wrap-anywhere max-mid:hidden">
          {details}
        </span>
      )}
    </>
  );
}

const SHOWN_ALREADY: readonly string[] = ["time", "level", "event", "message"];

/** The fields of the entry, in either format of the log. */
function detailsOf({ text, event }: Entry): string {
  const [line = ""] = text.split("\n", 1);
  if (!line.startsWith("{")) return line.split(` event=${event}`).slice(1).join("").trim();
  try {
    return Object.entries(JSON.parse(line) as Record<string, unknown>)
      .filter(([name]) => !SHOWN_ALREADY.includes(name))
      .map(([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`)
      .join(" ");
  } catch {
    return "";
  }
}
