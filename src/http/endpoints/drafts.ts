/**
 * Drafts of broadcasts in the wizard. A draft is the body of `POST /broadcasts` as far as it is filled in; the same
 * operations as the API's preview and send it. A draft acts as its own idempotency key: sending stores the broadcast's id in the
 * draft's row in the same transaction, and sending again returns that broadcast. A draft that changes a broadcast writes over it in
 * that transaction, if it has sent nothing by then.
 */
import { type Static, Type } from "@sinclair/typebox";
import { invalidRequest, notFound } from "#src/core/problem.ts";
import { Form, Instant, Nullable, OneOf } from "#src/core/schema.ts";
import { trimShown } from "#src/core/shown-text.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import { emptyForChange, endChange, findChangeRefusal } from "#src/domain/broadcasts/change.ts";
import {
  createDraft,
  detachDraft,
  getDraft,
  listDrafts,
  markDraftSent,
  removeDraft,
  saveDraft,
} from "#src/domain/broadcasts/drafts.ts";
import type { BroadcastInput } from "#src/domain/broadcasts/plan.ts";
import { findBroadcast } from "#src/domain/broadcasts/read.ts";
import { BroadcastView, CreatedBroadcastView, PreviewView } from "#src/domain/broadcasts/schema.ts";
import { sendBroadcast } from "#src/domain/broadcasts/send.ts";
import type { Broadcast, Draft } from "#src/domain/broadcasts/table.ts";
import { viewBroadcast, viewCreated } from "#src/domain/broadcasts/view.ts";
import { templateCategories } from "#src/domain/templates/template.ts";
import { readBroadcast } from "../bodies/broadcast.ts";
import { countAudience, previewBroadcast, reviewBroadcast } from "../broadcast-audience.ts";
import { timesOf } from "../times.ts";
import { viewWait, WaitView } from "./broadcast-waits.ts";
import { type ChangeResult, change, Refusal, type WorkspaceCall, type WorkspaceCallWith } from "./call.ts";
import { previewValues } from "./draft-values.ts";
import { Data, Empty, endpoint, Id } from "./endpoint.ts";
import { OptionalCount, OptionalText, OptionalTime } from "./fragments.ts";
import { show } from "./show.ts";

const Value = Type.Union([
  Type.String({ maxLength: 1_024 }),
  Form({ field: Type.String({ maxLength: 191 }), fallback: Type.Optional(Type.String({ maxLength: 1_024 })) }),
]);

const Values = Type.Array(Value, { maxItems: 100 });
const ButtonValues = Type.Array(Nullable(Value), { maxItems: 10 });
const Label = Type.String({ maxLength: 1_000 });
/** A file that is linked, or an upload. */
const File = {
  link: Type.Optional(Type.String({ maxLength: 2_048 })),
  id: Type.Optional(Type.Integer()),
};

/** Accepts incomplete content; the API checks the complete body when the draft is reviewed. */
const Content = Form({
  name: Type.Optional(Type.String({ maxLength: 191 })),
  template: Type.Optional(Type.String({ maxLength: 512 })),
  language: Type.Optional(Type.String({ maxLength: 20 })),
  from: Type.Optional(Type.String({ maxLength: 30 })),
  group: Type.Optional(Type.Integer()),
  to: Type.Optional(Type.Array(Type.String({ maxLength: 64 }), { maxItems: 1_000 })),
  variables: Type.Optional(Form({ header: Values, body: Values, buttons: Type.Optional(ButtonValues) })),
  media: Type.Optional(Form({ ...File, filename: Type.Optional(Type.String({ maxLength: 240 })) })),
  location: Type.Optional(
    Form({
      latitude: Type.Number(),
      longitude: Type.Number(),
      name: Type.Optional(Label),
      address: Type.Optional(Label),
    }),
  ),
  offer_expires_at: Type.Optional(Type.String({ maxLength: 40 })),
  products: Type.Optional(
    Form({
      catalog_id: Type.Optional(Label),
      thumbnail: Type.Optional(Label),
      sections: Type.Optional(
        Type.Array(Form({ title: Type.Optional(Label), items: Type.Array(Label, { maxItems: 30 }) }), { maxItems: 10 }),
      ),
    }),
  ),
  cards: Type.Optional(
    Type.Array(
      Form({
        media: Type.Optional(Form(File)),
        product: Type.Optional(Label),
        body: Type.Optional(
          Type.Union([Values, Type.Record(Type.String({ maxLength: 100 }), Value, { maxProperties: 100 })]),
        ),
        buttons: Type.Optional(ButtonValues),
      }),
      { maxItems: 10 },
    ),
  ),
  send_at: Type.Optional(Type.String({ maxLength: 40 })),
});

