/**
 * Groups: list, create, show with the filter, change, remove, and count the matches of a filter while it is being
 * built.
 */

import { type Static, Type } from "@sinclair/typebox";
import { sleep } from "#src/core/clock.ts";
import { allSentences } from "#src/core/fault.ts";
import { formatInstant } from "#src/core/instant.ts";
import { notFound, Problem } from "#src/core/problem.ts";
import { Form, Instant, OneOf } from "#src/core/schema.ts";
import { QueryOverBudget } from "#src/db/query-budget.ts";
import type { Reader } from "#src/db/reader.ts";
import type { Store } from "#src/db/store.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import { updateGroupSettings } from "#src/domain/broadcasts/update-group.ts";
import { consents } from "#src/domain/contacts/consent.ts";
import { findById } from "#src/domain/contacts/find.ts";
import { displayNameOf } from "#src/domain/contacts/view.ts";
import { compileCount, compileIds } from "#src/domain/filters/compile.ts";
import { COUNT_MAX_AGE_MS, countsToRefresh, recordCount } from "#src/domain/filters/count.ts";
import { readGroupFilter } from "#src/domain/filters/group-filter.ts";
import { removeGroup } from "#src/domain/filters/remove-group.ts";
import { saveGroup } from "#src/domain/filters/save-group.ts";
import { countGroups, findGroup, listGroups } from "#src/domain/groups/read.ts";
import { GroupView } from "#src/domain/groups/schema.ts";
import type { Group } from "#src/domain/groups/table.ts";
import { viewGroup } from "#src/domain/groups/view.ts";
import type { Workspace } from "#src/domain/workspaces/table.ts";
import { createBulkChange } from "#src/transfer/bulk-changes.ts";
import { PageQuery, pageOf, positionWith, readPage } from "../page.ts";
import { change, type WorkspaceCall, type WorkspaceCallWith } from "./call.ts";
import { Data, Empty, endpoint, Id, ListOf } from "./endpoint.ts";
import { OptionalText } from "./fragments.ts";

const Name = Type.String({ maxLength: 1_000 });
const SamplePerson = Type.Object({ phone: Type.String(), name: OptionalText, consent: OneOf(consents) });

/** A group filter as JSON; null for a static group. */
const group = { ...GroupView.properties, filter: Type.Unknown(), created_at: Instant() };
const GroupDetail = Type.Object(group);

/** The filter parser reports mistakes with their position, so the schema does not check the filter. */
const GroupForm = Form({ name: Name, filter: Type.Unknown() });
const SAMPLE = 5;

/** Pause between two batches, so that other writes are not delayed. */
const YIELD_MS = 5;

export const groupEndpoints = {
  "GET /w/{workspace}/groups": endpoint({
    key: ["read", "contacts"],
    session: "broadcasts",
    query: PageQuery,
    output: ListOf(GroupView),
    reference: {
      operationId: "listGroups",
      tag: "Groups",
      summary: "List groups",
      description:
        "Returns all groups of the workspace, sorted by name. The count of a dynamic group can be up to a minute old.",
      success: "One page of groups.",
      example: [{ id: 3, name: "Regulars", type: "static", count: 128 }],
    },
  }).load(async (call) => {
    const { store, workspace, query } = call;
    const from = readPage(query, positionWith({ folded: "string", id: "number" }));
    const list = () => store.read((tx) => listGroups(tx, workspace.id, from, from.perPage + 1));
    await refreshCounts(call, list());
    const total = store.read((tx) => countGroups(tx, workspace.id));
    return pageOf(from, list(), total, viewGroup, ({ folded, id }) => ({ folded, id }));
  }),
  "POST /w/{workspace}/groups": endpoint({ session: "broadcasts", body: GroupForm, output: Data(GroupDetail) }).answer(
    async (call) => {
      const { body, workspace, store } = call;
      const filter = body.filter ?? null;
      let createdId = 0;
      const answer = await change(call, (tx) => {
        const group = saveGroup(tx, workspace.id, { name: body.name, filter });
        createdId = group.id;
        const audit = { action: "group.create", subject: group.name, details: { id: group.id, filter } };
        return { status: 201, data: viewGroupDetail(group, call), audit };
      });
      if (createdId !== 0 && filter !== null) {
        const { total } = await evaluateFilter(call, filter, 0);
        await store.write((tx) => recordCount(tx, createdId, total));
      }
      return answer;
    },
  ),
  // Changes nothing: called while a filter is being built.
  "POST /w/{workspace}/groups/count": endpoint({
    session: "broadcasts",
    body: Form({ filter: Type.Unknown() }),
    output: Data(Type.Object({ count: Type.Integer(), sample: Type.Array(SamplePerson) })),
  }).load(async (call) => {
    const { total, sample } = await evaluateFilter(call, call.body.filter, SAMPLE);
    return { count: total, sample };
  }),
  "GET /w/{workspace}/groups/{id}": endpoint({
    session: "broadcasts",
    params: { id: Id("group") },
    output: Data(
      Type.Object({
        ...group,
        sample: Type.Array(SamplePerson),
        /** Why the filter is no longer valid; null if it is. */
        filter_error: OptionalText,
      }),
    ),
  }).load(async (call) => {
    const group = call.store.read((tx) => requireGroup(call, tx));
    const filter = group.filter ?? { field: "group", is: group.id };
    const { total, sample, filter_error } = await evaluateFilterLeniently(call, filter);
    // Store the fresh count, so that the list of groups shows it too.
    const isStale = call.clock.now() - (group.countedAt ?? 0) >= COUNT_MAX_AGE_MS;
    if (group.filter !== null && isStale) await call.store.write((tx) => recordCount(tx, group.id, total));
    return { ...viewGroupDetail({ ...group, memberCount: total }, call), sample, filter_error };
  }),
  "PUT /w/{workspace}/groups/{id}": endpoint({
    session: "broadcasts",
    params: { id: Id("group") },
    body: GroupForm,
    output: Data(GroupDetail),
  }).change((tx, call) => {
    const { workspace, user, body } = call;
    const was = requireGroup(call, tx);
    const group = updateGroupSettings(tx, workspace.id, was.id, {
      name: body.name,
      filter: body.filter ?? null,
    });
    // A contact's JSON names its groups, so renaming a static group counts as a change of each member for callers
    // that sync by time.
    if (group.filter === null && group.name !== was.name && group.memberCount > 0) {
      const job = createBulkChange(tx, workspace.id, user.id, {
        target: { filter: { field: "group", is: group.id } },
        change: { showGroup: group.id },
        total: group.memberCount,
        last: Number.MAX_SAFE_INTEGER,
      });
      tx.afterCommit(() => call.bulk.start(job));
    }
    const details = { id: group.id, name: [was.name, group.name], filter: [was.filter, group.filter] };
    const isSame = was.name === group.name && JSON.stringify(was.filter) === JSON.stringify(group.filter);
    const audit = isSame ? null : { action: "group.change", subject: was.name, details };
    return { status: 200, data: viewGroupDetail(group, call), audit };
  }),
  "DELETE /w/{workspace}/groups/{id}": endpoint({
    session: "broadcasts",
    params: { id: Id("group") },
    output: Data(Empty),
  }).answer(async (call) => {
    const { store, clock, workspace } = call;
    const group = store.read((tx) => requireGroup(call, tx));
    let isGone = false;
    // The group is removed with its last members, and the audit entry is written in that same transaction.
    const removeBatch = () =>
      change({ ...call, form: null }, (tx) => {
        isGone = removeGroup(tx, workspace.id, group.id);
        const audit = {
          action: "group.remove",
          subject: group.name,
          details: { id: group.id, filter: group.filter },
        };
        return { status: 200, data: {}, audit: isGone ? audit : null };
      });
    let last = await removeBatch();
    while (!isGone) {
      await sleep(clock, YIELD_MS);
      last = await removeBatch();
    }
    return last;
  }),
};

