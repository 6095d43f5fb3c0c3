/** A workspace for the console's shell, its members, and its audit log. */
import type { Static } from "@sinclair/typebox";
import { formatInstant } from "#src/core/instant.ts";
import type { Tx } from "#src/db/transaction.ts";
import { listOpen } from "#src/domain/broadcasts/read.ts";
import { viewBroadcast } from "#src/domain/broadcasts/view.ts";
import { listTemplates } from "#src/domain/templates/read.ts";
import { viewTemplate } from "#src/domain/templates/view.ts";
import { listAuditEntries } from "#src/domain/users/audit-log.ts";
import { disableUser, removeMembership } from "#src/domain/users/change.ts";
import { inviteUser, renewLink } from "#src/domain/users/invite.ts";
import { getUser, type ListedUser, listUsers } from "#src/domain/users/read.ts";
import type { Role } from "#src/domain/users/user.ts";
import { createWorkspace } from "#src/domain/workspaces/update.ts";
import { answerData } from "../../endpoint.ts";
import { answerPage, readPage, wrongCursor } from "../../page.ts";
import { PER_PAGE } from "../../page-view.ts";
import { type MemberView, type UserView, workspaceContract } from "../contract/workspaces.ts";
import { readOnboarding } from "../queries/onboarding.ts";
import { attachHandlers, change, notFoundOrForbidden } from "../route.ts";
import { viewAccount, viewEntered, whenUtc } from "../view.ts";

/** How many templates are scanned for one that can be sent; Home prints a command with it. */
const TEMPLATES_SCANNED_MAX = 20;

export const workspaceRoutes = attachHandlers(workspaceContract, {
  "POST /workspaces": (call) =>
    change(call, (tx) => {
      const { name, country, timezone } = call.body;
      const workspace = createWorkspace(tx, { name, country, timezone }, true);
      return {
        status: 201,
        data: { id: workspace.id, name: workspace.name, timezone: workspace.timezone, role: "operator" },
        audit: { action: "workspace.create", subject: workspace.name, workspaceId: workspace.id },
      };
    }),
  "GET /users": ({ store }) => store.read((tx) => answerData(200, listUsers(tx).map(viewUser))),
  "POST /users": (call) =>
    change(call, (tx) => invite(tx, { email: call.body.email, role: "operator", workspaceId: null })),
  "POST /users/{id}/reset-password": (call) =>
    change(call, (tx) => {
      const user = getUser(tx, call.path.id);
      if (user.disabledAt !== null) throw notFoundOrForbidden();
      const { token, kind, expiresAt } = renewLink(tx, user);
      const data = { email: user.email, kind, expires_at: whenUtc(expiresAt) };
      const audit = { action: "user.reset-password", subject: user.email };
      return { status: 201, data: { ...data, token }, replayData: { ...data, token: null }, audit };
    }),
  "POST /users/{id}/disable": (call) =>
    change(call, (tx) => {
      const user = disableUser(tx, call.path.id);
      return { status: 200, data: {}, audit: { action: "user.disable", subject: user.email } };
    }),
  "GET /w/{workspace}": (call) => call.store.read((tx) => answerData(200, viewEntered(tx, call))),
  "GET /w/{workspace}/home": ({ store, workspace }) =>
    store.read((tx) => {
      const { lastDeliveredAt, ...onboarding } = readOnboarding(tx, workspace.id);
      const approved = listTemplates(tx, workspace.id, { status: "APPROVED" }, { offset: 0 }, TEMPLATES_SCANNED_MAX);
      const open = listOpen(tx, ["queueing", "running", "paused", "scheduled"]);
      return answerData(200, {
        has_key: onboarding.hasKey,
        has_sent: onboarding.hasSent,
        has_delivered_events: onboarding.hasDelivered,
        exhausted_deliveries: onboarding.exhaustedCount,
        last_delivered_at: lastDeliveredAt === null ? null : formatInstant(lastDeliveredAt, workspace.timezone),
        template:
          approved.map((template) => viewTemplate(template, workspace)).find(({ sendable }) => sendable) ?? null,
        broadcasts: open
          .filter(({ workspaceId }) => workspaceId === workspace.id)
          .slice(0, 5)
          .map((broadcast) => viewBroadcast(tx, broadcast, workspace)),
      });
    }),
  "GET /w/{workspace}/today": async ({ dashboard, workspace }) => answerData(200, await dashboard.read(workspace)),
  "GET /w/{workspace}/people": ({ store, workspace }) =>
    store.read((tx) => answerData(200, listUsers(tx, workspace.id).map(viewMember))),
  "POST /w/{workspace}/people": (call) =>
    change(call, (tx) => {
      const { email, role } = call.body;
      return invite(tx, { email, role, workspaceId: call.workspace.id });
    }),
  "DELETE /w/{workspace}/people/{id}": (call) =>
    change(call, (tx) => {
      const user = getUser(tx, call.path.id);
      const was = removeMembership(tx, call.workspace.id, user.id);
      const action = was === "member" ? "user.leave" : "user.revoke-invitation";
      return { status: 200, data: {}, audit: { action, subject: user.email } };
    }),
  "GET /w/{workspace}/audit": ({ store, workspace, query }) => {
    const from = readPage(query);
    const before = "after" in from ? from.after.id : null;
    if (before !== null && typeof before !== "number") throw wrongCursor();
    return store.read((tx) => {
      const rows = listAuditEntries(tx, workspace.id, before, PER_PAGE + 1);
      return answerPage(
        from,
        rows,
        rows.length,
        ({ id, at, email, action, subject, details, address }) => ({
          id,
          at: formatInstant(at, workspace.timezone),
          email,
          action,
          subject,
          details,
          address,
        }),
        ({ id }) => ({ id }),
      );
    });
  },
});

function invite(tx: Tx, invitation: { email: string; role: Role; workspaceId: number | null }) {
  const { user, link, account } = inviteUser(tx, invitation);
  const data = {
    id: user.id,
    email: user.email,
    account: viewAccount(account),
    expires_at: whenUtc(link?.expiresAt ?? null),
  };
  return {
    status: 201,
    data: { ...data, token: link?.token ?? null },
    replayData: { ...data, token: null },
    audit: {
      action: link === null ? "user.change-role" : "user.create",
      subject: user.email,
      details: { role: invitation.role },
    },
  };
}

function viewUser(user: ListedUser): Static<typeof UserView> {
  return {
    id: user.id,
    email: user.email,
    is_operator: user.isOperator,
    workspaces: user.memberships.map(({ workspaceId, role }) => ({ id: workspaceId, role })),
    invitations: user.invitations.map(({ workspaceId, role, expiresAt }) => ({
      id: workspaceId,
      role,
      expires_at: whenUtc(expiresAt),
    })),
    has_password: user.password !== null,
    second_factor: user.totpSecret !== null,
    created_at: whenUtc(user.createdAt),
    disabled_at: whenUtc(user.disabledAt),
  };
}

/** A user as the workspace's owners see them. Of an invitee's account, owners see only what the invitation revealed. */
function viewMember(user: ListedUser): Static<typeof MemberView> {
  const {
    id,
    email,
    memberships: [membership],
    invitations: [invitation],
  } = user;
  const isPending = membership === undefined;
  return {
    id,
    email,
    // Listed because of the one or the other.
    role: membership?.role ?? invitation?.role ?? "member",
    is_pending: isPending,
    has_password: !isPending && user.password !== null,
    second_factor: !isPending && user.totpSecret !== null,
    created_at: whenUtc(isPending ? (invitation?.createdAt ?? null) : user.createdAt),
    disabled_at: whenUtc(user.disabledAt),
  };
}
