/** `waxwing user …`: people who sign in to the console. Nobody's password is ever given here; a one-time link is. */
import { COMMAND_LINE, recordDeed } from "#src/domain/audit/record.ts";
import { disableUser } from "#src/domain/users/change.ts";
import { addUser } from "#src/domain/users/create.ts";
import { type MadeLink, makeLink } from "#src/domain/users/links.ts";
import { findUserByEmail, type ListedUser, listUsers } from "#src/domain/users/read.ts";
import type { User } from "#src/domain/users/table.ts";
import { roles } from "#src/domain/users/user.ts";
import { formatInstant } from "#src/primitives/instant.ts";
import { invalidRequest } from "#src/primitives/problem.ts";
import type { Tx } from "#src/storage/transaction.ts";
import { type Command, command } from "./command.ts";
import { linkAddress } from "./console-link.ts";
import { type Database, withDatabase } from "./database.ts";
import { list, type Report, table } from "./output.ts";

const group = "user";

const emailOption = { kind: "text", value: "E", required: true, says: "Their e-mail address" } as const;

export const commands: readonly Command[] = [
  command({
    group,
    name: "create",
    summary: "Let somebody sign in, and print the link with which they choose a password",
    details: "An operator has the whole server; an owner or member has the workspace that is named.",
    options: {
      email: emailOption,
      role: { kind: "choice", choices: roles, required: true, says: "What they may do" },
      workspace: { kind: "number", value: "ID", says: "Of an owner or member: where" },
    },
    run: (context, given) =>
      withDatabase(context, "create", async (database) => {
        const { user, link } = await database.store.write((tx) => {
          const { email, role, workspace: workspaceId = null } = given;
          const { user, isNew } = addUser(tx, { email, role, workspaceId });
          recordDeed(tx, COMMAND_LINE, {
            workspaceId,
            action: isNew ? "user.create" : "user.join",
            subject: user.email,
            details: { role },
          });
          // Who has a password already keeps it, and sees the new workspace at once.
          return { user, link: user.password === null ? makeLink(tx, "join", user.id) : null };
        });
        return reportOf(database, user, link, "They can sign in with the password that they have.");
      }),
  }),
  command({
    group,
    name: "list",
    summary: "Everybody who may sign in",
    run: (context) =>
      withDatabase(context, "read", ({ store }) => {
        const users = store.read((reading) => listUsers(reading)).map(view);
        const rows = users.map((user) => [
          user.id,
          user.email,
          user.role === "operator" ? "operator" : user.workspaces.map((one) => `${one.role} of ${one.id}`).join(", "),
          user.has_password,
          user.second_factor,
          user.disabled_at,
        ]);
        const headings = ["id", "e-mail", "role", "password", "second factor", "disabled"];
        const empty = "There is no user: waxwing user create --email E --role operator";
        return { json: users, text: table(headings, rows, empty) };
      }),
  }),
  command({
    group,
    name: "reset-password",
    summary: "Print a link with which somebody chooses a new password; it also takes a lost second factor away",
    options: { email: emailOption },
    run: (context, given) =>
      withDatabase(context, "write", async (database) => {
        const { user, link } = await database.store.write((tx) => {
          const user = requireUser(tx, given.email);
          if (user.disabledAt !== null) throw invalidRequest({ email: [`${user.email} is disabled.`] });
          recordDeed(tx, COMMAND_LINE, { workspaceId: null, action: "user.reset-password", subject: user.email });
          return { user, link: makeLink(tx, user.password === null ? "join" : "reset", user.id) };
        });
        return reportOf(database, user, link, "");
      }),
  }),
  command({
    group,
    name: "disable",
    summary: "Keep somebody out from now on; every session of theirs ends",
    options: { email: emailOption },
    run: (context, given) =>
      withDatabase(context, "write", ({ store }) =>
        store.write((tx) => {
          const user = disableUser(tx, requireUser(tx, given.email).id);
          recordDeed(tx, COMMAND_LINE, { workspaceId: null, action: "user.disable", subject: user.email });
          const text = `${user.email} cannot sign in any more; every session of theirs has ended.`;
          return { json: { id: user.id, email: user.email, disabled_at: when(user.disabledAt) }, text };
        }),
      ),
  }),
];

function requireUser(tx: Tx, email: string): User {
  const user = findUserByEmail(tx, email);
  if (user === undefined) throw invalidRequest({ email: [`There is no user ${email}: waxwing user list`] });
  return user;
}

function reportOf({ config }: Database, user: User, link: MadeLink | null, otherwise: string): Report {
  const address = link === null ? null : linkAddress(config, link);
  const text =
    address === null
      ? `${list({ id: user.id, email: user.email })}\n\n${otherwise}`
      : [
          list({ id: user.id, email: user.email, link: address, "works until": when(link?.expiresAt ?? null) }),
          "",
          "The link works once, and whoever has it can choose the password: give it to nobody else.",
        ].join("\n");
  return {
    json: { id: user.id, email: user.email, link: address, expires_at: when(link?.expiresAt ?? null) },
    text,
  };
}

function view(user: ListedUser) {
  return {
    id: user.id,
    email: user.email,
    role: user.isOperator ? "operator" : null,
    workspaces: user.memberships.map(({ workspaceId, role }) => ({ id: workspaceId, role })),
    has_password: user.password !== null,
    second_factor: user.totpSecret !== null,
    created_at: when(user.createdAt),
    disabled_at: when(user.disabledAt),
  };
}

/** People belong to no workspace's timezone. */
function when(ms: number | null): string | null {
  return ms === null ? null : formatInstant(ms, "UTC");
}
