/**
 * Changes what the team has made of a conversation. Taking it from a colleague asks first, and so does what ends a conversation
 * that others changed since it was in sight.
 */
import { useState } from "react";
import { ApiError, type Body, request } from "../../data/api.ts";
import { inSight } from "../../data/own-messages.ts";
import { useWorkspace } from "../../data/session.ts";
import { type Changed, changeIn } from "./change.ts";
import type { Conversation } from "./inbox-view.ts";
import { useRefresh } from "./sending.ts";

export type StateChange = Body<"PATCH /w/{workspace}/conversations/{conversation}">;

export interface ConversationActs {
  /** Throws what the server says; `change` shows it. */
  send: (change: StateChange) => Promise<void>;
  change: (change: StateChange) => Promise<void>;
  isBusy: boolean;
  error: unknown;
  /** What would take the conversation from a colleague; null: nothing is asked. */
  asked: StateChange | null;
  /** Takes it. */
  take: () => Promise<void>;
  /** What was refused, and the changes for which it was; null: nothing is asked. */
  changed: { change: StateChange; by: Changed } | null;
  /** Makes that change now that its user knows. */
  changeAnyway: () => Promise<void>;
  leave: () => void;
}

export function useConversationActs({ contact_id: contact, conversation, version }: Conversation): ConversationActs {
  const { id: workspace } = useWorkspace();
  const refresh = useRefresh(workspace, contact);
  const [isBusy, setIsBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const [asked, setAsked] = useState<StateChange | null>(null);
  const [changed, setChanged] = useState<ConversationActs["changed"]>(null);
  const send = async (body: StateChange, seen = version) => {
    if (conversation === null) return;
    const input = { workspace, conversation: conversation.id, body };
    try {
      await request("PATCH /w/{workspace}/conversations/{conversation}", input, { version: inSight(seen) });
      setChanged(null);
    } catch (reason) {
      const by = changeIn(reason);
      if (by === null) throw reason;
      setChanged({ change: body, by });
    }
    await refresh();
  };
  const change = async (body: StateChange) => {
    setIsBusy(true);
    setError(null);
    try {
      await send(body);
    } catch (reason) {
      // Who answers it may be new on this screen.
      await refresh();
      if (reason instanceof ApiError && reason.code === "conversation_assigned") setAsked(body);
      else setError(reason);
    } finally {
      setIsBusy(false);
    }
  };
  return {
    ...{ send, change, isBusy, error, asked },
    take: () => send({ ...asked, take: true }),
    ...{
      changed,
      changeAnyway: () => (changed === null ? Promise.resolve() : send(changed.change, changed.by.version)),
    },
    // Of what was asked: the answer may have met the next change, which is asked about by now.
    leave: () => {
      setAsked((now) => (now === asked ? null : now));
      setChanged((now) => (now === changed ? null : now));
    },
  };
}

/** The part of an address before its @. */
export function shortName(email: string): string {
  return email.split("@")[0] ?? email;
}

/** Of a name: Asha Rao is AR. */
export function initialsOf(name: string): string {
  const words = name.split(/[^\p{L}\p{N}\p{M}]+/u).filter((word) => word !== "");
  const shown = words.length > 1 ? [words[0], words.at(-1)] : words;
  return shown.map((word) => [...(word ?? "")][0]?.toUpperCase() ?? "").join("");
}

/** Of an address: `asha.rao@example.com` is AR. */
export function initialsOfAddress(email: string): string {
  return initialsOf(shortName(email));
}
