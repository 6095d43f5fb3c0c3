/** The people of a workspace who use the console: roles, limits to numbers, invitations, sessions. */
import { type Static, Type } from "@sinclair/typebox";
import { Problem } from "#src/core/problem.ts";
import { Form, Nullable } from "#src/core/schema.ts";
import type { Tx } from "#src/db/transaction.ts";
import { endSessionsOfMember, removeMembership } from "#src/domain/users/change.ts";
import { inviteUser } from "#src/domain/users/invite.ts";
import { sendInvitation } from "#src/domain/users/links.ts";
import { getUser, type ListedUser, listUsers } from "#src/domain/users/read.ts";
import { Rows } from "../rows.ts";
import { whenUtc } from "../times.ts";
import type { ConsoleCall } from "./call.ts";
import { Data, Empty, endpoint, Id } from "./endpoint.ts";
import { MemberRole, OptionalText, OptionalTime } from "./fragments.ts";
import { isDue, requireMail } from "./lost-password.ts";
import { KnownAccountView, viewAccount } from "./signed-in.ts";

const Text = Type.String({ maxLength: 300 });

/** A link for a new or an existing user. `token`: null in the answer to a repeated form, and where it was sent by e-mail. */
export const CreatedLink = Type.Object({
  id: Type.Integer(),
  email: Type.String(),
  account: Nullable(KnownAccountView),
  expires_at: OptionalTime,
  token: OptionalText,
  /** The server sends the link to the address itself. */
  is_mailed: Type.Boolean(),
});

/** A user as the workspace's owners see them. Of an invitee's account, owners see only what the invitation revealed. */
const MemberView = Type.Object({
  id: Type.Integer(),
  email: Type.String(),
  role: MemberRole,
  /** Ids of the numbers whose conversations an agent sees; null: all. */
  numbers: Nullable(Type.Array(Type.Integer())),
  /** Invited, but has not joined yet. */
  is_pending: Type.Boolean(),
  has_password: Type.Boolean(),
  email_verified: Type.Boolean(),
  second_factor: Type.Boolean(),
  created_at: OptionalTime,
  /** When the member last used the console in this workspace; null: never, or not since an upgrade. */
  seen_at: OptionalTime,
  disabled_at: OptionalTime,
});

export const memberEndpoints = {
  "GET /w/{workspace}/people": endpoint({ session: "manage", output: Data(Type.Array(MemberView)) }).read(
    (tx, { workspace }) => Rows.of(listUsers(tx, workspace.id), viewMember),
  ),
  "POST /w/{workspace}/people": endpoint({
    session: "manage",
    isSensitive: true,
    body: Form({
      email: Text,
      role: MemberRole,
      /** Of an agent: ids of numbers; null: all; absent: as it is. */
      numbers: Type.Optional(Nullable(Type.Array(Type.Integer(), { maxItems: 1_000 }))),
      /** Send an invitation's link by e-mail, so that only its receiver sees it. */
      by_mail: Type.Optional(Type.Boolean()),
    }),
    output: Data(CreatedLink),
  }).change((tx, call) => {
    const { email, role, numbers, by_mail: isMailed = false } = call.body;
    const named = numbers == null ? numbers : numbers.map(String);
    if (isMailed) requireMail(call);
    return createInvitation(
      tx,
      { email, role, workspaceId: call.workspace.id, numbers: named },
      isMailed ? call : null,
    );
  }),
  /** Signs the member out everywhere. One's own session stays. */
  "POST /w/{workspace}/people/{id}/end-sessions": endpoint({
    session: "manage",
    isSensitive: true,
    params: { id: Id("user") },
    output: Data(Type.Object({ ended: Type.Integer() })),
  }).change((tx, call) => {
    const { user, session, workspace, path } = call;
    const { email, ended } = endSessionsOfMember(tx, workspace.id, path.id, user.id === path.id ? session.id : null);
    return { status: 200, data: { ended }, audit: { action: "user.end-sessions", subject: email, details: { ended } } };
  }),
  "DELETE /w/{workspace}/people/{id}": endpoint({
    session: "manage",
    isSensitive: true,
    params: { id: Id("user") },
    output: Data(Empty),
  }).change((tx, call) => {
    const user = getUser(tx, call.path.id);
    const was = removeMembership(tx, call.workspace.id, user.id);
    const action = was === "member" ? "user.leave" : "user.revoke-invitation";
    return { status: 200, data: {}, audit: { action, subject: user.email } };
  }),
};

/** `mailed`: who asks to send the link by e-mail; null: the inviter passes it on. */
export function createInvitation(
  tx: Tx,
  invitation: Parameters<typeof inviteUser>[1],
  mailed: Pick<ConsoleCall, "address"> | null = null,
) {
  const { user, link, account, numberIds } = inviteUser(tx, invitation);
  const isMailed = mailed !== null && link !== null;
  if (isMailed) {
    if (!isDue(tx, mailed, user.email)) {
      const sentence = "An invitation was sent to this address a short while ago. Create a link, or wait.";
      throw new Problem("rate_limited", sentence);
    }
    sendInvitation(tx, link);
  }
  const data = {
    id: user.id,
    email: user.email,
    account: viewAccount(account),
    expires_at: whenUtc(link?.expiresAt ?? null),
    is_mailed: isMailed,
  };
  return {
    status: 201,
    data: { ...data, token: isMailed ? null : (link?.token ?? null) },
    replayData: { ...data, token: null },
    audit: {
      action: link === null ? "user.change-role" : "user.create",
      subject: user.email,
      details: {
        role: invitation.role,
        ...(numberIds === null ? {} : { numbers: numberIds }),
        ...(isMailed ? { by: "e-mail" } : {}),
      },
    },
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
    numbers: (membership ?? invitation)?.numberIds ?? null,
    is_pending: isPending,
    has_password: !isPending && user.password !== null,
    email_verified: !isPending && user.emailVerifiedAt !== null,
    second_factor: !isPending && user.totpSecret !== null,
    seen_at: whenUtc(membership?.seenAt ?? null),
    created_at: whenUtc(isPending ? (invitation?.createdAt ?? null) : user.createdAt),
    disabled_at: whenUtc(user.disabledAt),
  };
}
