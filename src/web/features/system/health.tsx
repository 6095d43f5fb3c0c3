/** Whether the server is well: one sentence, then what needs somebody with the next step, then everything as it is. */
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { get } from "../../data/api.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Chip, type ChipTone } from "../../ui/chip.tsx";
import { Copyable } from "../../ui/copy.tsx";
import { List } from "../../ui/list.tsx";
import { size, span } from "../../ui/measure.ts";
import { Card, Facts, Page, Section } from "../../ui/page.tsx";
import { figure } from "../../ui/plural.ts";
import { Failed, Loading } from "../../ui/states.tsx";
import { ExactTime, Time } from "../../ui/time.tsx";
import { DatabaseCheck } from "./check.tsx";
import { words } from "./health-strings.ts";
import { SystemTabs } from "./system-tabs.tsx";
import type { Health, ServerFinding, SetupFinding } from "./system-view.ts";

export function Screen() {
  const health = useQuery({
    queryKey: ["system", "health"],
    queryFn: ({ signal }) => get<Health>("/system/health", signal),
    refetchInterval: 10_000,
  });
  const { data } = health;
  return (
    <Page title={words.title}>
      <SystemTabs />
      {health.isPending && <Loading />}
      {health.isError && (
        <div className="mb-6">
          <Failed error={health.error} retry={() => void health.refetch()} />
        </div>
      )}
      {data !== undefined && <Verdict health={data} />}
      {data !== undefined && <Now health={data} />}
      {data !== undefined && <Work health={data} />}
      <Setup />
      <DatabaseCheck />
    </Page>
  );
}

