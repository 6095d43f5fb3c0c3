/**
 * Who of the team is in which conversation, and who types there. One stream of the browser says so, and each tab says what it
 * shows: at once, and every ten seconds; while the user types, every three. The stream also says that something of the inbox
 * has changed: what is shown of it is asked for again then, and else once a minute.
 */
import { useQueryClient } from "@tanstack/react-query";
import { Eye, PenLine } from "lucide-react";
import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useRef, useState } from "react";
import { addressOf, newFormKey, request } from "../../data/api.ts";
import { setLive } from "../../data/live.ts";
import { useMe, useWorkspace } from "../../data/session.ts";
import { type StreamEvent, useSharedStream } from "../../data/shared-stream.ts";
import { shortName } from "./conversation-state.ts";
import { strings } from "./team-strings.ts";

interface Person {
  email: string;
  is_typing: boolean;
}

interface Present {
  conversation: number;
  people: Person[];
}

interface Start {
  stream: number;
  here: Present[];
}

/** `stream`: null where the browser has none. */
interface Known {
  stream: number | null;
  here: ReadonlyMap<number, Person[]>;
}

/** The first words of the keys of what an inbox shows. */
const SHOWN = ["conversations", "conversation", "notes", "unread"];
const UNKNOWN: Known = { stream: null, here: new Map() };
const SHOWN_EVERY_MS = 10_000;
const TYPING_EVERY_MS = 3_000;

function after(known: Known, { name, data }: StreamEvent): Known {
  if (name === "changed") return known;
  if (name === "disconnected") return UNKNOWN;
  if (name === "start") {
    const { stream, here } = data as Start;
    return { stream, here: new Map(here.map(({ conversation, people }) => [conversation, people])) };
  }
  const { conversation, people } = data as Present;
  const here = new Map(known.here);
  if (people.length === 0) here.delete(conversation);
  else here.set(conversation, people);
  return { ...known, here };
}

interface Presence extends Known {
  /** Says what this tab shows; null: no conversation. `isTyping` undefined: as it was. */
  say: (conversation: number | null, isTyping?: boolean) => void;
}

const Context = createContext<Presence>({ ...UNKNOWN, say: () => undefined });

/** Listens, for the screen inside it. */
export function PresenceOfTeam({ children }: { children: ReactNode }) {
  const { id: workspace } = useWorkspace();
  const { id: userId } = useMe().user;
  const client = useQueryClient();
  const [known, setKnown] = useState(UNKNOWN);
  const tab = useRef("");
  if (tab.current === "") tab.current = newFormKey();
  const isVisible = useSharedStream({
    // Of a user: who signs in next in the same browser has another.
    name: `waxwing-inbox-${workspace}-${userId}`,
    path: addressOf("GET /w/{workspace}/inbox/live", { workspace }),
    events: ["start", "presence", "changed"],
    onEvent: (event) => {
      setKnown((before) => after(before, event));
      // What changed before the stream began was not said.
      if (event.name !== "changed" && event.name !== "start") return;
      for (const key of SHOWN) void client.invalidateQueries({ queryKey: [key, workspace] });
    },
    recap: () => {
      if (known.stream === null) return null;
      const here = [...known.here].map(([conversation, people]) => ({ conversation, people }));
      return { name: "start", data: { stream: known.stream, here } satisfies Start };
    },
  });
  const stream = isVisible ? known.stream : null;
  const isLive = stream !== null;
  useEffect(() => {
    setLive(isLive);
    return () => setLive(false);
  }, [isLive]);
  const say = useCallback(
    (conversation: number | null, isTyping?: boolean) => {
      if (stream === null) return;
      const typing = isTyping === undefined ? {} : { is_typing: isTyping };
      const body = { stream, tab: tab.current, conversation, ...typing };
      // What is lost is said again soon.
      request("POST /w/{workspace}/inbox/presence", { workspace, body }).catch(() => undefined);
    },
    [workspace, stream],
  );
  const presence = useMemo(() => (isVisible ? { ...known, say } : { ...UNKNOWN, say }), [known, say, isVisible]);
  return <Context value={presence}>{children}</Context>;
}

/** Says that the user has this conversation in sight. */
export function useShown(conversation: number | null): void {
  const { say } = useContext(Context);
  useEffect(() => {
    if (conversation === null) return;
    say(conversation);
    const again = setInterval(() => say(conversation), SHOWN_EVERY_MS);
    return () => {
      clearInterval(again);
      say(null);
    };
  }, [conversation, say]);
}

/** Call it at each key: says, every few seconds, that the user types; and that it is over once `text` is empty or sent. */
export function useTypingShown(conversation: number | null, text: string): () => void {
  const { say } = useContext(Context);
  const saidAt = useRef(0);
  const isEmpty = text === "";
  useEffect(() => {
    if (!isEmpty || saidAt.current === 0) return;
    saidAt.current = 0;
    say(conversation, false);
  }, [isEmpty, conversation, say]);
  return () => {
    const now = Date.now();
    if (conversation === null || now - saidAt.current < TYPING_EVERY_MS) return;
    saidAt.current = now;
    say(conversation, true);
  };
}

interface PresenceInWords {
  names: string;
  verb: string;
  isTyping: boolean;
}

/** The words for who is in a conversation; null: no other user is. */
export function usePresence(conversation: number | null): PresenceInWords | null {
  const people = useContext(Context).here.get(conversation ?? 0) ?? [];
  if (people.length === 0) return null;
  const typing = people.filter(({ is_typing: types }) => types);
  const isTyping = typing.length > 0;
  const names = (isTyping ? typing : people).map(({ email }) => shortName(email));
  return {
    names: strings.names(names),
    verb: isTyping ? strings.typing(names.length) : strings.here(names.length),
    isTyping,
  };
}

/** In the head of a conversation. It is always there, so that a screen reader says what changes in it. */
export function PresenceLine({ conversation }: { conversation: number | null }) {
  const presence = usePresence(conversation);
  return (
    <p role="status" className="min-w-0 max-w-full text-label text-blue">
      {presence !== null && <PresenceWords {...presence} />}
    </p>
  );
}

/** Where the place is too narrow, the names are cut: what they do is seen. */
export function PresenceWords({ names, verb, isTyping }: PresenceInWords) {
  const Icon = isTyping ? PenLine : Eye;
  return (
    <span className="flex min-w-0 items-center">
      <Icon aria-hidden size={14} className="me-1 shrink-0" />
      <span className="truncate">{names}</span>
      <span className="shrink-0 whitespace-pre"> {verb}</span>
    </span>
  );
}
