/** The log of deeds, of a workspace or of the whole server: the newest first, each line with its details beside it. */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { getList, queryText } from "../../data/api.ts";
import { CodeBlock } from "../../ui/copy.tsx";
import { type Column, List, Pager } from "../../ui/list.tsx";
import { Facts } from "../../ui/page.tsx";
import { Panel } from "../../ui/panel.tsx";
import { Empty, Failed, Loading } from "../../ui/states.tsx";
import { ExactTime, Time } from "../../ui/time.tsx";
import { words } from "./strings.ts";

interface Deed {
  id: number;
  at: string;
  /** Null: the command line. */
  email: string | null;
  action: string;
  subject: string;
  details: Record<string, unknown>;
  address: string;
  /** Only in the server's log. */
  workspace?: { id: number; name: string } | null;
}

interface AuditListProps {
  /** Below the console's API. */
  path: string;
  /** Left out, the browser's own. */
  zone?: string;
}

export function AuditList({ path, zone }: AuditListProps) {
  const { after, open } = useSearch({ strict: false }) as { after?: string; open?: string };
  const list = useQuery({
    queryKey: ["audit", path, after],
    queryFn: ({ signal }) => getList<Deed>(`${path}${queryText({ after })}`, signal),
    placeholderData: keepPreviousData,
    refetchInterval: after === undefined ? 15_000 : false,
  });
  const rows = list.data?.data ?? [];
  const opened = rows.find(({ id }) => String(id) === open);
  const isOfServer = rows.some(({ workspace }) => workspace !== undefined);
  const given = zone === undefined ? {} : { zone };
  const ofServer: Column<Deed>[] = isOfServer
    ? [{ head: words.workspace, phone: "hidden", cell: ({ workspace }) => workspace?.name ?? words.none }]
    : [];
  return (
    <>
      {list.isPending && <Loading />}
      {list.isError && <Failed error={list.error} retry={() => void list.refetch()} />}
      {list.data !== undefined && rows.length === 0 && <Empty title={words.empty}>{words.emptyText}</Empty>}
      {list.data !== undefined && rows.length > 0 && (
        <>
          <List
            label={words.title}
            rows={rows}
            rowKey={({ id }) => id}
            openKey={open === undefined ? null : Number(open)}
            isStale={list.isPlaceholderData}
            rowLink={({ id }) => ({
              to: ".",
              search: ((known: Record<string, unknown>) => ({ ...known, open: String(id) })) as never,
              resetScroll: false,
            })}
            columns={[
              { head: words.what, phone: "who", cell: ({ action }) => words.deeds[action] ?? action },
              {
                head: words.subject,
                phone: "what",
                cell: ({ subject }) => (
                  <span className="line-clamp-1 max-w-72 wrap-anywhere">{subject || words.none}</span>
                ),
              },
              ...ofServer,
              {
                head: words.who,
                phone: "hidden",
                cell: ({ email }) => <span className="wrap-anywhere">{email ?? words.commandLine}</span>,
              },
              { head: words.when, phone: "time", cell: ({ at }) => <Time at={at} {...given} /> },
            ]}
          />
          <Pager meta={list.data.meta} />
        </>
      )}
      {opened !== undefined && <DeedPanel deed={opened} {...given} />}
    </>
  );
}

function DeedPanel({ deed, zone }: { deed: Deed; zone?: string }) {
  const { action, subject, email, at, address, details, workspace } = deed;
  const hasDetails = Object.keys(details).length > 0;
  return (
    <Panel title={words.deeds[action] ?? action}>
      <div className="flex flex-col gap-6">
        <Facts
          facts={[
            [
              words.subject,
              <span key="subject" className="wrap-anywhere">
                {subject || words.none}
              </span>,
            ],
            [words.who, email ?? words.commandLine],
            [words.when, <ExactTime key="at" at={at} {...(zone === undefined ? {} : { zone })} />],
            ...(workspace === undefined ? [] : [[words.workspace, workspace?.name ?? words.server] as const]),
            [words.address, address || words.none],
            [
              words.action,
              <code key="action" className="font-mono">
                {action}
              </code>,
            ],
          ]}
        />
        {hasDetails && (
          <div>
            <h3 className="mb-2 font-semibold">{words.details}</h3>
            <Facts
              facts={Object.entries(details).map(([name, value]) => [name, <Detail key={name} value={value} />])}
            />
          </div>
        )}
      </div>
    </Panel>
  );
}

/** A word as it is; what has parts, as the log has it. */
function Detail({ value }: { value: unknown }) {
  if (value === null || value === "") return words.none;
  if (typeof value !== "object") return <span className="wrap-anywhere">{String(value)}</span>;
  return <CodeBlock text={JSON.stringify(value, null, 2)} label={words.details} />;
}
