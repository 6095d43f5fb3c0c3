/** A workspace for the console's shell, its members and its audit log; for operators, all workspaces and users. */
import { Type } from "@sinclair/typebox";
import { Instant, Nullable } from "#src/core/schema.ts";
import { BroadcastView } from "#src/domain/broadcasts/schema.ts";
import { WorkspaceView } from "#src/domain/numbers/schema.ts";
import { TemplateView } from "#src/domain/templates/schema.ts";
import { Data, declareRoutes, Empty, Id, ListOf, PageQuery, strict } from "./declare.ts";
import { AuditEntry, KnownAccount, MemberRole, Named, OptionalText, OptionalTime, RoleName } from "./fragments.ts";

const Text = Type.String({ maxLength: 300 });

/** A link for a new or an existing user. `token`: null in the answer to a repeated form. */
const CreatedLink = Type.Object({
  id: Type.Integer(),
  email: Type.String(),
  account: Nullable(KnownAccount),
  expires_at: OptionalTime,
  token: OptionalText,
});

export const UserView = Type.Object({
  id: Type.Integer(),
  email: Type.String(),
  is_operator: Type.Boolean(),
  workspaces: Type.Array(Type.Object({ id: Type.Integer(), role: MemberRole })),
  invitations: Type.Array(Type.Object({ id: Type.Integer(), role: MemberRole, expires_at: Instant() })),
  has_password: Type.Boolean(),
  second_factor: Type.Boolean(),
  created_at: OptionalTime,
  disabled_at: OptionalTime,
});

/** A user as the workspace's owners see them. Of an invitee's account, owners see only what the invitation revealed. */
export const MemberView = Type.Object({
  id: Type.Integer(),
  email: Type.String(),
  role: MemberRole,
  /** Invited, but has not joined yet. */
  is_pending: Type.Boolean(),
  has_password: Type.Boolean(),
  second_factor: Type.Boolean(),
  created_at: OptionalTime,
  disabled_at: OptionalTime,
});

export const EnteredView = Type.Object({
  ...WorkspaceView.properties,
  role: RoleName,
  api_enabled: Type.Boolean(),
  /** The reason; empty if none was given. */
  suspended: OptionalText,
  has_simulator: Type.Boolean(),
});

const Counters = {
  sent: Type.Integer(),
  delivered: Type.Integer(),
  read: Type.Integer(),
  failed: Type.Integer(),
  unknown: Type.Integer(),
};

export const TodayView = Type.Object({
  since: Instant(),
  single: Type.Object(Counters),
  broadcast: Type.Object({ begun: Type.Integer(), ...Counters }),
  received: Type.Object({ messages: Type.Integer(), people: Type.Integer() }),
});

export const ListedWorkspace = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  country: Type.String(),
  timezone: Type.String(),
  api_enabled: Type.Boolean(),
  suspended_at: OptionalTime,
  suspended_reason: OptionalText,
  numbers: Type.Integer(),
  ready_numbers: Type.Integer(),
  available: OptionalText,
  created_at: Instant(),
});

export const workspaceContract = declareRoutes({
  "POST /workspaces": {
    needs: "server operator",
    input: { body: Type.Object({ name: Text, country: Text, timezone: Text }, strict) },
    output: Data(
      Type.Object({
        id: Type.Integer(),
        name: Type.String(),
        timezone: Type.String(),
        role: Type.Literal("operator"),
      }),
    ),
  },
  "GET /users": { needs: "server operator", input: {}, output: Data(Type.Array(UserView)) },
  "POST /users": {
    needs: "server operator",
    input: { body: Type.Object({ email: Text }, strict) },
    output: Data(CreatedLink),
  },
  "POST /users/{id}/reset-password": {
    needs: "server operator",
    input: { path: { id: Id("user") } },
    output: Data(
      Type.Object({
        email: Type.String(),
        kind: Type.Union([Type.Literal("setup"), Type.Literal("join"), Type.Literal("reset")]),
        expires_at: Instant(),
        token: OptionalText,
      }),
    ),
  },
  "POST /users/{id}/disable": {
    needs: "server operator",
    input: { path: { id: Id("user") } },
    output: Data(Empty),
  },
  "GET /w/{workspace}": { needs: "member", input: {}, output: Data(EnteredView) },
  "GET /w/{workspace}/home": {
    needs: "member",
    input: {},
    output: Data(
      Type.Object({
        has_key: Type.Boolean(),
        has_sent: Type.Boolean(),
        has_delivered_events: Type.Boolean(),
        exhausted_deliveries: Type.Integer(),
        last_delivered_at: OptionalTime,
        /** One that can be sent, for a command to copy. */
        template: Nullable(TemplateView),
        broadcasts: Type.Array(BroadcastView),
      }),
    ),
  },
  "GET /w/{workspace}/today": { needs: "member", input: {}, output: Data(TodayView) },
  "GET /w/{workspace}/people": { needs: "owner", input: {}, output: Data(Type.Array(MemberView)) },
  "POST /w/{workspace}/people": {
    needs: "owner",
    input: { body: Type.Object({ email: Text, role: MemberRole }, strict) },
    output: Data(CreatedLink),
  },
  "DELETE /w/{workspace}/people/{id}": {
    needs: "owner",
    input: { path: { id: Id("user") } },
    output: Data(Empty),
  },
  "GET /w/{workspace}/audit": { needs: "owner", input: { query: PageQuery }, output: ListOf(AuditEntry) },
});

export const operatingContract = declareRoutes({
  "GET /workspaces": { needs: "server operator", input: {}, output: Data(Type.Array(ListedWorkspace)) },
  "POST /workspaces/{id}/suspend": {
    needs: "server operator",
    input: { path: { id: Id("workspace") }, body: Type.Object({ reason: Text }, strict) },
    output: Data(ListedWorkspace),
  },
  "POST /workspaces/{id}/resume": {
    needs: "server operator",
    input: { path: { id: Id("workspace") } },
    output: Data(ListedWorkspace),
  },
  "POST /workspaces/{id}/api": {
    needs: "server operator",
    input: { path: { id: Id("workspace") }, body: Type.Object({ enabled: Type.Boolean() }, strict) },
    output: Data(ListedWorkspace),
  },
  "GET /audit": {
    needs: "server operator",
    input: { query: PageQuery },
    output: ListOf(Type.Object({ ...AuditEntry.properties, workspace: Nullable(Named) })),
  },
});
