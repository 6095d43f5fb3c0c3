/**
 * Recipients of a broadcast: list by outcome, export as a file, and send again to those that failed. An unknown outcome
 * is a separate state here; the API, whose statuses are fixed, reports it as failed.
 */

import { type Static, Type } from "@sinclair/typebox";
import { invalidRequest, notFound } from "#src/core/problem.ts";
import { OneOf } from "#src/core/schema.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { type RecipientOutcome, recipientFilters, recipientOutcomes } from "#src/domain/broadcasts/broadcast.ts";
import { createDraft } from "#src/domain/broadcasts/drafts.ts";
import { findBroadcast, listRecipientIds } from "#src/domain/broadcasts/read.ts";
import {
  countOutcomeQuery,
  countPeopleQuery,
  type Query,
  recipientsQuery,
} from "#src/domain/broadcasts/recipient-filter.ts";
import { RecipientView } from "#src/domain/broadcasts/schema.ts";
import type { Broadcast, DraftContent } from "#src/domain/broadcasts/table.ts";
import type { BroadcastValue } from "#src/domain/broadcasts/values.ts";
import { countRecipients, viewRecipient } from "#src/domain/broadcasts/view.ts";
import { findById } from "#src/domain/contacts/find.ts";
import type { Contact } from "#src/domain/contacts/table.ts";
import { displayNameOf } from "#src/domain/contacts/view.ts";
import { saveGroup } from "#src/domain/filters/save-group.ts";
import { findNameProblem } from "#src/domain/groups/create.ts";
import { GROUP_NAME_LENGTH_MAX } from "#src/domain/groups/group.ts";
import { findMessageById } from "#src/domain/messages/read.ts";
import type { Message } from "#src/domain/messages/table.ts";
import { listNumbers } from "#src/domain/numbers/read.ts";
import type { User } from "#src/domain/users/table.ts";
import type { Workspace } from "#src/domain/workspaces/table.ts";
import { createBulkChange } from "#src/transfer/bulk-changes.ts";
import { csvLine } from "#src/transfer/csv-line.ts";
import { answerCsv, CSV } from "../console/csv-file.ts";
import { PageQuery, pageById, readChoice, readIdCursor, readPage, readScreen } from "../page.ts";
import { timesOf } from "../times.ts";
import { type AnyCallWith, type CallOf, type ChangeResult, change, Refusal, type WorkspaceCall } from "./call.ts";
import { Data, type Declaration, File, Id, ListOf, strict } from "./declare.ts";
import { endpoint } from "./endpoint.ts";
import { recipientExample } from "./examples.ts";
import { OptionalCount, OptionalText, OptionalTime } from "./fragments.ts";

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

const Outcome = { status: OneOf(recipientOutcomes) };
const RECIPIENTS_A_READ = 200;

/** Lines of an export that one short read produces. */
const RECIPIENTS_AT_A_TIME = 50;

