/** The inbox: conversations with their reply windows, and the open conversation beside them. */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useRef } from "react";
import type { Parameters } from "../../app/routes.ts";
import { request } from "../../data/api.ts";
import { useWorkspace } from "../../data/session.ts";
import { useChangeParameters, useParameters } from "../../ui/address.tsx";
import { ButtonLink } from "../../ui/button.tsx";
import { useKeys, useRowKeys } from "../../ui/keys.ts";
import { FilterBar, Pager } from "../../ui/list.tsx";
import { Page } from "../../ui/page.tsx";
import { Empty, Failed, Loading, NothingFound } from "../../ui/states.tsx";
import { MessagePanel } from "../messages/message-panel.tsx";
import { ConversationView } from "./conversation.tsx";
import { Row } from "./row.tsx";
import { strings } from "./strings.ts";
import { strings as teamStrings } from "./team-strings.ts";

const SCREEN = "/w/$workspace/inbox";

export function Screen() {
  const { id } = useWorkspace();
  const { view = "open", show, person, after, open } = useParameters(SCREEN);
  const list = useQuery({
    queryKey: ["conversations", id, view, show, after],
    queryFn: ({ signal }) =>
      request(
        "GET /w/{workspace}/inbox",
        { workspace: id, query: { view: view === "all" ? undefined : view, show, after } },
        { signal },
      ),
    placeholderData: keepPreviousData,
    refetchInterval: after === undefined ? 4_000 : false,
  });
  const rows = list.data?.data ?? [];
  const listed = useRef<HTMLElement>(null);
  useRowKeys(listed);
  const change = useChangeParameters(SCREEN);
  useKeys((key) => {
    if (key !== "Escape" || person === undefined) return false;
    void change({ person: undefined });
    return true;
  });
  return (
    <Page title={strings.title} isTitleHidden>
      <div className={`flex flex-wrap gap-x-6 ${person === undefined ? "" : "max-mid:hidden"}`}>
        <Views />
        <FilterBar
          screen={SCREEN}
          label={strings.show}
          name="show"
          isOneLine
          choices={[
            { value: undefined, label: strings.any },
            { value: "unread", label: strings.unread },
            { value: "waiting", label: strings.waiting },
            { value: "open", label: strings.open },
          ]}
        />
      </div>
      {list.isPending && <Loading />}
      {list.isError && <Failed error={list.error} retry={() => void list.refetch()} />}
      {list.data !== undefined && rows.length === 0 && person === undefined && (
        <>
          <NoConversations view={view} show={show} hasMore={list.data.meta.has_more} />
          <Pager screen={SCREEN} meta={list.data.meta} newer={strings.newer} older={strings.older} />
        </>
      )}
      {list.data !== undefined && (rows.length > 0 || person !== undefined) && (
        <div className="grid grid-cols-[minmax(0,1fr)] gap-6 mid:grid-cols-[17rem_minmax(0,1fr)] wide:grid-cols-[20rem_minmax(0,1fr)]">
          <div className={person === undefined ? "" : "max-mid:hidden"}>
            <nav
              ref={listed}
              aria-label={strings.conversations}
              aria-busy={list.isPlaceholderData}
              className="rounded-panel border border-line bg-surface mid:max-h-[calc(100dvh-9rem)] mid:overflow-y-auto"
            >
              {rows.map((row) => (
                <Row key={row.id} row={row} isOpen={String(row.contact_id) === person} />
              ))}
            </nav>
            <Pager screen={SCREEN} meta={list.data.meta} newer={strings.newer} older={strings.older} />
          </div>
          {person === undefined ? (
            <p className="m-auto text-quiet max-mid:hidden">{strings.choose}</p>
          ) : (
            <ConversationView key={person} id={person} />
          )}
        </div>
      )}
      {open !== undefined && <MessagePanel key={open} screen={SCREEN} id={open} />}
    </Page>
  );
}

/** The views of a team, with how many conversations they have where that is counted. */
function Views() {
  const { id } = useWorkspace();
  const { data } = useQuery({
    queryKey: ["conversations", id, "views"],
    queryFn: ({ signal }) => request("GET /w/{workspace}/inbox/views", { workspace: id }, { signal }),
    refetchInterval: 10_000,
  });
  const label = (view: keyof typeof teamStrings.views) => {
    const count = view === "mine" || view === "open" || view === "snoozed" ? (data?.[view] ?? 0) : 0;
    const name = teamStrings.views[view];
    return count === 0 ? name : teamStrings.counted(name, count);
  };
  return (
    <FilterBar
      screen={SCREEN}
      label={teamStrings.view}
      name="view"
      isOneLine
      choices={[
        { value: "mine", label: label("mine") },
        { value: "unassigned", label: label("unassigned") },
        { value: undefined, label: label("open") },
        { value: "snoozed", label: label("snoozed") },
        { value: "done", label: label("done") },
        { value: "all", label: label("all") },
      ]}
    />
  );
}

interface NoConversationsProps {
  view: NonNullable<Parameters<typeof SCREEN>["view"]> | "open";
  show: Parameters<typeof SCREEN>["show"];
  hasMore: boolean;
}

function NoConversations({ view, show, hasMore }: NoConversationsProps) {
  const { id, numbers, has_simulator: hasSimulator } = useWorkspace();
  if (show !== undefined) {
    return (
      <NothingFound
        title={
          hasMore
            ? strings.emptyWaitingYet
            : { unread: strings.emptyUnread, waiting: strings.emptyWaiting, open: strings.emptyOpen }[show]
        }
        clear={strings.emptyFiltered}
      />
    );
  }
  if (view !== "open" && view !== "all") {
    return (
      <Empty
        title={teamStrings.emptyViews[view]}
        action={
          <ButtonLink to="/w/$workspace/inbox" params={{ workspace: String(id) }} search={{ view: "all" }}>
            {teamStrings.seeAll}
          </ButtonLink>
        }
      />
    );
  }
  return (
    <Empty
      title={teamStrings.emptyViews[view]}
      action={
        hasSimulator && (
          <ButtonLink to="/w/$workspace/simulator" params={{ workspace: String(id) }}>
            {strings.emptySimulator}
          </ButtonLink>
        )
      }
    >
      {strings.emptyText(numbers[0]?.phone)}
    </Empty>
  );
}