/** Counts the matches of a filter and reads the first `limit`, both on the reader's thread. */
async function evaluateFilter(call: WorkspaceCall, filter: unknown, limit: number) {
  const { store, searchReader, workspace } = call;
  const { ids, count } = store.read((tx) => {
    const read = readGroupFilter(tx, workspace, filter);
    const context = { workspaceId: workspace.id, timezone: workspace.timezone, now: tx.now };
    return { ids: compileIds(read, context, 0, limit), count: compileCount(read, context) };
  });
  const [row] = await searchReader.query(count.sql, count.parameters);
  const found = limit === 0 ? [] : await searchReader.query(ids.sql, ids.parameters);
  const sample = store.read((tx) =>
    found.flatMap(({ id }) => {
      const contact = findById(tx, workspace.id, Number(id));
      if (contact?.phone == null) return [];
      return [{ phone: contact.phone, name: displayNameOf(contact), consent: contact.consent }];
    }),
  );
  return { total: Number(row?.total ?? 0), sample };
}

/** For a filter that is no longer valid: no matches, and the error instead. */
async function evaluateFilterLeniently(call: WorkspaceCall, filter: unknown) {
  try {
    return { ...(await evaluateFilter(call, filter, SAMPLE)), filter_error: null };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const sentences = allSentences(error.details.fields);
    return { total: 0, sample: [], filter_error: sentences.join(" ") || error.message };
  }
}

/** Throws `not_found`. */
function requireGroup({ workspace, path }: WorkspaceCallWith<{ id: number }>, tx: ReadTx): Group {
  const group = findGroup(tx, workspace.id, path.id);
  if (group === undefined) throw notFound("group");
  return group;
}

function viewGroupDetail(group: Group, { workspace }: Pick<WorkspaceCall, "workspace">): Static<typeof GroupDetail> {
  return { ...viewGroup(group), filter: group.filter, created_at: formatInstant(group.createdAt, workspace.timezone) };
}

/** Recounts dynamic groups, the large ones at most once a minute, one after the other, on the reader's thread. */
async function refreshCounts(
  { store, searchReader, workspace }: { store: Store; searchReader: Reader; workspace: Workspace },
  groups: readonly Group[],
): Promise<void> {
  const stale = store.read((tx) => countsToRefresh(tx, workspace, groups));
  for (const { groupId, sql, parameters, knownCount, isExpired } of stale) {
    const rows = await searchReader.query(sql, parameters).catch((error: unknown) => {
      // The list shows the previous count of such a group.
      if (error instanceof QueryOverBudget) return null;
      throw error;
    });
    if (rows === null) return;
    const count = Number(rows[0]?.total ?? 0);
    if (count !== knownCount || isExpired) await store.write((tx) => recordCount(tx, groupId, count));
  }
}
