/**
 * Changes to many contacts at once: counted first, begun with that count or refused because it is another by now, then
 * watched, stopped and gone on with. Who is changed is a selection, whom a search finds, or people of a broadcast.
 */
import { Type } from "@sinclair/typebox";
import { formatInstant } from "#src/core/instant.ts";
import { invalidRequest, notFound } from "#src/core/problem.ts";
import type { Reading, Tx } from "#src/db/transaction.ts";
import { findBroadcast } from "#src/domain/broadcasts/read.ts";
import { type Outcome, outcomes } from "#src/domain/broadcasts/recipient-filter.ts";
import { findPerson } from "#src/domain/contacts/find.ts";
import { requireMeaning } from "#src/domain/contacts/put.ts";
import { saveSearch } from "#src/domain/filters/save-group.ts";
import { findGroup } from "#src/domain/groups/read.ts";
import { beginBulkChange, endBulkChange, getBulkChange, listBulkChanges } from "#src/transfer/bulk-changes.ts";
import { countWhomQuery, lastOf } from "#src/transfer/bulk-target.ts";
import type { BulkChange, BulkDeed, Whom } from "#src/transfer/table.ts";
import { readContactChanges } from "../../api/contact-body.ts";
import { answerData, requireId } from "../../endpoint.ts";
import { filterOf } from "../contact-filter.ts";
import { type ConsoleRoute, change, Refusal, type WorkspaceCall } from "../route.ts";

const strict = { additionalProperties: false };
const PHONES_MAX = 1_000;
const REASON_MAX = 300;

const People = Type.Union([
  Type.Object({ phones: Type.Array(Type.String({ maxLength: 64 }), { maxItems: PHONES_MAX }) }, strict),
  Type.Object(
    {
      search: Type.Object(
        {
          q: Type.Optional(Type.String({ maxLength: 300 })),
          consent: Type.Optional(Type.String({ maxLength: 20 })),
          group: Type.Optional(Type.String({ maxLength: 20 })),
        },
        strict,
      ),
    },
    strict,
  ),
  Type.Object({ broadcast: Type.Integer(), status: Type.Optional(Type.String({ enum: [...outcomes] })) }, strict),
]);
type People =
  | { phones: string[] }
  | { search: { q?: string; consent?: string; group?: string } }
  | { broadcast: number; status?: Outcome };

const Name = Type.String({ maxLength: 1_000 });
const Change = Type.Union([
  Type.Object({ add_tag: Name }, strict),
  Type.Object({ remove_tag: Name }, strict),
  Type.Object({ add_to_group: Type.Integer() }, strict),
  Type.Object({ remove_from_group: Type.Integer() }, strict),
  Type.Object({ new_group: Name }, strict),
  Type.Object({ opt_out: Type.String({ maxLength: REASON_MAX }) }, strict),
]);
type Change =
  | { add_tag: string }
  | { remove_tag: string }
  | { add_to_group: number }
  | { remove_from_group: number }
  | { new_group: string }
  | { opt_out: string };

export const bulkRoutes: readonly ConsoleRoute[] = [
  {
    method: "GET",
    path: "/w/{workspace}/bulk",
    needs: "member",
    handle: (call) =>
      call.store.read((reading) =>
        answerData(
          200,
          listBulkChanges(reading, call.workspace.id).map((job) => show(job, call, reading)),
        ),
      ),
  },
  {
    method: "POST",
    path: "/w/{workspace}/bulk/count",
    needs: "member",
    body: Type.Object({ people: People }, strict),
    // It changes nothing.
    handle: async (call) => answerData(200, { count: await count(call, readWhom(call, call.body.people as People)) }),
  },
  {
    method: "POST",
    path: "/w/{workspace}/bulk",
    needs: "member",
    body: Type.Object({ people: People, change: Change, count: Type.Integer() }, strict),
    handle: async (call) => {
      const { workspace, user, body } = call;
      const whom = readWhom(call, body.people as People);
      const total = await count(call, whom);
      if (total !== body.count) {
        throw new Refusal(409, "changed", "It is another number of people by now. Nothing was changed: look again.");
      }
      if (total === 0) throw invalidRequest({ people: ["There is nobody to change."] });
      return change(call, (tx) => {
        const { deed: bulkDeed, says, subject } = readChange(call, tx, body.change as Change);
        const last = lastOf(tx, workspace.id, whom);
        const job = beginBulkChange(tx, workspace.id, user.id, { whom, change: bulkDeed, total, last });
        tx.afterCommit(() => call.bulk.start(job));
        const details = { bulk: job.id, count: total, people: Object.keys(body.people as object)[0] };
        return {
          status: 202,
          data: show(job, call, tx, true),
          deed: { action: `contact.bulk-${says}`, subject, details },
        };
      });
    },
  },
  {
    method: "GET",
    path: "/w/{workspace}/bulk/{id}",
    needs: "member",
    handle: (call) => call.store.read((reading) => answerData(200, show(requireBulk(call, reading), call, reading))),
  },
  {
    method: "POST",
    path: "/w/{workspace}/bulk/{id}/stop",
    needs: "member",
    handle: (call) =>
      change(call, (tx) => {
        const job = requireBulk(call, tx);
        const stopped = endBulkChange(tx, job.id, "stopped");
        const deed = stopped === undefined ? null : { action: "contact.bulk-stop", subject: `${job.id}` };
        return { status: 200, data: show(stopped ?? job, call, tx), deed };
      }),
  },
  {
    method: "POST",
    path: "/w/{workspace}/bulk/{id}/go-on",
    needs: "member",
    handle: (call) =>
      change(call, (tx) => {
        const job = requireBulk(call, tx);
        if (job.state !== "running") throw new Refusal(409, "ended", "This change has ended. Begin a new one.");
        tx.afterCommit(() => call.bulk.start(job));
        const deed = call.bulk.isRunning(job.id) ? null : { action: "contact.bulk-go-on", subject: `${job.id}` };
        return { status: 202, data: show(job, call, tx, true), deed };
      }),
  },
];

