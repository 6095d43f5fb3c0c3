/**
 * Bulk changes of contacts. The target is counted first; the change starts with exactly the contacts that were counted, or
 * is refused if they are others by now. It can then be watched, stopped and continued. Targets are selected contacts, matches of a search, or
 * recipients of a broadcast.
 */
import { type Static, Type } from "@sinclair/typebox";
import { invalidRequest, notFound } from "#src/core/problem.ts";
import { Form, Instant, OneOf } from "#src/core/schema.ts";
import { trimShown } from "#src/core/shown-text.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { recipientOutcomes } from "#src/domain/broadcasts/broadcast.ts";
import { findBroadcast } from "#src/domain/broadcasts/read.ts";
import { lookUpContact } from "#src/domain/contacts/find.ts";
import { requireValidChanges } from "#src/domain/contacts/put.ts";
import { saveGroup } from "#src/domain/filters/save-group.ts";
import { findGroup } from "#src/domain/groups/read.ts";
import { beginListed, endBulkChange, getBulkChange, listBulkChanges } from "#src/transfer/bulk-changes.ts";
import { type CountedTarget, readTarget } from "#src/transfer/bulk-target.ts";
import type { BulkAction, BulkChange, BulkTarget } from "#src/transfer/table.ts";
import { readContactChanges } from "../bodies/contact.ts";
import { contactFilter } from "../contact-filter.ts";
import { timesOf } from "../times.ts";
import { change, Refusal, type WorkspaceCall, type WorkspaceCallWith } from "./call.ts";
import { Data, endpoint, Id } from "./endpoint.ts";
import { OptionalText } from "./fragments.ts";
import { show } from "./show.ts";

const Name = Type.String({ maxLength: 1_000 });
const PHONES_MAX = 1_000;
const REASON_MAX = 300;

/** The target of a bulk change: selected contacts, matches of a search, or recipients of a broadcast. */
const BulkPeople = Type.Union([
  Form({ phones: Type.Array(Type.String({ maxLength: 64 }), { maxItems: PHONES_MAX }) }),
  Form({
    search: Form({
      q: Type.Optional(Type.String({ maxLength: 300 })),
      consent: Type.Optional(Type.String({ maxLength: 20 })),
      group: Type.Optional(Type.String({ maxLength: 20 })),
      /** A group filter, which is read as a whole. */
      filter: Type.Optional(Type.Unknown()),
    }),
  }),
  Form({
    broadcast: Type.Integer(),
    status: Type.Optional(OneOf(recipientOutcomes)),
    /** Of the failure, or of the reason to skip. */
    code: Type.Optional(Type.String({ maxLength: 40 })),
  }),
]);

const BulkInput = Type.Union([
  Form({ add_tag: Name }),
  Form({ remove_tag: Name }),
  Form({ add_to_group: Type.Integer() }),
  Form({ remove_from_group: Type.Integer() }),
  Form({ new_group: Name }),
  Form({ opt_out: Type.String({ maxLength: REASON_MAX }) }),
]);

const BulkView = Type.Object({
  id: Type.Integer(),
  /** `interrupted`: the server stopped in between. */
  state: OneOf(["running", "done", "stopped", "failed", "interrupted"]),
  change: Type.Object({
    kind: OneOf(["add_tag", "remove_tag", "add_to_group", "remove_from_group", "show_group", "opt_out"]),
    name: Type.String(),
    group: Type.Optional(Type.Integer()),
  }),
  total: Type.Integer(),
  processed: Type.Integer(),
  changed: Type.Integer(),
  error: OptionalText,
  created_at: Instant(),
});

type People = Static<typeof BulkPeople>;
type Change = Static<typeof BulkInput>;

const ofChange = { session: "broadcasts", params: { id: Id("change") }, output: Data(BulkView) } as const;

