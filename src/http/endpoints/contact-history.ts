/** What is known to have happened with one person, in one order. */
import { type Static, Type } from "@sinclair/typebox";
import { Instant, Nullable, OneOf } from "#src/core/schema.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import { consentSources, consents } from "#src/domain/contacts/consent.ts";
import { type HistoryEntry, readPersonHistory } from "#src/domain/inbound/person-history.ts";
import { readItem } from "#src/domain/inbound/read-conversation.ts";
import { positionWith, readAfter, writeCursor } from "../page.ts";
import { timesOf } from "../times.ts";
import type { WorkspaceCall } from "./call.ts";
import { PhoneParam, requireContact } from "./contact-path.ts";
import { ConversationItemView, viewConversationItem } from "./conversation-items.ts";
import { conversationMembers, seesItem } from "./conversation-page.ts";
import { Data, endpoint } from "./endpoint.ts";

const ENTRIES_PER_PAGE = 20;

const historyPosition = positionWith({
  ...conversationMembers,
  noteId: "number",
  consentId: "number",
  moves: "number",
  added: "number",
});

const HistoryView = Type.Union([
  Type.Object({ kind: Type.Literal("said"), at: Instant(), item: ConversationItemView }),
  Type.Object({
    kind: Type.Literal("note"),
    at: Instant(),
    id: Type.Integer(),
    author: Type.String(),
    text: Type.String(),
  }),
  Type.Object({
    ...{ kind: Type.Literal("consent"), at: Instant(), id: Type.Integer() },
    ...{ became: OneOf(consents), source: OneOf(consentSources) },
  }),
  Type.Object({ kind: Type.Literal("move"), at: Instant(), from: Type.String(), to: Type.String() }),
  Type.Object({ kind: Type.Literal("added"), at: Instant() }),
]);

export const contactHistoryEndpoints = {
  /** A page of it, newest first. */
  "GET /w/{workspace}/contacts/{phone}/history": endpoint({
    session: "inbox",
    params: { phone: PhoneParam },
    query: { after: Type.String() },
    output: Data(
      Type.Object({
        entries: Type.Array(HistoryView),
        /** Cursor of the older entries, to be passed as `after`; null: there are none. */
        older: Nullable(Type.String()),
      }),
    ),
  }).read((tx, call) => {
    const from = readAfter(call.query, historyPosition);
    const { entries, next } = readPersonHistory(tx, requireContact(call, tx), call.numberIds, from, ENTRIES_PER_PAGE);
    return {
      entries: entries.flatMap((entry) => viewEntry(tx, call, entry) ?? []),
      older: next === null ? null : writeCursor(next),
    };
  }),
};

/** Null: it is gone by now, or on a number that the user does not see. */
function viewEntry(tx: ReadTx, call: WorkspaceCall, entry: HistoryEntry): Static<typeof HistoryView> | null {
  const { workspace } = call;
  const at = timesOf(workspace)(entry.at);
  switch (entry.kind) {
    case "said": {
      const item = readItem(tx, workspace.id, entry.place);
      if (item === null || !seesItem(call, item)) return null;
      return { kind: "said", at, item: viewConversationItem(item, workspace) };
    }
    case "note": {
      const { id, author, text } = entry.note;
      return { kind: "note", at, id, author, text };
    }
    case "consent": {
      const { id, became, source } = entry.change;
      return { kind: "consent", at, id, became, source };
    }
    case "move":
      return { kind: "move", at, from: entry.move.phone, to: entry.move.movedTo };
    case "added":
      return { kind: "added", at };
  }
}
