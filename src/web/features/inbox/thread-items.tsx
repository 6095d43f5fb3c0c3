/**
 * The items of a conversation that are shown: the newest page, which updates itself, with the older ones loaded so far; or, for one
 * that was found, those around it, and on from there in both directions.
 */
import { useInfiniteQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { ApiError, request } from "../../data/api.ts";
import { isOwn } from "../../data/own-messages.ts";
import { usePress } from "../../data/press.ts";
import { ParameterLink, useChangeParameters } from "../../ui/address.tsx";
import { Button, buttonClass } from "../../ui/button.tsx";
import { Failed, Notice } from "../../ui/states.tsx";
import type { ConversationItem } from "../messages/message-view.ts";
import { markedIn } from "./arrange.ts";
import type { Conversation } from "./inbox-view.ts";
import { strings as searchStrings } from "./search-strings.ts";
import { SCREEN } from "./search-view.ts";
import { strings } from "./strings.ts";

interface ShownItems {
  /** Newest first. */
  items: ConversationItem[];
  hasEarlier: boolean;
  /** What loads the older ones. */
  earlier: ReactNode;
  /** What loads the newer ones; undefined: the newest is shown. */
  later: ReactNode | undefined;
  /** The key of the item that is shown first, and marked; undefined: the end is shown. */
  marked: string | undefined;
  /** Why what was found is not shown. */
  problem: ReactNode;
  isLoading: boolean;
}

const NOTHING: ShownItems = {
  ...{ items: [], hasEarlier: false, earlier: null, later: undefined },
  ...{ marked: undefined, problem: null, isLoading: false },
};

/** `at`: the key of the item that was found. */
export function useConversationItems(workspaceId: number, conversation: Conversation, at?: string): ShownItems {
  const newest = useNewestItems(workspaceId, conversation);
  const around = useItemsAround(workspaceId, conversation, at);
  return { ...newest, ...around };
}

function useNewestItems(workspaceId: number, { contact_id: id, items, next }: Conversation): ShownItems {
  const [older, setOlder] = useState<{ items: ConversationItem[]; next: string | null } | null>(null);
  const { press, isBusy, error } = usePress();
  const after = older === null ? next : older.next;
  const load = async () => {
    if (after === null) return;
    const input = { workspace: workspaceId, contact: id, query: { after } };
    const page = await request("GET /w/{workspace}/inbox/{contact}", input);
    // Keep the newest page as it was at this moment, so that no item falls between it and the older ones.
    setOlder((known) => ({ items: [...(known?.items ?? items), ...page.items], next: page.next }));
  };
  const newest = new Set(items.map(({ key }) => key));
  const all = [...items, ...(older?.items ?? []).filter(({ key }) => !newest.has(key))];
  return {
    ...NOTHING,
    items: all,
    hasEarlier: after !== null,
    earlier: <Earlier error={error} hasMore={after !== null} isBusy={isBusy} load={() => void press(load)} />,
  };
}

/** What differs from the end of the conversation; null: nothing. */
function useItemsAround(
  workspaceId: number,
  conversation: Conversation,
  at: string | undefined,
): Partial<ShownItems> | null {
  const { contact_id: contact, items: newest } = conversation;
  const { data, ...list } = useInfiniteQuery({
    queryKey: ["conversation", workspaceId, String(contact), "around", at],
    queryFn: ({ signal, pageParam: query }) =>
      request("GET /w/{workspace}/inbox/{contact}", { workspace: workspaceId, contact, query }, { signal }),
    initialPageParam: (at === undefined ? {} : { around: at }) as { around?: string; after?: string },
    getNextPageParam: ({ next }) => (next === null ? undefined : { after: next }),
    getPreviousPageParam: ({ newer }) => (newer === null ? undefined : { after: newer }),
    enabled: at !== undefined,
  });
  const isApart = data !== undefined && list.hasPreviousPage;
  useLeaveOnOwn(newest[0]?.key, isApart);
  if (at === undefined) return null;
  if (data === undefined) {
    if (list.isError) return { problem: <Problem error={list.error} retry={() => void list.refetch()} /> };
    return { ...NOTHING, isLoading: true };
  }
  const found = data.pages.flatMap(({ items }) => items);
  const known = new Set(found.map(({ key }) => key));
  const items = isApart ? found : [...newest.filter(({ key }) => !known.has(key)), ...found];
  return {
    ...NOTHING,
    items,
    marked: markedIn(items, at),
    hasEarlier: list.hasNextPage,
    earlier: (
      <Earlier
        error={list.isFetchNextPageError ? list.error : null}
        hasMore={list.hasNextPage}
        isBusy={list.isFetchingNextPage}
        load={() => void list.fetchNextPage()}
      />
    ),
    later: isApart ? (
      <Later
        error={list.isFetchPreviousPageError ? list.error : null}
        isBusy={list.isFetchingPreviousPage}
        load={() => void list.fetchPreviousPage()}
      />
    ) : undefined,
  };
}

/** What this page sends is at the end of the conversation: the user is led there. */
function useLeaveOnOwn(newest: string | undefined, isApart: boolean): void {
  const change = useChangeParameters(SCREEN);
  const first = useRef(newest);
  useEffect(() => {
    if (!isApart) first.current = newest;
    if (newest === undefined || newest === first.current || !isOwn(newest)) return;
    first.current = newest;
    void change({ at: undefined }, { replace: true });
  }, [change, newest, isApart]);
}

interface MoreProps {
  error: unknown;
  isBusy: boolean;
  load: () => void;
}

function Earlier({ error, isBusy, load, hasMore }: MoreProps & { hasMore: boolean }) {
  return (
    <>
      {error !== null && <Failed error={error} />}
      {hasMore && (
        <Button small className="self-center" busy={isBusy} onClick={load}>
          {strings.earlier}
        </Button>
      )}
    </>
  );
}

function Later({ error, isBusy, load }: MoreProps) {
  return (
    <>
      {error !== null && <Failed error={error} />}
      <div className="flex flex-wrap justify-center gap-2">
        <Button small busy={isBusy} onClick={load}>
          {searchStrings.later}
        </Button>
        <ParameterLink screen={SCREEN} change={{ at: undefined }} className={buttonClass("plain", true)}>
          {searchStrings.newest}
        </ParameterLink>
      </div>
    </>
  );
}

/** What was found is not shown; the end of the conversation is. */
function Problem({ error, retry }: { error: unknown; retry: () => void }) {
  const isGone = error instanceof ApiError && error.status === 404;
  return (
    <div className="p-3 pb-0">
      {isGone ? <Notice>{searchStrings.gone}</Notice> : <Failed error={error} retry={retry} />}
    </div>
  );
}
