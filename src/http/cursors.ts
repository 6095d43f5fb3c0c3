/** Reads the cursors of lists that the API and the console both have. Throws `invalid_request` for a foreign one. */
import type { ContactCursor } from "#src/domain/contacts/list.ts";
import type { GroupCursor } from "#src/domain/groups/read.ts";
import type { ConversationCursor } from "#src/domain/inbound/read-conversation.ts";
import type { TemplatePosition } from "#src/domain/templates/read.ts";
import { wrongCursor } from "./page.ts";

export function readContactCursor({ over, upTo, updatedAt, id }: Record<string, unknown>): ContactCursor {
  if ([over, upTo, updatedAt, id].every(Number.isSafeInteger)) return { over, upTo, updatedAt, id } as ContactCursor;
  throw wrongCursor();
}

/** Of a list in the order of its ids. */
export function readIdCursor({ id }: Record<string, unknown>): number {
  if (typeof id !== "number") throw wrongCursor();
  return id;
}

export function readGroupCursor({ folded, id }: Record<string, unknown>): GroupCursor {
  if (typeof folded !== "string" || typeof id !== "number") throw wrongCursor();
  return { folded, id };
}

export function readTemplateCursor({ name, id }: Record<string, unknown>): TemplatePosition {
  if (typeof name !== "string" || typeof id !== "number") throw wrongCursor();
  return { name, id };
}

export function readConversationCursor(cursor: Record<string, unknown>): ConversationCursor {
  const read = (name: keyof ConversationCursor): number => {
    const value = cursor[name];
    if (typeof value !== "number") throw wrongCursor();
    return value;
  };
  return {
    inboundAt: read("inboundAt"),
    inboundId: read("inboundId"),
    messageAt: read("messageAt"),
    messageId: read("messageId"),
    echoAt: read("echoAt"),
    echoId: read("echoId"),
  };
}