/** A draft holds at most this many numbers; more become a group. */
const NUMBERS_MAX = 1_000;

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
    const broadcast = call.store.read((tx) => requireBroadcast(call, tx));
    const file = {
      name: `${broadcast.name}${outcome === null ? "" : `-${outcome}`}`,
      action: "broadcast.export",
      subject: broadcast.name,
      details: { id: broadcast.id, outcome },
    };
    return answerCsv(call, file, recipientLines(call, broadcast, outcome === null ? [] : [outcome]));
  }),
  "GET /w/{workspace}/broadcasts/{id}/again": endpoint({
    session: "broadcasts",
    params: broadcastPath,
    output: Data(
      Type.Object({
        failed: Type.Integer(),
        unknown: Type.Integer(),
        /** Failed for a limit of the person, and not to be sent to again yet. */
        waiting: Type.Integer(),
        /** Why sending again is impossible; null if it is possible. */
        refusal: OptionalText,
      }),
    ),
  }).load(async (call) => {
    const broadcast = call.store.read((tx) => requireBroadcast(call, tx));
    const refusal = findSendAgainRefusal(broadcast);
    return {
      ...(await countFailed(call, broadcast)),
      refusal: refusal === null ? null : refusal.message,
    };
  }),
  /**
   * Creates a new draft for the failed recipients: up to a thousand as a list of numbers, more as a group that a bulk
   * change fills.
   */
  "POST /w/{workspace}/broadcasts/{id}/again": endpoint({
    session: "broadcasts",
    params: broadcastPath,
    body: Type.Object({ with_unknown: Type.Boolean(), count: Type.Integer() }, strict),
    /** The new draft, and the bulk change that fills its group. */
    output: Data(Type.Object({ draft: Type.Integer(), bulk: OptionalCount })),
  }).answer(async (call) => {
    const { workspace, user, body } = call;
    const broadcast = call.store.read((tx) => requireBroadcast(call, tx));
    const refusal = findSendAgainRefusal(broadcast);
    if (refusal !== null) throw refusal;
    const outcomes: RecipientOutcome[] = body.with_unknown === true ? ["failed", "unknown"] : ["failed"];
    const { failed, unknown } = await countFailed(call, broadcast);
    const total = failed + (body.with_unknown === true ? unknown : 0);
    if (total !== body.count) {
      throw new Refusal(409, "changed", "The number of recipients has changed. Nothing was created. Check it again.");
    }
    if (total === 0) throw invalidRequest({ count: ["There are no recipients to send to again."] });
    const recipients =
      total > NUMBERS_MAX
        ? []
        : await queryRecipients(call, recipientsQuery(broadcast, outcomes, 0, NUMBERS_MAX, call.clock.now()));
    return change(call, (tx): ChangeResult<{ draft: number; bulk: number | null }> => {
      const audit = {
        action: "broadcast.again",
        subject: broadcast.name,
        details: { id: broadcast.id, count: total, with_unknown: body.with_unknown },
      };
      if (total <= NUMBERS_MAX) {
        const phones = recipients.flatMap(({ contactId }) => findById(tx, workspace.id, contactId ?? 0)?.phone ?? []);
        const draft = createDraft(tx, workspace.id, user.id, { ...contentOf(call, tx, broadcast), to: phones });
        return { status: 201, data: { draft: draft.id, bulk: null }, audit };
      }
      const group = saveGroup(tx, workspace.id, { name: freeName(tx, workspace.id, broadcast.name), filter: null });
      const target = { broadcast: broadcast.id, outcomes, isAgain: true } as const;
      const settings = { target, change: { addToGroup: group.id }, total, last: Number.MAX_SAFE_INTEGER };
      const job = createBulkChange(tx, workspace.id, user.id, settings);
      tx.afterCommit(() => call.bulk.start(job));
      const draft = createDraft(tx, workspace.id, user.id, { ...contentOf(call, tx, broadcast), group: group.id });
      return { status: 201, data: { draft: draft.id, bulk: job.id }, audit };
    });
  }),
};

/** A phone number must not be the first column. */
const COLUMNS = ["status", "to", "name", "reason", "code", "sent_at", "delivered_at", "read_at", "failed_at"] as const;

async function* recipientLines(
  call: WorkspaceCall,
  broadcast: Broadcast,
  outcomeFilter: RecipientOutcome[],
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
    const rows = await queryRecipients(call, recipientsQuery(broadcast, outcomeFilter, after, RECIPIENTS_A_READ));
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last.id;
    for (let start = 0; start < rows.length; start += RECIPIENTS_AT_A_TIME) {
      const batch = rows.slice(start, start + RECIPIENTS_AT_A_TIME);
      yield store.read((tx) => batch.flatMap(({ id }) => lineOf(tx, id)));
    }
  }
}

