/** Groups beyond what the API lists: made, shown with their filter, changed, removed; and whom a filter would find, counted as it is built. */
import { Type } from "@sinclair/typebox";
import { sleep } from "#src/core/clock.ts";
import { formatInstant } from "#src/core/instant.ts";
import { notFound, Problem } from "#src/core/problem.ts";
import type { Reading } from "#src/db/transaction.ts";
import { changeGroup } from "#src/domain/broadcasts/update-group.ts";
import { findById } from "#src/domain/contacts/find.ts";
import { compileCount, compileIds } from "#src/domain/filters/compile.ts";
import { COUNT_MAX_AGE_MS, recordCount } from "#src/domain/filters/count.ts";
import { readSearch } from "#src/domain/filters/group-filter.ts";
import { removeGroup } from "#src/domain/filters/remove-group.ts";
import { saveSearch } from "#src/domain/filters/save-group.ts";
import { findGroup } from "#src/domain/groups/read.ts";
import type { Group } from "#src/domain/groups/table.ts";
import { viewGroup } from "#src/domain/groups/view.ts";
import { beginBulkChange } from "#src/transfer/bulk-changes.ts";
import { answerData, requireId } from "../../endpoint.ts";
import { type ConsoleRoute, change, type WorkspaceCall } from "../route.ts";

const strict = { additionalProperties: false };
/** The filter's own reader says what is wrong with it, and where. */
const Filter = Type.Unknown();
const SAMPLE = 5;
/** Between two batches everybody else's writes get their turn. */
const GAP_MS = 5;

export const groupRoutes: readonly ConsoleRoute[] = [
  {
    method: "POST",
    path: "/w/{workspace}/groups",
    needs: "member",
    body: Type.Object({ name: Type.String({ maxLength: 1_000 }), filter: Filter }, strict),
    handle: async (call) => {
      const { body, workspace, store } = call;
      const filter = body.filter ?? null;
      let made = 0;
      const answer = await change(call, (tx) => {
        const group = saveSearch(tx, workspace.id, { name: String(body.name), filter });
        made = group.id;
        const deed = { action: "group.create", subject: group.name, details: { id: group.id, filter } };
        return { status: 201, data: show(group, call), deed };
      });
      if (made !== 0 && filter !== null) {
        const { total } = await look(call, filter, 0);
        await store.write((tx) => recordCount(tx, made, total));
      }
      return answer;
    },
  },
  {
    method: "POST",
    path: "/w/{workspace}/groups/count",
    needs: "member",
    body: Type.Object({ filter: Filter }, strict),
    // It changes nothing: it is asked while somebody builds.
    handle: async (call) => {
      const { total, sample } = await look(call, call.body.filter, SAMPLE);
      return answerData(200, { count: total, sample });
    },
  },
  {
    method: "GET",
    path: "/w/{workspace}/groups/{id}",
    needs: "member",
    handle: async (call) => {
      const group = call.store.read((reading) => requireGroup(call, reading));
      const filter = group.filter ?? { field: "group", is: group.id };
      const { total, sample, mistake } = await lookLeniently(call, filter);
      // Whoever looks has just counted it, so the list may say so too.
      const isStale = call.clock.now() - (group.countedAt ?? 0) >= COUNT_MAX_AGE_MS;
      if (group.filter !== null && isStale) await call.store.write((tx) => recordCount(tx, group.id, total));
      return answerData(200, { ...show({ ...group, memberCount: total }, call), sample, mistake });
    },
  },
  {
    method: "PUT",
    path: "/w/{workspace}/groups/{id}",
    needs: "member",
    body: Type.Object({ name: Type.String({ maxLength: 1_000 }), filter: Filter }, strict),
    handle: (call) =>
      change(call, (tx) => {
        const { workspace, user, body } = call;
        const was = requireGroup(call, tx);
        const group = changeGroup(tx, workspace.id, was.id, { name: String(body.name), filter: body.filter ?? null });
        // Contacts show the lists that they are on, so whoever follows them by time has to see each again.
        if (group.filter === null && group.name !== was.name && group.memberCount > 0) {
          const job = beginBulkChange(tx, workspace.id, user.id, {
            whom: { filter: { field: "group", is: group.id } },
            change: { showGroup: group.id },
            total: group.memberCount,
            last: Number.MAX_SAFE_INTEGER,
          });
          tx.afterCommit(() => call.bulk.start(job));
        }
        const details = { id: group.id, name: [was.name, group.name], filter: [was.filter, group.filter] };
        const isSame = was.name === group.name && JSON.stringify(was.filter) === JSON.stringify(group.filter);
        const deed = isSame ? null : { action: "group.change", subject: was.name, details };
        return { status: 200, data: show(group, call), deed };
      }),
  },
  {
    method: "DELETE",
    path: "/w/{workspace}/groups/{id}",
    needs: "member",
    handle: async (call) => {
      const { store, clock, workspace } = call;
      const group = store.read((reading) => requireGroup(call, reading));
      let isGone = false;
      // The group goes with its last members, and the line of the log with the group.
      const part = () =>
        change({ ...call, form: null }, (tx) => {
          isGone = removeGroup(tx, workspace.id, group.id);
          const deed = { action: "group.remove", subject: group.name, details: { id: group.id, filter: group.filter } };
          return { status: 200, data: {}, deed: isGone ? deed : null };
        });
      let last = await part();
      while (!isGone) {
        await sleep(clock, GAP_MS);
        last = await part();
      }
      return last;
    },
  },
];

/** How many a filter finds, and the first few of them; both on the reader's thread. */
async function look(call: WorkspaceCall, filter: unknown, limit: number) {
  const { store, searchReader, workspace } = call;
  const { ids, count } = store.read((reading) => {
    const read = readSearch(reading, workspace, filter);
    const context = { workspaceId: workspace.id, timezone: workspace.timezone, now: reading.now };
    return { ids: compileIds(read, context, 0, limit), count: compileCount(read, context) };
  });
  const [row] = await searchReader.query(count.sql, count.parameters);
  const found = limit === 0 ? [] : await searchReader.query(ids.sql, ids.parameters);
  const sample = store.read((reading) =>
    found.flatMap(({ id }) => {
      const contact = findById(reading, workspace.id, Number(id));
      if (contact?.phone == null) return [];
      return [{ phone: contact.phone, name: contact.name, consent: contact.consent }];
    }),
  );
  return { total: Number(row?.total ?? 0), sample };
}

/** A saved search that can no longer be read reaches nobody, and says why. */
async function lookLeniently(call: WorkspaceCall, filter: unknown) {
  try {
    return { ...(await look(call, filter, SAMPLE)), mistake: null };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const sentences = Object.values(error.details.fields ?? {}).flat();
    return { total: 0, sample: [], mistake: sentences.join(" ") || error.message };
  }
}

/** Throws `not_found`. */
function requireGroup({ workspace, path }: WorkspaceCall, reading: Reading): Group {
  const group = findGroup(reading, workspace.id, requireId(path.id, "group"));
  if (group === undefined) throw notFound("group");
  return group;
}

function show(group: Group, { workspace }: Pick<WorkspaceCall, "workspace">) {
  return { ...viewGroup(group), filter: group.filter, created_at: formatInstant(group.createdAt, workspace.timezone) };
}
