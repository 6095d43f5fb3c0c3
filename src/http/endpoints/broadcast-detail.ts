/** One broadcast: what it is, why people failed, what it waits for; changing it before its first message, and duplicating it. */
import { Type } from "@sinclair/typebox";
import { Nullable, OneOf } from "#src/core/schema.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import { firstOf, listFamily } from "#src/domain/broadcasts/again.ts";
import { beginChange, findChange, findChangeRefusal } from "#src/domain/broadcasts/change.ts";
import { contentOf } from "#src/domain/broadcasts/draft-content.ts";
import { createDraft } from "#src/domain/broadcasts/drafts.ts";
import { currentWait, quietStart } from "#src/domain/broadcasts/forecast.ts";
import { nameUnknown } from "#src/domain/broadcasts/hold-restored.ts";
import { countCausesSql, countInDoubtSql, getBroadcast } from "#src/domain/broadcasts/read.ts";
import { countOutcomeQuery } from "#src/domain/broadcasts/recipient-filter.ts";
import { BroadcastView } from "#src/domain/broadcasts/schema.ts";
import type { Broadcast } from "#src/domain/broadcasts/table.ts";
import { viewBroadcast } from "#src/domain/broadcasts/view.ts";
import { findGroup } from "#src/domain/groups/read.ts";
import { templateCategories } from "#src/domain/templates/template.ts";
import { viewWait, WaitView } from "./broadcast-waits.ts";
import type { WorkspaceCallWith } from "./call.ts";
import { requireChangeable } from "./drafts.ts";
import { Data, endpoint } from "./endpoint.ts";
import { broadcastExample } from "./examples.ts";
import { OptionalCount, OptionalText } from "./fragments.ts";
import { broadcastPath, requireBroadcast } from "./recipients.ts";

const FAMILY_SHOWN = 20;

const BroadcastDetail = Type.Object({
  ...BroadcastView.properties,
  /** Dispatched, and the outcome is still open: neither sent nor failed. */
  in_doubt: Type.Integer(),
  /** Of the failed ones, those whose outcome is unknown. */
  unknown: Type.Integer(),
  /** What keeps its people waiting, or a start in quiet hours; null: nothing. */
  wait: Nullable(WaitView),
  /** Why it can no longer be changed; null: it can. */
  change_refusal: OptionalText,
  /** The draft in which it is being changed; null: none. */
  change_draft: OptionalCount,
  /** The other broadcasts that sent the message: the first, and those that repeat it for those who failed. */
  family: Type.Array(Type.Object({ id: Type.Integer(), name: Type.String(), is_first: Type.Boolean() })),
  /** What Meta bills it by. */
  category: OneOf(templateCategories),
  /** Null: it is to a list of numbers. `name` is null if the group was removed. */
  group: Nullable(Type.Object({ id: Type.Integer(), name: OptionalText })),
  /** After a restore with a gap: the recipients that may have been sent to since the backup. Null if there are none. */
  may_have_been_sent: OptionalText,
  causes: Type.Array(
    Type.Object({
      status: OneOf(["failed", "skipped"]),
      code: OptionalText,
      is_unknown: Type.Boolean(),
      reason: Type.String(),
      count: Type.Integer(),
    }),
  ),
});

const ofBroadcast = { session: "broadcasts", params: broadcastPath, output: Data(BroadcastView) } as const;

