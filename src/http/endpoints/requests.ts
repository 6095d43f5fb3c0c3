/** The log of requests that programs make with API keys: the list of one workspace, and what the list lacks. */
import { Type } from "@sinclair/typebox";
import { Instant, OneOf } from "#src/core/schema.ts";
import { getKey, listKeys } from "#src/domain/workspaces/api-keys.ts";
import {
  findKeyRequest,
  LISTED_PER_DAY,
  lacksOfLog,
  listKeyRequests,
  statusClasses,
} from "#src/domain/workspaces/request-log.ts";
import { requireId } from "../answer.ts";
import { idPosition, PageQuery, pageById, positionIn, readScreen } from "../page.ts";
import { timesOf } from "../times.ts";
import { Data, endpoint, ListOf } from "./endpoint.ts";
import { show } from "./show.ts";

const Key = Type.Object({ id: Type.Integer(), name: Type.String(), prefix: Type.String() });

const RequestView = Type.Object({
  id: Type.Integer(),
  at: Instant(),
  key: Key,
  method: Type.String(),
  path: Type.String(),
  status: Type.Integer(),
  duration_ms: Type.Integer(),
});

export const requestEndpoints = {
  "GET /w/{workspace}/requests": endpoint({
    session: "logs",
    query: { ...PageQuery, key: Type.String(), status: OneOf(statusClasses) },
    output: ListOf(RequestView),
  }).read((tx, { workspace, query }) => {
    const key = query.get("key");
    const keyId = key === null ? null : getKey(tx, workspace.id, requireId(key, "key")).id;
    const from = readScreen(query, idPosition);
    const filter = { keyId, status: query.get("status"), before: positionIn(from), limit: from.perPage + 1 };
    const rows = listKeyRequests(tx, workspace.id, filter);
    // `total` is the number of these rows: counting a week of requests is too expensive, and the screen shows no total.
    return pageById(from, rows, rows.length, ({ id }, tx) => {
      const found = findKeyRequest(tx, id);
      return found === undefined ? null : show(RequestView, found, timesOf(workspace), {});
    });
  }),
  "GET /w/{workspace}/requests/about": endpoint({
    session: "logs",
    output: Data(
      Type.Object({
        /** Those that the list can be filtered by. */
        keys: Type.Array(Key),
        listed_per_day: Type.Integer(),
        /** Days on which more requests came than are listed, newest first. */
        full_days: Type.Array(Type.Object({ from: Instant(), unlisted: Type.Integer() })),
        /** Between these times the server ended without a clean stop: requests of its last second are not listed. */
        unclean_ends: Type.Array(Type.Object({ from: Instant(), until: Instant() })),
      }),
    ),
  }).read((tx, { workspace }) => {
    const when = timesOf(workspace);
    const { days, ends } = lacksOfLog(tx, workspace.id);
    return {
      keys: listKeys(tx, workspace.id).map(({ id, name, prefix }) => ({ id, name, prefix })),
      listed_per_day: LISTED_PER_DAY,
      full_days: days.map(({ day, unlisted }) => ({ from: when(day), unlisted })),
      unclean_ends: ends.map(({ from, until }) => ({ from: when(from), until: when(until) })),
    };
  }),
};
