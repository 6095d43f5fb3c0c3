/**
 * Sign in, sign out, and redeem one-time links. Every wrong pair of e-mail address and password gets the same error.
 */
import type { Static } from "@sinclair/typebox";
import { invalidRequest } from "#src/core/problem.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { recordAudit } from "#src/domain/users/audit-log.ts";
import {
  acceptInvitation,
  findOpenLink,
  leadsToAccount,
  linkIsOver,
  type OpenLink,
  redeemLink,
} from "#src/domain/users/links.ts";
import { describeAccount, findUserByEmail } from "#src/domain/users/read.ts";
import { consumeCode, removeTotp } from "#src/domain/users/second-factor.ts";
import { endSession, startSession } from "#src/domain/users/sessions.ts";
import { clearSignInAttempts, countSignInAttempt, uncountSignInAttempt } from "#src/domain/users/sign-in-throttle.ts";
import type { User } from "#src/domain/users/table.ts";
import { findPasswordProblem } from "#src/domain/users/user.ts";
import { findWorkspace } from "#src/domain/workspaces/read.ts";
import { answerData } from "../../endpoint.ts";
import { type LinkView, signInContract } from "../contract/account.ts";
import { endedSessionCookie, sessionCookie } from "../cookies.ts";
import { attachHandlers, type ConsoleCall, Refusal } from "../route.ts";
import { viewAccount, viewSignedIn } from "../view.ts";

export const signInRoutes = attachHandlers(signInContract, {
  "POST /sign-in": async (call) => {
    const { email, password, code, invitation } = call.body as {
      email: string;
      password: string;
      code?: string;
      invitation?: string;
    };
    const { store, passwords, address } = call;
    const guess = { email, address };
    await store.write((tx) => countSignInAttempt(tx, guess));
    const known = store.read((tx) => findUserByEmail(tx, email));
    const hash = known === undefined || known.disabledAt !== null ? null : known.password;
    const isMatch = await passwords.verify(password, hash);
    if (!isMatch || known === undefined) throw wrongCredentials();
    const answered = await store.write((tx) => {
      // The user may have been disabled, or their password changed, while this password was verified.
      const user = findUserByEmail(tx, email);
      if (user === undefined || user.disabledAt !== null || user.password !== hash) throw wrongCredentials();
      if (user.totpSecret !== null && (code ?? "") === "") {
        uncountSignInAttempt(tx, guess);
        // Returned, not thrown: the transaction must commit the decremented attempt.
        return new Refusal(401, "code_required", "Enter the code from your authenticator app.");
      }
      if (!consumeCode(tx, call.box, user, code ?? "")) {
        throw new Refusal(401, "wrong_code", "The code is incorrect or has already been used.");
      }
      clearSignInAttempts(tx, guess);
      if (invitation !== undefined) accept(tx, invitation, user, address);
      const { token } = startSession(tx, user.id, sessionClient(call));
      recordAudit(tx, { userId: user.id, address }, { workspaceId: null, action: "sign-in", subject: user.email });
      return { ...answerData(200, viewSignedIn(tx, user)), headers: sessionHeaders(call, token) };
    });
    if (answered instanceof Refusal) throw answered;
    return answered;
  },
  "POST /sign-out": async ({ store, user, session, isSecure }) => {
    await store.write((tx) => endSession(tx, user.id, session.id));
    return { ...answerData(200, {}), headers: { "set-cookie": endedSessionCookie(isSecure) } };
  },
  "POST /links/look": ({ store, body }) =>
    store.read((tx) => {
      const open = findOpenLink(tx, String(body.token));
      if (open === undefined) throw linkIsOver();
      return answerData(200, viewLink(tx, open));
    }),
  "POST /links/use": async (call) => {
    const { token, password, email } = call.body as { token: string; password: string; email?: string };
    const { store, address } = call;
    const open = store.read((tx) => findOpenLink(tx, token));
    if (open === undefined) throw linkIsOver();
    requireAnswer(open, call);
    const problem = findPasswordProblem(password, open.user?.email ?? email ?? "");
    if (problem !== null) throw invalidRequest({ password: [problem] });
    const hash = await call.passwords.hash(password);
    return store.write((tx) => {
      // The account may have been created while the password was hashed.
      requireAnswer(findOpenLink(tx, token), call);
      const { link, user, lostWorkspaceIds } = redeemLink(tx, token, hash, email ?? null);
      const { kind, workspaceId, role } = link;
      // A user who lost the password may have lost the phone too. The operator who made the link vouches for them.
      const current = kind === "reset" ? removeTotp(tx, user.id) : user;
      const { token: session } = startSession(tx, user.id, sessionClient(call));
      const action = { setup: "user.setup", join: "user.join", reset: "user.new-password" }[kind];
      const details = role === null ? {} : { role, taken_over: lostWorkspaceIds !== null };
      recordAudit(tx, { userId: user.id, address }, { workspaceId, action, subject: user.email, details });
      // The previous workspaces must not learn the new holder's network address.
      for (const lost of lostWorkspaceIds ?? []) {
        recordAudit(
          tx,
          { userId: user.id, address: "" },
          { workspaceId: lost, action: TAKE_OVER, subject: user.email },
        );
      }
      return { ...answerData(201, viewSignedIn(tx, current)), headers: sessionHeaders(call, session) };
    });
  },
});

function wrongCredentials(): Refusal {
  return new Refusal(401, "wrong_credentials", "Incorrect e-mail or password.");
}

const TAKE_OVER = "user.take-over";

/** Throws if the link leads to an existing account and the invitee did not declare that it is not theirs. */
function requireAnswer(open: OpenLink | undefined, { body }: { body: { take_over?: boolean } }): void {
  if (open === undefined || !leadsToAccount(open) || body.take_over === true) return;
  const message = "There is already an account with this address. Sign in to it, or confirm that it is not yours.";
  throw new Refusal(409, "account_exists", message);
}

/** Shows what is known of the address: whoever holds the link is the invitee. */
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

export function sessionClient({ address, headers }: ConsoleCall) {
  return { address, agent: headers.get("user-agent") ?? "" };
}

export function sessionHeaders({ isSecure }: ConsoleCall, token: string): Record<string, string> {
  return { "set-cookie": sessionCookie(token, isSecure) };
}