export const bulkEndpoints = {
  "GET /w/{workspace}/bulk": endpoint({ session: "broadcasts", output: Data(Type.Array(BulkView)) }).read((tx, call) =>
    listBulkChanges(tx, call.workspace.id).map((job) => viewBulkChange(job, call, tx)),
  ),
  // Changes nothing.
  "POST /w/{workspace}/bulk/count": endpoint({
    session: "broadcasts",
    body: Form({ people: BulkPeople }),
    output: Data(Type.Object({ count: Type.Integer(), set: Type.String() })),
  }).load(async (call) => {
    const { count, set } = await readPeople(call, call.body.people);
    return { count, set };
  }),
  "POST /w/{workspace}/bulk": endpoint({
    session: "broadcasts",
    body: Form({
      people: BulkPeople,
      change: BulkInput,
      count: Type.Integer(),
      /** As it was counted. Without it, only the number of people is compared. */
      set: Type.Optional(Type.String({ maxLength: 100 })),
    }),
    output: Data(BulkView),
  }).answer(async (call) => {
    const { store, workspace, user, body } = call;
    const people = await readPeople(call, body.people);
    const { count: total, set } = people;
    if (total !== body.count || (body.set !== undefined && body.set !== set)) {
      throw new Refusal(409, "changed", "These are other people than before. Nothing was changed. Check it again.");
    }
    if (total === 0) throw invalidRequest({ people: ["There are no contacts to change."] });
    // Refused before anything is stored.
    const { change: input } = body;
    if (!("new_group" in input)) store.read((tx) => void readChange(call, tx, input));
    const listed = await call.bulk.list(workspace.id, user.id, people);
    const answer = change(call, (tx) => {
      const { action, actionSuffix, subject } =
        "new_group" in input ? makeGroup(call, tx, input.new_group) : readChange(call, tx, input);
      const job = beginListed(tx, listed, action);
      tx.afterCommit(() => call.bulk.start(job));
      const details = { bulk: job.id, count: total, people: Object.keys(body.people)[0] };
      return {
        status: 202,
        data: viewBulkChange(job, call, tx, true),
        audit: { action: `contact.bulk-${actionSuffix}`, subject, details },
      };
    });
    // Refused, or a form that was sent again.
    return answer.finally(() => call.bulk.discard(listed));
  }),
  "GET /w/{workspace}/bulk/{id}": endpoint(ofChange).read((tx, call) =>
    viewBulkChange(requireBulk(call, tx), call, tx),
  ),
  "POST /w/{workspace}/bulk/{id}/stop": endpoint(ofChange).change((tx, call) => {
    const job = requireBulk(call, tx);
    const stopped = endBulkChange(tx, job.id, "stopped");
    tx.afterCommit(() => void call.bulk.discard(job.id));
    const audit = stopped === undefined ? null : { action: "contact.bulk-stop", subject: `${job.id}` };
    return { status: 200, data: viewBulkChange(stopped ?? job, call, tx), audit };
  }),
  "POST /w/{workspace}/bulk/{id}/go-on": endpoint(ofChange).change((tx, call) => {
    const job = requireBulk(call, tx);
    if (job.state !== "running") throw new Refusal(409, "ended", "This change has finished. Start a new one.");
    tx.afterCommit(() => call.bulk.start(job));
    const audit = call.bulk.isRunning(job.id) ? null : { action: "contact.bulk-go-on", subject: `${job.id}` };
    return { status: 202, data: viewBulkChange(job, call, tx, true), audit };
  }),
};

/** Throws `invalid_request`, or `not_found` for an unknown group or broadcast. */
async function readPeople(call: WorkspaceCall, people: People): Promise<CountedTarget> {
  const { store, searchReader: reader, workspace, clock } = call;
  return readTarget({ store, reader }, workspace, findTarget(call, people), clock.now());
}

/** Throws as `readPeople`. */
function findTarget(call: WorkspaceCall, people: People): BulkTarget {
  const { store, workspace } = call;
  return store.read((tx): BulkTarget => {
    if ("search" in people) return { filter: contactFilter(tx, workspace, people.search) };
    if ("broadcast" in people) {
      if (findBroadcast(tx, workspace.id, people.broadcast) === undefined) throw notFound("broadcast");
      const outcomes = people.status === undefined ? [] : [people.status];
      return { broadcast: people.broadcast, outcomes, ...(people.code === undefined ? {} : { code: people.code }) };
    }
    const ids = people.phones.map((phone) => lookUpContact(tx, workspace.id, phone, workspace.country)?.contact?.id);
    return { contacts: [...new Set(ids.filter((id) => id !== undefined))] };
  });
}

