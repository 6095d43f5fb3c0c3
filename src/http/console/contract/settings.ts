/** Numbers, templates and the balance of a workspace. */
import { Type } from "@sinclair/typebox";
import { Instant, Nullable, OneOf } from "#src/core/schema.ts";
import { UsageView } from "#src/domain/messages/schema.ts";
import { TemplateView } from "#src/domain/templates/schema.ts";
import { templateStatuses } from "#src/domain/templates/template.ts";
import { buttonMeanings } from "#src/domain/workspaces/button-marks.ts";
import { Data, declareRoutes, Id, ListOf, PageQuery, strict } from "./declare.ts";
import { Finding, Network, OptionalCount, OptionalText, OptionalTime } from "./fragments.ts";

/** Contains neither the access token nor a callback address. */
export const NumberDetail = Type.Object({
  id: Type.Integer(),
  phone: Type.String(),
  name: Type.String(),
  network: Network,
  ready: Type.Boolean(),
  unready_reason: OptionalText,
  unready_by: Nullable(OneOf(["person", "network"])),
  throughput: Type.Integer(),
  account_id: Type.String(),
  phone_number_id: Type.String(),
  created_at: Instant(),
  /** What the network says about the number, in its own values. */
  state: Nullable(
    Type.Object({
      status: OptionalText,
      verified_name: OptionalText,
      quality: OptionalText,
      messaging_limit: OptionalText,
      warning: OptionalText,
      checked_at: OptionalTime,
    }),
  ),
  /** The history of the phone that shares the number: how much has arrived, or that its owner declined to share it. */
  history: Nullable(
    Type.Object({
      progress: OptionalCount,
      declined: Nullable(Type.Object({ code: Type.String(), reason: OptionalText })),
      updated_at: Instant(),
    }),
  ),
  sync: Nullable(Type.Object({ succeeded_at: OptionalTime, error: OptionalText })),
  /** Null: callbacks need a signature. */
  unsigned_callbacks: Nullable(
    Type.Object({
      created_at: Instant(),
      /** To the hour. Null: the address was never called. */
      used_at: OptionalTime,
      /** Whether the provider sends the header, which is required since. */
      needs_header: Type.Boolean(),
      /** Until when the address before it works; null if there is none. */
      old_until: OptionalTime,
    }),
  ),
});

const number = { id: Id("number") };

export const numberContract = declareRoutes({
  "GET /w/{workspace}/numbers": { needs: "member", input: {}, output: Data(Type.Array(NumberDetail)) },
  "POST /w/{workspace}/numbers": {
    needs: "owner",
    // Simulator numbers only: a real number needs a token, which belongs in a file on the server.
    input: {
      body: Type.Object({ phone: Type.String({ maxLength: 64 }), name: Type.String({ maxLength: 1_000 }) }, strict),
    },
    output: Data(NumberDetail),
  },
  "PUT /w/{workspace}/numbers/{id}": {
    needs: "owner",
    input: {
      path: number,
      body: Type.Object({ name: Type.String({ maxLength: 1_000 }), throughput: Type.Integer() }, strict),
    },
    output: Data(NumberDetail),
  },
  "POST /w/{workspace}/numbers/{id}/ready": { needs: "owner", input: { path: number }, output: Data(NumberDetail) },
  "POST /w/{workspace}/numbers/{id}/unready": {
    needs: "owner",
    input: { path: number, body: Type.Object({ reason: Type.String({ maxLength: 300 }) }, strict) },
    output: Data(NumberDetail),
  },
  "POST /w/{workspace}/numbers/{id}/sync": { needs: "owner", input: { path: number }, output: Data(NumberDetail) },
  "POST /w/{workspace}/numbers/{id}/callback-address": {
    needs: "operator",
    input: { path: number },
    /** Shown once: a repeated form gets neither. `address`: without a host if the server does not know its own. */
    output: Data(Type.Object({ address: OptionalText, header: Type.String(), secret: OptionalText })),
  },
  "DELETE /w/{workspace}/numbers/{id}/callback-address": {
    needs: "operator",
    input: { path: number },
    output: Data(NumberDetail),
  },
  "GET /w/{workspace}/numbers/{id}/findings": {
    needs: "owner",
    input: { path: number },
    output: Data(Type.Array(Finding)),
  },
});

const account = {
  currency: Type.String(),
  rate: Type.String(),
  available: Type.String(),
  held: Type.String(),
  charged: Type.String(),
  credited: Type.String(),
};
export const AccountView = Type.Object(account);

