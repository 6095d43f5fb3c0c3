/**
 * One conversation: its messages, the contact beside it, and below it what can be sent now. Viewing it marks it as
 * read.
 */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { ArrowLeft } from "lucide-react";
import { useEffect, useState } from "react";
import { reading, request } from "../../data/api.ts";
import { useAskEvery } from "../../data/live.ts";
import { useWorkspace } from "../../data/session.ts";
import { ParameterLink, useParameters } from "../../ui/address.tsx";
import { textLink } from "../../ui/button.tsx";
import { Chip } from "../../ui/chip.tsx";
import { DescriptionList } from "../../ui/page.tsx";
import { Failed, Loading } from "../../ui/states.tsx";
import { Time } from "../../ui/time.tsx";
import { consentChip, handleOf, ownNameOf, phoneOf } from "../contacts/contact-view.ts";
import { DoubtNotice } from "../contacts/doubt-notice.tsx";
import { strings as contactStrings } from "../contacts/strings.ts";
import { isUnknown, messageChip } from "../messages/message-state.ts";
import { type ConversationItem, isUnsent, type SentItem } from "../messages/message-view.ts";
import { Scheduled } from "../messages/scheduled.tsx";
import { strings as messageStrings } from "../messages/strings.ts";
import { arrange, keyOf, referenceTo } from "./arrange.ts";
import { Attachment } from "./attachment.tsx";
import { BlockNotice } from "./block.tsx";
import { Bubble, textIn } from "./bubble.tsx";
import { Composer } from "./composer.tsx";
import { MessageActions } from "./composer-actions.tsx";
import type { Conversation } from "./inbox-view.ts";
import { NoteLine, useNotes, withNotes } from "./notes.tsx";
import { ControlPassLine, isControlPass, isOutgoing, OriginLine, useSenderName } from "./origin.tsx";
import { PresenceLine, useShown } from "./presence.tsx";
import { useReadReceipts } from "./read-receipts.ts";
import { SCREEN } from "./search-view.ts";
import { strings } from "./strings.ts";
import { TagStrip, Tags } from "./tags.tsx";
import { TeamBar } from "./team-bar.tsx";
import { Thread } from "./thread.tsx";
import { useConversationItems } from "./thread-items.tsx";
import { ThreadOwner } from "./thread-owner.tsx";
import { WaitingSends } from "./waiting-sends.tsx";
import { WindowChip } from "./window-chip.tsx";

export function ConversationView({ id }: { id: string }) {
  const { id: workspaceId } = useWorkspace();
  const conversation = useQuery({
    ...reading("GET /w/{workspace}/inbox/{contact}", { workspace: workspaceId, contact: id }, [
      "conversation",
      workspaceId,
      id,
    ]),
    refetchInterval: useAskEvery(3_000),
  });
  if (conversation.isPending) return <Loading />;
  if (conversation.data === undefined) {
    return <Failed error={conversation.error} retry={() => void conversation.refetch()} />;
  }
  return <LoadedConversation conversation={conversation.data} />;
}

