/** Backups and what each of them proved: made at a press, looked over, rehearsed, taken along. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { useRef, useState } from "react";
import { get, newFormKey, send } from "../../data/api.ts";
import { Button } from "../../ui/button.tsx";
import { Chip } from "../../ui/chip.tsx";
import { CodeBlock } from "../../ui/copy.tsx";
import { List } from "../../ui/list.tsx";
import { size } from "../../ui/measure.ts";
import { Card, Facts, Page, Section } from "../../ui/page.tsx";
import { figure } from "../../ui/plural.ts";
import { Empty, Failed, Loading } from "../../ui/states.tsx";
import { ExactTime, Time } from "../../ui/time.tsx";
import { BackupPanel } from "./backup-panel.tsx";
import { words } from "./backups-strings.ts";
import { UnderWay } from "./job.tsx";
import { SystemTabs } from "./system-tabs.tsx";
import { type Backup, type Backups, backupTones, jobsEvery } from "./system-view.ts";

export function Screen() {
  const { open } = useSearch({ strict: false }) as { open?: string };
  const backups = useQuery({
    queryKey: ["system", "backups"],
    queryFn: ({ signal }) => get<Backups>("/system/backups", signal),
    refetchInterval: ({ state }) => jobsEvery(state.data),
  });
  const begin = useBegin();
  const { data } = backups;
  const opened = data?.backups.find(({ name }) => name === open);
  const make = (
    <Button
      tone="primary"
      busy={begin.isBusy}
      disabled={data === undefined || data.current !== null}
      onClick={() => void begin.press("")}
    >
      {words.make}
    </Button>
  );
  return (
    <Page
      title={words.title}
      total={data === undefined ? undefined : figure(data.backups.length)}
      lead={words.lead}
      action={(data?.backups.length ?? 0) > 0 && make}
    >
      <SystemTabs />
      {begin.error !== null && (
        <div className="mb-4">
          <Failed error={begin.error} />
        </div>
      )}
      {data !== undefined && <UnderWay jobs={data} />}
      {data?.failed
        .filter(({ kind }) => kind === "backup")
        .map(({ at, error }) => (
          <p key={at} role="alert" className="mb-4 rounded-panel bg-red-tint p-4 text-red">
            {words.failed.backup} (<Time at={at} />
            ): {error}.
          </p>
        ))}
      {backups.isPending && <Loading />}
      {backups.isError && <Failed error={backups.error} retry={() => void backups.refetch()} />}
      {data !== undefined && data.backups.length === 0 && (
        <div className="mb-8 rounded-panel border border-line bg-surface">
          <Empty title={words.empty} action={make}>
            {words.emptyText} <code className="font-mono wrap-anywhere">{data.directory}</code>
          </Empty>
        </div>
      )}
      {data !== undefined && data.backups.length > 0 && <Table backups={data.backups} open={open} />}
      {data !== undefined && <ByItself backups={data} />}
      {data !== undefined && opened !== undefined && (
        <BackupPanel backup={opened} backups={data} begin={(path) => begin.press(path)} isBusy={begin.isBusy} />
      )}
    </Page>
  );
}

/** Begins work on the database; `path` below the backups. */
function useBegin() {
  const client = useQueryClient();
  const [isBusy, setIsBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const key = useRef(newFormKey());
  const press = async (path: string) => {
    if (isBusy) return;
    setIsBusy(true);
    setError(null);
    try {
      await send("POST", `/system/backups${path}`, {}, key.current + path);
      key.current = newFormKey();
      await client.invalidateQueries({ queryKey: ["system"] });
    } catch (reason) {
      setError(reason);
    }
    setIsBusy(false);
  };
  return { press, isBusy, error };
}

function Table({ backups, open }: { backups: readonly Backup[]; open: string | undefined }) {
  return (
    <div className="mb-8">
      <List
        label={words.title}
        rows={backups}
        rowKey={({ name }) => name}
        openKey={open ?? null}
        rowLink={({ name }) => ({ to: ".", search: { open: name } as never, resetScroll: false })}
        columns={[
          { head: words.made, phone: "who", cell: ({ made_at }) => <ExactTime at={made_at} /> },
          {
            head: words.state,
            phone: "state",
            cell: ({ state }) => <Chip tone={backupTones[state]}>{words.states[state]}</Chip>,
          },
          { head: words.proved, phone: "what", cell: (backup) => <Proved backup={backup} /> },
          { head: words.size, phone: "time", isFigure: true, cell: ({ bytes }) => size(bytes) },
        ]}
      />
    </div>
  );
}

/** "41,220 messages, 3,100 contacts; restored into a copy 2 hr. ago" */
function Proved({ backup: { proof } }: { backup: Backup }) {
  if (proof === null) return words.none;
  if (proof.findings.length > 0) return words.brokenThings(proof.findings.length);
  const { messages = 0, contacts = 0 } = proof.counts;
  return (
    <>
      {words.messages(messages)}, {words.contacts(contacts)}
      <span className="max-mid:hidden">{" · "}</span>
      <span className="max-mid:block">
        {proof.drill === null ? (
          words.notRehearsed
        ) : (
          <>
            {words.rehearsed} <Time at={proof.drill.at} />
          </>
        )}
      </span>
    </>
  );
}

function ByItself({ backups: { schedule, next_at, keep, directory, free_bytes } }: { backups: Backups }) {
  const where = [
    [
      words.where,
      <code key="where" className="font-mono wrap-anywhere">
        {directory}
      </code>,
    ],
    [words.free, free_bytes === null ? words.none : size(free_bytes)],
  ] as const;
  return (
    <Section title={words.byItself}>
      <Card>
        <div className="flex flex-col gap-4">
          {schedule === null ? (
            <>
              <p>{words.noSchedule}</p>
              <CodeBlock text={words.scheduleText} label={words.schedule} copyLabel={words.copySchedule} />
              <Facts facts={where} />
            </>
          ) : (
            <Facts
              facts={[
                [
                  words.schedule,
                  <span key="schedule">
                    <code className="font-mono">{schedule}</code>; {words.keeps(keep)}
                  </span>,
                ],
                [words.next, next_at === null ? words.none : <ExactTime key="next" at={next_at} />],
                ...where,
              ]}
            />
          )}
        </div>
      </Card>
    </Section>
  );
}
