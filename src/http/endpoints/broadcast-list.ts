/** Lists the broadcasts of a workspace: all of them for a program, and for a person those that match. */
import { Type } from "@sinclair/typebox";
import { OneOf } from "#src/core/schema.ts";
import { broadcastStatuses } from "#src/domain/broadcasts/broadcast.ts";
import {
  type BroadcastFilter,
  countBroadcasts,
  countMatchingSql,
  getBroadcast,
  listBroadcastIds,
  searchBroadcastsSql,
} from "#src/domain/broadcasts/read.ts";
import { BroadcastView } from "#src/domain/broadcasts/schema.ts";
import { viewBroadcast } from "#src/domain/broadcasts/view.ts";
import type { User } from "#src/domain/users/table.ts";
import { idPosition, PageQuery, pageById, positionIn, readChoice, readPage, readScreen, readSince } from "../page.ts";
import { readTogether } from "../validate.ts";
import { type CallOf, type Declaration, endpoint, ListOf } from "./endpoint.ts";
import { broadcastExample } from "./examples.ts";

const NAME_MAX = 191;

/** `q`: a part of the name, or the id. `from`: the number that sends. `since` and `until`: when it started or is due. */
const ListQuery = {
  q: Type.String(),
  status: OneOf(broadcastStatuses),
  template: Type.String(),
  from: Type.String(),
  since: Type.String({ format: "date-time" }),
  until: Type.String({ format: "date-time" }),
};

const list = {
  key: ["read"],
  session: "broadcasts",
  query: PageQuery,
  consoleQuery: ListQuery,
  output: ListOf(BroadcastView),
  reference: {
    operationId: "listBroadcasts",
    tag: "Broadcasts",
    summary: "List broadcasts",
    description: "Returns all broadcasts of the workspace, newest first.",
    success: "One page of broadcasts.",
    example: [broadcastExample],
  },
} as const satisfies Declaration;

export const broadcastListEndpoints = {
  "GET /w/{workspace}/broadcasts": endpoint(list).load((call) =>
    call.user === null ? listAll(call) : searchBroadcasts(call),
  ),
};

function listAll({ store, workspace, query }: CallOf<typeof list>) {
  const from = readPage(query, idPosition);
  return store.read((tx) =>
    pageById(
      from,
      listBroadcastIds(tx, workspace.id, from, from.perPage + 1),
      countBroadcasts(tx, workspace.id),
      ({ id }, now) => viewBroadcast(now, getBroadcast(now, id), workspace),
    ),
  );
}

async function searchBroadcasts(call: Extract<CallOf<typeof list>, { user: User }>) {
  const { store, reader, workspace, query } = call;
  const [status, since, until, from] = readTogether(
    () => readChoice(query, "status", broadcastStatuses),
    () => readSince(query, "since", workspace.timezone),
    () => readSince(query, "until", workspace.timezone),
    () => readScreen(query, idPosition),
  );
  const text = (name: "q" | "template" | "from") => query.get(name)?.trim() || undefined;
  const filter: BroadcastFilter = {
    q: text("q")?.slice(0, NAME_MAX),
    status: status ?? undefined,
    template: text("template"),
    from: text("from"),
    since: since ?? undefined,
    until: until ?? undefined,
  };
  const before = positionIn(from) ?? Number.MAX_SAFE_INTEGER;
  const found = searchBroadcastsSql(workspace.id, filter, before, from.perPage + 1);
  const counted = countMatchingSql(workspace.id, filter);
  const rows = (await reader.query(found.sql, found.parameters)).map(({ id }) => ({ id: Number(id) }));
  const [count] = await reader.query(counted.sql, counted.parameters);
  return store.read(() =>
    pageById(from, rows, Number(count?.total ?? 0), ({ id }, now) =>
      viewBroadcast(now, getBroadcast(now, id), workspace),
    ),
  );
}