function LoadedConversation({ conversation }: { conversation: Conversation }) {
  const { id: workspaceId, timezone } = useWorkspace();
  const client = useQueryClient();
  const { contact, contact_id: id } = conversation;
  useMarkSeen(workspaceId, conversation);
  useReadReceipts(conversation);
  const ownId = conversation.conversation?.id ?? null;
  useShown(ownId);
  const { at } = useParameters(SCREEN);
  const { items, earlier, later, hasEarlier, marked, problem, isLoading } = useConversationItems(
    workspaceId,
    conversation,
    at,
  );
  const notes = useNotes(workspaceId, ownId, {
    since: hasEarlier ? (items.at(-1)?.at ?? null) : null,
    until: later === undefined ? null : (items[0]?.at ?? null),
  });
  const { shown, reactions, byKey } = arrange(items);
  const [isAdding, setAdding] = useState(false);
  const doubtful = items.find(({ kind, at }) => kind === "inbound" && at === contact.consent.may_want_to_stop_since);
  const handle = handleOf(contact);
  const ownName = ownNameOf(contact);
  const name = ownName ?? (handle === "" ? strings.unknownNumber : handle);
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-6 wide:grid-cols-[minmax(0,1fr)_16rem]">
      <section
        aria-label={name}
        className="flex h-[calc(100dvh-9rem)] min-h-96 flex-col overflow-hidden rounded-panel border border-line bg-surface max-mid:h-[calc(100dvh-7rem)]"
      >
        <div className="flex items-center gap-2 border-b border-line px-3 py-2 max-mid:flex-wrap">
          <ParameterLink
            screen={SCREEN}
            change={{ person: undefined, at: undefined }}
            aria-label={strings.back}
            className="inline-flex size-11 items-center justify-center rounded-control text-quiet mid:hidden"
          >
            <ArrowLeft aria-hidden size={18} />
          </ParameterLink>
          <div className="min-w-0 flex-1 max-mid:min-w-28">
            <h2 className="truncate font-semibold figures">{name}</h2>
            <div className="flex min-w-0 flex-wrap gap-x-2">
              {ownName !== null && handle !== "" && <p className="truncate text-label text-quiet figures">{handle}</p>}
              <PresenceLine conversation={ownId} />
            </div>
          </div>
          <ThreadOwner conversation={conversation} />
          {contact.consent.status === "opted_out" ? (
            <Chip tone={consentChip("opted_out").tone}>{consentChip("opted_out").label}</Chip>
          ) : (
            <WindowChip endsAt={conversation.window_ends_at} />
          )}
        </div>
        <TeamBar conversation={conversation} openTags={() => setAdding(true)} />
        <TagStrip conversation={conversation} isAdding={isAdding} onAdding={setAdding} />
        <BlockNotice conversation={conversation} />
        {contact.consent.may_want_to_stop_since !== null && (
          <div className="border-b border-line p-3">
            <DoubtNotice
              contact={contact}
              words={doubtful?.text ?? undefined}
              keep={async (key) => {
                await request(
                  "POST /w/{workspace}/inbox/{contact}/keep",
                  { workspace: workspaceId, contact: id },
                  { key },
                );
                await Promise.all([
                  client.invalidateQueries({ queryKey: ["conversation", workspaceId, String(id)] }),
                  client.invalidateQueries({ queryKey: ["conversations", workspaceId] }),
                ]);
              }}
            />
          </div>
        )}
        {problem}
        <Thread
          key={isLoading ? "loading" : marked === undefined ? "end" : at}
          label={strings.conversation}
          zone={timezone}
          items={withNotes(shown, notes)}
          empty={isLoading ? "" : strings.nothing}
          top={earlier}
          waiting={<WaitingSends contactId={id} />}
          bottom={later}
          marked={marked}
          renderItem={(item) =>
            item.kind === "note" ? (
              <NoteLine item={item} zone={timezone} conversation={ownId ?? 0} />
            ) : isControlPass(item) ? (
              <ControlPassLine item={item} zone={timezone} />
            ) : (
              <Bubble
                item={item}
                isOwn={isOutgoing(item)}
                zone={timezone}
                isUndelivered={isUndelivered(item)}
                quote={quoteOf(item, byKey)}
                reaction={reactions.get(item.key)}
                actions={<MessageActions item={item} conversation={conversation} />}
                attachment={
                  item.kind === "inbound" && (
                    <Attachment type={item.type} details={item.details} workspaceId={workspaceId} />
                  )
                }
                hidesText={hidesText(item)}
              >
                {item.kind === "message" ? <SentItemStatus item={item} /> : <OriginLine item={item} />}
              </Bubble>
            )
          }
        />
        <Composer key={id} conversation={conversation} />
      </section>
      <ContactSummary conversation={conversation} isAdding={isAdding} onAdding={setAdding} />
    </div>
  );
}

/** The text of the message that this one answers, edits or deletes. */
function quoteOf(item: ConversationItem, byKey: ReadonlyMap<string, ConversationItem>): string | null {
  const reference = referenceOf(item);
  if (reference === undefined) return null;
  const quoted = byKey.get(keyOf(reference) ?? "");
  return quoted === undefined ? strings.earlierMessage : textIn(quoted);
}

function referenceOf(item: ConversationItem) {
  if (item.kind === "message") return item.reply_to === null ? undefined : referenceTo(item.reply_to);
  return item.kind === "inbound" ? (item.details.reply_to ?? item.details.edited ?? item.details.deleted) : undefined;
}