const DraftView = Type.Object({
  id: Type.Integer(),
  content: Content,
  /** The broadcast that the draft became; null if it was not sent. */
  broadcast_id: OptionalCount,
  /** The broadcast that sending the draft changes, and why that is no longer possible; null: it becomes a new one. */
  changes: Nullable(
    Type.Object({ id: Type.Integer(), name: Type.String(), send_at: OptionalTime, refusal: OptionalText }),
  ),
  /** The broadcast that it repeats for those who failed; null: none. */
  again_of: OptionalCount,
  updated_at: Instant(),
});

/** The preview of the API, and what a person is told beside it. */
const ReviewView = Type.Object({
  ...PreviewView.properties,
  waits: Type.Array(WaitView),
  /** What Meta bills by. `countries`: how many people, by the calling code of their numbers; null: not counted. */
  bill: Type.Object({
    category: OneOf(templateCategories),
    /** The number is simulated, so no one bills. */
    is_simulated: Type.Boolean(),
    countries: Nullable(Type.Array(Type.Object({ code: OptionalText, people: Type.Integer() }))),
  }),
});

/** The rendered text for one recipient. Null: a value is missing and the recipient is skipped. */
const ExampleView = Type.Object({
  to: Type.String(),
  name: OptionalText,
  text: OptionalText,
  missing: OptionalText,
  header: Type.Array(Type.String()),
  body: Type.Array(Type.String()),
  buttons: Type.Array(OptionalText),
  cards: Type.Array(Type.Object({ body: Type.Array(Type.String()), buttons: Type.Array(OptionalText) })),
});

const draft = { id: Id("draft") };

const ofDraft = { session: "broadcasts", params: draft, output: Data(DraftView) } as const;

export const draftEndpoints = {
  "GET /w/{workspace}/drafts": endpoint({ session: "broadcasts", output: Data(Type.Array(DraftView)) }).read(
    (tx, call) => listDrafts(tx, call.workspace.id).map((draft) => viewDraft(tx, draft, call)),
  ),
  "POST /w/{workspace}/drafts": endpoint({ session: "broadcasts", body: Content, output: Data(DraftView) }).change(
    (tx, call) => {
      const draft = createDraft(tx, call.workspace.id, call.user.id, call.body);
      const audit = { action: "broadcast.draft", subject: nameOf(draft), details: { draft: draft.id } };
      return { status: 201, data: viewDraft(tx, draft, call), audit };
    },
  ),
  "GET /w/{workspace}/drafts/{id}": endpoint(ofDraft).read((tx, call) => viewDraft(tx, requireDraft(call, tx), call)),
  "PUT /w/{workspace}/drafts/{id}": endpoint({ ...ofDraft, body: Content }).change((tx, call) => {
    const draft = saveDraft(tx, requireDraft(call, tx), call.body);
    return { status: 200, data: viewDraft(tx, draft, call), audit: null };
  }),
  "DELETE /w/{workspace}/drafts/{id}": endpoint({ session: "broadcasts", params: draft, output: Data(Empty) }).change(
    (tx, call) => {
      const draft = requireDraft(call, tx);
      removeDraft(tx, draft);
      // A broadcast that it was changing is put back.
      if (draft.broadcastId === null) endChange(tx, draft);
      const audit = { action: "broadcast.discard-draft", subject: nameOf(draft), details: { draft: draft.id } };
      return { status: 200, data: {}, audit };
    },
  ),
  /** The draft becomes a new broadcast in place of changing one, which has started or is gone. */
  "POST /w/{workspace}/drafts/{id}/detach": endpoint(ofDraft).change((tx, call) => {
    const draft = requireDraft(call, tx);
    const changed = draft.changesId === null ? undefined : findBroadcast(tx, call.workspace.id, draft.changesId);
    if (changed !== undefined && findChangeRefusal(tx, changed) === null)
      throw invalidRequest({ draft: ["The broadcast can still be changed. Discard the draft to leave it as it is."] });
    const audit = { action: "broadcast.detach-draft", subject: nameOf(draft), details: { draft: draft.id } };
    return { status: 200, data: viewDraft(tx, detachDraft(tx, draft), call), audit };
  }),
  "GET /w/{workspace}/drafts/{id}/values": endpoint({
    session: "broadcasts",
    params: draft,
    /** `missing`: how many recipients lack each field that a value uses. */
    output: Data(
      Type.Object({
        examples: Type.Array(ExampleView),
        missing: Type.Record(Type.String(), Type.Integer()),
      }),
    ),
  }).load(async (call) => {
    const { content } = call.store.read((tx) => requireDraft(call, tx));
    return await previewValues(call, content);
  }),
  // Changes nothing. A form key would only store an outdated review.
  "POST /w/{workspace}/drafts/{id}/check": endpoint({
    session: "broadcasts",
    params: draft,
    output: Data(ReviewView),
  }).load(async (call) => {
    const draft = call.store.read((tx) => requireDraft(call, tx));
    const review = await reviewBroadcast(call, call.workspace.id, readDraft(call, draft), draft);
    const { plan, preview, waits, billed } = review;
    const { timezone } = call.workspace;
    return {
      ...preview,
      waits: waits.map((wait) => viewWait(wait, timezone)),
      bill: {
        category: plan.template.category,
        is_simulated: plan.sender.network === "simulator",
        countries: billed,
      },
    };
  }),
  /** Sends what the review showed, or refuses if it has changed. */
  "POST /w/{workspace}/drafts/{id}/send": endpoint({
    session: "broadcasts",
    params: draft,
    /** What the review showed. */
    body: Form({ reached: Type.Integer(), amount: Nullable(Type.String()) }),
    /** A draft that was sent before answers with its broadcast. */
    output: Data(Type.Union([CreatedBroadcastView, BroadcastView])),
  }).answer(async (call) => {
    const { store, workspace, user, dispatch, body } = call;
    const draft = store.read((tx) => requireDraft(call, tx));
    if (draft.broadcastId !== null) {
      const { broadcastId } = draft;
      return change({ ...call, form: null }, (tx) => viewSent(tx, call, broadcastId));
    }
    const input = readDraft(call, draft);
    const { reached, cost } = await previewBroadcast(call, workspace.id, input, draft);
    if (reached !== body.reached || (cost?.amount ?? null) !== body.amount) throw changedRefusal();
    const audienceSize = await countAudience(call, workspace.id, input);
    const { instanceId } = dispatch;
    const { againOf, isAgainUnknown } = draft;
    const again = { againOf, isAgainUnknown };
    const request = { workspaceId: workspace.id, input, instanceId, audienceSize, evidence: { user: user.id }, again };
    // The draft is its own key: it outlasts the form's.
    return change({ ...call, form: null }, (tx) => {
      const current = requireDraft(call, tx);
      if (current.broadcastId !== null) return viewSent(tx, call, current.broadcastId);
      // Another tab may have changed the draft since the review.
      if (JSON.stringify(current.content) !== JSON.stringify(draft.content)) throw changedRefusal();
      const changed = current.changesId === null ? null : requireChangeable(tx, call, current.changesId);
      const changes = changed === null ? {} : { changes: emptyForChange(tx, changed) };
      const { broadcast, skipped } = sendBroadcast(tx, { ...request, ...changes });
      if ("to" in input.audience && broadcast.requested - skipped.length !== body.reached) throw changedRefusal();
      markDraftSent(tx, current, broadcast.id);
      const audit = {
        action: changed === null ? "broadcast.create" : "broadcast.change",
        subject: input.name,
        details: { id: broadcast.id, draft: current.id },
      };
      return { status: 202, data: viewCreated(tx, broadcast, skipped, workspace), audit };
    });
  }),
};