/** Throws `invalid_request`, and `not_found` for a group or broadcast that is not there. */
function readWhom(call: WorkspaceCall, people: People): Whom {
  const { store, workspace } = call;
  return store.read((reading): Whom => {
    if ("search" in people) return { filter: filterOf(reading, workspace, people.search) };
    if ("broadcast" in people) {
      if (findBroadcast(reading, workspace.id, people.broadcast) === undefined) throw notFound("broadcast");
      return { broadcast: people.broadcast, outcomes: people.status === undefined ? [] : [people.status] };
    }
    const ids = people.phones.map((phone) => findPerson(reading, workspace.id, phone, workspace.country)?.contact?.id);
    return { contacts: [...new Set(ids.filter((id) => id !== undefined))] };
  });
}

async function count({ store, searchReader, workspace }: WorkspaceCall, whom: Whom): Promise<number> {
  const { sql, parameters } = store.read((reading) => countWhomQuery(reading, workspace, whom, reading.now));
  const [row] = await searchReader.query(sql, parameters);
  return Number(row?.total ?? 0);
}

interface ReadChange {
  deed: BulkDeed;
  /** For the log: what is done, and with what. */
  says: string;
  subject: string;
}

/** Judged as the same change to one contact is, before anything begins. Throws `invalid_request` at the change's own name. */
function readChange({ workspace }: WorkspaceCall, tx: Tx, given: Change): ReadChange {
  if ("new_group" in given) {
    const group = saveSearch(tx, workspace.id, { name: given.new_group, filter: null });
    return { deed: { addToGroup: group.id }, says: "new-group", subject: group.name };
  }
  if ("opt_out" in given) {
    const reason = given.opt_out.trim();
    if (reason === "") throw invalidRequest({ opt_out: ["Say why: it stands with each opt-out."] });
    return { deed: { optOut: reason }, says: "opt-out", subject: reason };
  }
  if ("add_tag" in given || "remove_tag" in given) {
    const isAdded = "add_tag" in given;
    const tag = isAdded ? given.add_tag : given.remove_tag;
    atField(isAdded ? "add_tag" : "remove_tag", () => void readContactChanges({ add_tags: [tag] }));
    const plain = tag.trim();
    if (isAdded) return { deed: { addTag: plain }, says: "tag", subject: plain };
    return { deed: { removeTag: plain }, says: "untag", subject: plain };
  }
  const isAdded = "add_to_group" in given;
  const id = isAdded ? given.add_to_group : given.remove_from_group;
  atField(
    isAdded ? "add_to_group" : "remove_from_group",
    () => void requireMeaning(tx, workspace.id, isAdded ? { addToGroups: [id] } : { removeFromGroups: [id] }),
  );
  const subject = findGroup(tx, workspace.id, id)?.name ?? String(id);
  if (isAdded) return { deed: { addToGroup: id }, says: "add-to-group", subject };
  return { deed: { removeFromGroup: id }, says: "remove-from-group", subject };
}

/** A mistake in a list of one is a mistake of the field itself. */
function atField(field: string, judge: () => void): void {
  try {
    judge();
  } catch (error) {
    const fields = (error as { details?: { fields?: Record<string, string[]> } }).details?.fields;
    if (fields === undefined) throw error;
    throw invalidRequest({ [field]: Object.values(fields).flat() });
  }
}

/** Throws `not_found`. */
function requireBulk({ workspace, path }: WorkspaceCall, reading: Reading): BulkChange {
  return getBulkChange(reading, workspace.id, requireId(path.id, "change"));
}

function show(job: BulkChange, call: WorkspaceCall, reading: Reading, isBegun = false) {
  const { id, state, total, seen, changed, error } = job;
  const { workspace } = call;
  // It says that it runs, and it does not: the server was stopped in the middle.
  const isBrokenOff = state === "running" && !isBegun && !call.bulk.isRunning(id);
  return {
    id,
    state: isBrokenOff ? "broken_off" : state,
    change: showChange(job.change, workspace.id, reading),
    total,
    seen,
    changed,
    error,
    created_at: formatInstant(job.createdAt, workspace.timezone),
  };
}

function showChange(given: BulkDeed, workspaceId: number, reading: Reading) {
  const nameOf = (id: number) => findGroup(reading, workspaceId, id)?.name ?? String(id);
  if ("addTag" in given) return { kind: "add_tag", name: given.addTag };
  if ("removeTag" in given) return { kind: "remove_tag", name: given.removeTag };
  if ("addToGroup" in given) return { kind: "add_to_group", name: nameOf(given.addToGroup), group: given.addToGroup };
  if ("removeFromGroup" in given) {
    return { kind: "remove_from_group", name: nameOf(given.removeFromGroup), group: given.removeFromGroup };
  }
  if ("showGroup" in given) return { kind: "show_group", name: nameOf(given.showGroup), group: given.showGroup };
  return { kind: "opt_out", name: given.optOut };
}