/** The attachment says what the text would repeat: the kind of file, the names of places and cards. */
function hidesText(item: ConversationItem): boolean {
  if (item.kind !== "inbound") return false;
  const { media, location, contacts, order, form, unsupported } = item.details;
  if (location !== undefined || contacts !== undefined) return true;
  const hasAttachment = [media, order, form, unsupported].some((one) => one !== undefined);
  return hasAttachment && (item.text === null || item.text === media?.filename);
}

function isUndelivered(item: ConversationItem): boolean {
  return item.kind === "message" && (item.status === "failed" || isUnsent(item));
}

/** The state in a word; for a failure or an unknown outcome also the reason. */
function SentItemStatus({ item }: { item: SentItem }) {
  const { label, tone } = messageChip(item);
  return (
    <div className="flex max-w-[85%] flex-col items-end gap-1 text-end">
      <p className="flex items-center gap-2 text-label text-quiet">
        <Chip tone={tone}>{label}</Chip>
        {useSenderName(item)}
        <ParameterLink
          screen={SCREEN}
          change={{ open: String(item.id) }}
          resetScroll={false}
          data-row={String(item.id)}
          className="text-quiet underline underline-offset-2"
        >
          #{item.id}
        </ParameterLink>
      </p>
      <Scheduled message={item} isAtEnd />
      {isUnknown(item) && <p className="text-violet">{messageStrings.unknownText}</p>}
      {item.status === "failed" && !isUnknown(item) && item.error !== null && (
        <p className="text-red">
          {strings.failedLine(item.error.message)} <code className="font-mono text-label">{item.error.code}</code>
        </p>
      )}
    </div>
  );
}

interface SummaryProps {
  conversation: Conversation;
  isAdding: boolean;
  onAdding: (isAdding: boolean) => void;
}

function ContactSummary({ conversation, ...adding }: SummaryProps) {
  const { contact } = conversation;
  const { id, timezone } = useWorkspace();
  const { status, source, at } = contact.consent;
  const { label, tone } = consentChip(status);
  return (
    <aside aria-label={strings.person} className="flex flex-col gap-4 max-wide:hidden">
      <div>
        <h3 className="mb-2 font-semibold">{strings.consent}</h3>
        <p>
          <Chip tone={tone}>{label}</Chip>
        </p>
        {source !== null && (
          <p className="mt-1 text-quiet">
            {contactStrings.sources[source] ?? source}
            {at !== null && (
              <>
                {" · "}
                <Time at={at} zone={timezone} />
              </>
            )}
          </p>
        )}
      </div>
      {phoneOf(contact) !== "" && (
        <div>
          <h3 className="mb-2 font-semibold">{strings.tags}</h3>
          <Tags conversation={conversation} {...adding} />
        </div>
      )}
      <DescriptionList
        items={[
          [strings.groups, contact.groups.map((group) => group.name).join(", ") || strings.none],
          [
            strings.lastWrote,
            contact.last_message_from_them_at === null ? (
              strings.none
            ) : (
              <Time key="wrote" at={contact.last_message_from_them_at} zone={timezone} />
            ),
          ],
        ]}
      />
      {phoneOf(contact) !== "" && (
        <Link
          to="/w/$workspace/contacts"
          params={{ workspace: String(id) }}
          search={{ open: phoneOf(contact) }}
          className={textLink}
        >
          {strings.openContact}
        </Link>
      )}
    </aside>
  );
}

/** Marks the messages on screen as seen, and the notes that mention the user, if the tab is visible. */
function useMarkSeen(
  workspaceId: number,
  { contact_id: id, unread, last_inbound_id: last, last_mention_id: mention }: Conversation,
): void {
  const client = useQueryClient();
  useEffect(() => {
    if ((unread === 0 && mention === null) || document.hidden) return;
    request("POST /w/{workspace}/inbox/{contact}/seen", {
      workspace: workspaceId,
      contact: id,
      body: { last_inbound_id: last, ...(mention === null ? {} : { last_mention_id: mention }) },
    })
      .then(() =>
        Promise.all([
          client.invalidateQueries({ queryKey: ["conversations", workspaceId] }),
          client.invalidateQueries({ queryKey: ["conversation", workspaceId, String(id)] }),
          client.invalidateQueries({ queryKey: ["unread", workspaceId] }),
        ]),
      )
      // The conversation stays unread until the next attempt.
      .catch(() => undefined);
  }, [client, workspaceId, id, unread, last, mention]);
}
