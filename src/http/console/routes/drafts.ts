/**
 * Drafts of broadcasts in the wizard. A draft is the body of `POST /broadcasts` as far as it is filled in; the same
 * operations as the API's preview and send it. A draft acts as its own idempotency key: sending stores the broadcast's id in the
 * draft's row in the same transaction, and sending again returns that broadcast.
 */
import { Type } from "@sinclair/typebox";
import { formatInstant } from "#src/core/instant.ts";
import { notFound } from "#src/core/problem.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import {
  createDraft,
  getDraft,
  listDrafts,
  markDraftSent,
  removeDraft,
  saveDraft,
} from "#src/domain/broadcasts/drafts.ts";
import type { BroadcastInput } from "#src/domain/broadcasts/plan.ts";
import { findBroadcast } from "#src/domain/broadcasts/read.ts";
import { sendBroadcast } from "#src/domain/broadcasts/send.ts";
import type { Draft } from "#src/domain/broadcasts/table.ts";
import { viewBroadcast, viewCreated } from "#src/domain/broadcasts/view.ts";
import { readBroadcast } from "../../bodies/broadcast-body.ts";
import { countAudience, previewBroadcast } from "../../broadcast-audience.ts";
import { type Answer, answerData, requireId } from "../../endpoint.ts";
import { type ChangeResult, type ConsoleRoute, change, Refusal, type WorkspaceCall } from "../route.ts";
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
    handle: async (call) => {
      const input = readDraft(
        call,
        call.store.read((tx) => requireDraft(call, tx)),
      );
      return answerData(200, await previewBroadcast(call, call.workspace.id, input));
    },
  },
  {
    method: "POST",
    path: "/w/{workspace}/drafts/{id}/send",
    needs: "member",
    body: Type.Object({ reached: Type.Integer(), amount: Type.Union([Type.String(), Type.Null()]) }, strict),
    handle: sendDraft,
  },
];

/** Reads the draft as a complete broadcast. A broadcast needs a name, so an unnamed draft gets the template's. */
function readDraft({ workspace }: WorkspaceCall, { content }: Draft): BroadcastInput {
  const { name, template, ...rest } = content;
  const trimmed = typeof name === "string" ? name.trim() : "";
  const body = { name: trimmed === "" ? String(template ?? "") : trimmed, template: template ?? "", ...rest };
  return readBroadcast(body, workspace.timezone);
}

/** Sends what the review showed, or refuses if it has changed. */
async function sendDraft(call: WorkspaceCall): Promise<Answer> {
  const { store, workspace, user, dispatch, body } = call;
  const draft = store.read((tx) => requireDraft(call, tx));
  if (draft.broadcastId !== null) {
    const { broadcastId } = draft;
    return change({ ...call, form: null }, (tx) => viewSent(tx, call, broadcastId));
  }
  const input = readDraft(call, draft);
  const { reached, cost } = await previewBroadcast(call, workspace.id, input);
  if (reached !== body.reached || (cost?.amount ?? null) !== body.amount) throw changedRefusal();
  const audienceSize = await countAudience(call, workspace.id, input);
  const { instanceId } = dispatch;
  const request = { workspaceId: workspace.id, input, instanceId, audienceSize, evidence: { user: user.id } };
  // The draft is its own key: it outlasts the form's.
  return change({ ...call, form: null }, (tx) => {
    const current = requireDraft(call, tx);
    if (current.broadcastId !== null) return viewSent(tx, call, current.broadcastId);
    // Another tab may have changed the draft since the review.
    if (JSON.stringify(current.content) !== JSON.stringify(draft.content)) throw changedRefusal();
    const { broadcast, skipped } = sendBroadcast(tx, request);
    if ("to" in input.audience && broadcast.requested - skipped.length !== body.reached) throw changedRefusal();
    markDraftSent(tx, current, broadcast.id);
    const audit = {
      action: "broadcast.create",
      subject: input.name,
      details: { id: broadcast.id, draft: current.id },
    };
    return { status: 202, data: viewCreated(tx, broadcast, skipped, workspace), audit };
  });
}

function changedRefusal(): Refusal {
  return new Refusal(409, "changed", "Something has changed since your review. Nothing was sent. Review it again.");
}

/** The broadcast that the draft has become, for a second click. */
function viewSent(tx: ReadTx, { workspace }: WorkspaceCall, broadcastId: number): ChangeResult {
  const broadcast = findBroadcast(tx, workspace.id, broadcastId);
  if (broadcast === undefined) throw notFound("broadcast");
  const headers = { "idempotent-replayed": "true" };
  return { status: 202, data: viewBroadcast(tx, broadcast, workspace), audit: null, headers };
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
