/**
 * Recipients of a broadcast: list by outcome, and export as a file. An unknown outcome
 * is a separate state here; the API, whose statuses are fixed, reports it as failed.
 */

import { type Static, Type } from "@sinclair/typebox";
import { notFound } from "#src/core/problem.ts";
import { OneOf } from "#src/core/schema.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import { recipientFilters, recipientOutcomes } from "#src/domain/broadcasts/broadcast.ts";
import { findBroadcast, listRecipientIds } from "#src/domain/broadcasts/read.ts";
import {
  countOutcomeQuery,
  type Query,
  type RecipientSelection,
  recipientsQuery,
} from "#src/domain/broadcasts/recipient-filter.ts";
import { RecipientView } from "#src/domain/broadcasts/schema.ts";
import type { Broadcast } from "#src/domain/broadcasts/table.ts";
import { countRecipients, viewRecipient } from "#src/domain/broadcasts/view.ts";
import { findById } from "#src/domain/contacts/find.ts";
import type { Contact } from "#src/domain/contacts/table.ts";
import { displayNameOf } from "#src/domain/contacts/view.ts";
import { findMessageById } from "#src/domain/messages/read.ts";
import type { Message } from "#src/domain/messages/table.ts";
import type { User } from "#src/domain/users/table.ts";
import type { Workspace } from "#src/domain/workspaces/table.ts";
import { csvLine } from "#src/transfer/csv-line.ts";
import { answerCsv, CSV } from "../console/csv-file.ts";
import { idPosition, PageQuery, pageById, positionIn, readChoice, readPage, readScreen } from "../page.ts";
import { timesOf } from "../times.ts";
import type { AnyCallWith, WorkspaceCall } from "./call.ts";
import { type CallOf, type Declaration, endpoint, File, Id, ListOf } from "./endpoint.ts";
import { recipientExample } from "./examples.ts";
import { OptionalText, OptionalTime } from "./fragments.ts";

export const broadcastPath = { id: Id("broadcast") };

/** The API's fields, with the name, the error code, and whether the outcome is known. */
const RecipientDetail = Type.Object({
  ...RecipientView.properties,
  id: Type.Integer(),
  name: OptionalText,
  code: OptionalText,
  failed_at: OptionalTime,
  /** Dispatched with an unknown outcome: neither sent nor failed. */
  is_unknown: Type.Boolean(),
});

/** `code`: of the failure, or of the reason to skip; `none`: those without one. */
const Outcome = { status: OneOf(recipientOutcomes), code: Type.String() };
const RECIPIENTS_A_READ = 200;

/** Lines of an export that one short read produces. */
const RECIPIENTS_AT_A_TIME = 50;

const list = {
  key: ["read"],
  session: "broadcasts",
  params: broadcastPath,
  query: {
    status: OneOf(
      recipientFilters,
      "Return only recipients with this status. `pending` returns all recipients whose message has not been sent yet.",
    ),
    ...PageQuery,
  },
  consoleQuery: Outcome,
  output: ListOf(RecipientView),
  consoleOutput: ListOf(RecipientDetail),
  reference: {
    operationId: "listRecipients",
    tag: "Broadcasts",
    summary: "List a broadcast's recipients",
    description:
      "Returns the recipients of a broadcast in sending order, each with its status, including skipped recipients. Recipients are deleted 18 months after the broadcast has finished; the broadcast and its counts are kept.",
    success: "One page of recipients.",
    example: [recipientExample],
    problems: ["not_found"],
  },
} as const satisfies Declaration;

export const recipientEndpoints = {
  "GET /w/{workspace}/broadcasts/{id}/recipients": endpoint(list).load((call) =>
    call.user === null ? listStatuses(call) : listOutcomes(call),
  ),
  "GET /w/{workspace}/broadcasts/{id}/recipients/export": endpoint({
    session: "exports",
    isSensitive: true,
    params: broadcastPath,
    query: Outcome,
    output: File(CSV),
  }).answer(async (call) => {
    const outcome = call.query.get("status");
    const code = call.query.get("code");
    const broadcast = call.store.read((tx) => requireBroadcast(call, tx));
    const file = {
      name: [broadcast.name, outcome, code].filter((part) => part !== null).join("-"),
      action: "broadcast.export",
      subject: broadcast.name,
      details: { id: broadcast.id, outcome, ...(code === null ? {} : { code }) },
    };
    const selection = { outcomes: outcome === null ? [] : [outcome], code };
    return answerCsv(call, file, recipientLines(call, broadcast, selection));
  }),
};

/** A phone number must not be the first column. */
const COLUMNS = ["status", "to", "name", "reason", "code", "sent_at", "delivered_at", "read_at", "failed_at"] as const;

