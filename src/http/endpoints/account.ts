/** The user's own account: profile, sessions, password, second factor and theme. */

import { type Static, Type } from "@sinclair/typebox";
import { encode } from "uqr";
import { invalidRequest } from "#src/core/problem.ts";
import { Form, Instant, Nullable, OneOf } from "#src/core/schema.ts";
import { totpAddress } from "#src/core/totp.ts";
import { setPassword } from "#src/domain/users/change.ts";
import { findUser } from "#src/domain/users/read.ts";
import { confirmTotp, consumeCode, removeTotp, startTotpSetup } from "#src/domain/users/second-factor.ts";
import { confirmSession, endSession, endSessions, listSessions } from "#src/domain/users/sessions.ts";
import { countGuess, forgiveGuesses } from "#src/domain/users/sign-in-throttle.ts";
import type { Session } from "#src/domain/users/table.ts";
import { findPasswordProblem } from "#src/domain/users/user.ts";
import { answerData } from "../answer.ts";
import { readTheme, themeCookie } from "../console/cookies.ts";
import { clientOf, requireAllowed } from "../console/sign-in-attempt.ts";
import { whenUtc } from "../times.ts";
import { change, recordAct, type UserCall } from "./call.ts";
import { Data, Empty, endpoint, Id } from "./endpoint.ts";
import { show } from "./show.ts";
import { enter } from "./sign-in.ts";
import { SignedInView, viewSignedIn } from "./signed-in.ts";

const Text = (maxLength: number) => Type.String({ maxLength });

/** Wider than the password rules allow, so that a long password gets their error message. */
const Password = Text(1_000);

/** Null: follow the system's theme. */
const Theme = Nullable(OneOf(["light", "dark"]));

const SessionView = Type.Object({
  id: Type.Integer(),
  is_current: Type.Boolean(),
  address: Type.String(),
  agent: Type.String(),
  created_at: Instant(),
  seen_at: Instant(),
});

export const accountEndpoints = {
  "GET /me": endpoint({
    session: "user",
    output: Data(
      Type.Object({
        ...SignedInView.properties,
        theme: Theme,
        /** Whether the server sends links by e-mail: only then can an address be verified. */
        sends_email: Type.Boolean(),
      }),
    ),
  }).read((tx, { user, headers, sendsEmail }) => ({
    ...viewSignedIn(tx, user),
    theme: readTheme(headers),
    sends_email: sendsEmail,
  })),
  "PUT /me/theme": endpoint({
    session: "user",
    body: Form({ theme: Theme }),
    output: Data(Type.Object({ theme: Theme })),
  }).answer(({ body, isSecure }) => ({
    ...answerData(200, body),
    cookies: [themeCookie(body.theme, isSecure)],
  })),
  "GET /me/sessions": endpoint({ session: "user", output: Data(Type.Array(SessionView)) }).read(
    (tx, { user, session }) => listSessions(tx, user.id).map((one) => viewSession(one, session.id)),
  ),
  "DELETE /me/sessions/{id}": endpoint({ session: "user", params: { id: Id("session") }, output: Data(Empty) }).change(
    (tx, call) => {
      const id = call.path.id;
      endSession(tx, call.user.id, id);
      return { status: 200, data: {}, audit: { action: "session.end", subject: call.user.email } };
    },
  ),
  "POST /me/sessions/end-others": endpoint({
    session: "user",
    output: Data(Type.Object({ ended: Type.Integer() })),
  }).change((tx, call) => {
    const ended = endSessions(tx, call.user.id, call.session.id);
    return { status: 200, data: { ended }, audit: { action: "session.end-others", subject: call.user.email } };
  }),
  // The pipeline refuses the request if the session has to be confirmed.
  "GET /me/confirmation": endpoint({ session: "user", isSensitive: true, output: Data(Empty) }).load(() => ({})),
  /** The user proves again who they are, by password or by a code of the second factor. */
  "POST /me/confirmation": endpoint({
    session: "user",
    body: Form({ password: Type.Optional(Password), code: Type.Optional(Text(40)) }),
    output: Data(Empty),
  }).load(async (call) => {
    const { store, user, session, box } = call;
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
      recordAct(tx, call, { action: "session.confirm", subject: user.email });
    });
    return {};
  }),
  "PUT /me/password": endpoint({
    session: "user",
    body: Form({ current: Password, password: Password }),
    output: Data(SignedInView),
  }).answer(async (call) => {
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
  }),
  "POST /me/second-factor/begin": endpoint({
    session: "user",
    body: Form({ password: Password }),
    /** `modules`: the rows of the QR code, a digit for each module. */
    output: Data(Type.Object({ secret: Type.String(), modules: Type.Array(Type.String()) })),
  }).load(async (call) => {
    await requirePassword(call, "password", call.body.password);
    return call.store.write((tx) => {
      const { secret } = startTotpSetup(tx, call.box, call.user.id);
      const code = encode(totpAddress(secret, "Waxwing", call.user.email), { border: 0 });
      return { secret, modules: code.data.map((row) => row.map(Number).join("")) };
    });
  }),
  "POST /me/second-factor/confirm": endpoint({
    session: "user",
    body: Form({ code: Text(40) }),
    output: Data(Type.Object({ codes: Type.Array(Type.String()) })),
  }).change((tx, call) => {
    const codes = confirmTotp(tx, call.box, call.user.id, call.body.code);
    endSessions(tx, call.user.id);
    // A new session token, as after every change of authentication.
    const cookies = enter(tx, call, call.user.id);
    const audit = { action: "second-factor.on", subject: call.user.email };
    return { status: 200, data: { codes }, replayData: { codes: [] }, audit, cookies };
  }),
  "POST /me/second-factor/remove": endpoint({
    session: "user",
    body: Form({ password: Password }),
    output: Data(SignedInView),
  }).answer(async (call) => {
    await requirePassword(call, "password", call.body.password);
    return change(call, (tx) => {
      const user = removeTotp(tx, call.user.id);
      const audit = { action: "second-factor.off", subject: user.email };
      return { status: 200, data: viewSignedIn(tx, user), audit };
    });
  }),
};

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

async function recordFailure(call: UserCall): Promise<void> {
  const { store, log, user, address } = call;
  log.warn("session.confirm_failed", "Wrong password or code in a session", { address, user: user.id });
  await store.write((tx) => recordAct(tx, call, { action: "session.fail", subject: user.email }));
}

function viewSession(session: Session, currentId: number): Static<typeof SessionView> {
  return show(SessionView, session, whenUtc, { is_current: session.id === currentId });
}
