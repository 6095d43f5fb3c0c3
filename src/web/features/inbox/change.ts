/** What others changed in a conversation since the user had it in sight, as the server's refusal says. */
import { ApiError, type Entry } from "../../data/api.ts";
import type { ConversationItem } from "../messages/message-view.ts";

/** `by`: an address or a name; null: the person, or it is not known. */
export type Change =
  | { kind: "item"; by: string | null; item: ConversationItem }
  | { kind: "note"; by: string; note: Entry<"GET /w/{workspace}/conversations/{conversation}/notes"> }
  | { kind: "state"; by: string | null; state: "open" | "snoozed" | "done" }
  | { kind: "assignee"; by: string | null; assignee: string | null };

export interface Changed {
  /** The newest items first. */
  changes: Change[];
  /** With all of them. */
  version: string;
}

/** Null: another error, or none. */
export function changeIn(error: unknown): Changed | null {
  if (!(error instanceof ApiError) || error.code !== "conversation_changed") return null;
  return error.details as unknown as Changed;
}
