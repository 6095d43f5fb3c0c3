/** One message's story: what became of it in a sentence, its facts, and everything that happened, to the millisecond. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { get } from "../../data/api.ts";
import { useWorkspace } from "../../data/session.ts";
import { textLink } from "../../ui/button.tsx";
import { Chip } from "../../ui/chip.tsx";
import { CodeBlock, Copyable } from "../../ui/copy.tsx";
import { Facts, Section } from "../../ui/page.tsx";
import { Panel } from "../../ui/panel.tsx";
import { Failed, Loading, Notice } from "../../ui/states.tsx";
import { ExactTime } from "../../ui/time.tsx";
import { isUnknown, messageLook } from "./message-state.ts";
import { isAtRest, type MessageStory, taleOf } from "./message-view.ts";
import { words } from "./strings.ts";
import { StepList } from "./timeline.tsx";

/** While it moves it is looked at often; later a late receipt is still seen. */
const SOON_MS = 2_000;
const LATER_MS = 15_000;
const YOUNG_MS = 120_000;

export function MessagePanel({ id }: { id: string }) {
  const { id: workspaceId } = useWorkspace();
  const story = useQuery({
    queryKey: ["message", workspaceId, id],
    queryFn: ({ signal }) => get<MessageStory>(`/w/${workspaceId}/messages/${id}`, signal),
    refetchInterval: ({ state: { data } }) => {
      if (data === undefined || isAtRest(data)) return false;
      return Date.now() - Date.parse(data.created_at) < YOUNG_MS ? SOON_MS : LATER_MS;
    },
  });
  return (
    <Panel title={words.panelTitle(Number(id))}>
      {story.isPending && <Loading />}
      {story.isError && <Failed error={story.error} retry={() => void story.refetch()} />}
      {story.data !== undefined && <Story story={story.data} />}
    </Panel>
  );
}

function Story({ story }: { story: MessageStory }) {
  const { id, timezone } = useWorkspace();
  const { word, tone } = messageLook(story);
  const params = { workspace: String(id) };
  return (
    <>
      <div className="mb-6 flex flex-col gap-4">
        {isUnknown(story) ? (
          <>
            <p>
              <Chip tone={tone}>{word}</Chip>
            </p>
            <Notice tone="violet">{taleOf(story)}</Notice>
          </>
        ) : (
          <p>
            <Chip tone={tone}>{word}</Chip> <span className="ms-1">{taleOf(story)}</span>
          </p>
        )}
        {story.error !== null && (
          <p className="text-quiet">
            <code className="font-mono">{story.error.code}</code> {isUnknown(story) ? story.error.message : ""}
          </p>
        )}
        <p className="whitespace-pre-wrap rounded-panel border border-line bg-sunken p-3">{story.text}</p>
        <Facts
          facts={[
            [
              words.to,
              <Link
                key="to"
                to={"/w/$workspace/contacts" as never}
                params={params as never}
                search={{ open: story.to } as never}
                className={textLink}
              >
                {story.name === null ? story.to : `${story.name} · ${story.to}`}
              </Link>,
            ],
            [words.from, story.from],
            [words.origin, words.origins[story.origin]],
            ...(story.broadcast === null
              ? []
              : [
                  [
                    words.broadcast,
                    <Link
                      key="broadcast"
                      to={"/w/$workspace/broadcasts/$broadcast" as never}
                      params={{ ...params, broadcast: String(story.broadcast.id) } as never}
                      className={textLink}
                    >
                      {story.broadcast.name}
                    </Link>,
                  ] as const,
                ]),
            ...(story.template === null
              ? []
              : [[words.template, `${story.template.name} (${story.template.language})`] as const]),
            [words.moneyHead, moneyOf(story)],
            [words.when, <ExactTime key="when" at={story.created_at} zone={timezone} />],
          ]}
        />
        <div>
          <p className="mb-1 text-label text-quiet">{words.id}</p>
          <Copyable text={String(story.id)} label={words.copyId} />
        </div>
        <div>
          <p className="mb-1 text-label text-quiet">{words.reference}</p>
          <Copyable text={story.reference} label={words.copyReference} />
        </div>
        {story.network_message_id !== null && (
          <div>
            <p className="mb-1 text-label text-quiet">{words.networkId}</p>
            <Copyable text={story.network_message_id} label={words.copyNetworkId} />
          </div>
        )}
      </div>
      <Section title={words.timeline} lead={words.timelineText(timezone)}>
        <StepList steps={story.steps} label={words.timeline} />
        {!story.is_whole && <p className="mt-3 text-quiet">{words.notWhole}</p>}
      </Section>
      <details>
        <summary className="cursor-pointer">{words.json}</summary>
        <div className="mt-2">
          <CodeBlock text={JSON.stringify(story, null, 2)} label={words.json} copyLabel={words.copyJson} />
        </div>
      </details>
    </>
  );
}

export function moneyOf({ rate, money }: Pick<MessageStory, "rate" | "money">): string {
  return rate === null || money === "none" ? words.money.none : `${rate} ${words.money[money]}`;
}
