/** One message: its outcome in a sentence, its data, and its timeline to the millisecond. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ScreenWith } from "../../app/routes.ts";
import { reading } from "../../data/api.ts";
import { isSimulated, useWorkspace, type Workspace } from "../../data/session.ts";
import { textLink } from "../../ui/button.tsx";
import { Chip } from "../../ui/chip.tsx";
import { CodeBlock, Copyable } from "../../ui/copy.tsx";
import { DescriptionList, Section } from "../../ui/page.tsx";
import { Panel } from "../../ui/panel.tsx";
import { Loaded, Notice } from "../../ui/states.tsx";
import { ExactTime } from "../../ui/time.tsx";
import { textIn } from "../inbox/bubble.tsx";
import { billOf } from "./bill.ts";
import { isUnknown, messageChip } from "./message-state.ts";
import { isTerminal, type MessageDetail, summaryText } from "./message-view.ts";
import { Scheduled } from "./scheduled.tsx";
import { strings } from "./strings.ts";
import { Timeline } from "./timeline.tsx";

/** A young message is polled often; an older one slowly, for late receipts. */
const SOON_MS = 2_000;
const LATER_MS = 15_000;
const YOUNG_MS = 120_000;

interface MessagePanelProps {
  /** The screen in which the panel is open. */
  screen: ScreenWith<"open">;
  id: string;
}

export function MessagePanel({ screen, id }: MessagePanelProps) {
  const { id: workspaceId } = useWorkspace();
  const message = useQuery({
    ...reading("GET /w/{workspace}/messages/{id}", { workspace: workspaceId, id }, ["message", workspaceId, id]),
    refetchInterval: ({ state: { data } }) => {
      if (data === undefined || isTerminal(data)) return false;
      return Date.now() - Date.parse(data.created_at) < YOUNG_MS ? SOON_MS : LATER_MS;
    },
  });
  return (
    <Panel screen={screen} title={strings.panelTitle(Number(id))}>
      <Loaded query={message}>{(data) => <MessageContent screen={screen} message={data} />}</Loaded>
    </Panel>
  );
}

function MessageContent({ screen, message }: { screen: ScreenWith<"open">; message: MessageDetail }) {
  const workspace = useWorkspace();
  const { id, timezone } = workspace;
  const { label, tone } = messageChip(message);
  const params = { workspace: String(id) };
  return (
    <>
      <div className="mb-6 flex flex-col gap-4">
        {isUnknown(message) ? (
          <>
            <p>
              <Chip tone={tone}>{label}</Chip>
            </p>
            <Notice tone="violet">{summaryText(message)}</Notice>
          </>
        ) : (
          <p>
            <Chip tone={tone}>{label}</Chip> <span className="ms-1">{summaryText(message)}</span>
          </p>
        )}
        <Scheduled message={message} />
        {message.error !== null && (
          <p className="text-quiet">
            <code className="font-mono">{message.error.code}</code> {isUnknown(message) ? message.error.message : ""}
          </p>
        )}
        <p className="whitespace-pre-wrap rounded-panel border border-line bg-sunken p-3">{textIn(message)}</p>
        <DescriptionList
          items={[
            [
              strings.to,
              <Link
                key="to"
                to="/w/$workspace/contacts"
                params={params}
                search={{ open: message.to }}
                className={textLink}
              >
                {message.name === null ? message.to : `${message.name} · ${message.to}`}
              </Link>,
            ],
            [strings.from, message.from],
            [strings.origin, message.sent_by?.name ?? strings.origins[message.origin]],
            ...(message.broadcast === null
              ? []
              : [
                  [
                    strings.broadcast,
                    <Link
                      key="broadcast"
                      to="/w/$workspace/broadcasts/$broadcast"
                      params={{ ...params, broadcast: String(message.broadcast.id) }}
                      className={textLink}
                    >
                      {message.broadcast.name}
                    </Link>,
                  ] as const,
                ]),
            ...(message.template === null
              ? []
              : [[strings.template, `${message.template.name} (${message.template.language})`] as const]),
            [strings.charge, chargeText(message, workspace)],
            [strings.when, <ExactTime key="when" at={message.created_at} zone={timezone} />],
          ]}
        />
        <div>
          <p className="mb-1 text-label text-quiet">{strings.id}</p>
          <Copyable text={String(message.id)} label={strings.copyId} />
        </div>
        <div>
          <p className="mb-1 text-label text-quiet">{strings.sendToken}</p>
          <Copyable text={message.send_token} label={strings.copySendToken} />
        </div>
        {message.network_message_id !== null && (
          <div>
            <p className="mb-1 text-label text-quiet">{strings.networkId}</p>
            <Copyable text={message.network_message_id} label={strings.copyNetworkId} />
          </div>
        )}
      </div>
      <Section title={strings.timeline} lead={strings.timelineText(timezone)}>
        <Timeline screen={screen} steps={message.steps} label={strings.timeline} />
        {!message.is_whole && <p className="mt-3 text-quiet">{strings.incomplete}</p>}
      </Section>
      <details>
        <summary className="cursor-pointer">{strings.json}</summary>
        <div className="mt-2">
          <CodeBlock text={JSON.stringify(message, null, 2)} label={strings.json} copyLabel={strings.copyJson} />
        </div>
      </details>
    </>
  );
}

function chargeText(message: MessageDetail, workspace: Workspace): string {
  const { rate, money } = message;
  if (rate === null || money === "none") return strings.bill[billOf(message, isSimulated(workspace, message.from))];
  return `${rate} ${strings.money[money]}`;
}