interface ReadChange {
  action: BulkAction;
  /** For the audit log: the action's suffix, and what it is applied with. */
  actionSuffix: string;
  subject: string;
}

/**
 * Checked before anything starts, by the same rules as the change of a single contact. Throws `invalid_request` at the
 * field of the change.
 */
function readChange(
  { workspace }: WorkspaceCall,
  tx: ReadTx,
  input: Exclude<Change, { new_group: string }>,
): ReadChange {
  if ("opt_out" in input) {
    const reason = trimShown(input.opt_out);
    if (reason === "") throw invalidRequest({ opt_out: ["Enter a reason. It is recorded with each opt-out."] });
    return { action: { optOut: reason }, actionSuffix: "opt-out", subject: reason };
  }
  if ("add_tag" in input || "remove_tag" in input) {
    const isAdded = "add_tag" in input;
    const tag = isAdded ? input.add_tag : input.remove_tag;
    reportErrorsAt(isAdded ? "add_tag" : "remove_tag", () => void readContactChanges({ add_tags: [tag] }));
    const plain = tag.trim();
    if (isAdded) return { action: { addTag: plain }, actionSuffix: "tag", subject: plain };
    return { action: { removeTag: plain }, actionSuffix: "untag", subject: plain };
  }
  const isAdded = "add_to_group" in input;
  const id = isAdded ? input.add_to_group : input.remove_from_group;
  reportErrorsAt(
    isAdded ? "add_to_group" : "remove_from_group",
    () => void requireValidChanges(tx, workspace.id, isAdded ? { addToGroups: [id] } : { removeFromGroups: [id] }),
  );
  const subject = findGroup(tx, workspace.id, id)?.name ?? String(id);
  if (isAdded) return { action: { addToGroup: id }, actionSuffix: "add-to-group", subject };
  return { action: { removeFromGroup: id }, actionSuffix: "remove-from-group", subject };
}

function makeGroup({ workspace }: WorkspaceCall, tx: Tx, name: string): ReadChange {
  const group = saveGroup(tx, workspace.id, { name, filter: null });
  return { action: { addToGroup: group.id }, actionSuffix: "new-group", subject: group.name };
}

/** Reports the mistakes of a one-item list as mistakes of the field itself. */
function reportErrorsAt(field: string, validate: () => void): void {
  try {
    validate();
  } catch (error) {
    const fields = (error as { details?: { fields?: Record<string, string[]> } }).details?.fields;
    if (fields === undefined) throw error;
    throw invalidRequest({ [field]: Object.values(fields).flat() });
  }
}

/** Throws `not_found`. */
function requireBulk({ workspace, path }: WorkspaceCallWith<{ id: number }>, tx: ReadTx): BulkChange {
  return getBulkChange(tx, workspace.id, path.id);
}

function viewBulkChange(job: BulkChange, call: WorkspaceCall, tx: ReadTx, isStarted = false): Static<typeof BulkView> {
  const { workspace, bulk } = call;
  // Stored as running, but not running in this process: the server stopped in between.
  const isInterrupted = job.state === "running" && !isStarted && !bulk.isRunning(job.id);
  return show(BulkView, job, timesOf(workspace), {
    state: isInterrupted ? "interrupted" : job.state,
    change: viewAction(job.change, workspace.id, tx),
  });
}

function viewAction(action: BulkAction, workspaceId: number, tx: ReadTx): Static<typeof BulkView>["change"] {
  const nameOf = (id: number) => findGroup(tx, workspaceId, id)?.name ?? String(id);
  if ("addTag" in action) return { kind: "add_tag", name: action.addTag };
  if ("removeTag" in action) return { kind: "remove_tag", name: action.removeTag };
  if ("addToGroup" in action)
    return { kind: "add_to_group", name: nameOf(action.addToGroup), group: action.addToGroup };
  if ("removeFromGroup" in action) {
    return { kind: "remove_from_group", name: nameOf(action.removeFromGroup), group: action.removeFromGroup };
  }
  if ("showGroup" in action) return { kind: "show_group", name: nameOf(action.showGroup), group: action.showGroup };
  return { kind: "opt_out", name: action.optOut };
}
