/** The inbox: conversations with their reply windows, and the open conversation beside them. */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useRef } from "react";
import type { Parameters } from "../../app/routes.ts";
import { request } from "../../data/api.ts";
import { useWorkspace } from "../../data/session.ts";
import { ParameterLink, useChangeParameters, useParameters } from "../../ui/address.tsx";
import { ButtonLink } from "../../ui/button.tsx";
import { Chip } from "../../ui/chip.tsx";
import { useKeys, useRowKeys } from "../../ui/keys.ts";
import { FilterBar, Pager } from "../../ui/list.tsx";
import { Page } from "../../ui/page.tsx";
import { Empty, Failed, Loading, NothingFound } from "../../ui/states.tsx";
import { Time } from "../../ui/time.tsx";
import { consentChip, handleOf } from "../contacts/contact-view.ts";
import { strings as contactStrings } from "../contacts/strings.ts";
import { MessagePanel } from "../messages/message-panel.tsx";
import { messageChip } from "../messages/message-state.ts";
import { textIn } from "./bubble.tsx";
import { ConversationView } from "./conversation.tsx";
import type { ConversationRow } from "./inbox-view.ts";
import { isControlPass, isOutgoing } from "./origin.tsx";
import { strings } from "./strings.ts";
import { WindowChip } from "./window-chip.tsx";

const SCREEN = "/w/$workspace/inbox";

export function Screen() {
  const { id } = useWorkspace();
  const { show, person, after, open } = useParameters(SCREEN);
  const list = useQuery({
    queryKey: ["conversations", id, show, after],
    queryFn: ({ signal }) => request("GET /w/{workspace}/inbox", { workspace: id, query: { show, after } }, { signal }),
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
    <Page title={strings.title}>
      <div className={person === undefined ? "" : "max-mid:hidden"}>
        <FilterBar
          screen={SCREEN}
          label={strings.show}
          name="show"
          choices={[
            { value: undefined, label: strings.all },
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
          <NoConversations show={show} hasMore={list.data.meta.has_more} />
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
              className="rounded-panel border border-line bg-surface mid:max-h-[calc(100dvh-12rem)] mid:overflow-y-auto"
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

function Row({ row, isOpen }: { row: ConversationRow; isOpen: boolean }) {
  const { timezone } = useWorkspace();
  const { contact_id: id, name, unread, last, consent } = row;
  const chip = last?.kind === "message" ? messageChip(last) : null;
  // Show only states that need attention; delivered messages do not.
  const hasProblem = chip?.tone === "red" || chip?.tone === "violet";
  return (
    <ParameterLink
      screen={SCREEN}
      change={{ person: String(id), open: undefined }}
      resetScroll={false}
      data-row={String(row.id)}
      aria-current={isOpen ? "true" : undefined}
      className={`flex flex-col gap-1 border-b border-line px-4 py-3 focus-visible:-outline-offset-2 text-ink no-underline last:border-b-0 hover:bg-sunken ${isOpen ? "bg-sunken" : ""}`}
    >
      <span className="flex items-baseline justify-between gap-2">
        <span className={`truncate figures ${unread > 0 ? "font-semibold" : ""}`}>
          {name ?? (handleOf(row) || strings.unknownNumber)}
        </span>
        <span className="shrink-0 text-label text-quiet">
          <Time at={last?.at ?? row.wrote_at} zone={timezone} />
        </span>
      </span>
      {last !== null && (
        <span className={`truncate ${unread > 0 ? "text-ink" : "text-quiet"}`}>
          {isOutgoing(last) && !isControlPass(last) && strings.you}
          {textIn(last).replaceAll("\n", " ")}
        </span>
      )}
      <span className="flex flex-wrap items-center gap-1">
        {unread > 0 && (
          <span className="inline-flex min-w-5 justify-center rounded-control bg-accent px-1.5 py-0.5 text-label font-semibold text-on-accent figures">
            <span aria-hidden>{unread}</span>
            <span className="sr-only">{strings.unreadCount(unread)}</span>
          </span>
        )}
        {consent === "opted_out" ? (
          <Chip tone={consentChip(consent).tone}>{consentChip(consent).label}</Chip>
        ) : (
          <WindowChip endsAt={row.window_ends_at} />
        )}
        <NumberLabel phone={row.number} />
        {row.may_want_to_stop && <Chip tone="amber">{contactStrings.mayWantToStop}</Chip>}
        {chip !== null && hasProblem && <Chip tone={chip.tone}>{chip.label}</Chip>}
      </span>
    </ParameterLink>
  );
}

/** Which number the conversation is on, where the workspace has several. */
function NumberLabel({ phone }: { phone: string }) {
  const { numbers } = useWorkspace();
  if (numbers.length < 2) return null;
  return <span className="text-label text-quiet figures">{strings.onNumber(phone)}</span>;
}

function NoConversations({ show, hasMore }: { show: Parameters<typeof SCREEN>["show"]; hasMore: boolean }) {
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
  return (
    <Empty
      title={strings.empty}
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
