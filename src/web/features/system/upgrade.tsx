/** Whether there is a newer release, what changed, and the command that installs it. The page itself installs nothing. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type Output, reading, request } from "../../data/api.ts";
import { Button } from "../../ui/button.tsx";
import { Chip } from "../../ui/chip.tsx";
import { Copyable } from "../../ui/copy.tsx";
import { DocsLink } from "../../ui/docs-link.tsx";
import { Card, Page, Section } from "../../ui/page.tsx";
import { Failed, Loaded, Notice } from "../../ui/states.tsx";
import { Time } from "../../ui/time.tsx";
import { SystemTabs } from "./system-tabs.tsx";
import { strings } from "./upgrade-strings.ts";

type Upgrade = Output<"GET /system/upgrade">;
type Changes = NonNullable<Upgrade["release"]>["changes"];

const KEY = ["system", "upgrade"];

export function Screen() {
  const upgrade = useQuery(reading("GET /system/upgrade", {}, KEY));
  return (
    <Page title={strings.title}>
      <SystemTabs />
      <Loaded query={upgrade}>{(data) => <Known upgrade={data} />}</Loaded>
    </Page>
  );
}

function Known({ upgrade }: { upgrade: Upgrade }) {
  const client = useQueryClient();
  const check = useMutation({
    mutationFn: () => request("POST /system/upgrade/check", {}),
    onSuccess: (data) => client.setQueryData(KEY, data),
  });
  const { place, release, failure, checked_at: checkedAt } = upgrade;
  const newer = release?.is_newer === true ? release : null;
  return (
    <div className="flex flex-col gap-6">
      <Card>
        <div className="flex flex-wrap items-center gap-3" role="status">
          <p className="text-form font-semibold">
            {newer === null ? strings.installed(upgrade.version) : strings.newer(newer.version)}
          </p>
          {newer !== null && <Chip tone="amber">{strings.installed(upgrade.version)}</Chip>}
          {release !== null && newer === null && <Chip tone="green">{strings.newest}</Chip>}
        </div>
        {place !== null && (
          <>
            <p className="mt-2 text-quiet">
              {checkedAt === null ? (
                strings.notAsked
              ) : (
                <>
                  {strings.checked} <Time at={checkedAt} />
                </>
              )}
              . {upgrade.asks_daily ? strings.asksDaily : strings.notAskedText}
            </p>
            <p className="mt-1 mb-4 text-quiet wrap-anywhere">
              {strings.place} <code className="font-mono">{place}</code>
            </p>
            {failure !== null && (
              <div className="mb-4 flex flex-col gap-3">
                <Notice>
                  <p className="font-semibold">{strings.unreachable}</p>
                  <p className="wrap-anywhere">{failure}</p>
                  <p>{strings.unreachableText}</p>
                </Notice>
                <Copyable text={strings.fileCommand} label={strings.copy} />
              </div>
            )}
            {check.isError && <Failed error={check.error} />}
            <Button busy={check.isPending} onClick={() => check.mutate()}>
              {strings.check}
            </Button>
          </>
        )}
        {place === null && (
          <div className="mt-3 flex flex-col gap-3">
            <Notice tone="grey">
              <p className="font-semibold">{strings.noPlace}</p>
              <p>{strings.noPlaceText}</p>
            </Notice>
            <Copyable text={strings.fileCommand} label={strings.copy} />
          </div>
        )}
      </Card>
      {newer !== null && upgrade.command !== null && (
        <Section title={strings.run} lead={strings.runText}>
          <div className="flex max-w-2xl flex-col gap-3">
            <Copyable text={upgrade.command} label={strings.copy} />
            {newer.migrates && <p>{strings.migrates}</p>}
            <p className="text-quiet">{strings.back}</p>
            <Copyable text={upgrade.way_back} label={strings.copy} />
          </div>
        </Section>
      )}
      {newer !== null && <WhatChanged changes={newer.changes} />}
      <p>
        <DocsLink page="operations#upgrade">{strings.guide}</DocsLink>
      </p>
    </div>
  );
}

function WhatChanged({ changes }: { changes: Changes }) {
  return (
    <Section title={strings.changed}>
      {changes.length === 0 && <p>{strings.noNotes}</p>}
      {changes.map(({ version, date, groups }) => (
        <section key={version} aria-label={strings.versionOf(version, date)} className="mb-6 max-w-[80ch]">
          <h3 className="mb-2 text-form font-semibold">{strings.versionOf(version, date)}</h3>
          {groups.map(({ title, items }) => (
            <div key={title ?? ""} className="mb-4">
              {title !== null && <h4 className="mb-1 font-semibold">{title}</h4>}
              <ul className="flex list-disc flex-col gap-1 ps-5">
                {items.map((item) => (
                  <li key={item} className="wrap-anywhere">
                    <Item text={item} />
                  </li>
                ))}
              </ul>
            </div>
          ))}
        </section>
      ))}
    </Section>
  );
}

/** Code stands between backticks; everything else of Markdown is shown as it is written. */
function Item({ text }: { text: string }) {
  return text.split("`").map((part, index) =>
    index % 2 === 1 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text that never changes.
      <code key={index} className="font-mono text-label">
        {part}
      </code>
    ) : (
      part
    ),
  );
}
