/** The server's health: a one-sentence status, then findings with the next step for each, then all values. */
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { reading } from "../../data/api.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Chip, type ChipTone } from "../../ui/chip.tsx";
import { Copyable } from "../../ui/copy.tsx";
import { List } from "../../ui/list.tsx";
import { size, span } from "../../ui/measure.ts";
import { Card, DescriptionList, Page, Section } from "../../ui/page.tsx";
import { formatCount } from "../../ui/plural.ts";
import { Failed, Loaded, Loading } from "../../ui/states.tsx";
import { ExactTime, Time } from "../../ui/time.tsx";
import { AlarmTest } from "./alarm-test.tsx";
import { DatabaseCheck } from "./check.tsx";
import { strings } from "./health-strings.ts";
import { SystemTabs } from "./system-tabs.tsx";
import type { Health, ServerFinding, SetupFinding } from "./system-view.ts";

export function Screen() {
  const health = useQuery({
    ...reading("GET /system/health", {}, ["system", "health"]),
    refetchInterval: 10_000,
  });
  const { data } = health;
  return (
    <Page title={strings.title}>
      <SystemTabs />
      {health.isPending && <Loading />}
      {health.isError && (
        <div className="mb-6">
          <Failed error={health.error} retry={() => void health.refetch()} />
        </div>
      )}
      {data !== undefined && <HealthSummary health={data} />}
      {data !== undefined && <CurrentState health={data} />}
      {data !== undefined && <PendingWork health={data} />}
      {data !== undefined && <WithoutEffect health={data} />}
      <Setup />
      <AlarmTest />
      <DatabaseCheck />
    </Page>
  );
}

