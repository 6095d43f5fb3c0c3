/** One conversation: what passed, the person beside it, and below it what can be sent now. Looking at it marks it as read. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { ArrowLeft } from "lucide-react";
import { useEffect, useState } from "react";
import { get, queryText, send } from "../../data/api.ts";
import { useWorkspace } from "../../data/session.ts";
import { Button, textLink } from "../../ui/button.tsx";
import { Chip } from "../../ui/chip.tsx";
import { Facts } from "../../ui/page.tsx";
import { Failed, Loading } from "../../ui/states.tsx";
import { Time } from "../../ui/time.tsx";
import { consentLook } from "../contacts/contact-view.ts";
import { words as contactWords } from "../contacts/strings.ts";
import { isUnknown, messageLook } from "../messages/message-state.ts";
import type { SentItem, ThreadItem } from "../messages/message-view.ts";
import { words as messageWords } from "../messages/strings.ts";
import { Bubble } from "./bubble.tsx";
import { Composer } from "./composer.tsx";
import type { Conversation } from "./inbox-view.ts";
import { words } from "./strings.ts";
import { Thread } from "./thread.tsx";
import { WindowChip } from "./window-chip.tsx";

export function ConversationView({ id }: { id: string }) {
  const { id: workspaceId } = useWorkspace();
  const conversation = useQuery({
    queryKey: ["conversation", workspaceId, id],
    queryFn: ({ signal }) => get<Conversation>(`/w/${workspaceId}/conversations/${id}`, signal),
    refetchInterval: 3_000,
  });
  if (conversation.isPending) return <Loading />;
  if (conversation.data === undefined) {
    return <Failed error={conversation.error} retry={() => void conversation.refetch()} />;
  }
  return <Shown conversation={conversation.data} />;
}

function Shown({ conversation }: { conversation: Conversation }) {
  const { id: workspaceId, timezone } = useWorkspace();
  const { contact, contact_id: id, has_phone: hasPhone } = conversation;
  useSeen(workspaceId, conversation);
  const { items, earlier } = useThread(workspaceId, conversation);
  const name = contact.name ?? (hasPhone ? contact.phone : words.somebody);
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-6 wide:grid-cols-[minmax(0,1fr)_16rem]">
      <section
        aria-label={name}
        className="flex h-[calc(100dvh-12rem)] min-h-96 flex-col overflow-hidden rounded-panel border border-line bg-surface max-mid:h-[calc(100dvh-10.5rem)]"
      >
        <div className="flex items-center gap-2 border-b border-line px-3 py-2">
          <Link
            to="."
            search={((known: object) => ({ ...known, person: undefined })) as never}
            aria-label={words.back}
            className="inline-flex size-11 items-center justify-center rounded-control text-quiet mid:hidden"
          >
            <ArrowLeft aria-hidden size={18} />
          </Link>
          <div className="min-w-0 flex-1">
            <h2 className="truncate font-semibold figures">{name}</h2>
            {contact.name !== null && hasPhone && <p className="text-label text-quiet figures">{contact.phone}</p>}
          </div>
          {contact.consent.status === "opted_out" ? (
            <Chip tone={consentLook("opted_out").tone}>{consentLook("opted_out").word}</Chip>
          ) : (
            <WindowChip endsAt={conversation.window_ends_at} />
          )}
        </div>
        <Thread
          label={words.thread}
          zone={timezone}
          items={items}
          empty={words.nothing}
          top={earlier}
          draw={(item) => (
            <Bubble item={item} isOwn={item.kind === "message"} zone={timezone} isAbsent={isAbsent(item)}>
              {item.kind === "message" && <Fate item={item} />}
            </Bubble>
          )}
        />
        <Composer key={id} conversation={conversation} />
      </section>
      <Person conversation={conversation} />
    </div>
  );
}

function isAbsent(item: ThreadItem): boolean {
  return item.kind === "message" && item.status === "failed";
}

/** What became of it, in a word; where it failed or nobody knows, in words. */
function Fate({ item }: { item: SentItem }) {
  const { word, tone } = messageLook(item);
  return (
    <div className="flex max-w-[85%] flex-col items-end gap-1 text-end">
      <p className="flex items-center gap-2 text-label text-quiet">
        <Chip tone={tone}>{word}</Chip>
        <Link
          to="."
          search={((known: object) => ({ ...known, open: String(item.id) })) as never}
          resetScroll={false}
          data-row={String(item.id)}
          className="text-quiet underline underline-offset-2"
        >
          #{item.id}
        </Link>
      </p>
      {isUnknown(item) && <p className="text-violet">{messageWords.unknownText}</p>}
      {item.status === "failed" && !isUnknown(item) && item.error !== null && (
        <p className="text-red">
          {words.failedLine(item.error.message)} <code className="font-mono text-label">{item.error.code}</code>
        </p>
      )}
    </div>
  );
}