/** Reads the draft as a complete broadcast. A broadcast needs a name, so an unnamed draft gets the template's. */
function readDraft({ workspace }: WorkspaceCall, { content }: Draft): BroadcastInput {
  const { name, template, ...rest } = content;
  const trimmed = typeof name === "string" ? trimShown(name) : "";
  const body = { name: trimmed === "" ? String(template ?? "") : trimmed, template: template ?? "", ...rest };
  return readBroadcast(body, workspace.timezone);
}

function changedRefusal(): Refusal {
  return new Refusal(409, "changed", "Something has changed since your review. Nothing was sent. Review it again.");
}

/** The broadcast to change. Throws `not_changeable` once it has sent, and what it was to send is then as it was. */
export function requireChangeable(tx: ReadTx, { workspace }: WorkspaceCall, id: number): Broadcast {
  const broadcast = findBroadcast(tx, workspace.id, id);
  if (broadcast === undefined) throw notFound("broadcast");
  const refusal = findChangeRefusal(tx, broadcast);
  if (refusal !== null) throw new Refusal(409, "not_changeable", refusal);
  return broadcast;
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

function viewDraft(tx: ReadTx, draft: Draft, { workspace }: WorkspaceCall): Static<typeof DraftView> {
  const times = timesOf(workspace);
  const changed = draft.changesId === null ? undefined : findBroadcast(tx, workspace.id, draft.changesId);
  const refusal = changed === undefined || draft.broadcastId !== null ? null : findChangeRefusal(tx, changed);
  const changes =
    changed === undefined ? null : { id: changed.id, name: changed.name, send_at: times(changed.sendAt), refusal };
  return show(DraftView, draft, times, { changes });
}

function nameOf({ content: { name, template } }: Draft): string {
  return trimShown(String(name ?? "")) || String(template ?? "");
}