function HealthSummary({ health: { findings, at } }: { health: Health }) {
  return (
    <div className="mb-8">
      <p className="mb-3 flex flex-wrap items-center gap-x-3 gap-y-1 text-form">
        {findings.length === 0 && <Chip tone="green">{strings.levels.ok}</Chip>}
        <strong className="font-semibold">
          {findings.length === 0 ? strings.fine : strings.needs(findings.length)}
        </strong>
        <span className="text-body text-quiet">
          {strings.checked} <ExactTime at={at} />.
        </span>
      </p>
      {findings.length > 0 && (
        <ul className="rounded-panel border border-line bg-surface">
          {findings.map((finding) => (
            <li key={finding.id} className="flex flex-col gap-2 border-b border-line p-4 last:border-b-0">
              <Finding finding={finding} />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** A link to the screen where the finding can be resolved or examined. */
function FindingLink({ finding: { check, workspace_id, subject_id } }: { finding: ServerFinding }) {
  const page = FINDING_PAGES[check];
  if (page !== undefined) {
    return (
      <ButtonLink small to={page.to}>
        {page.label}
      </ButtonLink>
    );
  }
  if (workspace_id === null) return null;
  const workspace = String(workspace_id);
  if (check === "broadcast") {
    return (
      <ButtonLink small to="/w/$workspace/broadcasts/$broadcast" params={{ workspace, broadcast: String(subject_id) }}>
        {strings.toBroadcast}
      </ButtonLink>
    );
  }
  return (
    <ButtonLink small to="/w/$workspace/numbers" params={{ workspace }} search={{ open: String(subject_id) }}>
      {strings.toNumber}
    </ButtonLink>
  );
}

type SystemScreen = "/system/backups" | "/system/metrics" | "/system/upgrade" | "/system/workspaces";

const FINDING_PAGES: Readonly<Record<string, { to: SystemScreen; label: string }>> = {
  backup: { to: "/system/backups", label: strings.toBackups },
  balance: { to: "/system/workspaces", label: strings.toWorkspaces },
  queue: { to: "/system/metrics", label: strings.toMetrics },
  callbacks: { to: "/system/metrics", label: strings.toMetrics },
  commit: { to: "/system/metrics", label: strings.toMetrics },
  workspace: { to: "/system/workspaces", label: strings.toWorkspaces },
  version: { to: "/system/upgrade", label: strings.toUpgrade },
};

function Finding({ finding }: { finding: ServerFinding }) {
  const { level, message, since, hits, next, command } = finding;
  return (
    <>
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <Chip tone={LEVELS[level]}>{strings.levels[level]}</Chip>
        <span className="font-semibold">{message}</span>
        {since !== null && (
          <span className="text-quiet">
            {strings.since} <Time at={since} />
          </span>
        )}
      </p>
      {hits !== null && (
        <p className="text-quiet">
          {strings.impact} {hits}
        </p>
      )}
      <p>
        {strings.next} {next}
      </p>
      {command !== null && (
        <div className="max-w-2xl">
          <Copyable text={command} label={strings.copyCommand} />
        </div>
      )}
      <div className="empty:hidden">
        <FindingLink finding={finding} />
      </div>
    </>
  );
}

function CurrentState({ health }: { health: Health }) {
  const { database, disk, commits, backup } = health;
  const groups: (readonly (readonly [string, ReactNode])[])[] = [
    [
      [strings.version, strings.versionOf(health.version, health.commit)],
      [strings.runs, <Time key="runs" at={health.started_at} />],
      [strings.madeOf, strings.madeOfText(health.bun, health.sqlite, health.schema)],
      [strings.memory, size(health.memory_bytes)],
    ],
    [
      [strings.database, size(database.bytes)],
      [strings.log, size(database.wal_bytes)],
      [
        strings.disk,
        disk === null ? strings.diskUnknown : strings.diskOf(size(disk.free_bytes), size(disk.total_bytes)),
      ],
      [
        strings.file,
        <code key="file" className="font-mono text-label wrap-anywhere">
          {database.path}
        </code>,
      ],
    ],
    [
      [strings.writable, health.is_writable ? strings.yes : strings.no],
      [
        strings.commits,
        commits.p50_seconds === null || commits.p99_seconds === null
          ? strings.commitsNone
          : strings.commitsText(span(commits.p50_seconds), span(commits.p99_seconds)),
      ],
      [
        strings.backup,
        backup.verified_at === null ? strings.backupNone : <Time key="backup" at={backup.verified_at} />,
      ],
      [strings.nextBackup, backup.next_at === null ? strings.nextNone : <ExactTime key="next" at={backup.next_at} />],
    ],
  ];
  return (
    <Section title={strings.now}>
      <div className="grid gap-4 wide:grid-cols-3">
        {groups.map((group) => (
          <Card key={group[0]?.[0]}>
            <DescriptionList items={group} />
          </Card>
        ))}
      </div>
    </Section>
  );
}

function PendingWork({ health: { outbox, callbacks_waiting } }: { health: Health }) {
  const callbacks = { kind: "callbacks", rows: callbacks_waiting, age_seconds: 0 };
  const rows = callbacks_waiting > 0 ? [...outbox, callbacks] : outbox;
  return (
    <Section title={strings.work} lead={strings.workLead}>
      {rows.length === 0 ? (
        <Card>
          <p className="text-quiet">{strings.workEmpty}</p>
        </Card>
      ) : (
        <List
          label={strings.work}
          rows={rows}
          rowKey={({ kind }) => kind}
          columns={[
            {
              head: strings.kind,
              phone: "who",
              cell: ({ kind }) => (kind === "callbacks" ? strings.callbacks : (strings.kinds[kind] ?? kind)),
            },
            {
              head: strings.oldestDue,
              phone: "what",
              cell: ({ age_seconds }) => (age_seconds < 1 ? strings.notDue : span(age_seconds)),
            },
            { head: strings.rows, phone: "state", isNumeric: true, cell: (row) => formatCount(row.rows) },
          ]}
        />
      )}
    </Section>
  );
}

/** What the network sent and this server could not use, or needed not: nothing that arrives is invisible. */
function WithoutEffect({ health: { callbacks_without_effect, callbacks_refused } }: { health: Health }) {
  const rows = [
    ...callbacks_refused.map(({ hour, reason, number_id, count }) => ({
      ...{ key: `${hour} ${reason} ${number_id}`, count },
      what: strings.refusedAt(hour, number_id),
      why: strings.refusedFor(reason),
    })),
    ...callbacks_without_effect.map(({ reason, about, count }) => ({
      ...{ key: `${reason} ${about}`, count },
      what: about,
      why: strings.reasons[reason] ?? reason,
    })),
  ];
  return (
    <Section title={strings.unused} lead={strings.unusedLead}>
      {rows.length === 0 ? (
        <Card>
          <p className="text-quiet">{strings.unusedEmpty}</p>
        </Card>
      ) : (
        <List
          label={strings.unused}
          rows={rows}
          rowKey={({ key }) => key}
          columns={[
            { head: strings.item, phone: "who", cell: ({ what }) => what },
            { head: strings.reason, phone: "what", cell: ({ why }) => why },
            { head: strings.rows, phone: "state", isNumeric: true, cell: ({ count }) => formatCount(count) },
          ]}
        />
      )}
    </Section>
  );
}

const LEVELS: Readonly<Record<SetupFinding["level"], ChipTone>> = { ok: "green", warning: "amber", problem: "red" };
const ORDER: readonly SetupFinding["level"][] = ["problem", "warning", "ok"];

/** The doctor's findings for all numbers. */
function Setup() {
  const found = useQuery({
    ...reading("GET /system/findings", {}, ["system", "findings"]),
    // The doctor asks the network, so it runs only when the screen opens or the user asks again.
    staleTime: 60_000,
    refetchOnWindowFocus: false,
  });
  const all = (found.data ?? []).toSorted((a, b) => ORDER.indexOf(a.level) - ORDER.indexOf(b.level));
  const [fine, wrong] = [all.filter(({ level }) => level === "ok"), all.filter(({ level }) => level !== "ok")];
  return (
    <Section
      title={strings.checkup}
      lead={strings.checkupLead}
      action={
        <Button small busy={found.isFetching} onClick={() => void found.refetch()}>
          {strings.again}
        </Button>
      }
    >
      <Loaded query={found} label={strings.asking}>
        {() => (
          <Card>
            <div className="flex flex-col gap-3">
              <p className="font-semibold">{wrong.length === 0 ? strings.allGood : strings.problems(wrong.length)}</p>
              {wrong.length > 0 && <SetupList findings={wrong} />}
              {fine.length > 0 && (
                <details>
                  <summary className="cursor-pointer py-1 text-quiet">{strings.green(fine.length)}</summary>
                  <div className="mt-2">
                    <SetupList findings={fine} />
                  </div>
                </details>
              )}
            </div>
          </Card>
        )}
      </Loaded>
    </Section>
  );
}

function SetupList({ findings }: { findings: readonly SetupFinding[] }) {
  return (
    <ul className="flex flex-col gap-3">
      {findings.map(({ level, check, message, next, workspace }) => (
        <li key={`${workspace?.id} ${check} ${message}`} className="flex flex-col gap-1">
          <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <Chip tone={LEVELS[level]}>{strings.levels[level]}</Chip>
            <span className="min-w-0 wrap-anywhere">{message}</span>
            {workspace !== null && <span className="text-quiet">{workspace.name}</span>}
          </p>
          {next !== null && (
            <p className="wrap-anywhere text-quiet">
              {strings.next} {next}
            </p>
          )}
        </li>
      ))}
    </ul>
  );
}
