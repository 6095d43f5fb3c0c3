/** The inbox: conversations with their reply windows, and the open conversation beside them. */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Search } from "lucide-react";
import { useRef, useState } from "react";
import { flushSync } from "react-dom";
import type { Parameters } from "../../app/routes.ts";
import { reading } from "../../data/api.ts";
import { useAskEvery } from "../../data/live.ts";
import { unreadQuery, useWorkspace } from "../../data/session.ts";
import { useChangeParameters, useParameters } from "../../ui/address.tsx";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { useKeys, useRowKeys } from "../../ui/keys.ts";
import { FilterBar, Pager } from "../../ui/list.tsx";
import { Page } from "../../ui/page.tsx";
import { Empty, Failed, Loading, NothingFound } from "../../ui/states.tsx";
import { MessagePanel } from "../messages/message-panel.tsx";
import { ConversationView } from "./conversation.tsx";
import { PresenceOfTeam } from "./presence.tsx";
import { Row } from "./row.tsx";
import { SearchBar, SearchPane } from "./search.tsx";
import { strings as searchStrings } from "./search-strings.ts";
import { focusSearch, SCREEN, useInboxSearch } from "./search-view.ts";
import { strings } from "./strings.ts";
import { strings as teamStrings } from "./team-strings.ts";

export function Screen() {
  const { person, open, find } = useParameters(SCREEN);
  const search = useInboxSearch();
  const list = useConversationList();
  /** The field is there before the address says so, and takes the keys that follow `/`. */
  const [isOpening, setIsOpening] = useState(false);
  if (isOpening && search.isOpen) setIsOpening(false);
  useInboxKeys(() => flushSync(() => setIsOpening(true)));
  const hasBar = search.isOpen || isOpening;
  const rows = list.data?.data ?? [];
  const isSearch = search.asks || find === "filters";
  const hasPanes = isSearch || rows.length > 0 || (list.data !== undefined && person !== undefined);
  return (
    <PresenceOfTeam>
      <Page title={strings.title} isTitleHidden>
        <div className={`flex flex-wrap gap-x-6 ${person === undefined ? "" : "max-mid:hidden"}`}>
          {hasBar && <SearchBar />}
          {!search.asks && <Filters hasSearch={!hasBar} openSearch={search.open} />}
        </div>
        {!search.asks && <ListState list={list} />}
        {hasPanes && (
          <div className="grid grid-cols-[minmax(0,1fr)] gap-6 mid:grid-cols-[17rem_minmax(0,1fr)] wide:grid-cols-[20rem_minmax(0,1fr)]">
            <div className={person === undefined ? "" : "max-mid:hidden"}>
              <SearchPane conversations={<Conversations list={list} />} />
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
    </PresenceOfTeam>
  );
}

/** Not asked for while a search is shown in its place. */
function useConversationList() {
  const { id } = useWorkspace();
  const { view = "open", show, after } = useParameters(SCREEN);
  const { asks } = useInboxSearch();
  const every = useAskEvery(4_000);
  return useQuery({
    ...reading(
      "GET /w/{workspace}/inbox",
      { workspace: id, query: { view: view === "all" ? undefined : view, show, after } },
      ["conversations", id, view, show, after],
    ),
    placeholderData: keepPreviousData,
    refetchInterval: after === undefined ? every : false,
    enabled: !asks,
  });
}

type List = ReturnType<typeof useConversationList>;

/**
 * `/` opens the search, or leads back to it; Esc leaves the conversation, then the search. Enter opens the first conversation
 * while none is open and nothing has the focus.
 */
function useInboxKeys(showSearch: () => void): void {
  const { person } = useParameters(SCREEN);
  const search = useInboxSearch();
  const change = useChangeParameters(SCREEN);
  const leave = () => void change({ person: undefined, at: undefined });
  const find = (): boolean => {
    if (!search.isOpen) {
      showSearch();
      focusSearch();
      search.open();
    }
    // The field is behind an open conversation where there is no room for both.
    else if (!focusSearch()) leave();
    return true;
  };
  const goBack = (): boolean => {
    if (person !== undefined) leave();
    else if (search.isOpen) search.close();
    else return false;
    return true;
  };
  useKeys((key) => {
    if (key === "/") return find();
    if (key === "Enter") return person === undefined && openFirst();
    return key === "Escape" && goBack();
  });
}

/** Unless something has the focus, which Enter is for. */
function openFirst(): boolean {
  const first = document.querySelector<HTMLElement>("a[data-row]");
  if (first === null || document.activeElement !== document.body) return false;
  first.click();
  return true;
}

/** Why the list is missing. */
function ListState({ list }: { list: List }) {
  const { view = "open", show, person } = useParameters(SCREEN);
  return (
    <>
      {list.isPending && <Loading />}
      {list.isError && <Failed error={list.error} retry={() => void list.refetch()} />}
      {list.data?.data.length === 0 && person === undefined && (
        <>
          <NoConversations view={view} show={show} hasMore={list.data.meta.has_more} />
          <Pager screen={SCREEN} meta={list.data.meta} newer={strings.newer} older={strings.older} />
        </>
      )}
    </>
  );
}

function Conversations({ list: { data, isPlaceholderData } }: { list: List }) {
  const { person } = useParameters(SCREEN);
  const listed = useRef<HTMLElement>(null);
  useRowKeys(listed);
  if (data === undefined) return null;
  return (
    <>
      {data.data.length > 0 && (
        <nav
          ref={listed}
          aria-label={strings.conversations}
          aria-busy={isPlaceholderData}
          className="rounded-panel border border-line bg-surface mid:max-h-[calc(100dvh-9rem)] mid:overflow-y-auto"
        >
          {data.data.map((row) => (
            <Row key={row.id} row={row} isOpen={String(row.contact_id) === person} />
          ))}
        </nav>
      )}
      <Pager screen={SCREEN} meta={data.meta} newer={strings.newer} older={strings.older} />
    </>
  );
}

/** Of the list of conversations; where no search is open, also what opens one. */
function Filters({ hasSearch, openSearch }: { hasSearch: boolean; openSearch: () => void }) {
  return (
    <>
      <div className="flex items-start gap-2 max-mid:w-full">
        {hasSearch && (
          <Button
            small
            aria-label={searchStrings.search}
            title={searchStrings.open}
            className="max-mid:my-1"
            onClick={openSearch}
          >
            <Search aria-hidden size={16} />
          </Button>
        )}
        <div className="min-w-0 flex-1 max-mid:ps-4">
          <Views />
        </div>
      </div>
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
    </>
  );
}

/** The views of a team, with how many conversations they have where that is counted. */
function Views() {
  const { id } = useWorkspace();
  const refetchInterval = useAskEvery(10_000);
  const { data } = useQuery({
    ...reading("GET /w/{workspace}/inbox/views", { workspace: id }, ["conversations", id, "views"]),
    refetchInterval,
  });
  const unread = useQuery({ ...unreadQuery(id), refetchInterval });
  const label = (view: keyof typeof teamStrings.views) => {
    const isCounted = view === "mine" || view === "open" || view === "snoozed";
    const count = view === "mentions" ? (unread.data?.mentions ?? 0) : isCounted ? (data?.[view] ?? 0) : 0;
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
        { value: "mentions", label: label("mentions") },
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
