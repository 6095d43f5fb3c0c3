/**
 * `waxwing user …`: people who sign in to the console. No command takes or prints a password; users get a one-time
 * link.
 */

import { invalidRequest } from "#src/core/problem.ts";
import type { Tx } from "#src/db/transaction.ts";
import { COMMAND_LINE, recordAudit } from "#src/domain/users/audit-log.ts";
import { disableUser } from "#src/domain/users/change.ts";
import { type Invited, inviteUser, recordReset, renewLink } from "#src/domain/users/invite.ts";
import { findUserByEmail, type KnownAccount, type ListedUser, listUsers } from "#src/domain/users/read.ts";
import { roleNames } from "#src/domain/users/roles.ts";
import type { User } from "#src/domain/users/table.ts";
import type { Command } from "./command.ts";
import { linkAddress } from "./console-link.ts";
import type { Database } from "./database.ts";
import { createCommand, readCommand, writeCommand } from "./database-command.ts";
import { choice, number, required, text } from "./option.ts";
import { list, listed, type Report, timesIn } from "./output.ts";

const email = required(text("E", "The user's e-mail address"));

export const commands: readonly Command[] = [
  createCommand(
    "user create",
    {
      summary: "Invite a user and print the one-time link",
      details:
        "An operator can access the whole server; any other role starts in the named workspace when the link is used.",
    },
    {
      email,
      role: required(choice(roleNames, "The user's role")),
      workspace: number("ID", "Workspace of an owner, member or agent"),
      numbers: text("A,B", "Numbers, or their ids, whose conversations an agent sees; default: all"),
    },
    ({ email, role, workspace: workspaceId = null, numbers: named }) =>
      (tx, database) => {
        const numbers = named?.split(",").flatMap((name) => name.trim() || []);
        const invited = inviteUser(tx, { email, role, workspaceId, numbers });
        recordAudit(tx, COMMAND_LINE, {
          workspaceId,
          action: invited.link === null ? "user.change-role" : "user.create",
          subject: invited.user.email,
          details: { role, ...(invited.numberIds === null ? {} : { numbers: invited.numberIds }) },
        });
        const otherwise = "Already a user of this workspace: the role has changed, and no link is needed.";
        return reportOf(database, invited, otherwise);
      },
  ),
  readCommand("user list", "List users", {}, () => (tx) => {
    const columns = (user: ReturnType<typeof view>) => ({
      id: user.id,
      "e-mail": user.email,
      role: user.role ?? rolesOf(user),
      password: user.has_password,
      "second factor": user.second_factor,
      disabled: user.disabled_at,
    });
    const empty = "There are no users: waxwing user create --email E --role operator";
    return listed(listUsers(tx).map(view), columns, empty);
  }),
  writeCommand(
    "user reset-password",
    "Print a link to choose a new password; it also removes a lost second factor",
    { email },
    (values) => (tx, database) => {
      const user = requireUser(tx, values.email);
      const link = renewLink(tx, user);
      recordAudit(tx, COMMAND_LINE, { workspaceId: null, action: "user.reset-password", subject: user.email });
      recordReset(tx, COMMAND_LINE, user);
      return reportOf(database, { user, link, account: null, numberIds: null }, "");
    },
  ),
  writeCommand("user disable", "Disable a user and end all of the user's sessions", { email }, (values) => (tx) => {
    const user = disableUser(tx, requireUser(tx, values.email).id);
    recordAudit(tx, COMMAND_LINE, { workspaceId: null, action: "user.disable", subject: user.email });
    const text = `${user.email} can no longer sign in; all sessions have ended.`;
    return { json: { id: user.id, email: user.email, disabled_at: when(user.disabledAt) }, text };
  }),
];

function requireUser(tx: Tx, email: string): User {
  const user = findUserByEmail(tx, email);
  if (user === undefined) throw invalidRequest({ email: [`There is no user ${email}: waxwing user list`] });
  return user;
}

function reportOf({ config }: Database, { user, link, account }: Invited, otherwise: string): Report {
  const address = link === null ? null : linkAddress(config, link);
  const text =
    address === null
      ? `${list({ id: user.id, email: user.email })}\n\n${otherwise}`
      : [
          list({ id: user.id, email: user.email, link: address, "works until": when(link?.expiresAt ?? null) }),
          "",
          ...(account === null ? [] : [accountText(account), ""]),
          "The link works once, and its holder can choose the password: give it only to the user.",
        ].join("\n");
  return {
    json: {
      id: user.id,
      email: user.email,
      link: address,
      expires_at: when(link?.expiresAt ?? null),
      account: account === null ? null : { since: when(account.since), is_in_use: account.isInUse },
    },
    text,
  };
}

function accountText({ since, isInUse }: KnownAccount): string {
  const way = isInUse
    ? "With the link they sign in to it. If they cannot: waxwing user reset-password"
    : "With the link they sign in to it, or choose a new password for it";
  return `An account of this address exists since ${when(since)}. ${way}.`;
}

function rolesOf({ workspaces, invitations }: ReturnType<typeof view>): string {
  const shown = ({ id, role, numbers }: (typeof workspaces)[number]) =>
    `${role} of ${id}${numbers === null ? "" : ` (numbers ${numbers.join(", ")})`}`;
  return [...workspaces.map(shown), ...invitations.map((one) => `invited as ${shown(one)}`)].join(", ");
}

function view(user: ListedUser) {
  return {
    id: user.id,
    email: user.email,
    role: user.isOperator ? "operator" : null,
    workspaces: user.memberships.map(viewPlace),
    invitations: user.invitations.map(viewPlace),
    has_password: user.password !== null,
    email_verified: user.emailVerifiedAt !== null,
    second_factor: user.totpSecret !== null,
    created_at: when(user.createdAt),
    disabled_at: when(user.disabledAt),
  };
}

function viewPlace({ workspaceId, role, numberIds }: ListedUser["memberships"][number]) {
  return { id: workspaceId, role, numbers: numberIds };
}

/** Users do not belong to a workspace's timezone. */
const when = timesIn({ timezone: "UTC" });
