/** Broadcasts beyond the API: live counters, recipients by outcome, sending again, and drafts. */
import { Type } from "@sinclair/typebox";
import { Instant, Nullable, OneOf } from "#src/core/schema.ts";
import { recipientOutcomes } from "#src/domain/broadcasts/recipient-outcome.ts";
import { BroadcastView, CreatedBroadcastView, PreviewView, RecipientView } from "#src/domain/broadcasts/schema.ts";
import { CreateBroadcastBody } from "../../bodies/broadcast-schema.ts";
import { Data, declareRoutes, Empty, File, Id, ListOf, PageQuery, strict } from "./declare.ts";
import { OptionalCount, OptionalText, OptionalTime } from "./fragments.ts";

const id = Id("broadcast");

const BroadcastDetail = Type.Object({
  ...BroadcastView.properties,
  /** Dispatched, and the outcome is still open: neither sent nor failed. */
  in_doubt: Type.Integer(),
  /** Of the failed ones, those whose outcome is unknown. */
  unknown: Type.Integer(),
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

export const broadcastContract = declareRoutes({
  "GET /w/{workspace}/v1/broadcasts": { needs: "member", input: { query: PageQuery }, output: ListOf(BroadcastView) },
  "POST /w/{workspace}/v1/broadcasts": {
    needs: "member",
    input: { body: CreateBroadcastBody, checkedBy: "handler" },
    output: Data(CreatedBroadcastView),
  },
  "POST /w/{workspace}/v1/broadcasts/{id}/cancel": {
    needs: "member",
    input: { path: { id } },
    output: Data(BroadcastView),
  },
  "GET /w/{workspace}/broadcasts/{id}": { needs: "member", input: { path: { id } }, output: Data(BroadcastDetail) },
  "GET /w/{workspace}/broadcasts/{id}/live": {
    needs: "member",
    input: { path: { id } },
    /** Events called `broadcast`, each with the API's JSON of a broadcast. */
    output: File("text/event-stream; charset=utf-8"),
  },
  "POST /w/{workspace}/broadcasts/{id}/pause": {
    needs: "member",
    input: { path: { id } },
    output: Data(BroadcastView),
  },
  "POST /w/{workspace}/broadcasts/{id}/resume": {
    needs: "member",
    input: { path: { id } },
    output: Data(BroadcastView),
  },
});

/** The API's fields, with the name, the error code, and whether the outcome is known. */
export const RecipientDetail = Type.Object({
  ...RecipientView.properties,
  id: Type.Integer(),
  name: OptionalText,
  code: OptionalText,
  failed_at: OptionalTime,
  /** Dispatched with an unknown outcome: neither sent nor failed. */
  is_unknown: Type.Boolean(),
});

const Outcome = { status: OneOf(recipientOutcomes) };

export const recipientContract = declareRoutes({
  "GET /w/{workspace}/broadcasts/{id}/recipients": {
    needs: "member",
    input: { path: { id }, query: { ...PageQuery, ...Outcome } },
    output: ListOf(RecipientDetail),
  },
  "GET /w/{workspace}/broadcasts/{id}/recipients/export": {
    needs: "member",
    input: { path: { id }, query: Outcome },
    output: File("text/csv; charset=utf-8"),
  },
  "GET /w/{workspace}/broadcasts/{id}/again": {
    needs: "member",
    input: { path: { id } },
    output: Data(
      Type.Object({
        failed: Type.Integer(),
        unknown: Type.Integer(),
        /** Why sending again is impossible; null if it is possible. */
        refusal: OptionalText,
      }),
    ),
  },
  "POST /w/{workspace}/broadcasts/{id}/again": {
    needs: "member",
    input: { path: { id }, body: Type.Object({ with_unknown: Type.Boolean(), count: Type.Integer() }, strict) },
    /** The new draft, and the bulk change that fills its group. */
    output: Data(Type.Object({ draft: Type.Integer(), bulk: OptionalCount })),
  },
});

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

export const DraftView = Type.Object({
  id: Type.Integer(),
  content: Content,
  /** The broadcast that the draft became; null if it was not sent. */
  broadcast_id: OptionalCount,
  updated_at: Instant(),
});

/** The rendered text for one recipient. Null: a value is missing and the recipient is skipped. */
const ExampleView = Type.Object({
  to: Type.String(),
  name: OptionalText,
  text: OptionalText,
  missing: OptionalText,
  header: Type.Array(Type.String()),
  body: Type.Array(Type.String()),
});

const draft = { id: Id("draft") };

export const draftContract = declareRoutes({
  "GET /w/{workspace}/drafts": { needs: "member", input: {}, output: Data(Type.Array(DraftView)) },
  "POST /w/{workspace}/drafts": { needs: "member", input: { body: Content }, output: Data(DraftView) },
  "GET /w/{workspace}/drafts/{id}": { needs: "member", input: { path: draft }, output: Data(DraftView) },
  "PUT /w/{workspace}/drafts/{id}": {
    needs: "member",
    input: { path: draft, body: Content },
    output: Data(DraftView),
  },
  "DELETE /w/{workspace}/drafts/{id}": { needs: "member", input: { path: draft }, output: Data(Empty) },
  "GET /w/{workspace}/drafts/{id}/values": {
    needs: "member",
    input: { path: draft },
    /** `missing`: how many recipients lack each field that a value uses. */
    output: Data(
      Type.Object({
        examples: Type.Array(ExampleView),
        missing: Type.Record(Type.String(), Type.Integer()),
      }),
    ),
  },
  "POST /w/{workspace}/drafts/{id}/check": { needs: "member", input: { path: draft }, output: Data(PreviewView) },
  "POST /w/{workspace}/drafts/{id}/send": {
    needs: "member",
    input: {
      path: draft,
      /** What the review showed. */
      body: Type.Object({ reached: Type.Integer(), amount: Nullable(Type.String()) }, strict),
    },
    /** A draft that was sent before answers with its broadcast. */
    output: Data(Type.Union([CreatedBroadcastView, BroadcastView])),
  },
});
