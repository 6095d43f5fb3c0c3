/** One backup: its verification report, the restore drill, downloading it, and how to restore it. */
import type { ReactNode } from "react";
import { addressOf, request } from "../../data/api.ts";
import { Button, buttonClass } from "../../ui/button.tsx";
import { Chip } from "../../ui/chip.tsx";
import { CodeBlock, Copyable } from "../../ui/copy.tsx";
import { DownloadLink } from "../../ui/download-link.tsx";
import { size, span } from "../../ui/measure.ts";
import { DescriptionList, Section } from "../../ui/page.tsx";
import { Panel } from "../../ui/panel.tsx";
import { formatCount } from "../../ui/plural.ts";
import { Notice } from "../../ui/states.tsx";
import { ExactTime, exact, Time } from "../../ui/time.tsx";
import { strings } from "./backups-strings.ts";
import { InvariantFindings, RunningJob } from "./job.tsx";
import { type Backup, type Backups, backupTones, type VerificationReport } from "./system-view.ts";

interface PanelProps {
  backup: Backup;
  backups: Backups;
  start: (action: string, ask: (options: { key: string }) => Promise<unknown>) => Promise<void>;
  isBusy: boolean;
}

export function BackupPanel({ backup, backups, start, isBusy }: PanelProps) {
  const { name, state, verification, bytes, made_at } = backup;
  const path = `${backups.directory}/${name}`;
  const run = (action: "verify" | "drill") =>
    start(name + action, (options) => request(`POST /system/backups/{name}/${action}`, { name }, options));
  const isJobRunning = backups.current !== null;
  const failed = backups.failed.filter((one) => one.name === name);
  return (
    <Panel screen="/system/backups" title={exact(Date.parse(made_at))}>
      {isJobRunning && <RunningJob jobs={backups} />}
      {failed.map(({ kind, at, error }) => (
        <p key={kind} role="alert" className="mb-4 rounded-control bg-red-tint p-3 text-red">
          {strings.failed[kind]} (<Time at={at} />
          ): {error}.
        </p>
      ))}
      <div className="mb-8 flex flex-col gap-3">
        <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <Chip tone={backupTones[state]}>{strings.states[state]}</Chip>
          <span>{stateText(backup)}</span>
        </p>
        {verification?.is_older_schema === true && <Notice tone="grey">{strings.olderText}</Notice>}
        {verification !== null && <InvariantFindings findings={verification.findings} />}
        <div className="flex flex-wrap gap-3">
          <Button
            busy={isBusy}
            disabled={isJobRunning}
            tone={verification === null ? "primary" : "plain"}
            onClick={() => void run("verify")}
          >
            {verification === null ? strings.verifyFirst : strings.verify}
          </Button>
          <DownloadLink
            href={addressOf("GET /system/backups/{name}/file", { name })}
            name={name}
            className={buttonClass("plain")}
          >
            {strings.download}
          </DownloadLink>
        </div>
        <p className="text-label text-quiet">{strings.downloadText}</p>
      </div>
      {state !== "broken" && (
        <Section title={strings.drill}>
          <div className="flex flex-col gap-3">
            <RestoreDrill verification={verification} />
            <Button
              className="self-start"
              tone={verification !== null && verification.drill === null ? "primary" : "plain"}
              busy={isBusy}
              disabled={isJobRunning}
              onClick={() => void run("drill")}
            >
              {verification?.drill == null ? strings.startDrill : strings.repeatDrill}
            </Button>
          </div>
        </Section>
      )}
      <Section title={strings.holds}>
        <DescriptionList
          items={[
            ...(verification === null ? [] : countsOf(verification.counts, strings.counts)),
            [strings.size, size(bytes)],
            ...(verification === null
              ? []
              : ([
                  [strings.schema, String(verification.schema)],
                  [
                    strings.shows,
                    verification.snapshot_at === null ? (
                      strings.none
                    ) : (
                      <ExactTime key="shows" at={verification.snapshot_at} />
                    ),
                  ],
                  [strings.verifiedAt, <Time key="verified" at={verification.verified_at} />],
                ] as const)),
          ]}
        />
        <div className="mt-3">
          <Copyable text={path} label={strings.copyPath} />
        </div>
      </Section>
      {state !== "broken" && (
        <Section title={strings.restore} lead={strings.restoreText}>
          <CodeBlock text={strings.commands(path)} label={strings.restore} copyLabel={strings.copyCommands} />
        </Section>
      )}
    </Panel>
  );
}

function stateText({ state, verification }: Backup): string {
  if (verification === null || state === "unverified") return strings.unverifiedText;
  return state === "broken" ? strings.brokenText : strings.soundText(verification.checks);
}

function RestoreDrill({ verification }: { verification: VerificationReport | null }) {
  const drill = verification?.drill ?? null;
  if (drill === null) return <p className="text-quiet">{strings.drillNone}</p>;
  const { at, took_ms, counts, taken_over, gap, flaws } = drill;
  const merged = countsOf(
    Object.fromEntries(
      Object.entries(taken_over ?? {}).filter(([name, count]) => count > 0 && name in strings.mergedRows),
    ),
    strings.mergedRows,
  );
  return (
    <>
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <Chip tone={flaws.length > 0 || gap !== null ? "amber" : "green"}>{strings.drilled}</Chip>
        <span>{flaws.length > 0 ? strings.drillFlaws(flaws.join(", ").replaceAll("_", " ")) : strings.drillOk}</span>
      </p>
      {gap !== null && <Notice>{strings.gap(gap)}</Notice>}
      <DescriptionList
        items={[
          [strings.drillAt, <Time key="at" at={at} />],
          [strings.drillTook, span(took_ms / 1_000)],
          [strings.drillResult, formatCount(counts.messages ?? 0)],
        ]}
      />
      {gap === null && (
        <>
          <p>{merged.length === 0 ? strings.mergedNone : strings.merged}</p>
          <DescriptionList items={merged} />
        </>
      )}
    </>
  );
}

function countsOf(
  counts: Readonly<Record<string, number>>,
  names: Readonly<Record<string, string>>,
): (readonly [string, ReactNode])[] {
  return Object.entries(counts).map(([name, count]) => [
    names[name] ?? name,
    <span key={name} className="figures">
      {formatCount(count)}
    </span>,
  ]);
}
