/**
 * Sends a broadcast again to those who failed for certain, as a new draft. Also while it still sends: a failure is certain
 * once it is reported. Recipients whose outcome is unknown are asked for, and no person gets the
 * message twice from a family of broadcasts.
 */
import { Type } from "@sinclair/typebox";
import { invalidRequest } from "#src/core/problem.ts";
import { Form } from "#src/core/schema.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { firstOf } from "#src/domain/broadcasts/again.ts";
import type { RecipientOutcome } from "#src/domain/broadcasts/broadcast.ts";
import { contentOf } from "#src/domain/broadcasts/draft-content.ts";
import { createDraft } from "#src/domain/broadcasts/drafts.ts";
import { type Again, againOf, countPeopleQuery, recipientsQuery } from "#src/domain/broadcasts/recipient-filter.ts";
import type { Broadcast } from "#src/domain/broadcasts/table.ts";
import { findById } from "#src/domain/contacts/find.ts";
import { saveGroup } from "#src/domain/filters/save-group.ts";
import { findNameProblem } from "#src/domain/groups/create.ts";
import { GROUP_NAME_LENGTH_MAX } from "#src/domain/groups/group.ts";
import { getCounters } from "#src/domain/messages/adjust-counters.ts";
import { createBulkChange } from "#src/transfer/bulk-changes.ts";
import { type ChangeResult, change, Refusal, type WorkspaceCall } from "./call.ts";
import { Data, endpoint } from "./endpoint.ts";
import { OptionalCount, OptionalText } from "./fragments.ts";
import { argumentsOf, broadcastPath, queryRecipients, requireBroadcast } from "./recipients.ts";

/** A draft holds at most this many numbers; more become a group. */
const NUMBERS_MAX = 1_000;

export const sendAgainEndpoints = {
  "GET /w/{workspace}/broadcasts/{id}/again": endpoint({
    session: "broadcasts",
    params: broadcastPath,
    output: Data(
      Type.Object({
        failed: Type.Integer(),
        unknown: Type.Integer(),
        /** Of `failed`, those whose failure usually lasts. */
        lasting: Type.Integer(),
        /** Whose outcome is still open. */
        open: Type.Integer(),
        /** Failed, and reached by another broadcast that repeats this one, or about to be. */
        reached: Type.Integer(),
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
      open: call.store.read((tx) => countOpen(tx, broadcast)),
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
    body: Form({ with_unknown: Type.Boolean(), count: Type.Integer() }),
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
    const again = call.store.read((tx) => againOf(tx, broadcast, call.clock.now()));
    const recipients =
      total > NUMBERS_MAX
        ? []
        : await queryRecipients(call, recipientsQuery(broadcast, { outcomes, again }, 0, NUMBERS_MAX));
    return change(call, (tx): ChangeResult<{ draft: number; bulk: number | null }> => {
      const audit = {
        action: "broadcast.again",
        subject: broadcast.name,
        details: { id: broadcast.id, count: total, with_unknown: body.with_unknown },
      };
      const about = { againOf: firstOf(broadcast), isAgainUnknown: body.with_unknown };
      const draftFor = (audience: { to: readonly string[] } | { group: number }) => {
        const { content } = contentOf(tx, broadcast, { audience });
        const name = `${broadcast.name.slice(0, GROUP_NAME_LENGTH_MAX - 10)} – again`;
        return createDraft(tx, workspace.id, user.id, { ...content, name }, about).id;
      };
      if (total <= NUMBERS_MAX) {
        const to = recipients.flatMap(({ contactId }) => {
          const contact = findById(tx, workspace.id, contactId ?? 0);
          return contact?.phone ?? contact?.networkUserId ?? [];
        });
        return { status: 201, data: { draft: draftFor({ to }), bulk: null }, audit };
      }
      const group = saveGroup(tx, workspace.id, { name: freeName(tx, workspace.id, broadcast.name), filter: null });
      const target = { broadcast: broadcast.id, outcomes, isAgain: true } as const;
      const settings = { target, change: { addToGroup: group.id }, total, last: Number.MAX_SAFE_INTEGER };
      const job = createBulkChange(tx, workspace.id, user.id, settings);
      tx.afterCommit(() => call.bulk.start(job));
      return { status: 201, data: { draft: draftFor({ group: group.id }), bulk: job.id }, audit };
    });
  }),
};

function freeName(tx: Tx, workspaceId: number, broadcastName: string): string {
  const base = `${broadcastName.slice(0, GROUP_NAME_LENGTH_MAX - 20)} – failed`;
  for (let count = 1; ; count += 1) {
    const name = count === 1 ? base : `${base} ${count}`;
    if (findNameProblem(tx, workspaceId, name) === null || count === 1_000) return name;
  }
}

async function countFailed({ store, reader, clock }: WorkspaceCall, broadcast: Broadcast) {
  const ready = store.read((tx) => againOf(tx, broadcast, clock.now()));
  const count = async (outcome: RecipientOutcome, again?: Again): Promise<number> => {
    const [row] = await reader.query(...argumentsOf(countPeopleQuery(broadcast, { outcomes: [outcome], again })));
    return Number(row?.total ?? 0);
  };
  const [all, unreached, failed] = [
    await count("failed"),
    await count("failed", { ...ready, at: null }),
    await count("failed", ready),
  ];
  return {
    failed,
    unknown: await count("unknown", ready),
    lasting: await count("failed", { ...ready, isLasting: true }),
    waiting: unreached - failed,
    reached: all - unreached,
  };
}

/** Recipients who are still to be sent to, or whose message is under way. */
function countOpen(tx: ReadTx, { id }: Broadcast): number {
  const { pending, sending, sent, delivered } = getCounters(tx, id);
  return pending + sending + sent - delivered;
}

/** Null: sending again is possible. A failure is certain once it is reported, also while the broadcast still sends. */
function findSendAgainRefusal({ purgedAt, dayStartsAt }: Broadcast): Refusal | null {
  const refuse = (sentence: string) => new Refusal(409, "not_again", sentence);
  if (purgedAt !== null) return refuse("Its recipients have been deleted.");
  if (dayStartsAt !== null) return refuse("Its messages were for a birthday that has passed.");
  return null;
}
