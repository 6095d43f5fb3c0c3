/**
 * The search in the inbox: its field and filters above the list, and its results in the place of the conversations. A result opens
 * the conversation at what was found.
 */
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { PenLine, SlidersHorizontal, UserRound, X } from "lucide-react";
import { type KeyboardEvent, type ReactNode, useRef } from "react";
import { request } from "../../data/api.ts";
import { useWorkspace } from "../../data/session.ts";
import { ParameterLink, useChangeParameters, useParameters } from "../../ui/address.tsx";
import { Button, IconButton } from "../../ui/button.tsx";
import { useRowKeys } from "../../ui/keys.ts";
import { SearchBox } from "../../ui/search-box.tsx";
import { Failed, Loading, NothingFound, Notice } from "../../ui/states.tsx";
import { Time } from "../../ui/time.tsx";
import { handleOf } from "../contacts/contact-view.ts";
import { SearchFilters } from "./search-filters.tsx";
import { strings } from "./search-strings.ts";
import { focusSearch, type Hit, SCREEN, useInboxSearch } from "./search-view.ts";
import { strings as inboxStrings } from "./strings.ts";
import { isPhone, WriteTo } from "./write-to.tsx";

const REFRESH_WHILE_BEHIND_MS = 2_000;

/** The field, and what opens the filters. */
export function SearchBar() {
  const { filterCount, close } = useInboxSearch();
  const { q, find } = useParameters(SCREEN);
  const change = useChangeParameters(SCREEN);
  const hasFilters = find === "filters";
  const press = (event: KeyboardEvent) => {
    if (!(event.target instanceof HTMLInputElement)) return;
    if (event.key === "Escape") close();
    else if (event.key === "ArrowDown") rowsOf()[0]?.focus();
    else if (event.key === "Enter" && event.target.value.trim() === (q ?? "")) rowsOf()[0]?.click();
    else return;
    event.preventDefault();
  };
  return (
    <div className="flex w-full items-start gap-2">
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of the field inside. */}
      <div className="flex min-w-0 flex-1 mid:max-w-80" onKeyDown={press}>
        <SearchBox screen={SCREEN} label={strings.search} hasFocus={q === undefined && find === "on"} />
      </div>
      <Button small aria-expanded={hasFilters} onClick={() => void change({ find: hasFilters ? "on" : "filters" })}>
        <SlidersHorizontal aria-hidden size={16} />
        {strings.filters(filterCount)}
      </Button>
      <IconButton label={strings.close} onClick={close}>
        <X aria-hidden size={18} />
      </IconButton>
    </div>
  );
}

const RESULTS = "search-results";

function rowsOf(): HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>(`#${RESULTS} a[data-row]`)];
}

function useHits() {
  const { id } = useWorkspace();
  const { q, from, number, tag, kind, since, until, file } = useParameters(SCREEN);
  const query = {
    ...{ q, from, number, tag, kinds: kind, since },
    // The whole day, in the workspace's timezone.
    until: until === undefined ? undefined : `${until}T23:59:59`,
    has_file: file,
  };
  return useInfiniteQuery({
    queryKey: ["search", id, query],
    queryFn: ({ signal, pageParam: after }) =>
      request("GET /w/{workspace}/search", { workspace: id, query: { ...query, after } }, { signal }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ meta }) => meta.next,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.pages[0]?.meta.behind === true ? REFRESH_WHILE_BEHIND_MS : false),
  });
}

/** The filters, and what is found in the place of the conversations. */
export function SearchPane({ conversations }: { conversations: ReactNode }) {
  const { find } = useParameters(SCREEN);
  const { asks } = useInboxSearch();
  return (
    <div className={asks ? "mid:flex mid:max-h-[calc(100dvh-9rem)] mid:flex-col" : ""}>
      {find === "filters" && <SearchFilters />}
      {asks ? <SearchResults /> : conversations}
    </div>
  );
}

