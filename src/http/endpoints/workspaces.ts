/** A workspace for the console's shell, its audit log, and the users of the server. */
import { type Static, Type } from "@sinclair/typebox";
import { formatQuietHours, type QuietHours } from "#src/core/quiet-hours.ts";
import { Form, Instant } from "#src/core/schema.ts";
import { findAccount } from "#src/domain/billing/account.ts";
import { quietOf } from "#src/domain/broadcasts/lateness.ts";
import { listNumbers } from "#src/domain/numbers/read.ts";
import { WorkspaceView } from "#src/domain/numbers/schema.ts";
import { viewWorkspace } from "#src/domain/numbers/view.ts";
import { listAuditEntries } from "#src/domain/users/audit-log.ts";
import { disableUser, markNewsRead } from "#src/domain/users/change.ts";
import { recordReset, renewLink } from "#src/domain/users/invite.ts";
import { getUser, type ListedUser, listUsers, seesNumber } from "#src/domain/users/read.ts";
import { hasRight } from "#src/domain/users/roles.ts";
import { createWorkspace } from "#src/domain/workspaces/update.ts";
import { idPosition, PageQuery, pageById, positionIn, readScreen } from "../page.ts";
import { Rows } from "../rows.ts";
import { timesOf, whenUtc } from "../times.ts";
import { change, notFoundOrForbidden } from "./call.ts";
import { Data, Empty, endpoint, Id, ListOf } from "./endpoint.ts";
import { workspaceExample } from "./examples.ts";
import { AuditEntry, MemberRole, OptionalText, OptionalTime, RoleName, viewAuditEntry } from "./fragments.ts";
import { CreatedLink, createInvitation } from "./members.ts";
import { show } from "./show.ts";

const Text = Type.String({ maxLength: 300 });

const UserView = Type.Object({
  id: Type.Integer(),
  email: Type.String(),
  is_operator: Type.Boolean(),
  workspaces: Type.Array(Type.Object({ id: Type.Integer(), role: MemberRole })),
  invitations: Type.Array(Type.Object({ id: Type.Integer(), role: MemberRole, expires_at: Instant() })),
  has_password: Type.Boolean(),
  email_verified: Type.Boolean(),
  second_factor: Type.Boolean(),
  created_at: OptionalTime,
  disabled_at: OptionalTime,
});

const EnteredView = Type.Object({
  ...WorkspaceView.properties,
  role: RoleName,
  /** Members lost a right, and this owner has not confirmed having read it. */
  has_news: Type.Boolean(),
  api_enabled: Type.Boolean(),
  /** The reason; empty if none was given. */
  suspended: OptionalText,
  has_simulator: Type.Boolean(),
  /** When what people wrote is marked as read on their phone: `off`, `opened` or `answered`. */
  read_receipts: Type.String(),
  /** The quiet hours that hold, the workspace's own or the server's, such as `21:00-08:00`; null: none. */
  quiet: OptionalText,
  /** The phones of those of the numbers that the simulator sends for: no network bills them. */
  simulated_numbers: Type.Array(Type.String()),
});

function showQuiet(quiet: QuietHours | null): string | null {
  return quiet === null ? null : formatQuietHours(quiet);
}