/** The content that was sent, as a draft. The header file is missing, because its link is not stored. */
function contentOf({ workspace }: WorkspaceCall, tx: ReadTx, broadcast: Broadcast): DraftContent {
  const { name, templateName, templateLanguage, variables, fromPhone } = broadcast;
  const numbers = listNumbers(tx, workspace.id);
  const plain = (value: BroadcastValue) => {
    if ("text" in value) return value.text;
    return { field: value.field, ...(value.fallback === null ? {} : { fallback: value.fallback }) };
  };
  const hasValues = variables.header.length + variables.body.length > 0;
  return {
    name: `${name.slice(0, GROUP_NAME_LENGTH_MAX - 10)} – again`,
    template: templateName,
    language: templateLanguage,
    ...(numbers.length > 1 && numbers.some(({ phone }) => phone === fromPhone) ? { from: fromPhone } : {}),
    ...(hasValues ? { variables: { header: variables.header.map(plain), body: variables.body.map(plain) } } : {}),
  };
}

function freeName(tx: Tx, workspaceId: number, broadcastName: string): string {
  const base = `${broadcastName.slice(0, GROUP_NAME_LENGTH_MAX - 20)} – failed`;
  for (let count = 1; ; count += 1) {
    const name = count === 1 ? base : `${base} ${count}`;
    if (findNameProblem(tx, workspaceId, name) === null || count === 1_000) return name;
  }
}

async function countFailed({ reader, clock }: WorkspaceCall, broadcast: Broadcast) {
  const [all] = await reader.query(...argumentsOf(countPeopleQuery(broadcast, ["failed"])));
  const [ready] = await reader.query(...argumentsOf(countPeopleQuery(broadcast, ["failed"], clock.now())));
  const [unknown] = await reader.query(...argumentsOf(countPeopleQuery(broadcast, ["unknown"])));
  const failed = Number(ready?.total ?? 0);
  return { failed, unknown: Number(unknown?.total ?? 0), waiting: Number(all?.total ?? 0) - failed };
}

/** Null: sending again is possible. */
function findSendAgainRefusal({ completedAt, purgedAt, dayStartsAt }: Broadcast): Refusal | null {
  const refuse = (sentence: string) => new Refusal(409, "not_again", sentence);
  if (completedAt === null) return refuse("The broadcast has not finished. Wait until it has.");
  if (purgedAt !== null) return refuse("Its recipients have been deleted.");
  if (dayStartsAt !== null) return refuse("Its messages were for a birthday that has passed.");
  return null;
}

async function queryRecipients(
  { reader }: WorkspaceCall,
  query: Query,
): Promise<{ id: number; contactId: number | null }[]> {
  const rows = await reader.query(...argumentsOf(query));
  return rows.map(({ id, contact_id }) => ({
    id: Number(id),
    contactId: contact_id === null ? null : Number(contact_id),
  }));
}

function argumentsOf({ sql, parameters }: Query): [string, number[]] {
  return [sql, parameters];
}

function contactOf({ workspace }: WorkspaceCall, tx: ReadTx, { contactId }: Message) {
  return contactId === null ? undefined : findById(tx, workspace.id, contactId);
}

type ListCall = CallOf<typeof list>;

function listStatuses(call: Extract<ListCall, { user: null }>) {
  const { store, query, workspace } = call;
  const filter = readChoice(query, "status", recipientFilters);
  const from = readPage(query);
  const position = "after" in from ? { after: readIdCursor(from.after) } : from;
  return store.read((tx) => {
    const broadcast = requireBroadcast(call, tx);
    return pageById(
      from,
      listRecipientIds(tx, broadcast, filter, position, from.perPage + 1),
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
  const from = readScreen(query);
  const after = "after" in from ? readIdCursor(from.after) : 0;
  const outcome = readChoice(query, "status", recipientOutcomes);
  const broadcast = store.read((tx) => requireBroadcast(call, tx));
  const outcomeFilter = outcome === null ? [] : [outcome];
  const rows = await queryRecipients(call, recipientsQuery(broadcast, outcomeFilter, after, from.perPage + 1));
  // The broadcast's counters do not separate these two, so they are counted.
  const isCounted = outcome === "failed" || outcome === "unknown";
  const [counted] = isCounted ? await reader.query(...argumentsOf(countOutcomeQuery(broadcast, outcome))) : [];
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
