/** One backup: what it proved, its restore rehearsed, taking it along, and how it is restored. */
import type { ReactNode } from "react";
import { Button, buttonLook } from "../../ui/button.tsx";
import { Chip } from "../../ui/chip.tsx";
import { CodeBlock, Copyable } from "../../ui/copy.tsx";
import { size, span } from "../../ui/measure.ts";
import { Facts, Section } from "../../ui/page.tsx";
import { Panel } from "../../ui/panel.tsx";
import { figure } from "../../ui/plural.ts";
import { Notice } from "../../ui/states.tsx";
import { ExactTime, exact, Time } from "../../ui/time.tsx";
import { words } from "./backups-strings.ts";
import { BrokenThings, UnderWay } from "./job.tsx";
import { type Backup, type Backups, backupTones, type Proof } from "./system-view.ts";

interface PanelProps {
  backup: Backup;
  backups: Backups;
  begin: (path: string) => Promise<void>;
  isBusy: boolean;
}

export function BackupPanel({ backup, backups, begin, isBusy }: PanelProps) {
  const { name, state, proof, bytes, made_at } = backup;
  const path = `${backups.directory}/${name}`;
  const isHeld = backups.current !== null;
  const failed = backups.failed.filter((one) => one.name === name);
  return (
    <Panel title={exact(Date.parse(made_at))}>
      {isHeld && <UnderWay jobs={backups} />}
      {failed.map(({ kind, at, error }) => (
        <p key={kind} role="alert" className="mb-4 rounded-control bg-red-tint p-3 text-red">
          {words.failed[kind]} (<Time at={at} />
          ): {error}.
        </p>
      ))}
      <div className="mb-8 flex flex-col gap-3">
        <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <Chip tone={backupTones[state]}>{words.states[state]}</Chip>
          <span>{verdictOf(backup)}</span>
        </p>
        {proof?.is_older_schema === true && <Notice tone="grey">{words.olderText}</Notice>}
        {proof !== null && <BrokenThings findings={proof.findings} />}
        <div className="flex flex-wrap gap-3">
          <Button
            busy={isBusy}
            disabled={isHeld}
            tone={proof === null ? "primary" : "plain"}
            onClick={() => void begin(`/${encodeURIComponent(name)}/verify`)}
          >
            {proof === null ? words.verifyFirst : words.verify}
          </Button>
          <a
            href={`/console/api/system/backups/${encodeURIComponent(name)}/file`}
            download={name}
            className={buttonLook("plain")}
          >
            {words.download}
          </a>
        </div>
        <p className="text-label text-quiet">{words.downloadText}</p>
      </div>
      {state !== "broken" && (
        <Section title={words.drill}>
          <div className="flex flex-col gap-3">
            <Drill proof={proof} />
            <Button
              className="self-start"
              tone={proof !== null && proof.drill === null ? "primary" : "plain"}
              busy={isBusy}
              disabled={isHeld}
              onClick={() => void begin(`/${encodeURIComponent(name)}/drill`)}
            >
              {proof?.drill == null ? words.rehearse : words.rehearseAgain}
            </Button>
          </div>
        </Section>
      )}
      <Section title={words.holds}>
        <Facts
          facts={[
            ...(proof === null ? [] : countsOf(proof.counts, words.counts)),
            [words.size, size(bytes)],
            ...(proof === null
              ? []
              : ([
                  [words.schema, String(proof.schema)],
                  [words.shows, proof.shows_at === null ? words.none : <ExactTime key="shows" at={proof.shows_at} />],
                  [words.lookedOver, <Time key="proven" at={proof.proven_at} />],
                ] as const)),
          ]}
        />
        <div className="mt-3">
          <Copyable text={path} label={words.copyPath} />
        </div>
      </Section>
      {state !== "broken" && (
        <Section title={words.restore} lead={words.restoreText}>
          <CodeBlock text={words.commands(path)} label={words.restore} copyLabel={words.copyCommands} />
        </Section>
      )}
    </Panel>
  );
}

function verdictOf({ state, proof }: Backup): string {
  if (proof === null || state === "unproven") return words.unprovenText;
  return state === "broken" ? words.brokenText : words.soundText(proof.checks);
}

function Drill({ proof }: { proof: Proof | null }) {
  const drill = proof?.drill ?? null;
  if (drill === null) return <p className="text-quiet">{words.drillNone}</p>;
  const { at, took_ms, counts, taken_over, gap, flaws } = drill;
  const taken = countsOf(
    Object.fromEntries(Object.entries(taken_over ?? {}).filter(([name, count]) => count > 0 && name in words.taken)),
    words.taken,
  );
  return (
    <>
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <Chip tone={flaws.length > 0 || gap !== null ? "amber" : "green"}>{words.drilled}</Chip>
        <span>{flaws.length > 0 ? words.drillFlaws(flaws.join(", ").replaceAll("_", " ")) : words.drillOk}</span>
      </p>
      {gap !== null && <Notice>{words.gap(gap)}</Notice>}
      <Facts
        facts={[
          [words.drillAt, <Time key="at" at={at} />],
          [words.drillTook, span(took_ms / 1_000)],
          [words.drillResult, figure(counts.messages ?? 0)],
        ]}
      />
      {gap === null && (
        <>
          <p>{taken.length === 0 ? words.takenOverNone : words.takenOver}</p>
          <Facts facts={taken} />
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
      {figure(count)}
    </span>,
  ]);
}
