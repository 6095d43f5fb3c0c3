/** The configuration as it is in force: each setting with its value, where that was given, and what it is for. */
import { queryOptions, useQuery } from "@tanstack/react-query";
import { type Output, reading } from "../../data/api.ts";
import { useParameters } from "../../ui/address.tsx";
import { DocsLink } from "../../ui/docs-link.tsx";
import { FilterBar } from "../../ui/list.tsx";
import { ListScreen } from "../../ui/list-screen.tsx";
import { DescriptionList, Page } from "../../ui/page.tsx";
import { Panel } from "../../ui/panel.tsx";
import { SearchBox } from "../../ui/search-box.tsx";
import { Empty } from "../../ui/states.tsx";
import { configurationStrings as strings } from "./strings.ts";
import { SystemTabs } from "./system-tabs.tsx";

type Setting = Output<"GET /system/configuration">["settings"][number];

const SCREEN = "/system/configuration";

const configuration = queryOptions(reading("GET /system/configuration", {}, ["system", "configuration"]));

export function Screen() {
  const { show, q = "", open } = useParameters(SCREEN);
  const words = q.toLowerCase();
  const isShown = ({ path, source, description }: Setting): boolean =>
    (show === undefined || source !== null) && `${path} ${description}`.toLowerCase().includes(words);
  const { data } = useQuery(configuration);
  const rows = useQuery({ ...configuration, select: ({ settings }) => settings.filter(isShown) });
  const opened = data?.settings.find(({ path }) => path === open);
  return (
    <Page title={strings.title} lead={strings.lead(data?.file ?? null)}>
      <SystemTabs />
      <p className="mb-4">
        <DocsLink page="operations">{strings.guide}</DocsLink>
      </p>
      <div className="flex flex-wrap items-start justify-between gap-x-6">
        <FilterBar
          screen={SCREEN}
          label={strings.show}
          name="show"
          choices={[
            { value: undefined, label: strings.all },
            { value: "given", label: strings.given },
          ]}
        />
        <SearchBox screen={SCREEN} label={strings.search} />
      </div>
      <ListScreen
        query={rows}
        empty={<Empty title={strings.empty}>{strings.emptyText}</Empty>}
        label={strings.title}
        rowKey={({ path }) => path}
        panelOf={SCREEN}
        columns={[
          { head: strings.setting, phone: "who", cell: ({ path }) => <code className="font-mono">{path}</code> },
          { head: strings.value, phone: "what", cell: (setting) => <Value setting={setting} isShort /> },
          {
            head: strings.from,
            phone: "time",
            cell: (setting) => <span className={setting.source === null ? "text-quiet" : ""}>{placeOf(setting)}</span>,
          },
        ]}
      />
      {opened !== undefined && (
        <Panel screen={SCREEN} title={opened.path}>
          <p className="mb-6 max-w-[60ch]">{opened.description}</p>
          <DescriptionList
            items={[
              [strings.value, <Value key="value" setting={opened} />],
              [strings.from, placeOf(opened)],
              [strings.change, strings.howToChange(opened.path, data?.file ?? null)],
            ]}
          />
        </Panel>
      )}
    </Page>
  );
}

function Value({ setting: { value }, isShort = false }: { setting: Setting; isShort?: boolean }) {
  if (value === null) return strings.secret;
  if (value === '""' || value === "[]") return <span className="text-quiet">{strings.none}</span>;
  return <code className={`font-mono ${isShort ? "block max-w-96 truncate" : "wrap-anywhere"}`}>{value}</code>;
}

function placeOf({ source, line }: Setting): string {
  if (source === null) return strings.standard;
  return line === null ? source : strings.line(source, line);
}
