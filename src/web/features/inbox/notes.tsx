/**
 * The notes of the staff in a conversation: among the messages, across the width, so that they are never mistaken for one, and
 * the field that writes them.
 */
import { useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { PenLine } from "lucide-react";
import { type ReactNode, useEffect, useRef } from "react";
import { named, namesIn } from "#src/domain/inbound/mention-names.ts";
import { type Entry, newFormKey, request } from "../../data/api.ts";
import { useAskEvery } from "../../data/live.ts";
import { sendOrWait } from "../../data/outbox.ts";
import { useMe, useWorkspace } from "../../data/session.ts";
import { Button } from "../../ui/button.tsx";
import { inputClass } from "../../ui/field.tsx";
import { ErrorLine } from "../../ui/states.tsx";
import { hourOf } from "../messages/message-view.ts";
import { focusAtEnd } from "./composer-actions.tsx";
import { note as change, placeOf, readDraft, useDraft, write } from "./composer-draft.ts";
import { shortName } from "./conversation-state.ts";
import { useColleagues, useMentions } from "./mention-field.tsx";
import { useTypingShown } from "./presence.tsx";
import { isAnswered } from "./sending.ts";
import { strings } from "./team-strings.ts";

const LENGTH_MAX = 4_096;

type Note = Entry<"GET /w/{workspace}/conversations/{conversation}/notes">;

/** A note in the place of a message. */
interface NoteItem {
  kind: "note";
  key: string;
  at: string;
  note: Note;
}

interface Span {
  /** The time of the oldest message that is shown; null: all older ones are. */
  since: string | null;
  /** Of the newest that is shown; null: all newer ones are. */
  until: string | null;
}

/** Newest first. */
export function useNotes(workspace: number, conversation: number | null, { since, until }: Span): NoteItem[] {
  const { data, hasNextPage, isFetching, fetchNextPage } = useInfiniteQuery({
    queryKey: ["notes", workspace, conversation],
    queryFn: ({ signal, pageParam: after }) =>
      request(
        "GET /w/{workspace}/conversations/{conversation}/notes",
        { workspace, conversation: conversation ?? 0, query: after === null ? {} : { after } },
        { signal },
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ meta }) => meta.next,
    enabled: conversation !== null,
    refetchInterval: useAskEvery(3_000),
  });
  const notes = data?.pages.flatMap((page) => page.data) ?? [];
  const from = since === null ? Number.NEGATIVE_INFINITY : Date.parse(since);
  const to = until === null ? Number.POSITIVE_INFINITY : Date.parse(until);
  const last = notes.at(-1);
  const isMissing = hasNextPage && last !== undefined && Date.parse(last.created_at) >= from;
  useEffect(() => {
    if (isMissing && !isFetching) void fetchNextPage();
  }, [isMissing, isFetching, fetchNextPage]);
  return notes
    .filter(({ created_at: at }) => Date.parse(at) >= from && Date.parse(at) <= to)
    .map((note) => ({ kind: "note", key: `n${note.id}`, at: note.created_at, note }));
}

/** Both newest first; of the same time, a note is the newer. */
export function withNotes<Item extends { at: string }>(
  items: readonly Item[],
  notes: readonly NoteItem[],
): (Item | NoteItem)[] {
  const all: (Item | NoteItem)[] = [];
  let rest = [...notes];
  for (const item of items) {
    const newer = rest.filter(({ at }) => Date.parse(at) >= Date.parse(item.at));
    rest = rest.slice(newer.length);
    all.push(...newer, item);
  }
  return [...all, ...rest];
}

interface NoteLineProps {
  item: NoteItem;
  zone: string;
  conversation: number;
}