export const workspaceEndpoints = {
  "GET /w/{workspace}/me": endpoint({
    key: null,
    session: "inbox",
    output: Data(WorkspaceView),
    consoleOutput: Data(EnteredView),
    reference: {
      operationId: "getWorkspace",
      tag: "Workspace",
      summary: "Retrieve the workspace",
      description:
        "Returns the workspace that the API key belongs to, with its sending numbers and its balance. Use it to check that a key works.",
      success: "The workspace.",
      example: workspaceExample,
    },
  }).read((tx, call) => {
    const { workspace } = call;
    const owned = listNumbers(tx, workspace.id);
    if (call.user === null) return viewWorkspace(workspace, owned, findAccount(tx, workspace.id));
    const numbers = owned.filter(({ id }) => seesNumber(call, id));
    const simulated = numbers.filter(({ network }) => network === "simulator").map(({ phone }) => phone);
    const account = hasRight(call.role, "overview") ? findAccount(tx, workspace.id) : undefined;
    const shown = viewWorkspace(workspace, numbers, account);
    return {
      ...shown,
      role: call.role,
      has_news: call.hasNews,
      api_enabled: workspace.apiEnabled,
      suspended: workspace.suspendedAt === null ? null : (workspace.suspendedReason ?? ""),
      has_simulator: simulated.length > 0,
      read_receipts: workspace.readReceipts,
      quiet: showQuiet(quietOf(workspace, call.quiet)),
      simulated_numbers: simulated,
    };
  }),
  "POST /workspaces": endpoint({
    session: "server operator",
    body: Form({ name: Text, country: Text, timezone: Text }),
    output: Data(
      Type.Object({
        id: Type.Integer(),
        name: Type.String(),
        timezone: Type.String(),
        role: Type.Literal("operator"),
      }),
    ),
  }).change((tx, call) => {
    const { name, country, timezone } = call.body;
    const workspace = createWorkspace(tx, { name, country, timezone }, true);
    return {
      status: 201,
      data: { id: workspace.id, name: workspace.name, timezone: workspace.timezone, role: "operator" },
      audit: { action: "workspace.create", subject: workspace.name, workspaceId: workspace.id },
    };
  }),
  "GET /users": endpoint({ session: "server operator", output: Data(Type.Array(UserView)) }).read((tx) =>
    Rows.of(listUsers(tx), viewUser),
  ),
  "POST /users": endpoint({
    session: "server operator",
    isSensitive: true,
    body: Form({ email: Text }),
    output: Data(CreatedLink),
  }).change((tx, call) => createInvitation(tx, { email: call.body.email, role: "operator", workspaceId: null })),
  "POST /users/{id}/reset-password": endpoint({
    session: "server operator",
    isSensitive: true,
    params: { id: Id("user") },
    output: Data(
      Type.Object({
        email: Type.String(),
        kind: Type.Union([Type.Literal("setup"), Type.Literal("join"), Type.Literal("reset")]),
        expires_at: Instant(),
        token: OptionalText,
      }),
    ),
  }).change((tx, call) => {
    const user = getUser(tx, call.path.id);
    if (user.disabledAt !== null) throw notFoundOrForbidden();
    const { token, kind, expiresAt } = renewLink(tx, user);
    const data = { email: user.email, kind, expires_at: whenUtc(expiresAt) };
    const audit = { action: "user.reset-password", subject: user.email };
    recordReset(tx, { userId: call.user.id, address: "" }, user);
    return { status: 201, data: { ...data, token }, replayData: { ...data, token: null }, audit };
  }),
  "POST /users/{id}/disable": endpoint({
    session: "server operator",
    isSensitive: true,
    params: { id: Id("user") },
    output: Data(Empty),
  }).change((tx, call) => {
    const user = disableUser(tx, call.path.id);
    return { status: 200, data: {}, audit: { action: "user.disable", subject: user.email } };
  }),
  // Reading is not audited, and needs no form key.
  "POST /w/{workspace}/news/read": endpoint({ session: "manage", output: Data(Empty) }).answer((call) =>
    change({ ...call, form: null }, (tx) => {
      markNewsRead(tx, call.workspace.id, call.user.id);
      return { status: 200, data: {}, audit: null };
    }),
  ),
  "GET /w/{workspace}/audit": endpoint({ session: "manage", query: PageQuery, output: ListOf(AuditEntry) }).read(
    (tx, { workspace, query }) => {
      const from = readScreen(query, idPosition);
      const rows = listAuditEntries(tx, workspace.id, positionIn(from), from.perPage + 1);
      return pageById(from, rows, rows.length, (entry) => viewAuditEntry(entry, timesOf(workspace)));
    },
  ),
};

function viewUser(user: ListedUser): Static<typeof UserView> {
  return show(UserView, user, whenUtc, {
    workspaces: user.memberships.map(({ workspaceId, role }) => ({ id: workspaceId, role })),
    invitations: user.invitations.map(({ workspaceId, role, expiresAt }) => ({
      ...{ id: workspaceId, role },
      expires_at: whenUtc(expiresAt),
    })),
    has_password: user.password !== null,
    email_verified: user.emailVerifiedAt !== null,
    second_factor: user.totpSecret !== null,
  });
}
