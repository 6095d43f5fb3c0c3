/** API settings of a workspace: keys, webhook, custom fields, and the deliveries of its events. */
import { Type } from "@sinclair/typebox";
import { Instant, Nullable, OneOf } from "#src/core/schema.ts";
import { fieldKinds } from "#src/domain/contacts/custom-field.ts";
import { deliveryStatuses } from "#src/domain/webhooks/delivery.ts";
import { eventTypes } from "#src/domain/webhooks/event-types.ts";
import { scopes } from "#src/domain/workspaces/scopes.ts";
import { Data, declareRoutes, Empty, Id, ListOf, PageQuery, strict } from "./declare.ts";
import { OptionalCount, OptionalText, OptionalTime } from "./fragments.ts";

const key = {
  id: Type.Integer(),
  name: Type.String(),
  prefix: Type.String(),
  /** Null: everything. */
  scopes: Nullable(Type.Array(OneOf(scopes))),
  expires_at: OptionalTime,
  daily_people: OptionalCount,
  created_at: Instant(),
  last_used_at: OptionalTime,
  revoked_at: OptionalTime,
};
export const KeyView = Type.Object(key);

export const FieldView = Type.Object({
  key: Type.String(),
  label: Type.String(),
  kind: OneOf(fieldKinds),
  choices: Nullable(Type.Array(Type.String())),
});

const EventTypes = Type.Array(OneOf(eventTypes), { maxItems: eventTypes.length });
const WebhookView = Type.Object({ url: OptionalText, types: EventTypes, has_secret: Type.Boolean() });

export const developerContract = declareRoutes({
  "GET /w/{workspace}/keys": { needs: "owner", input: {}, output: Data(Type.Array(KeyView)) },
  "POST /w/{workspace}/keys": {
    needs: "owner",
    input: {
      body: Type.Object(
        {
          name: Type.String({ maxLength: 1_000 }),
          /** Absent: everything. */
          scopes: Type.Optional(Type.Array(Type.String({ maxLength: 40 }), { maxItems: 20 })),
          expires: Type.Optional(Type.String({ maxLength: 40 })),
          daily_people: Type.Optional(Type.Number()),
        },
        strict,
      ),
    },
    /** The key is shown once: a repeated form does not get it. */
    output: Data(Type.Object({ ...key, key: OptionalText })),
  },
  "POST /w/{workspace}/keys/{id}/revoke": {
    needs: "owner",
    input: { path: { id: Id("key") } },
    output: Data(KeyView),
  },
  "GET /w/{workspace}/webhook": { needs: "owner", input: {}, output: Data(WebhookView) },
  "PUT /w/{workspace}/webhook": {
    needs: "owner",
    input: {
      body: Type.Object({ url: Type.String({ maxLength: 2_048 }), types: Type.Optional(EventTypes) }, strict),
    },
    output: Data(WebhookView),
  },
  "DELETE /w/{workspace}/webhook": {
    needs: "owner",
    input: {},
    /** `exhausted`: deliveries that were pending. */
    output: Data(Type.Object({ ...WebhookView.properties, exhausted: Type.Integer() })),
  },
  "POST /w/{workspace}/webhook/reveal": {
    needs: "owner",
    input: {},
    output: Data(Type.Object({ secret: Type.String() })),
  },
  "POST /w/{workspace}/webhook/rotate-secret": {
    needs: "owner",
    input: {},
    output: Data(Type.Object({ secret: OptionalText })),
  },
  "POST /w/{workspace}/webhook/test": {
    needs: "owner",
    input: {},
    output: Data(Type.Object({ delivery_id: Type.Integer() })),
  },
  "GET /w/{workspace}/fields": { needs: "member", input: {}, output: Data(Type.Array(FieldView)) },
  "POST /w/{workspace}/fields": {
    needs: "owner",
    input: {
      body: Type.Object(
        {
          key: Type.String({ maxLength: 100 }),
          label: Type.String({ maxLength: 191 }),
          kind: OneOf(fieldKinds),
          choices: Type.Array(Type.String({ maxLength: 191 }), { maxItems: 200 }),
        },
        strict,
      ),
    },
    output: Data(FieldView),
  },
  "DELETE /w/{workspace}/fields/{key}": {
    needs: "owner",
    input: { path: { key: Type.String() } },
    output: Data(Empty),
  },
});

const delivery = {
  id: Type.Integer(),
  event_id: Type.String(),
  event_type: OneOf(eventTypes),
  status: OneOf(deliveryStatuses),
  attempt_count: Type.Integer(),
  created_at: Instant(),
  next_attempt_at: OptionalTime,
  finished_at: OptionalTime,
};
export const DeliveryView = Type.Object(delivery);

export const DeliveryDetail = Type.Object({
  ...delivery,
  body: Type.String(),
  attempts: Type.Array(
    Type.Object({
      id: Type.Integer(),
      attempted_at: Instant(),
      url: Type.String(),
      status_code: OptionalCount,
      error: OptionalText,
      response: OptionalText,
      duration_ms: Type.Integer(),
    }),
  ),
});

export const deliveryContract = declareRoutes({
  "GET /w/{workspace}/deliveries": {
    needs: "member",
    input: { query: { ...PageQuery, status: OneOf(deliveryStatuses), type: OneOf(eventTypes) } },
    output: ListOf(DeliveryView),
  },
  "GET /w/{workspace}/deliveries/failed": {
    needs: "member",
    input: { query: { since: Type.String() } },
    output: Data(Type.Object({ count: Type.Integer() })),
  },
  "POST /w/{workspace}/deliveries/replay": {
    needs: "owner",
    input: {
      body: Type.Object({ since: Type.String({ maxLength: 40 }), count: Type.Integer({ minimum: 0 }) }, strict),
    },
    output: Data(Type.Object({ replayed: Type.Integer() })),
  },
  "GET /w/{workspace}/deliveries/{id}": {
    needs: "member",
    input: { path: { id: Id("delivery") } },
    output: Data(DeliveryDetail),
  },
  "POST /w/{workspace}/deliveries/{id}/replay": {
    needs: "owner",
    input: { path: { id: Id("delivery") } },
    /** A repeated form gets the id only. */
    output: Data(Type.Union([DeliveryDetail, Type.Object({ id: Type.Integer() })])),
  },
});