export const billingContract = declareRoutes({
  /** Null: the workspace is not charged. */
  "GET /w/{workspace}/billing": { needs: "owner", input: {}, output: Data(Nullable(AccountView)) },
  "GET /w/{workspace}/usage": {
    needs: "owner",
    input: { query: { month: Type.String() } },
    output: Data(UsageView),
  },
  "GET /w/{workspace}/billing/ledger": {
    needs: "owner",
    input: { query: PageQuery },
    output: ListOf(
      Type.Object({
        id: Type.Integer(),
        kind: OneOf(["credit", "hold", "release", "charge"]),
        amount: Type.String(),
        message_id: OptionalCount,
        broadcast: Nullable(Type.Object({ id: Type.Integer(), name: OptionalText })),
        note: OptionalText,
        ref: OptionalText,
        at: Instant(),
      }),
    ),
  },
  "POST /w/{workspace}/billing/credit": {
    needs: "operator",
    input: {
      body: Type.Object(
        {
          amount: Type.String({ maxLength: 40 }),
          note: Type.String({ maxLength: 300 }),
          ref: Type.String({ maxLength: 191 }),
        },
        strict,
      ),
    },
    /** `is_credited`: false if the reference was used before, which changes nothing. */
    output: Data(Type.Object({ ...account, is_credited: Type.Boolean() })),
  },
});

const Text = Type.String({ maxLength: 4_096 });

export const TemplateDetail = Type.Object({
  id: Type.Integer(),
  ...TemplateView.properties,
  header: Nullable(
    Type.Object({ type: OneOf(["text", "image", "video", "document", "location"]), text: OptionalText }),
  ),
  footer: OptionalText,
  buttons: Type.Array(
    Type.Object({
      type: Type.String(),
      text: Type.String(),
      /** What pressing it means, where a person has said so. */
      meaning: Nullable(OneOf(buttonMeanings)),
    }),
  ),
  /** Why this API cannot send the template; null if it can. */
  unsupported: OptionalText,
  reason: OptionalText,
  network_status: OptionalText,
  quality: OptionalText,
  sample_link: OptionalText,
  is_simulated: Type.Boolean(),
  decided_at: OptionalTime,
  updated_at: Instant(),
});

const template = { id: Id("template") };

export const templateContract = declareRoutes({
  "GET /w/{workspace}/templates": {
    needs: "member",
    input: { query: { ...PageQuery, q: Type.String(), status: OneOf(templateStatuses) } },
    output: ListOf(TemplateDetail),
  },
  "GET /w/{workspace}/templates/named": {
    needs: "member",
    input: { query: { name: Type.String(), language: Type.String() } },
    output: Data(TemplateDetail),
  },
  "GET /w/{workspace}/templates/sync": {
    needs: "member",
    input: {},
    output: Data(
      Type.Array(
        Type.Object({ account: Type.String(), at: OptionalTime, failed_at: OptionalTime, error: OptionalText }),
      ),
    ),
  },
  "POST /w/{workspace}/templates/sync": {
    needs: "member",
    input: {},
    output: Data(Type.Object({ accounts: Type.Integer() })),
  },
  "POST /w/{workspace}/templates": {
    needs: "owner",
    input: {
      body: Type.Object(
        {
          name: Text,
          language: Text,
          category: Text,
          header: Text,
          body: Text,
          footer: Text,
          buttons: Type.Array(Type.String({ maxLength: 25 }), { maxItems: 10 }),
          header_kind: OneOf(["none", "text", "image", "video", "document"]),
          status: OneOf(templateStatuses),
        },
        strict,
      ),
    },
    output: Data(TemplateDetail),
  },
  "GET /w/{workspace}/templates/{id}": { needs: "member", input: { path: template }, output: Data(TemplateDetail) },
  "POST /w/{workspace}/templates/{id}/decide": {
    needs: "owner",
    input: { path: template, body: Type.Object({ status: OneOf(templateStatuses), reason: Text }, strict) },
    output: Data(TemplateDetail),
  },
  "PUT /w/{workspace}/templates/{id}/mark": {
    needs: "owner",
    input: {
      path: template,
      body: Type.Object({ button: Text, meaning: Nullable(OneOf(buttonMeanings)) }, strict),
    },
    output: Data(TemplateDetail),
  },
  "PUT /w/{workspace}/templates/{id}/sample": {
    needs: "owner",
    input: { path: template, body: Type.Object({ link: Text }, strict) },
    output: Data(TemplateDetail),
  },
});