export function NoteLine({ item: { note, at }, zone, conversation }: NoteLineProps) {
  const { kind, name } = note.author;
  const who = kind === "user" ? shortName(name) : name;
  return (
    <div
      role="note"
      aria-label={strings.noteBy(who)}
      className="my-1 rounded-panel border border-amber bg-amber-tint px-3 py-2"
    >
      <p className="flex items-center gap-2 text-label font-semibold text-amber">
        <PenLine aria-hidden size={14} className="shrink-0" />
        <span className="truncate" title={name}>
          {strings.noteBy(who)}
        </span>
        <time dateTime={at} className="ms-auto font-normal figures">
          {hourOf(at, zone)}
        </time>
      </p>
      <p dir="auto" className="mt-1 whitespace-pre-wrap text-form wrap-anywhere mid:text-body">
        <NoteText text={note.text} conversation={conversation} />
      </p>
    </div>
  );
}

/** Colleagues whom it names stand out, and the reader more. */
function NoteText({ text, conversation }: { text: string; conversation: number }) {
  const { email: me } = useMe().user;
  const names = namesIn(text);
  const colleagues = useQuery({ ...useColleagues(conversation), enabled: names.length > 0 });
  const known = (colleagues.data ?? []).map((email) => ({ email }));
  const parts: ReactNode[] = [];
  let done = 0;
  for (const { name, start, end } of names) {
    const email = named(known, name)?.email;
    if (email === undefined) continue;
    const isOwn = email === me;
    const Mark = isOwn ? "mark" : "b";
    const className = isOwn ? "rounded-control bg-amber px-1 font-bold text-surface" : "font-semibold text-amber";
    parts.push(
      text.slice(done, start),
      <Mark key={start} title={email} className={className}>
        {text.slice(start, end)}
      </Mark>,
    );
    done = end;
  }
  return [...parts, text.slice(done)];
}

/** `draftId`: of the note. */
export function NoteField({ draftId, conversation }: { draftId: string; conversation: number }) {
  const { id: workspace } = useWorkspace();
  const client = useQueryClient();
  const { text, isSending, error } = useDraft(draftId);
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => focusAtEnd(field.current), []);
  const showTyping = useTypingShown(conversation, text);
  const mentions = useMentions(field, conversation, (changed) => write(draftId, { text: changed }));
  const isEmpty = text.trim() === "";
  const add = async () => {
    if (isEmpty || readDraft(draftId).isSending) return;
    change(draftId, { isSending: true, error: null });
    const { key } = readDraft(draftId);
    const waiting = { ...placeOf(draftId), key, seen: null, what: { note: text, conversation }, text };
    try {
      await sendOrWait(waiting, async (options) => {
        const input = { workspace, conversation, body: { text } };
        await request("POST /w/{workspace}/conversations/{conversation}/notes", input, options);
      });
      write(draftId, { text: "" });
      field.current?.focus();
      // The next note does not wait for the screen.
      void client.invalidateQueries({ queryKey: ["notes", workspace, conversation] });
    } catch (reason) {
      change(draftId, { error: reason, ...(isAnswered(reason) ? { key: newFormKey() } : {}) });
    } finally {
      change(draftId, { isSending: false });
    }
  };
  return (
    <form
      className="flex flex-col gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        void add();
      }}
    >
      {mentions.list}
      <textarea
        ref={field}
        data-note
        {...mentions.attributes}
        className={`${inputClass} max-h-40 border-amber! bg-amber-tint!`}
        rows={2}
        dir="auto"
        aria-label={strings.note}
        placeholder={strings.notePlaceholder}
        maxLength={LENGTH_MAX}
        value={text}
        readOnly={isSending}
        onChange={({ target }) => {
          write(draftId, { text: target.value });
          mentions.look();
          if (target.value !== "") showTyping();
        }}
        onSelect={mentions.look}
        onKeyDown={(event) => {
          if (mentions.onKey(event)) return;
          if (event.key === "Escape") event.currentTarget.blur();
          if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
          event.preventDefault();
          void add();
        }}
      />
      <ErrorLine error={error} className="wrap-anywhere" />
      <div className="flex items-center gap-3">
        <span className="flex-1 text-label text-quiet">{strings.noteHint}</span>
        <Button type="submit" tone="primary" busy={isSending} disabled={isEmpty}>
          {strings.addNote}
        </Button>
      </div>
    </form>
  );
}