export const broadcastDetailEndpoints = {
  "GET /w/{workspace}/broadcasts/{id}": endpoint({
    ...ofBroadcast,
    key: ["read"],
    consoleOutput: Data(BroadcastDetail),
    reference: {
      operationId: "getBroadcast",
      tag: "Broadcasts",
      summary: "Retrieve a broadcast",
      description: "Returns a broadcast with its current counts.",
      success: "The broadcast.",
      example: broadcastExample,
      problems: ["not_found"],
    },
  }).load((call) =>
    call.user === null
      ? call.store.read((tx) => viewBroadcast(tx, requireBroadcast(call, tx), call.workspace))
      : loadDetail(call),
  ),
  /** Takes it out of its schedule, and opens what it sends as a draft that changes it when it is sent. */
  "POST /w/{workspace}/broadcasts/{id}/change": endpoint({
    session: "broadcasts",
    params: broadcastPath,
    output: Data(Type.Object({ draft: Type.Integer() })),
  }).change((tx, call) => {
    const broadcast = requireChangeable(tx, call, requireBroadcast(call, tx).id);
    const draft = beginChange(tx, broadcast, call.user);
    const details = { id: broadcast.id, draft: draft.id };
    const audit = { action: "broadcast.begin-change", subject: broadcast.name, details };
    return { status: 201, data: { draft: draft.id }, audit };
  }),
  "POST /w/{workspace}/broadcasts/{id}/duplicate": endpoint({
    session: "broadcasts",
    params: broadcastPath,
    /** `gone`: what the broadcast had and the draft has not. */
    output: Data(
      Type.Object({
        draft: Type.Integer(),
        gone: Type.Array(OneOf(["recipients", "group", "file", "number"])),
      }),
    ),
  }).change((tx, call) => {
    const broadcast = requireBroadcast(call, tx);
    const { content, gone } = contentOf(tx, broadcast);
    const draft = createDraft(tx, call.workspace.id, call.user.id, content);
    const details = { id: broadcast.id, draft: draft.id };
    const audit = { action: "broadcast.duplicate", subject: broadcast.name, details };
    return { status: 201, data: { draft: draft.id, gone }, audit };
  }),
};

function viewCause({ status, error_code: code, outcome_unknown: isUnknown, reason, total }: Record<string, unknown>) {
  return {
    status: status === "skipped" ? ("skipped" as const) : ("failed" as const),
    code: code === null ? null : String(code),
    is_unknown: isUnknown === 1,
    reason: String(reason ?? code ?? "unknown reason"),
    count: Number(total),
  };
}

/** What the page says of a broadcast beside its counts. */
function viewState(tx: ReadTx, broadcast: Broadcast, { workspace, quiet }: WorkspaceCallWith<{ id: number }>) {
  const wait = currentWait(tx, broadcast, quiet) ?? quietStart(tx, broadcast, quiet);
  const first = firstOf(broadcast);
  const { groupId } = broadcast;
  return {
    wait: wait === null ? null : viewWait(wait, workspace.timezone),
    change_refusal: findChangeRefusal(tx, broadcast),
    change_draft: findChange(tx, broadcast)?.id ?? null,
    family: listFamily(tx, first)
      .filter((id) => id !== broadcast.id)
      .slice(0, FAMILY_SHOWN)
      .map((id) => ({ id, name: getBroadcast(tx, id).name, is_first: id === first })),
    category: broadcast.templateCategory,
    group: groupId === null ? null : { id: groupId, name: findGroup(tx, workspace.id, groupId)?.name ?? null },
    may_have_been_sent: nameUnknown(tx, broadcast),
  };
}

async function loadDetail(call: WorkspaceCallWith<{ id: number }>) {
  const { store, reader, workspace } = call;
  // Read before the causes: a page that sees the end asks no more for a minute, so it must see all causes with it.
  const [broadcast, view] = store.read((tx) => {
    const found = requireBroadcast(call, tx);
    return [found, { ...viewBroadcast(tx, found, workspace), ...viewState(tx, found, call) }] as const;
  });
  const causes = await reader.query(countCausesSql, [broadcast.id]);
  const unknownQuery = countOutcomeQuery(broadcast, { outcomes: ["unknown"] });
  const [unknown] = await reader.query(unknownQuery.sql, unknownQuery.parameters);
  const [inDoubt] = await reader.query(countInDoubtSql, [broadcast.id]);
  return {
    ...view,
    // Dispatched, and the outcome is still open: neither sent nor failed.
    in_doubt: Number(inDoubt?.total ?? 0),
    // Of the failed ones, those whose outcome is unknown.
    unknown: Number(unknown?.total ?? 0),
    causes: causes.map(viewCause),
  };
}
