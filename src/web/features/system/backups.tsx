/** Backups with their verification reports: make, verify, run a restore drill, download. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { reading, request } from "../../data/api.ts";
import { usePress } from "../../data/press.ts";
import { useParameters } from "../../ui/address.tsx";
import { Button } from "../../ui/button.tsx";
import { Chip } from "../../ui/chip.tsx";
import { CodeBlock } from "../../ui/copy.tsx";
import { List } from "../../ui/list.tsx";
import { size } from "../../ui/measure.ts";
import { Card, DescriptionList, Page, Section } from "../../ui/page.tsx";
import { formatCount } from "../../ui/plural.ts";
import { Empty, Failed, Loading } from "../../ui/states.tsx";
import { ExactTime, Time } from "../../ui/time.tsx";
import { BackupPanel } from "./backup-panel.tsx";
import { strings } from "./backups-strings.ts";
import { RunningJob } from "./job.tsx";
import { SystemTabs } from "./system-tabs.tsx";
import { type Backup, type Backups, backupTones, jobsPollMs } from "./system-view.ts";

const SCREEN = "/system/backups";

export function Screen() {
  const { open } = useParameters(SCREEN);
  const backups = useQuery({
    ...reading("GET /system/backups", {}, ["system", "backups"]),
    refetchInterval: ({ state }) => jobsPollMs(state.data),
  });
  const start = useStartJob();
  const { data } = backups;
  const opened = data?.backups.find(({ name }) => name === open);
  const createButton = (
    <Button
      tone="primary"
      busy={start.isBusy}
      disabled={data === undefined || data.current !== null}
      onClick={() => void start.press("make", (options) => request("POST /system/backups", {}, options))}
    >
      {strings.create}
    </Button>
  );
  return (
    <Page
      title={strings.title}
      total={data === undefined ? undefined : formatCount(data.backups.length)}
      lead={strings.lead}
      action={(data?.backups.length ?? 0) > 0 && createButton}
    >
      <SystemTabs />
      {start.error !== null && (
        <div className="mb-4">
          <Failed error={start.error} />
        </div>
      )}
      {data !== undefined && <RunningJob jobs={data} />}
      {data?.failed
        .filter(({ kind }) => kind === "backup")
        .map(({ at, error }) => (
          <p key={at} role="alert" className="mb-4 rounded-panel bg-red-tint p-4 text-red">
            {strings.failed.backup} (<Time at={at} />
            ): {error}.
          </p>
        ))}
      {backups.isPending && <Loading />}
      {backups.isError && <Failed error={backups.error} retry={() => void backups.refetch()} />}
      {data !== undefined && data.backups.length === 0 && (
        <div className="mb-8 rounded-panel border border-line bg-surface">
          <Empty title={strings.empty} action={createButton}>
            {strings.emptyText} <code className="font-mono wrap-anywhere">{data.directory}</code>
          </Empty>
        </div>
      )}
      {data !== undefined && data.backups.length > 0 && <Table backups={data.backups} />}
      {data !== undefined && <Schedule backups={data} />}
      {data !== undefined && opened !== undefined && (
        <BackupPanel backup={opened} backups={data} start={start.press} isBusy={start.isBusy} />
      )}
    </Page>
  );
}

/** Starts a job on the database; `path` is relative to the backups. */
function useStartJob() {
  const client = useQueryClient();
  const { press, ...state } = usePress();
  /** `action`: part of the key, so that each button has its own. */
  const start = (action: string, ask: (options: { key: string }) => Promise<unknown>) =>
    press(async (key) => {
      await ask({ key: key + action });
      await client.invalidateQueries({ queryKey: ["system"] });
    });
  return { press: start, ...state };
}

function Table({ backups }: { backups: readonly Backup[] }) {
  return (
    <div className="mb-8">
      <List
        label={strings.title}
        rows={backups}
        rowKey={({ name }) => name}
        panelOf={SCREEN}
        columns={[
          { head: strings.created, phone: "who", cell: ({ made_at }) => <ExactTime at={made_at} /> },
          {
            head: strings.state,
            phone: "state",
            cell: ({ state }) => <Chip tone={backupTones[state]}>{strings.states[state]}</Chip>,
          },
          { head: strings.verified, phone: "what", cell: (backup) => <VerificationSummary backup={backup} /> },
          { head: strings.size, phone: "time", isNumeric: true, cell: ({ bytes }) => size(bytes) },
        ]}
      />
    </div>
  );
}

/** "41,220 messages, 3,100 contacts; restored into a copy 2 hr. ago" */
function VerificationSummary({ backup: { verification } }: { backup: Backup }) {
  if (verification === null) return strings.none;
  if (verification.findings.length > 0) return strings.findings(verification.findings.length);
  const { messages = 0, contacts = 0 } = verification.counts;
  return (
    <>
      {strings.messages(messages)}, {strings.contacts(contacts)}
      <span className="max-mid:hidden">{" · "}</span>
      <span className="max-mid:block">
        {verification.drill === null ? (
          strings.drillMissing
        ) : (
          <>
            {strings.drillSucceeded} <Time at={verification.drill.at} />
          </>
        )}
      </span>
    </>
  );
}

function Remote({ remote: { place, newest_at, failed } }: { remote: NonNullable<Backups["remote"]> }) {
  return (
    <>
      <code className="font-mono wrap-anywhere">{place}</code>,{" "}
      {newest_at === null ? (
        strings.remoteEmpty
      ) : (
        <>
          {strings.remoteNewest} <ExactTime at={newest_at} />
        </>
      )}
      {failed !== null && (
        <span className="block text-red">
          {strings.remoteFailed}: {failed}.
        </span>
      )}
    </>
  );
}

function Schedule({ backups: { schedule, next_at, keep, directory, free_bytes, remote } }: { backups: Backups }) {
  const where = [
    [
      strings.where,
      <code key="where" className="font-mono wrap-anywhere">
        {directory}
      </code>,
    ],
    [strings.free, free_bytes === null ? strings.none : size(free_bytes)],
    [strings.remote, remote === null ? strings.remoteNone : <Remote key="remote" remote={remote} />],
  ] as const;
  return (
    <Section title={strings.scheduled}>
      <Card>
        <div className="flex flex-col gap-4">
          {schedule === null ? (
            <>
              <p>{strings.noSchedule}</p>
              <CodeBlock text={strings.scheduleText} label={strings.schedule} copyLabel={strings.copySchedule} />
              <DescriptionList items={where} />
            </>
          ) : (
            <DescriptionList
              items={[
                [
                  strings.schedule,
                  <span key="schedule">
                    <code className="font-mono">{schedule}</code>; {strings.retention(keep)}
                  </span>,
                ],
                [strings.next, next_at === null ? strings.none : <ExactTime key="next" at={next_at} />],
                ...where,
              ]}
            />
          )}
        </div>
      </Card>
    </Section>
  );
}
