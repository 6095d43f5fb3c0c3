/** The user's own account: profile, sessions, password, second factor and theme. */
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
import { answerData } from "../../endpoint.ts";
import { accountContract } from "../contract/account.ts";
import { readTheme, themeCookie } from "../cookies.ts";
import { attachHandlers, type CallOf, change, type UserCall } from "../route.ts";
import { clientOf, requireAllowed } from "../sign-in-attempt.ts";
import { viewSession, viewSignedIn } from "../view.ts";
import { enter } from "./sign-in.ts";

export const accountRoutes = attachHandlers(accountContract, {
  "GET /me": ({ store, user, headers }) =>
    store.read((tx) => answerData(200, { ...viewSignedIn(tx, user), theme: readTheme(headers) })),
  "PUT /me/theme": ({ body, isSecure }) => ({
    ...answerData(200, body),
    cookies: [themeCookie(body.theme, isSecure)],
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
  // The pipeline refuses the request if the session has to be confirmed.
  "GET /me/confirmation": () => answerData(200, {}),
  "POST /me/confirmation": confirm,
  "PUT /me/password": async (call) => {
    const { current, password } = call.body;
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
  "POST /me/second-factor/begin": async (call) => {
    await requirePassword(call, "password", call.body.password);
    return call.store.write((tx) => {
      const { secret } = startTotpSetup(tx, call.box, call.user.id);
      const code = encode(totpAddress(secret, "Waxwing", call.user.email), { border: 0 });
      return answerData(200, { secret, modules: code.data.map((row) => row.map(Number).join("")) });
    });
  },
  "POST /me/second-factor/confirm": (call) =>
    change(call, (tx) => {
      const codes = confirmTotp(tx, call.box, call.user.id, call.body.code);
      endSessions(tx, call.user.id);
      // A new session token, as after every change of authentication.
      const cookies = enter(tx, call, call.user.id);
      const audit = { action: "second-factor.on", subject: call.user.email };
      return { status: 200, data: { codes }, replayData: { codes: [] }, audit, cookies };
    }),
  "POST /me/second-factor/remove": async (call) => {
    await requirePassword(call, "password", call.body.password);
    return change(call, (tx) => {
      const user = removeTotp(tx, call.user.id);
      const audit = { action: "second-factor.off", subject: user.email };
      return { status: 200, data: viewSignedIn(tx, user), audit };
    });
  },
});

/** The user proves again who they are, by password or by a code of the second factor. */
async function confirm(call: CallOf<(typeof accountContract)["POST /me/confirmation"]>) {
  const { store, user, session, box, address } = call;
  const { password = "", code = "" } = call.body;
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
