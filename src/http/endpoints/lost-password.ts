/**
 * Links that the server sends by e-mail: to a new password, and to verify an address. Answers do not tell whether an
 * address has an account.
 */
import { Type } from "@sinclair/typebox";
import { invalidRequest, Problem } from "#src/core/problem.ts";
import { Form } from "#src/core/schema.ts";
import type { Tx } from "#src/db/transaction.ts";
import { recordAudit } from "#src/domain/users/audit-log.ts";
import { findOpenLink, linkIsOver, redeemMailedLink, requestMailedLink } from "#src/domain/users/links.ts";
import { findUserByEmail, workspaceIdsOf } from "#src/domain/users/read.ts";
import { countMailRequest } from "#src/domain/users/sign-in-throttle.ts";
import type { User } from "#src/domain/users/table.ts";
import { findPasswordProblem } from "#src/domain/users/user.ts";
import { clientNetwork } from "#src/net/client-network.ts";
import { answerData } from "../answer.ts";
import { type ConsoleCall, Refusal, recordAct } from "./call.ts";
import { Data, Empty, endpoint } from "./endpoint.ts";

const Text = (maxLength: number) => Type.String({ maxLength });

export const lostPasswordEndpoints = {
  /** What the sign-in page offers. */
  "GET /sign-in": endpoint({
    session: "nobody",
    output: Data(Type.Object({ sends_email: Type.Boolean() })),
  }).read((_, { sendsEmail }) => ({ sends_email: sendsEmail })),
  "POST /lost-password": endpoint({
    session: "nobody",
    body: Form({ email: Text(300) }),
    output: Data(Empty),
  }).answer(async (call) => {
    requireMail(call);
    const { store, address, body } = call;
    await store.write((tx) => {
      if (!isDue(tx, call, body.email)) return;
      const user = findUserByEmail(tx, body.email);
      // Only a verified address: any other may be a mistyped one, which belongs to a stranger.
      if (user === undefined || user.disabledAt !== null || user.emailVerifiedAt === null) return;
      requestMailedLink(tx, "forgot", user.id);
      recordAudit(
        tx,
        { userId: null, address },
        { workspaceId: null, action: "user.lost-password", subject: user.email },
      );
    });
    return answerData(202, {});
  }),
  "POST /lost-password/use": endpoint({
    session: "nobody",
    body: Form({ token: Text(100), password: Text(1_000) }),
    output: Data(Empty),
  }).answer(async (call) => {
    const { store, passwords, address } = call;
    const { token, password } = call.body;
    const open = store.read((tx) => findOpenLink(tx, token));
    if (open === undefined || open.link.kind !== "forgot") throw linkIsOver();
    const problem = findPasswordProblem(password, open.user?.email ?? "");
    if (problem !== null) throw invalidRequest({ password: [problem] });
    using turn = passwords.reserve({ name: `link ${open.link.id}`, isKnown: true });
    const hash = await turn.hash(password);
    // The user signs in with the new password, and with the second factor where the account has one.
    await store.write((tx) => recordNewPassword(tx, redeemMailedLink(tx, "forgot", token, hash), address));
    return answerData(200, {});
  }),
  "POST /links/verify": endpoint({
    session: "nobody",
    body: Form({ token: Text(100) }),
    output: Data(Type.Object({ email: Type.String() })),
  }).answer(async ({ store, address, body }) => {
    const { email } = await store.write((tx) => {
      const user = redeemMailedLink(tx, "verify", body.token, null);
      recordAudit(
        tx,
        { userId: user.id, address },
        { workspaceId: null, action: "user.verify-address", subject: user.email },
      );
      return user;
    });
    return answerData(200, { email });
  }),
  /** Sends the link that verifies the address of the signed-in user. */
  "POST /me/address": endpoint({ session: "user", output: Data(Empty) }).answer(async (call) => {
    requireMail(call);
    await call.store.write((tx) => {
      if (!isDue(tx, call, call.user.email)) throw new Problem("rate_limited", "A link was sent a short while ago.");
      requestMailedLink(tx, "verify", call.user.id);
      recordAct(tx, call, { action: "user.ask-verification", subject: call.user.email });
    });
    return answerData(202, {});
  }),
};

/** Throws a refusal where the server sends no e-mail. */
export function requireMail({ sendsEmail }: ConsoleCall): void {
  if (sendsEmail) return;
  throw new Refusal(409, "no_email", "This server sends no e-mail. Ask an operator for a link.");
}

/** Counts the request. Throws `rate_limited` for a network that asks too often; false: the address had enough. */
export function isDue(tx: Tx, { address }: Pick<ConsoleCall, "address">, email: string): boolean {
  const verdict = countMailRequest(tx, email, clientNetwork(address));
  if (typeof verdict === "string") return verdict === "send";
  throw new Problem("rate_limited", "Too many requests. Wait a while.", { retryAfterMs: verdict.waitMs });
}

/** The owners of the user's workspaces see it too. They do not learn the network address. */
function recordNewPassword(tx: Tx, { id, email }: User, address: string): void {
  const details = { by: "e-mail" };
  const entry = { action: "user.new-password", subject: email, details };
  recordAudit(tx, { userId: id, address }, { workspaceId: null, ...entry });
  for (const workspaceId of workspaceIdsOf(tx, id))
    recordAudit(tx, { userId: id, address: "" }, { workspaceId, ...entry });
}
