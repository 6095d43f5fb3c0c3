/** Every broadcast, the newest first, with what it has come to. */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { getList, queryText } from "../../data/api.ts";
import { useWorkspace } from "../../data/session.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { Chip } from "../../ui/chip.tsx";
import { CodeBlock } from "../../ui/copy.tsx";
import { List, Pager, useCursor } from "../../ui/list.tsx";
import { Page } from "../../ui/page.tsx";
import { figure, plural, share } from "../../ui/plural.ts";
import { Empty, Failed, Loading } from "../../ui/states.tsx";
import { Time } from "../../ui/time.tsx";
import { commandContext, exampleTemplate, sendBroadcastCommand } from "../developer/printed-commands.ts";
import { ProgressBar } from "./broadcast-counters.tsx";
import { type Broadcast, isFinished, statusLook } from "./broadcast-view.ts";
import { Drafts, MakeBroadcast } from "./drafts.tsx";
import { words } from "./strings.ts";

export function Screen() {
  const workspace = useWorkspace();
  const { id, timezone } = workspace;
  const after = useCursor();
  const list = useQuery({
    queryKey: ["broadcasts", id, after],
    queryFn: ({ signal }) => getList<Broadcast>(`/w/${id}/v1/broadcasts${queryText({ after })}`, signal),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.data.some((one) => !isFinished(one)) === true ? 2_000 : 30_000),
  });
  const rows = list.data?.data ?? [];
  const params = { workspace: String(id) } as never;
  return (
    <Page
      title={words.title}
      total={list.data === undefined ? undefined : figure(list.data.meta.total)}
      lead={words.lead}
      action={<MakeBroadcast />}
    >
      <Drafts />
      {list.isPending && <Loading />}
      {list.isError && <Failed error={list.error} retry={() => void list.refetch()} />}
      {list.data !== undefined && rows.length === 0 && (
        <Empty
          title={words.empty}
          action={
            <>
              <ButtonLink to={"/w/$workspace/contacts" as never} params={params}>
                {words.emptyContacts}
              </ButtonLink>
              <p className="mt-4 text-quiet">{words.emptyApi}</p>
              <div className="w-full text-start">
                <CodeBlock
                  text={sendBroadcastCommand(commandContext(location.origin, workspace, exampleTemplate("offer")))}
                  label={words.emptyApi}
                  copyLabel="Copy the command"
                />
              </div>
            </>
          }
        >
          {words.emptyText}
        </Empty>
      )}
      {list.data !== undefined && rows.length > 0 && (
        <>
          <List
            label={words.title}
            rows={rows}
            rowKey={(row) => row.id}
            isStale={list.isPlaceholderData}
            rowLink={(row) => ({
              to: "/w/$workspace/broadcasts/$broadcast",
              params: { workspace: String(id), broadcast: String(row.id) } as never,
            })}
            columns={[
              { head: words.name, phone: "who", cell: (row) => row.name },
              {
                head: words.state,
                phone: "state",
                cell: (row) => {
                  const { word, tone } = statusLook(row.status);
                  return (
                    <div className="flex items-center gap-2 max-mid:justify-end">
                      <Chip tone={tone}>{word}</Chip>
                      {!isFinished(row) && row.status !== "scheduled" && <ProgressBar broadcast={row} />}
                    </div>
                  );
                },
              },
              { head: words.people, phone: "what", isFigure: true, cell: people },
              {
                head: words.delivered,
                phone: "hidden",
                isFigure: true,
                cell: ({ counts }) => share(counts.delivered, counts.sent),
              },
              {
                head: words.read,
                phone: "hidden",
                isFigure: true,
                cell: ({ counts }) => share(counts.read, counts.sent),
              },
              { head: words.failed, phone: "hidden", isFigure: true, cell: ({ counts }) => figure(counts.failed) },
              { head: words.cost, phone: "hidden", isFigure: true, cell: ({ charged }) => charged ?? words.none },
              {
                head: words.when,
                phone: "time",
                cell: (row) => <Time at={row.started_at ?? row.send_at ?? row.created_at} zone={timezone} />,
              },
            ]}
          />
          <Pager meta={list.data.meta} />
        </>
      )}
    </Page>
  );
}

/** In a phone's card no head says what the figure counts. Before they are gathered nobody knows how many they are. */
function people({ status, counts: { total } }: Broadcast) {
  if (status === "scheduled" && total === 0) return <span className="max-mid:hidden">{words.none}</span>;
  return (
    <>
      <span className="max-mid:hidden">{figure(total)}</span>
      <span className="mid:hidden">{plural(total, words.one, words.other)}</span>
    </>
  );
}
