/** The audit log of a workspace or of the whole server: newest first, each entry with its details in a panel. */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { type Entry, type Meta, request } from "../../data/api.ts";
import { useParameters } from "../../ui/address.tsx";
import { CodeBlock } from "../../ui/copy.tsx";
import type { Column } from "../../ui/list.tsx";
import { ListScreen } from "../../ui/list-screen.tsx";
import { DescriptionList } from "../../ui/page.tsx";
import { Panel } from "../../ui/panel.tsx";
import { Empty } from "../../ui/states.tsx";
import { ExactTime, Time } from "../../ui/time.tsx";
import { strings } from "./strings.ts";

/** `workspace` is present in the log of the whole server. */
type AuditEntry = Entry<"GET /w/{workspace}/audit"> & Partial<Entry<"GET /audit">>;

interface AuditListProps {
  screen: "/w/$workspace/audit" | "/system/audit";
  /** Null: the log of the whole server. */
  workspace: number | null;
  /** The browser's timezone if absent. */
  zone?: string;
}

export function AuditList({ screen, workspace: workspaceId, zone }: AuditListProps) {
  const { after, open } = useParameters(screen);
  const list = useQuery({
    queryKey: ["audit", workspaceId, after],
    queryFn: ({ signal }): Promise<{ data: AuditEntry[]; meta: Meta }> =>
      workspaceId === null
        ? request("GET /audit", { query: { after } }, { signal })
        : request("GET /w/{workspace}/audit", { workspace: workspaceId, query: { after } }, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: after === undefined ? 15_000 : false,
  });
  const rows = list.data?.data ?? [];
  const opened = rows.find(({ id }) => String(id) === open);
  const isServerLog = rows.some(({ workspace }) => workspace !== undefined);
  const zoneProps = zone === undefined ? {} : { zone };
  const serverColumns: Column<AuditEntry>[] = isServerLog
    ? [{ head: strings.workspace, phone: "hidden", cell: ({ workspace }) => workspace?.name ?? strings.none }]
    : [];
  return (
    <>
      <ListScreen
        query={list}
        screen={screen}
        empty={<Empty title={strings.empty}>{strings.emptyText}</Empty>}
        label={strings.title}
        rowKey={({ id }) => id}
        panelOf={screen}
        columns={[
          { head: strings.what, phone: "who", cell: ({ action }) => strings.actionLabels[action] ?? action },
          {
            head: strings.subject,
            phone: "what",
            cell: ({ subject }) => (
              <span className="line-clamp-1 max-w-72 wrap-anywhere">{subject || strings.none}</span>
            ),
          },
          ...serverColumns,
          {
            head: strings.who,
            phone: "hidden",
            cell: (entry) => <span className="wrap-anywhere">{actorOf(entry)}</span>,
          },
          { head: strings.when, phone: "time", cell: ({ at }) => <Time at={at} {...zoneProps} /> },
        ]}
      />
      {opened !== undefined && <AuditEntryPanel screen={screen} entry={opened} {...zoneProps} />}
    </>
  );
}

interface AuditEntryPanelProps extends Pick<AuditListProps, "screen" | "zone"> {
  entry: AuditEntry;
}

function AuditEntryPanel({ screen, entry, zone }: AuditEntryPanelProps) {
  const { action, subject, at, address, details, workspace } = entry;
  const hasDetails = Object.keys(details).length > 0;
  return (
    <Panel screen={screen} title={strings.actionLabels[action] ?? action}>
      <div className="flex flex-col gap-6">
        <DescriptionList
          items={[
            [
              strings.subject,
              <span key="subject" className="wrap-anywhere">
                {subject || strings.none}
              </span>,
            ],
            [strings.who, actorOf(entry)],
            [strings.when, <ExactTime key="at" at={at} {...(zone === undefined ? {} : { zone })} />],
            ...(workspace === undefined ? [] : [[strings.workspace, workspace?.name ?? strings.server] as const]),
            [strings.address, address || strings.none],
            [
              strings.action,
              <code key="action" className="font-mono">
                {action}
              </code>,
            ],
          ]}
        />
        {hasDetails && (
          <div>
            <h3 className="mb-2 font-semibold">{strings.details}</h3>
            <DescriptionList
              items={Object.entries(details).map(([name, value]) => [name, <Detail key={name} value={value} />])}
            />
          </div>
        )}
      </div>
    </Panel>
  );
}

function actorOf({ email, address }: AuditEntry): string {
  return email ?? (address === "" ? strings.commandLine : strings.signedOut);
}

/** A simple value as text, anything else as JSON. */
function Detail({ value }: { value: unknown }) {
  if (value === null || value === "") return strings.none;
  if (typeof value !== "object") return <span className="wrap-anywhere">{String(value)}</span>;
  return <CodeBlock text={JSON.stringify(value, null, 2)} label={strings.details} />;
}
