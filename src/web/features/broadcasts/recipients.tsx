/** The recipients of a broadcast, filtered by outcome. */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { addressOf, reading } from "../../data/api.ts";
import { may, useWorkspace } from "../../data/session.ts";
import { ParameterLink, useParameters } from "../../ui/address.tsx";
import { Button, buttonClass, textLink } from "../../ui/button.tsx";
import { Chip } from "../../ui/chip.tsx";
import { DownloadLink } from "../../ui/download-link.tsx";
import { FilterBar } from "../../ui/list.tsx";
import { ListScreen } from "../../ui/list-screen.tsx";
import { Section } from "../../ui/page.tsx";
import { plural } from "../../ui/plural.ts";
import { Empty } from "../../ui/states.tsx";
import { Time } from "../../ui/time.tsx";
import { messageChip } from "../messages/message-state.ts";
import { strings as states } from "../messages/message-state-strings.ts";
import { type Broadcast, isFinished } from "./broadcast-view.ts";
import { GroupOfRecipients } from "./group-of-recipients.tsx";
import { strings } from "./strings.ts";

const SCREEN = "/w/$workspace/broadcasts/$broadcast";

const filters = ["pending", "sent", "delivered", "read", "failed", "unknown", "skipped"] as const;
/** Sums of the funnel: chosen by its figures, and shown as a choice while they hold. */
const sums = ["accepted", "arrived", "unsuccessful"] as const;

const choices = [
  { value: undefined, label: strings.allPeople },
  ...filters.map((value) => ({ value, label: value === "unknown" ? states.unknown : states.statuses[value] })),
];

export function Recipients({ broadcast }: { broadcast: Broadcast }) {
  const workspace = useWorkspace();
  const { id: workspaceId, timezone } = workspace;
  const { status, code, after } = useParameters(SCREEN);
  const sum = sums.find((one) => one === status);
  const shown = sum === undefined ? choices : [...choices, { value: sum, label: strings.sums[sum] }];
  const list = useQuery({
    ...reading(
      "GET /w/{workspace}/broadcasts/{id}/recipients",
      { workspace: workspaceId, id: broadcast.id, query: { status, code, after } },
      ["recipients", workspaceId, broadcast.id, status, code, after],
    ),
    placeholderData: keepPreviousData,
    refetchInterval: isFinished(broadcast) ? false : 3_000,
  });
  const [isGrouping, setIsGrouping] = useState(false);
  const rows = list.data?.data ?? [];
  return (
    <div id="people" className="scroll-mt-4">
      <Section title={strings.recipients}>
        <FilterBar screen={SCREEN} label={strings.recipients} name="status" choices={shown} />
        {code !== undefined && (
          <p className="mb-4 flex flex-wrap items-center gap-3">
            <span>{code === "none" ? strings.withoutCode : strings.withCode(code)}</span>
            <ParameterLink screen={SCREEN} change={{ code: undefined, after: undefined }} className={textLink}>
              {strings.anyCode}
            </ParameterLink>
          </p>
        )}
        {rows.length > 0 && (
          <div className="mb-3 flex flex-wrap items-center gap-3">
            <span className="figures text-quiet">{plural(list.data?.meta.total ?? 0, strings.one, strings.other)}</span>
            <Button small className="mid:ms-auto" onClick={() => setIsGrouping(true)}>
              {strings.newGroup}
            </Button>
            {may(workspace, "exports") && (
              <DownloadLink
                href={addressOf("GET /w/{workspace}/broadcasts/{id}/recipients/export", {
                  workspace: workspaceId,
                  id: broadcast.id,
                  query: { status, code },
                })}
                className={buttonClass("plain", true)}
              >
                {strings.csv}
              </DownloadLink>
            )}
          </div>
        )}
        {isGrouping && (
          <GroupOfRecipients
            broadcast={broadcast}
            status={status}
            code={code}
            filter={shown.find(({ value }) => value === status)?.label ?? strings.allPeople}
            onClose={() => setIsGrouping(false)}
          />
        )}
        <ListScreen
          query={list}
          screen={SCREEN}
          newer="Back"
          older="More"
          empty={
            <Empty
              title={
                broadcast.status === "scheduled" && status === undefined ? strings.peopleEmptyYet : strings.peopleEmpty
              }
            />
          }
          label={strings.recipients}
          rowKey={({ id }) => id}
          columns={[
            {
              head: strings.to,
              phone: "who",
              cell: ({ to, name }) => (
                <span className="font-semibold">
                  {name !== null && <span className="me-2">{name}</span>}
                  <span className={`figures whitespace-nowrap ${name === null ? "" : "font-normal text-quiet"}`}>
                    {to}
                  </span>
                </span>
              ),
            },
            {
              head: strings.state,
              phone: "state",
              cell: (recipient) => {
                const { label, tone } = messageChip(recipient);
                return <Chip tone={tone}>{label}</Chip>;
              },
            },
            { head: strings.reason, phone: "what", cell: ({ reason }) => reason ?? "" },
            {
              head: strings.at,
              phone: "time",
              cell: ({ read_at, delivered_at, sent_at, failed_at }) => {
                const at = failed_at ?? read_at ?? delivered_at ?? sent_at;
                return at === null ? strings.none : <Time at={at} zone={timezone} />;
              },
            },
          ]}
        />
      </Section>
    </div>
  );
}
