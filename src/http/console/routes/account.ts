/** The user's own account: profile, sessions, password, second factor and theme. */
import { Type } from "@sinclair/typebox";
import { encode } from "uqr";
import { invalidRequest } from "#src/core/problem.ts";
import { totpAddress } from "#src/core/totp.ts";
import { recordAudit } from "#src/domain/users/audit-log.ts";
import { setPassword } from "#src/domain/users/change.ts";
import { findUser } from "#src/domain/users/read.ts";
import { confirmTotp, consumeCode, removeTotp, startTotpSetup } from "#src/domain/users/second-factor.ts";
import { confirmSession, endSession, endSessions, listSessions } from "#src/domain/users/sessions.ts";
import { countGuess, forgiveGuesses } from "#src/domain/users/sign-in-throttle.ts";
import { findPasswordProblem } from "#src/domain/users/user.ts";
import { type Answer, answerData, requireId } from "../../endpoint.ts";
import { readTheme, type Theme, themeCookie, themes } from "../cookies.ts";
import { type ConsoleRoute, change, type UserCall } from "../route.ts";
import { clientOf, requireAllowed } from "../sign-in-attempt.ts";
import { viewSession, viewSignedIn } from "../view.ts";
import { enter } from "./sign-in.ts";

const strict = { additionalProperties: false };
const Password = Type.String({ maxLength: 1_000 });
const Code = Type.String({ maxLength: 40 });

export const accountRoutes: readonly ConsoleRoute[] = [
  {
    method: "GET",
    path: "/me",
    needs: "user",
    handle: ({ store, user, headers }) =>
      store.read((tx) => answerData(200, { ...viewSignedIn(tx, user), theme: readTheme(headers) })),
  },
  {
    method: "PUT",
    path: "/me/theme",
    needs: "user",
    body: Type.Object({ theme: Type.Union([Type.Null(), Type.String({ enum: [...themes] })]) }, strict),
    handle: ({ body, isSecure }) => ({
      ...answerData(200, body),
      cookies: [themeCookie(body.theme as Theme | null, isSecure)],
    }),
  },
  {
    method: "GET",
    path: "/me/sessions",
    needs: "user",
    handle: ({ store, user, session }) =>
      store.read((tx) =>
        answerData(
          200,
          listSessions(tx, user.id).map((one) => viewSession(one, session.id)),
        ),
      ),
  },
  {
    method: "DELETE",
    path: "/me/sessions/{id}",
    needs: "user",
    handle: (call) =>
      change(call, (tx) => {
        const id = requireId(call.path.id, "session");
        endSession(tx, call.user.id, id);
        return { status: 200, data: {}, audit: { action: "session.end", subject: call.user.email } };
      }),
  },
  {
    method: "POST",
    path: "/me/sessions/end-others",
    needs: "user",
    handle: (call) =>
      change(call, (tx) => {
        const ended = endSessions(tx, call.user.id, call.session.id);
        return { status: 200, data: { ended }, audit: { action: "session.end-others", subject: call.user.email } };
      }),
  },
  {
    method: "GET",
    path: "/me/confirmation",
    needs: "user",
    // The pipeline refuses the request if the session has to be confirmed.
    handle: () => answerData(200, {}),
  },
  {
    method: "POST",
    path: "/me/confirmation",
    needs: "user",
    body: Type.Object({ password: Type.Optional(Password), code: Type.Optional(Code) }, strict),
    handle: confirm,
  },
  {
    method: "PUT",
    path: "/me/password",
    needs: "user",
    body: Type.Object({ current: Password, password: Password }, strict),
    handle: async (call) => {
      const { current, password } = call.body as { current: string; password: string };
      const problem = findPasswordProblem(password, call.user.email);
      if (problem !== null) throw invalidRequest({ password: [problem] });
      await requirePassword(call, "current", current);
      using turn = call.passwords.reserve(clientOf({ sessionId: call.session.id }));
      const hash = await turn.hash(password);
      return change(call, (tx) => {
        const user = setPassword(tx, call.user.id, hash);
        // A new password ends every session; this browser gets a new one.
        const cookies = enter(tx, call, user.id);
        const audit = { action: "user.new-password", subject: user.email };
        return { status: 200, data: viewSignedIn(tx, user), audit, cookies };
      });
    },
  },
  {
    method: "POST",
    path: "/me/second-factor/begin",
    needs: "user",
    body: Type.Object({ password: Password }, strict),
    handle: async (call) => {
      await requirePassword(call, "password", String(call.body.password));
      return call.store.write((tx) => {
        const { secret } = startTotpSetup(tx, call.box, call.user.id);
        const code = encode(totpAddress(secret, "Waxwing", call.user.email), { border: 0 });
        return answerData(200, { secret, modules: code.data.map((row) => row.map(Number).join("")) });
      });
    },
  },
  {
    method: "POST",
    path: "/me/second-factor/confirm",
    needs: "user",
    body: Type.Object({ code: Code }, strict),
    handle: (call) =>
      change(call, (tx) => {
        const codes = confirmTotp(tx, call.box, call.user.id, String(call.body.code));
        endSessions(tx, call.user.id);
        // A new session token, as after every change of authentication.
        const cookies = enter(tx, call, call.user.id);
        const audit = { action: "second-factor.on", subject: call.user.email };
        return { status: 200, data: { codes }, replayData: { codes: [] }, audit, cookies };
      }),
  },
  {
    method: "POST",
    path: "/me/second-factor/remove",
    needs: "user",
    body: Type.Object({ password: Password }, strict),
    handle: async (call) => {
      await requirePassword(call, "password", String(call.body.password));
      return change(call, (tx) => {
        const user = removeTotp(tx, call.user.id);
        const audit = { action: "second-factor.off", subject: user.email };
        return { status: 200, data: viewSignedIn(tx, user), audit };
      });
    },
  },
];

