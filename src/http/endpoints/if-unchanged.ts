/**
 * A request of the console that says what its user had in sight of a conversation: `If-Match`, with the `version` of the
 * conversation. Where others changed it since, the request is refused with what changed and who did it, and does nothing; the
 * user is asked, and the next request has the version of the refusal.
 */
import { invalidRequest } from "#src/core/problem.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import { findById } from "#src/domain/contacts/find.ts";
import { type ConversationChange, changesSince, parseSeen } from "#src/domain/inbound/conversation-version.ts";
import { viewNote } from "#src/domain/inbound/view-conversation.ts";
import type { Workspace } from "#src/domain/workspaces/table.ts";
import { Refusal, type WorkspaceCall } from "./call.ts";
import { viewConversationItem } from "./conversation-items.ts";

/** At most this many changes are in the refusal. */
const CHANGES_TOLD = 5;

/**
 * Returns what refuses the request; null: it does not say what was in sight. `kinds`: which changes count. Throws
 * `invalid_request` for what is not a version.
 */
export function unchangedCheck(
  { headers, workspace, user, numberIds }: Pick<WorkspaceCall, "headers" | "workspace" | "user" | "numberIds">,
  kinds: readonly ConversationChange["kind"][] = ["item", "note", "state", "assignee"],
): ((tx: ReadTx) => void) | null {
  const given = headers.get("if-match");
  if (given === null) return null;
  const seen = parseSeen(given);
  if (seen === null) throw invalidRequest({ "If-Match": ["This is not the version of a conversation."] });
  return (tx) => {
    const contact = findById(tx, workspace.id, seen.contactId);
    // Of a person who is gone, the request itself says so.
    if (contact === undefined) return;
    const { changes, version } = changesSince(tx, contact, seen, { user, numberIds });
    const counted = changes.filter(({ kind }) => kinds.includes(kind));
    if (counted.length === 0) return;
    const told = counted.slice(0, CHANGES_TOLD).map((change) => viewChange(change, workspace));
    const who = [...new Set(counted.map(({ by }) => by ?? "the person"))].join(", ");
    const sentence = `The conversation changed since you read it (${who}). Nothing was done.`;
    throw new Refusal(409, "conversation_changed", sentence, { changes: told, version });
  };
}

function viewChange(change: ConversationChange, workspace: Workspace) {
  const { kind, by } = change;
  switch (change.kind) {
    case "item":
      return { kind, by, item: viewConversationItem(change.item, workspace) };
    case "note":
      return { kind, by, note: viewNote(change.note, workspace) };
    case "state":
      return { kind, by, state: change.state };
    case "assignee":
      return { kind, by, assignee: change.assignee };
  }
}
