/**
 * Drafts of broadcasts in the wizard. A draft is the body of `POST /broadcasts` as far as it is filled in; the same
 * operations as the API's preview and send it. A draft acts as its own idempotency key: sending stores the broadcast's id in the
 * draft's row in the same transaction, and sending again returns that broadcast.
 */
import type { Static } from "@sinclair/typebox";
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
import type { BroadcastView } from "#src/domain/broadcasts/schema.ts";
import { sendBroadcast } from "#src/domain/broadcasts/send.ts";
import type { Draft } from "#src/domain/broadcasts/table.ts";
import { viewBroadcast, viewCreated } from "#src/domain/broadcasts/view.ts";
import { readBroadcast } from "../../bodies/broadcast-body.ts";
import { countAudience, previewBroadcast } from "../../broadcast-audience.ts";
import { answerData } from "../../endpoint.ts";
import { type DraftView, draftContract } from "../contract/broadcasts.ts";
import {
  attachHandlers,
  type CallOf,
  type ChangeResult,
  change,
  Refusal,
  type WorkspaceCall,
  type WorkspaceCallWith,
} from "../route.ts";
import { previewValues } from "./draft-values.ts";

export const draftRoutes = attachHandlers(draftContract, {
  "GET /w/{workspace}/drafts": (call) =>
    call.store.read((tx) =>
      answerData(
        200,
        listDrafts(tx, call.workspace.id).map((draft) => viewDraft(draft, call)),
      ),
    ),
  "POST /w/{workspace}/drafts": (call) =>
    change(call, (tx) => {
      const draft = createDraft(tx, call.workspace.id, call.user.id, call.body);
      const audit = { action: "broadcast.draft", subject: nameOf(draft), details: { draft: draft.id } };
      return { status: 201, data: viewDraft(draft, call), audit };
    }),
  "GET /w/{workspace}/drafts/{id}": (call) =>
    call.store.read((tx) => answerData(200, viewDraft(requireDraft(call, tx), call))),
  "PUT /w/{workspace}/drafts/{id}": (call) =>
    // Called at every step. Only creating, sending and discarding a draft are audited.
    change(call, (tx) => {
      const draft = saveDraft(tx, requireDraft(call, tx), call.body);
      return { status: 200, data: viewDraft(draft, call), audit: null };
    }),
  "DELETE /w/{workspace}/drafts/{id}": (call) =>
    change(call, (tx) => {
      const draft = requireDraft(call, tx);
      removeDraft(tx, draft);
      const audit = { action: "broadcast.discard-draft", subject: nameOf(draft), details: { draft: draft.id } };
      return { status: 200, data: {}, audit };
    }),
  "GET /w/{workspace}/drafts/{id}/values": async (call) => {
    const { content } = call.store.read((tx) => requireDraft(call, tx));
    return answerData(200, await previewValues(call, content));
  },
  // Changes nothing. A form key would only store an outdated review.
  "POST /w/{workspace}/drafts/{id}/check": async (call) => {
    const input = readDraft(
      call,
      call.store.read((tx) => requireDraft(call, tx)),
    );
    return answerData(200, await previewBroadcast(call, call.workspace.id, input));
  },
  "POST /w/{workspace}/drafts/{id}/send": sendDraft,
});

/** Reads the draft as a complete broadcast. A broadcast needs a name, so an unnamed draft gets the template's. */
function readDraft({ workspace }: WorkspaceCall, { content }: Draft): BroadcastInput {
  const { name, template, ...rest } = content;
  const trimmed = typeof name === "string" ? name.trim() : "";
  const body = { name: trimmed === "" ? String(template ?? "") : trimmed, template: template ?? "", ...rest };
  return readBroadcast(body, workspace.timezone);
}

/** Sends what the review showed, or refuses if it has changed. */
async function sendDraft(call: CallOf<(typeof draftContract)["POST /w/{workspace}/drafts/{id}/send"]>) {
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
function viewSent(
  tx: ReadTx,
  { workspace }: WorkspaceCall,
  broadcastId: number,
): ChangeResult<Static<typeof BroadcastView>> {
  const broadcast = findBroadcast(tx, workspace.id, broadcastId);
  if (broadcast === undefined) throw notFound("broadcast");
  const headers = { "idempotent-replayed": "true" };
  return { status: 202, data: viewBroadcast(tx, broadcast, workspace), audit: null, headers };
}

/** Throws `not_found`. */
function requireDraft({ workspace, path }: WorkspaceCallWith<{ id: number }>, tx: ReadTx): Draft {
  return getDraft(tx, workspace.id, path.id);
}

function viewDraft(draft: Draft, { workspace }: WorkspaceCall): Static<typeof DraftView> {
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