function Verdict({ health: { findings, at } }: { health: Health }) {
  return (
    <div className="mb-8">
      <p className="mb-3 flex flex-wrap items-center gap-x-3 gap-y-1 text-form">
        {findings.length === 0 && <Chip tone="green">{words.levels.ok}</Chip>}
        <strong className="font-semibold">{findings.length === 0 ? words.fine : words.needs(findings.length)}</strong>
        <span className="text-body text-quiet">
          {words.checked} <ExactTime at={at} />.
        </span>
      </p>
      {findings.length > 0 && (
        <ul className="rounded-panel border border-line bg-surface">
          {findings.map((finding) => (
            <li
              key={`${finding.check} ${finding.message}`}
              className="flex flex-col gap-2 border-b border-line p-4 last:border-b-0"
            >
              <Finding finding={finding} />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** Where something can be done about it, or more is to be seen. */
function Way({ finding: { check, workspace_id, subject_id } }: { finding: ServerFinding }) {
  const place = PLACES[check];
  if (place !== undefined) {
    return (
      <ButtonLink small to={place.to as never}>
        {place.label}
      </ButtonLink>
    );
  }
  if (workspace_id === null) return null;
  const workspace = String(workspace_id);
  if (check === "broadcast") {
    return (
      <ButtonLink
        small
        to={"/w/$workspace/broadcasts/$broadcast" as never}
        params={{ workspace, broadcast: String(subject_id) } as never}
      >
        {words.toBroadcast}
      </ButtonLink>
    );
  }
  return (
    <ButtonLink
      small
      to={"/w/$workspace/numbers" as never}
      params={{ workspace } as never}
      search={{ open: String(subject_id) } as never}
    >
      {words.toNumber}
    </ButtonLink>
  );
}

const PLACES: Readonly<Record<string, { to: string; label: string }>> = {
  backup: { to: "/system/backups", label: words.toBackups },
  outbox: { to: "/system/metrics", label: words.toMetrics },
  callbacks: { to: "/system/metrics", label: words.toMetrics },
  commit: { to: "/system/metrics", label: words.toMetrics },
  workspace: { to: "/system/workspaces", label: words.toWorkspaces },
};

function Finding({ finding }: { finding: ServerFinding }) {
  const { level, message, since, hits, next, command } = finding;
  return (
    <>
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <Chip tone={LEVELS[level]}>{words.levels[level]}</Chip>
        <span className="font-semibold">{message}</span>
        {since !== null && (
          <span className="text-quiet">
            {words.since} <Time at={since} />
          </span>
        )}
      </p>
      {hits !== null && (
        <p className="text-quiet">
          {words.hits} {hits}
        </p>
      )}
      <p>
        {words.next} {next}
      </p>
      {command !== null && (
        <div className="max-w-2xl">
          <Copyable text={command} label={words.copyCommand} />
        </div>
      )}
      <div className="empty:hidden">
        <Way finding={finding} />
      </div>
    </>
  );
}

function Now({ health }: { health: Health }) {
  const { database, disk, commits, backup } = health;
  const groups: (readonly (readonly [string, ReactNode])[])[] = [
    [
      [words.version, words.versionOf(health.version, health.commit)],
      [words.runs, <Time key="runs" at={health.started_at} />],
      [words.madeOf, words.madeOfText(health.bun, health.sqlite, health.schema)],
      [words.memory, size(health.memory_bytes)],
    ],
    [
      [words.database, size(database.bytes)],
      [words.log, size(database.wal_bytes)],
      [words.disk, disk === null ? words.diskUnknown : words.diskOf(size(disk.free_bytes), size(disk.total_bytes))],
      [
        words.file,
        <code key="file" className="font-mono text-label wrap-anywhere">
          {database.path}
        </code>,
      ],
    ],
    [
      [words.writable, health.is_writable ? words.yes : words.no],
      [
        words.commits,
        commits.p50_seconds === null || commits.p99_seconds === null
          ? words.commitsNone
          : words.commitsText(span(commits.p50_seconds), span(commits.p99_seconds)),
      ],
      [words.backup, backup.proven_at === null ? words.backupNone : <Time key="backup" at={backup.proven_at} />],
      [words.nextBackup, backup.next_at === null ? words.nextNone : <ExactTime key="next" at={backup.next_at} />],
    ],
  ];
  return (
    <Section title={words.now}>
      <div className="grid gap-4 wide:grid-cols-3">
        {groups.map((facts) => (
          <Card key={facts[0]?.[0]}>
            <Facts facts={facts} />
          </Card>
        ))}
      </div>
    </Section>
  );
}

function Work({ health: { outbox, callbacks_waiting } }: { health: Health }) {
  const callbacks = { kind: "callbacks", rows: callbacks_waiting, age_seconds: 0 };
  const rows = callbacks_waiting > 0 ? [...outbox, callbacks] : outbox;
  return (
    <Section title={words.work} lead={words.workLead}>
      {rows.length === 0 ? (
        <Card>
          <p className="text-quiet">{words.workEmpty}</p>
        </Card>
      ) : (
        <List
          label={words.work}
          rows={rows}
          rowKey={({ kind }) => kind}
          columns={[
            {
              head: words.kind,
              phone: "who",
              cell: ({ kind }) => (kind === "callbacks" ? words.callbacks : (words.kinds[kind] ?? kind)),
            },
            {
              head: words.late,
              phone: "what",
              cell: ({ age_seconds }) => (age_seconds < 1 ? words.notDue : span(age_seconds)),
            },
            { head: words.rows, phone: "state", isFigure: true, cell: (row) => figure(row.rows) },
          ]}
        />
      )}
    </Section>
  );
}

const LEVELS: Readonly<Record<SetupFinding["level"], ChipTone>> = { ok: "green", warning: "amber", problem: "red" };
const ORDER: readonly SetupFinding["level"][] = ["problem", "warning", "ok"];

/** The doctor, over all numbers. */
function Setup() {
  const found = useQuery({
    queryKey: ["system", "findings"],
    queryFn: ({ signal }) => get<SetupFinding[]>("/system/findings", signal),
    // It asks the network: when the screen is opened, and when somebody wants it again.
    staleTime: 60_000,
    refetchOnWindowFocus: false,
  });
  const all = (found.data ?? []).toSorted((a, b) => ORDER.indexOf(a.level) - ORDER.indexOf(b.level));
  const [fine, wrong] = [all.filter(({ level }) => level === "ok"), all.filter(({ level }) => level !== "ok")];
  return (
    <Section
      title={words.checkup}
      lead={words.checkupLead}
      action={
        <Button small busy={found.isFetching} onClick={() => void found.refetch()}>
          {words.again}
        </Button>
      }
    >
      {found.isPending && <Loading label={words.asking} />}
      {found.isError && <Failed error={found.error} retry={() => void found.refetch()} />}
      {found.data !== undefined && (
        <Card>
          <div className="flex flex-col gap-3">
            <p className="font-semibold">{wrong.length === 0 ? words.allGood : words.problems(wrong.length)}</p>
            {wrong.length > 0 && <SetupList findings={wrong} />}
            {fine.length > 0 && (
              <details>
                <summary className="cursor-pointer py-1 text-quiet">{words.green(fine.length)}</summary>
                <div className="mt-2">
                  <SetupList findings={fine} />
                </div>
              </details>
            )}
          </div>
        </Card>
      )}
    </Section>
  );
}

function SetupList({ findings }: { findings: readonly SetupFinding[] }) {
  return (
    <ul className="flex flex-col gap-3">
      {findings.map(({ level, check, message, next, workspace }) => (
        <li key={`${workspace?.id} ${check} ${message}`} className="flex flex-col gap-1">
          <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <Chip tone={LEVELS[level]}>{words.levels[level]}</Chip>
            <span className="min-w-0 wrap-anywhere">{message}</span>
            {workspace !== null && <span className="text-quiet">{workspace.name}</span>}
          </p>
          {next !== null && (
            <p className="wrap-anywhere text-quiet">
              {words.next} {next}
            </p>
          )}
        </li>
      ))}
    </ul>
  );
}