function Person({ conversation: { contact, has_phone: hasPhone } }: { conversation: Conversation }) {
  const { id, timezone } = useWorkspace();
  const { status, source, at } = contact.consent;
  const { word, tone } = consentLook(status);
  return (
    <aside aria-label={words.person} className="flex flex-col gap-4 max-wide:hidden">
      <div>
        <h3 className="mb-2 font-semibold">{words.consent}</h3>
        <p>
          <Chip tone={tone}>{word}</Chip>
        </p>
        {source !== null && (
          <p className="mt-1 text-quiet">
            {contactWords.sources[source] ?? source}
            {at !== null && (
              <>
                {" · "}
                <Time at={at} zone={timezone} />
              </>
            )}
          </p>
        )}
      </div>
      <Facts
        facts={[
          [words.tags, contact.tags.join(", ") || words.none],
          [words.groups, contact.groups.map((group) => group.name).join(", ") || words.none],
          [
            words.lastWrote,
            contact.last_message_from_them_at === null ? (
              words.none
            ) : (
              <Time key="wrote" at={contact.last_message_from_them_at} zone={timezone} />
            ),
          ],
        ]}
      />
      {hasPhone && (
        <Link
          to={"/w/$workspace/contacts" as never}
          params={{ workspace: String(id) } as never}
          search={{ open: contact.phone } as never}
          className={textLink}
        >
          {words.openContact}
        </Link>
      )}
    </aside>
  );
}

/** What is on the screen of a tab that somebody looks at has been seen. */
function useSeen(workspaceId: number, { contact_id: id, unread, last_inbound_id: last }: Conversation): void {
  const client = useQueryClient();
  useEffect(() => {
    if (unread === 0 || document.hidden) return;
    send("POST", `/w/${workspaceId}/conversations/${id}/seen`, { last_inbound_id: last })
      .then(() =>
        Promise.all([
          client.invalidateQueries({ queryKey: ["conversations", workspaceId] }),
          client.invalidateQueries({ queryKey: ["conversation", workspaceId, String(id)] }),
          client.invalidateQueries({ queryKey: ["unread", workspaceId] }),
        ]),
      )
      // It stays unread, and is tried again with the next look.
      .catch(() => undefined);
  }, [client, workspaceId, id, unread, last]);
}

/** The newest page as it changes, and below it what was loaded of earlier ones. */
function useThread(workspaceId: number, { contact_id: id, items, next }: Conversation) {
  const [older, setOlder] = useState<{ items: ThreadItem[]; next: string | null } | null>(null);
  const [isBusy, setIsBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const after = older === null ? next : older.next;
  const load = async () => {
    if (isBusy || after === null) return;
    setIsBusy(true);
    setError(null);
    try {
      const page = await get<Conversation>(`/w/${workspaceId}/conversations/${id}${queryText({ after })}`);
      // The newest page is kept as it was, so that nothing falls between it and what is older.
      setOlder((known) => ({ items: [...(known?.items ?? items), ...page.items], next: page.next }));
    } catch (reason) {
      setError(reason);
    } finally {
      setIsBusy(false);
    }
  };
  const newest = new Set(items.map(({ key }) => key));
  const all = [...items, ...(older?.items ?? []).filter(({ key }) => !newest.has(key))];
  return {
    items: all,
    earlier: (
      <>
        {error !== null && <Failed error={error} />}
        {after !== null && (
          <Button small className="self-center" busy={isBusy} onClick={() => void load()}>
            {words.earlier}
          </Button>
        )}
      </>
    ),
  };
}
