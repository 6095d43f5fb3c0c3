/** The user's own account: profile, sessions, password, second factor and theme. */
import { encode } from "uqr";
import { invalidRequest } from "#src/core/problem.ts";
import { totpAddress } from "#src/core/totp.ts";
import { setPassword } from "#src/domain/users/change.ts";
import { confirmTotp, removeTotp, startTotpSetup } from "#src/domain/users/second-factor.ts";
import { endSession, endSessions, listSessions, startSession } from "#src/domain/users/sessions.ts";
import { clearSignInAttempts, countSignInAttempt } from "#src/domain/users/sign-in-throttle.ts";
import { findPasswordProblem } from "#src/domain/users/user.ts";
import { answerData } from "../../endpoint.ts";
import { accountContract } from "../contract/account.ts";
import { readTheme, type Theme, themeCookie } from "../cookies.ts";
import { attachHandlers, change, type UserCall } from "../route.ts";
import { viewSession, viewSignedIn } from "../view.ts";
import { sessionClient, sessionHeaders } from "./sign-in.ts";

export const accountRoutes = attachHandlers(accountContract, {
  "GET /me": ({ store, user, headers }) =>
    store.read((tx) => answerData(200, { ...viewSignedIn(tx, user), theme: readTheme(headers) })),
  "PUT /me/theme": ({ body, isSecure }) => ({
    ...answerData(200, body),
    headers: { "set-cookie": themeCookie(body.theme as Theme | null, isSecure) },
  }),
  "GET /me/sessions": ({ store, user, session }) =>
    store.read((tx) =>
      answerData(
        200,
        listSessions(tx, user.id).map((one) => viewSession(one, session.id)),
      ),
    ),
  "DELETE /me/sessions/{id}": (call) =>
    change(call, (tx) => {
      const id = call.path.id;
      endSession(tx, call.user.id, id);
      return { status: 200, data: {}, audit: { action: "session.end", subject: call.user.email } };
    }),
  "POST /me/sessions/end-others": (call) =>
    change(call, (tx) => {
      const ended = endSessions(tx, call.user.id, call.session.id);
      return { status: 200, data: { ended }, audit: { action: "session.end-others", subject: call.user.email } };
    }),
  "PUT /me/password": async (call) => {
    const { current, password } = call.body as { current: string; password: string };
    const problem = findPasswordProblem(password, call.user.email);
    if (problem !== null) throw invalidRequest({ password: [problem] });
    await requirePassword(call, "current", current);
    const hash = await call.passwords.hash(password);
    return change(call, (tx) => {
      const user = setPassword(tx, call.user.id, hash);
      // A new password ends every session; this browser gets a new one.
      const { token } = startSession(tx, user.id, sessionClient(call));
      const audit = { action: "user.new-password", subject: user.email };
      return { status: 200, data: viewSignedIn(tx, user), audit, headers: sessionHeaders(call, token) };
    });
  },
  "POST /me/second-factor/begin": async (call) => {
    await requirePassword(call, "password", String(call.body.password));
    return call.store.write((tx) => {
      const { secret } = startTotpSetup(tx, call.box, call.user.id);
      const code = encode(totpAddress(secret, "Waxwing", call.user.email), { border: 0 });
      return answerData(200, { secret, modules: code.data.map((row) => row.map(Number).join("")) });
    });
  },
  "POST /me/second-factor/confirm": (call) =>
    change(call, (tx) => {
      const codes = confirmTotp(tx, call.box, call.user.id, String(call.body.code));
      endSessions(tx, call.user.id);
      // A new session token, as after every change of authentication.
      const { token } = startSession(tx, call.user.id, sessionClient(call));
      const audit = { action: "second-factor.on", subject: call.user.email };
      return { status: 200, data: { codes }, replayData: { codes: [] }, audit, headers: sessionHeaders(call, token) };
    }),
  "POST /me/second-factor/remove": async (call) => {
    await requirePassword(call, "password", String(call.body.password));
    return change(call, (tx) => {
      const user = removeTotp(tx, call.user.id);
      const audit = { action: "second-factor.off", subject: user.email };
      return { status: 200, data: viewSignedIn(tx, user), audit };
    });
  },
});

/**
 * Changing how the user signs in requires the password, because the screen may have been left unattended. Wrong
 * passwords count as failed sign-ins.
 */
async function requirePassword(
  { store, user, passwords, address }: UserCall,
  field: string,
  password: string,
): Promise<void> {
  const guess = { email: user.email, address };
  await store.write((tx) => countSignInAttempt(tx, guess));
  if (!(await passwords.verify(password, user.password))) {
    throw invalidRequest({ [field]: ["The password is incorrect."] });
  }
  await store.write((tx) => clearSignInAttempts(tx, guess));
}
