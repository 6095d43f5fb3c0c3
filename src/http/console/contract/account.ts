/** Signing in, one-time links, and the user's own account. */
import { Type } from "@sinclair/typebox";
import { Instant, Nullable, OneOf } from "#src/core/schema.ts";
import { linkKinds } from "#src/domain/users/user.ts";
import { Data, declareRoutes, Empty, Id, strict } from "./declare.ts";
import { KnownAccount, OptionalText, RoleName } from "./fragments.ts";

const Text = (maxLength: number) => Type.String({ maxLength });
/** Wider than the password rules allow, so that a long password gets their error message. */
const Password = Text(1_000);
/** Null: follow the system's theme. */
const Theme = Nullable(OneOf(["light", "dark"]));

const WorkspaceEntry = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  timezone: Type.String(),
  role: RoleName,
});

/** The signed-in user and the workspaces that they may enter. */
export const SignedInView = Type.Object({
  user: Type.Object({
    id: Type.Integer(),
    email: Type.String(),
    is_operator: Type.Boolean(),
    second_factor: Type.Boolean(),
    recovery_codes: Type.Integer(),
  }),
  workspaces: Type.Array(WorkspaceEntry),
  version: Type.String(),
});

export const SessionView = Type.Object({
  id: Type.Integer(),
  is_current: Type.Boolean(),
  address: Type.String(),
  agent: Type.String(),
  created_at: Instant(),
  seen_at: Instant(),
});

export const LinkView = Type.Object({
  kind: OneOf(linkKinds),
  email: OptionalText,
  workspace: OptionalText,
  role: Nullable(RoleName),
  account: Nullable(KnownAccount),
});

export const signInContract = declareRoutes({
  "POST /sign-in": {
    needs: "nobody",
    input: {
      body: Type.Object(
        {
          email: Text(300),
          password: Password,
          code: Type.Optional(Text(40)),
          /** Token of an invitation that this account accepts by signing in. */
          invitation: Type.Optional(Text(100)),
        },
        strict,
      ),
    },
    output: Data(SignedInView),
  },
  "POST /sign-out": { needs: "user", input: {}, output: Data(Empty) },
  "POST /links/look": {
    needs: "nobody",
    input: { body: Type.Object({ token: Text(100) }, strict) },
    output: Data(LinkView),
  },
  "POST /links/use": {
    needs: "nobody",
    input: {
      body: Type.Object(
        {
          token: Text(100),
          password: Password,
          email: Type.Optional(Text(300)),
          take_over: Type.Optional(Type.Boolean()),
        },
        strict,
      ),
    },
    output: Data(SignedInView),
  },
});

export const accountContract = declareRoutes({
  "GET /me": { needs: "user", input: {}, output: Data(Type.Object({ ...SignedInView.properties, theme: Theme })) },
  "PUT /me/theme": {
    needs: "user",
    input: { body: Type.Object({ theme: Theme }, strict) },
    output: Data(Type.Object({ theme: Theme })),
  },
  "GET /me/sessions": { needs: "user", input: {}, output: Data(Type.Array(SessionView)) },
  "DELETE /me/sessions/{id}": { needs: "user", input: { path: { id: Id("session") } }, output: Data(Empty) },
  "POST /me/sessions/end-others": {
    needs: "user",
    input: {},
    output: Data(Type.Object({ ended: Type.Integer() })),
  },
  /** Refused by the pipeline if the session has to be confirmed. */
  "GET /me/confirmation": { needs: "user", input: {}, output: Data(Empty) },
  "POST /me/confirmation": {
    needs: "user",
    input: { body: Type.Object({ password: Type.Optional(Password), code: Type.Optional(Text(40)) }, strict) },
    output: Data(Empty),
  },
  "PUT /me/password": {
    needs: "user",
    input: { body: Type.Object({ current: Password, password: Password }, strict) },
    output: Data(SignedInView),
  },
  "POST /me/second-factor/begin": {
    needs: "user",
    input: { body: Type.Object({ password: Password }, strict) },
    /** `modules`: the rows of the QR code, a digit for each module. */
    output: Data(Type.Object({ secret: Type.String(), modules: Type.Array(Type.String()) })),
  },
  "POST /me/second-factor/confirm": {
    needs: "user",
    input: { body: Type.Object({ code: Text(40) }, strict) },
    output: Data(Type.Object({ codes: Type.Array(Type.String()) })),
  },
  "POST /me/second-factor/remove": {
    needs: "user",
    input: { body: Type.Object({ password: Password }, strict) },
    output: Data(SignedInView),
  },
});