function SearchResults() {
  const { q = "" } = useParameters(SCREEN);
  const list = useHits();
  const shown = useRef<HTMLElement>(null);
  useRowKeys(shown);
  const hits = list.data?.pages.flatMap(({ data }) => data) ?? [];
  const isBehind = list.data?.pages[0]?.meta.behind === true;
  return (
    <>
      {list.isPending && <Loading />}
      {list.isError && <Failed error={list.error} retry={() => void list.refetch()} />}
      {isBehind && (
        <div className="mb-2">
          <Notice tone="grey">{strings.behind}</Notice>
        </div>
      )}
      {isPhone(q) && <WriteTo key={q} phone={q} />}
      {list.data !== undefined && !list.isError && hits.length === 0 && (
        <NothingFound title={strings.nothing} clear={strings.clear}>
          {strings.nothingText}
        </NothingFound>
      )}
      {hits.length > 0 && (
        <>
          <p role="status" className="mb-1 text-label text-quiet">
            {strings.found(hits.length, list.hasNextPage)}
          </p>
          <nav
            ref={shown}
            id={RESULTS}
            aria-label={strings.results}
            aria-busy={list.isPlaceholderData}
            className="rounded-panel border border-line bg-surface mid:min-h-0 mid:overflow-y-auto"
            onKeyDown={moveBetweenRows}
          >
            {hits.map((hit, index) => (
              <HitRow key={hit.item ?? `c${hit.contact_id}`} hit={hit} place={index} />
            ))}
          </nav>
          {list.hasNextPage && (
            <Button
              small
              className="mt-3 shrink-0 self-center"
              busy={list.isFetchingNextPage}
              onClick={() => void list.fetchNextPage()}
            >
              {strings.more}
            </Button>
          )}
        </>
      )}
    </>
  );
}

/** The arrows move as `j` and `k` do; up from the first leads back to the field. */
function moveBetweenRows(event: KeyboardEvent): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step === undefined) return;
  event.preventDefault();
  const rows = rowsOf();
  const at = rows.indexOf(document.activeElement as HTMLElement) + step;
  if (at < 0) focusSearch();
  else rows[Math.min(at, rows.length - 1)]?.focus();
}

function HitRow({ hit, place }: { hit: Hit; place: number }) {
  const { timezone } = useWorkspace();
  const { person, at } = useParameters(SCREEN);
  const { item, contact_id: id } = hit;
  const isOpen = person === String(id) && at === (item ?? undefined);
  return (
    <ParameterLink
      screen={SCREEN}
      change={{ person: String(id), at: item ?? undefined, open: undefined }}
      resetScroll={false}
      data-row={String(place)}
      aria-current={isOpen ? "true" : undefined}
      className={`flex flex-col border-b border-line px-3 py-1.5 text-ink no-underline last:border-b-0 hover:bg-sunken focus-visible:-outline-offset-2 ${isOpen ? "bg-sunken" : ""}`}
    >
      <span className="flex items-baseline justify-between gap-2">
        <Who hit={hit} />
        <span className="shrink-0 text-label text-quiet">
          <Time at={hit.at} zone={timezone} />
        </span>
      </span>
      <span dir="auto" className="line-clamp-2 text-quiet wrap-anywhere">
        {hit.direction === "out" && strings.team}
        <Snippet hit={hit} />
      </span>
      <Where hit={hit} />
    </ParameterLink>
  );
}

/** The person, and whether it is a message of theirs, a note about them, or they themselves. */
function Who({ hit: { contact, kind } }: { hit: Hit }) {
  const name = contact.name ?? (handleOf(contact) || inboxStrings.unknownNumber);
  return (
    <span className="flex min-w-0 items-center gap-1.5 font-semibold figures">
      {kind === "contact" && <UserRound aria-hidden size={14} className="shrink-0 text-quiet" />}
      {kind === "note" && <PenLine aria-hidden size={14} className="shrink-0 text-amber" />}
      {kind !== "message" && <span className="sr-only">{kind === "note" ? strings.note : strings.person} </span>}
      <span className="truncate">{name}</span>
    </span>
  );
}

/** The file that the words are not of, and the number. */
function Where({ hit }: { hit: Hit }) {
  const { numbers } = useWorkspace();
  const text = hit.snippet.map((piece) => piece.text).join("");
  return (
    <>
      {hit.file !== null && text !== hit.file && <Line>{strings.file(hit.file)}</Line>}
      {hit.number !== null && numbers.length > 1 && <Line>{inboxStrings.onNumber(hit.number)}</Line>}
    </>
  );
}

function Line({ children }: { children: ReactNode }) {
  return <span className="truncate text-label text-quiet figures">{children}</span>;
}

/** The words that were found are marked. */
function Snippet({ hit }: { hit: Hit }) {
  let from = 0;
  return hit.snippet.map(({ text, match }) => {
    const key = from;
    from += text.length;
    if (!match) return text;
    return (
      <mark key={key} className="rounded-sm bg-amber-tint font-semibold text-ink">
        {text}
      </mark>
    );
  });
}
