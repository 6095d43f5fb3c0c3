/**
 * Sign in, sign out, and redeem one-time links. Every wrong pair of e-mail address and password gets the same error.
 */
import { type Static, Type } from "@sinclair/typebox";
import { invalidRequest } from "#src/core/problem.ts";
import { Form, Nullable, OneOf } from "#src/core/schema.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { recordAudit } from "#src/domain/users/audit-log.ts";
import { rememberDevice } from "#src/domain/users/known-devices.ts";
import {
  acceptInvitation,
  findOpenLink,
  isInUse,
  leadsToAccount,
  linkIsOver,
  type OpenLink,
  redeemLink,
  requestMailedLink,
} from "#src/domain/users/links.ts";
import { describeAccount } from "#src/domain/users/read.ts";
import { removeTotp } from "#src/domain/users/second-factor.ts";
import { endSession, startSession } from "#src/domain/users/sessions.ts";
import type { User } from "#src/domain/users/table.ts";
import { findPasswordProblem, linkKinds } from "#src/domain/users/user.ts";
import { findWorkspace } from "#src/domain/workspaces/read.ts";
import { answerData } from "../answer.ts";
import { deviceCookie, endedSessionCookie, readDeviceCookie, sessionCookie } from "../console/cookies.ts";
import { signIn } from "../console/sign-in-attempt.ts";
import { type ConsoleCall, Refusal } from "./call.ts";
import { Data, Empty, endpoint } from "./endpoint.ts";
import { OptionalText, RoleName } from "./fragments.ts";
import { KnownAccountView, SignedInView, viewAccount, viewSignedIn } from "./signed-in.ts";

const Text = (maxLength: number) => Type.String({ maxLength });

/** Wider than the password rules allow, so that a long password gets their error message. */
const Password = Text(1_000);

const LinkView = Type.Object({
  kind: OneOf(linkKinds),
  email: OptionalText,
  workspace: OptionalText,
  role: Nullable(RoleName),
  account: Nullable(KnownAccountView),
});

export const signInEndpoints = {
  "POST /sign-in": endpoint({
    session: "nobody",
    body: Form({
      email: Text(300),
      password: Password,
      code: Type.Optional(Text(40)),
      /** Token of an invitation that this account accepts by signing in. */
      invitation: Type.Optional(Text(100)),
    }),
    output: Data(SignedInView),
  }).answer(async (call) => {
    const { email, password, code, invitation } = call.body;
    return signIn(call, { email, password, code }, (tx, user) => {
      const { address } = call;
      if (invitation !== undefined) accept(tx, invitation, user, address);
      const cookies = enter(tx, call, user.id);
      recordAudit(tx, { userId: user.id, address }, { workspaceId: null, action: "sign-in", subject: user.email });
      return { ...answerData(200, viewSignedIn(tx, user)), cookies };
    });
  }),
  "POST /sign-out": endpoint({ session: "user", output: Data(Empty) }).answer(
    async ({ store, user, session, isSecure }) => {
      await store.write((tx) => endSession(tx, user.id, session.id));
      return { ...answerData(200, {}), cookies: [endedSessionCookie(isSecure)] };
    },
  ),
  "POST /links/look": endpoint({
    session: "nobody",
    body: Form({ token: Text(100) }),
    output: Data(LinkView),
  }).read((tx, { body }) => {
    const open = findOpenLink(tx, body.token);
    if (open === undefined) throw linkIsOver();
    return viewLink(tx, open);
  }),
  "POST /links/use": endpoint({
    session: "nobody",
    body: Form({
      token: Text(100),
      password: Password,
      email: Type.Optional(Text(300)),
      starts_again: Type.Optional(Type.Boolean()),
    }),
    output: Data(SignedInView),
  }).answer(async (call) => {
    const { token, password, email } = call.body;
    const { store, address } = call;
    const open = store.read((tx) => findOpenLink(tx, token));
    if (open === undefined) throw linkIsOver();
    store.read((tx) => requireAnswer(tx, open, call));
    const problem = findPasswordProblem(password, open.user?.email ?? email ?? "");
    if (problem !== null) throw invalidRequest({ password: [problem] });
    using turn = call.passwords.reserve({ name: `link ${open.link.id}`, isKnown: true });
    const hash = await turn.hash(password);
    return store.write((tx) => {
      // The account may have been created while the password was hashed.
      requireAnswer(tx, findOpenLink(tx, token), call);
      const { link, user, workspaceIds, startsAgain } = redeemLink(tx, token, hash, email ?? null);
      const { kind, workspaceId, role } = link;
      // A user who lost the password may have lost the phone too. The operator who made the link vouches for them.
      const current = kind === "reset" ? removeTotp(tx, user.id) : user;
      if (call.sendsEmail && current.emailVerifiedAt === null) requestMailedLink(tx, "verify", user.id);
      const cookies = enter(tx, call, user.id);
      const action = { setup: "user.setup", join: "user.join", reset: "user.new-password" }[kind];
      const details = role === null ? {} : { role, starts_again: startsAgain };
      recordAudit(tx, { userId: user.id, address }, { workspaceId, action, subject: user.email, details });
      if (kind === "reset") tellWorkspaces(tx, user, workspaceIds);
      return { ...answerData(201, viewSignedIn(tx, current)), cookies };
    });
  }),
};

/** The owners of a workspace see that a member has a new password. They do not learn the network address. */
function tellWorkspaces(tx: Tx, { id, email }: User, workspaceIds: readonly number[]): void {
  for (const workspaceId of workspaceIds) {
    recordAudit(tx, { userId: id, address: "" }, { workspaceId, action: "user.new-password", subject: email });
  }
}

/**
 * Throws if the link leads to an existing account. One that is in use is never replaced by an invitation; any other one
 * only if the invitee says so.
 */
function requireAnswer(tx: ReadTx, open: OpenLink | undefined, { body }: { body: { starts_again?: boolean } }): void {
  if (open === undefined || !leadsToAccount(open)) return;
  if (isInUse(tx, open)) {
    const next = "Sign in to it. If you cannot, ask an operator of this server for a link to a new password.";
    throw new Refusal(409, "account_exists", `There is an account with this address, and it is in use. ${next}`);
  }
  if (body.starts_again === true) return;
  const message = "There is already an account with this address. Sign in to it, or choose a new password for it.";
  throw new Refusal(409, "account_exists", message);
}

/** Shows what is known of the address: the holder of the link is the invitee. */
function viewLink(tx: ReadTx, { link, user }: OpenLink): Static<typeof LinkView> {
  const workspace = link.workspaceId === null ? undefined : findWorkspace(tx, link.workspaceId);
  return {
    kind: link.kind,
    email: user?.email ?? null,
    workspace: workspace?.name ?? null,
    role: link.role,
    account: user === null || workspace === undefined ? null : viewAccount(describeAccount(tx, user)),
  };
}

function accept(tx: Tx, token: string, { id, email }: User, address: string): void {
  const { workspaceId, role } = acceptInvitation(tx, token, id);
  recordAudit(tx, { userId: id, address }, { workspaceId, action: "user.join", subject: email, details: { role } });
}

/** Starts a session and makes the browser a known device. Returns the cookies of both. */
export function enter(tx: Tx, { address, headers, isSecure }: ConsoleCall, userId: number): string[] {
  const { token } = startSession(tx, userId, { address, agent: headers.get("user-agent") ?? "" });
  const device = rememberDevice(tx, userId, readDeviceCookie(headers, isSecure, userId));
  return [sessionCookie(token, isSecure), deviceCookie(device, isSecure, userId)];
}
