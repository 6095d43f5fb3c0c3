/**
 * Drafts of broadcasts in the wizard. A draft is the body of `POST /broadcasts` as far as it is filled in; the API's
 * own operations preview and send it. A draft acts as its own idempotency key: sending stores the broadcast's id in the
 * draft's row in the same transaction, and sending again returns that broadcast.
 */
import { Type } from "@sinclair/typebox";
import { formatInstant } from "#src/core/instant.ts";
import { notFound } from "#src/core/problem.ts";
import type { ReadWriteStore } from "#src/db/store.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import {
  createDraft,
  getDraft,
  listDrafts,
  markDraftSent,
  removeDraft,
  saveDraft,
} from "#src/domain/broadcasts/drafts.ts";
import { findBroadcast } from "#src/domain/broadcasts/read.ts";
import type { Draft } from "#src/domain/broadcasts/table.ts";
import { viewBroadcast } from "#src/domain/broadcasts/view.ts";
import { recordAudit } from "#src/domain/users/audit-log.ts";
import { acceptBroadcastRequest } from "../../api/accept-broadcast.ts";
import { readBroadcast } from "../../api/broadcast-body.ts";
import { previewBroadcastEndpoint } from "../../api/routes/broadcasts.ts";
import { type Answer, answerData, requireId } from "../../endpoint.ts";
import { type ConsoleRoute, change, Refusal, type WorkspaceCall } from "../route.ts";
import { previewValues } from "./draft-values.ts";

const strict = { additionalProperties: false };
const Value = Type.Union([
  Type.String({ maxLength: 1_024 }),
  Type.Object(
    { field: Type.String({ maxLength: 191 }), fallback: Type.Optional(Type.String({ maxLength: 1_024 })) },
    strict,
  ),
]);
const Values = Type.Array(Value, { maxItems: 100 });

/** Accepts incomplete content; the API checks the complete body when the draft is reviewed. */
const Content = Type.Object(
  {
    name: Type.Optional(Type.String({ maxLength: 191 })),
    template: Type.Optional(Type.String({ maxLength: 512 })),
    language: Type.Optional(Type.String({ maxLength: 20 })),
    from: Type.Optional(Type.String({ maxLength: 30 })),
    group: Type.Optional(Type.Integer()),
    to: Type.Optional(Type.Array(Type.String({ maxLength: 64 }), { maxItems: 1_000 })),
    variables: Type.Optional(Type.Object({ header: Values, body: Values }, strict)),
    media: Type.Optional(
      Type.Object(
        { link: Type.String({ maxLength: 2_048 }), filename: Type.Optional(Type.String({ maxLength: 240 })) },
        strict,
      ),
    ),
    send_at: Type.Optional(Type.String({ maxLength: 40 })),
  },
  strict,
);

export const draftRoutes: readonly ConsoleRoute[] = [
  {
    method: "GET",
    path: "/w/{workspace}/drafts",
    needs: "member",
    handle: (call) =>
      call.store.read((tx) =>
        answerData(
          200,
          listDrafts(tx, call.workspace.id).map((draft) => viewDraft(draft, call)),
        ),
      ),
  },
  {
    method: "POST",
    path: "/w/{workspace}/drafts",
    needs: "member",
    body: Content,
    handle: (call) =>
      change(call, (tx) => {
        const draft = createDraft(tx, call.workspace.id, call.user.id, call.body);
        const audit = { action: "broadcast.draft", subject: nameOf(draft), details: { draft: draft.id } };
        return { status: 201, data: viewDraft(draft, call), audit };
      }),
  },
  {
    method: "GET",
    path: "/w/{workspace}/drafts/{id}",
    needs: "member",
    handle: (call) => call.store.read((tx) => answerData(200, viewDraft(requireDraft(call, tx), call))),
  },
  {
    method: "PUT",
    path: "/w/{workspace}/drafts/{id}",
    needs: "member",
    body: Content,
    handle: (call) =>
      // Called at every step. Only creating, sending and discarding a draft are audited.
      change(call, (tx) => {
        const draft = saveDraft(tx, requireDraft(call, tx), call.body);
        return { status: 200, data: viewDraft(draft, call), audit: null };
      }),
  },
  {
    method: "DELETE",
    path: "/w/{workspace}/drafts/{id}",
    needs: "member",
    handle: (call) =>
      change(call, (tx) => {
        const draft = requireDraft(call, tx);
        removeDraft(tx, draft);
        const audit = { action: "broadcast.discard-draft", subject: nameOf(draft), details: { draft: draft.id } };
        return { status: 200, data: {}, audit };
      }),
  },
  {
    method: "GET",
    path: "/w/{workspace}/drafts/{id}/values",
    needs: "member",
    handle: async (call) => {
      const { content } = call.store.read((tx) => requireDraft(call, tx));
      return answerData(200, await previewValues(call, content));
    },
  },
  {
    method: "POST",
    path: "/w/{workspace}/drafts/{id}/check",
    needs: "member",
    // Changes nothing. A form key would only store an outdated review.
    handle: (call) =>
      reviewDraft(
        call,
        call.store.read((tx) => requireDraft(call, tx)),
      ),
  },
  {
    method: "POST",
    path: "/w/{workspace}/drafts/{id}/send",
    needs: "member",
    body: Type.Object({ reached: Type.Integer(), amount: Type.Union([Type.String(), Type.Null()]) }, strict),
    handle: sendDraft,
  },
];