/** The user proves again who they are, by password or by a code of the second factor. */
async function confirm(call: UserCall): Promise<Answer> {
  const { store, user, session, box, address } = call;
  const { password = "", code = "" } = call.body as { password?: string; code?: string };
  if (code === "") {
    if (password === "") throw invalidRequest({ password: ["Enter the password or a code."] });
    await requirePassword(call, "password", password);
  } else {
    const guess = { email: user.email, guesser: { sessionId: session.id }, hasCode: true };
    const verdict = await store.write((tx) => countGuess(tx, guess));
    requireAllowed(verdict);
    const isRight = await store.write((tx) => {
      const current = findUser(tx, user.id);
      if (current === undefined || current.totpSecret === null || !consumeCode(tx, box, current, code)) return false;
      forgiveGuesses(tx, guess, verdict);
      return true;
    });
    if (!isRight) {
      await recordFailure(call);
      throw invalidRequest({ code: ["The code is incorrect or has already been used."] });
    }
  }
  await store.write((tx) => {
    confirmSession(tx, session.id);
    recordAudit(
      tx,
      { userId: user.id, address },
      { workspaceId: null, action: "session.confirm", subject: user.email },
    );
  });
  return answerData(200, {});
}

/**
 * Changing how the user signs in requires the password, because the screen may have been left unattended. Wrong
 * passwords count for this session alone, so that a stranger's guesses never keep the user out.
 */
async function requirePassword(call: UserCall, field: string, password: string): Promise<void> {
  const { store, user, session, passwords } = call;
  const guesser = { sessionId: session.id };
  const guess = { email: user.email, guesser, hasCode: false };
  using turn = passwords.reserve(clientOf(guesser));
  const verdict = await store.write((tx) => countGuess(tx, guess));
  requireAllowed(verdict);
  if (!(await turn.verify(password, user.password))) {
    await recordFailure(call);
    throw invalidRequest({ [field]: ["The password is incorrect."] });
  }
  await store.write((tx) => forgiveGuesses(tx, guess, verdict));
}

async function recordFailure({ store, log, user, address }: UserCall): Promise<void> {
  log.warn("session.confirm_failed", "Wrong password or code in a session", { address, user: user.id });
  const entry = { workspaceId: null, action: "session.fail", subject: user.email };
  await store.write((tx) => recordAudit(tx, { userId: user.id, address }, entry));
}