async function* recipientLines(
  call: WorkspaceCall,
  broadcast: Broadcast,
  selection: RecipientSelection,
): AsyncGenerator<string[]> {
  const { store, workspace } = call;
  const lineOf = (tx: ReadTx, id: number): string[] => {
    const message = findMessageById(tx, id);
    if (message === undefined) return [];
    const recipient = viewRecipientDetail(message, broadcast, contactOf(call, tx, message), workspace);
    const shown = { ...recipient, status: recipient.is_unknown ? "unknown" : recipient.status };
    return [csvLine(COLUMNS.map((name) => shown[name] ?? ""))];
  };
  yield [csvLine(COLUMNS)];
  let after = 0;
  for (;;) {
    const rows = await queryRecipients(call, recipientsQuery(broadcast, selection, after, RECIPIENTS_A_READ));
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last.id;
    for (let start = 0; start < rows.length; start += RECIPIENTS_AT_A_TIME) {
      const batch = rows.slice(start, start + RECIPIENTS_AT_A_TIME);
      yield store.read((tx) => batch.flatMap(({ id }) => lineOf(tx, id)));
    }
  }
}

/** Ids of recipients and of their contacts. */
export async function queryRecipients(
  { reader }: WorkspaceCall,
  query: Query,
): Promise<{ id: number; contactId: number | null }[]> {
  const rows = await reader.query(...argumentsOf(query));
  return rows.map(({ id, contact_id }) => ({
    id: Number(id),
    contactId: contact_id === null ? null : Number(contact_id),
  }));
}

export function argumentsOf({ sql, parameters }: Query): [string, (number | string)[]] {
  return [sql, parameters];
}

function contactOf({ workspace }: WorkspaceCall, tx: ReadTx, { contactId }: Message) {
  return contactId === null ? undefined : findById(tx, workspace.id, contactId);
}

type ListCall = CallOf<typeof list>;

function listStatuses(call: Extract<ListCall, { user: null }>) {
  const { store, query, workspace } = call;
  const filter = readChoice(query, "status", recipientFilters);
  const from = readPage(query, idPosition);
  return store.read((tx) => {
    const broadcast = requireBroadcast(call, tx);
    return pageById(
      from,
      listRecipientIds(tx, broadcast, filter, from, from.perPage + 1),
      countRecipients(tx, broadcast, filter),
      ({ id }, now) => {
        const message = findMessageById(now, id);
        return message === undefined ? null : viewRecipient(message, broadcast, workspace);
      },
    );
  });
}

async function listOutcomes(call: Extract<ListCall, { user: User }>) {
  const { store, reader, workspace, query } = call;
  const from = readScreen(query, idPosition);
  const after = positionIn(from) ?? 0;
  const outcome = readChoice(query, "status", recipientOutcomes);
  const broadcast = store.read((tx) => requireBroadcast(call, tx));
  const selection = { outcomes: outcome === null ? [] : [outcome], code: query.get("code") };
  const rows = await queryRecipients(call, recipientsQuery(broadcast, selection, after, from.perPage + 1));
  // The broadcast's counters do not separate these, so they are counted.
  const isCounted = outcome === "failed" || outcome === "unknown" || selection.code !== null;
  const [counted] = isCounted ? await reader.query(...argumentsOf(countOutcomeQuery(broadcast, selection))) : [];
  return store.read((tx) => {
    const total = isCounted ? Number(counted?.total ?? 0) : countRecipients(tx, broadcast, outcome);
    return pageById(from, rows, total, ({ id }, now) => {
      const message = findMessageById(now, id);
      return message && viewRecipientDetail(message, broadcast, contactOf(call, now, message), workspace);
    });
  });
}

/** Throws `not_found`. */
export function requireBroadcast({ workspace, path }: AnyCallWith<{ id: number }>, tx: ReadTx): Broadcast {
  const broadcast = findBroadcast(tx, workspace.id, path.id);
  if (broadcast === undefined) throw notFound("broadcast");
  return broadcast;
}

/** A recipient of a broadcast: the API's fields, with the name, the error code, and whether the outcome is known. */
function viewRecipientDetail(
  message: Message,
  broadcast: Broadcast,
  contact: Contact | undefined,
  workspace: Workspace,
): Static<typeof RecipientDetail> {
  return {
    ...viewRecipient(message, broadcast, workspace),
    id: message.id,
    name: contact === undefined ? null : displayNameOf(contact),
    code: message.errorCode,
    failed_at: timesOf(workspace)(message.failedAt),
    /** Dispatched with an unknown outcome: neither sent nor failed. */
    is_unknown: message.outcomeUnknown && (message.status === "failed" || message.status === "sending"),
  };
}