interface Review {
  reached: number;
  cost: { amount: string } | null;
}

async function reviewDraft(call: WorkspaceCall, { content }: Draft): Promise<Answer> {
  const body = toRequestBody(content);
  return previewBroadcastEndpoint.handle({ ...call, body, caller: { user: call.user.id } });
}

/** The draft as a request body. The API requires a name, so an unnamed draft gets the template's name. */
function toRequestBody(content: Draft["content"]): Record<string, unknown> {
  const { name, template, ...rest } = content;
  const trimmed = typeof name === "string" ? name.trim() : "";
  return { name: trimmed === "" ? String(template ?? "") : trimmed, template: template ?? "", ...rest };
}

/** Sends what the review showed, or refuses if it has changed. */
async function sendDraft(call: WorkspaceCall): Promise<Answer> {
  const { store, workspace, user, address, body } = call;
  const draft = store.read((tx) => requireDraft(call, tx));
  if (draft.broadcastId !== null) return answerSent(call, draft.broadcastId);
  const review = JSON.parse((await reviewDraft(call, draft)).body) as { data: Review };
  const amount = review.data.cost?.amount ?? null;
  if (review.data.reached !== body.reached || amount !== body.amount) throw changedRefusal();
  const content = toRequestBody(draft.content);
  const input = readBroadcast(content, workspace.timezone);
  let sentBroadcastId: number | null = null;
  const auditedStore: ReadWriteStore = {
    read: (query) => store.read(query),
    waitForOtherWriters: () => store.waitForOtherWriters(),
    write: (operation) =>
      store.write((tx) => {
        sentBroadcastId = null;
        const current = requireDraft(call, tx);
        if (current.broadcastId !== null) {
          sentBroadcastId = current.broadcastId;
          throw new AlreadySent();
        }
        // Another tab may have changed the draft since the review.
        if (JSON.stringify(current.content) !== JSON.stringify(draft.content)) throw changedRefusal();
        const result = operation(tx);
        const created = readCreated(result);
        if (created === null) return result;
        if ("to" in input.audience && created.requested - created.skipped.length !== body.reached)
          throw changedRefusal();
        markDraftSent(tx, current, created.id);
        const audit = {
          action: "broadcast.create",
          subject: input.name,
          details: { id: created.id, draft: current.id },
        };
        recordAudit(tx, { userId: user.id, address }, { workspaceId: workspace.id, ...audit });
        return result;
      }),
  };
  try {
    return await acceptBroadcastRequest({ ...call, store: auditedStore, caller: { user: user.id } }, input, null);
  } catch (error) {
    if (error instanceof AlreadySent && sentBroadcastId !== null) return answerSent(call, sentBroadcastId);
    throw error;
  }
}

/** The draft was already sent, by a concurrent request. */
class AlreadySent extends Error {}

function changedRefusal(): Refusal {
  return new Refusal(409, "changed", "Something has changed since your review. Nothing was sent. Review it again.");
}

function readCreated(result: unknown): { id: number; requested: number; skipped: unknown[] } | null {
  const answer = result as Answer | null;
  if (answer === null || typeof answer !== "object" || !("body" in answer) || answer.status !== 202) return null;
  return (JSON.parse(answer.body) as { data: { id: number; requested: number; skipped: unknown[] } }).data;
}

function answerSent({ store, workspace }: WorkspaceCall, id: number): Answer {
  return store.read((tx) => {
    const broadcast = findBroadcast(tx, workspace.id, id);
    if (broadcast === undefined) throw notFound("broadcast");
    const data = viewBroadcast(tx, broadcast, workspace);
    return { ...answerData(202, data), headers: { "idempotent-replayed": "true" } };
  });
}

/** Throws `not_found`. */
function requireDraft({ workspace, path }: WorkspaceCall, tx: ReadTx): Draft {
  return getDraft(tx, workspace.id, requireId(path.id, "draft"));
}

function viewDraft(draft: Draft, { workspace }: WorkspaceCall) {
  return {
    id: draft.id,
    content: draft.content,
    broadcast_id: draft.broadcastId,
    updated_at: formatInstant(draft.updatedAt, workspace.timezone),
  };
}

function nameOf({ content: { name, template } }: Draft): string {
  return String(name ?? "").trim() || String(template ?? "");
}
