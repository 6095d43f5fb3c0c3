/**
 * `waxwing user …`: people who sign in to the console. No command takes or prints a password; users get a one-time
 * link.
 */

import { readUserMail } from "#src/config/user-mail.ts";
import { invalidRequest } from "#src/core/problem.ts";
import type { Tx } from "#src/db/transaction.ts";
import { COMMAND_LINE, recordAudit } from "#src/domain/users/audit-log.ts";
import { disableUser } from "#src/domain/users/change.ts";
import { invitationText } from "#src/domain/users/invitation-text.ts";
import { type Invited, inviteUser, recordReset, renewLink } from "#src/domain/users/invite.ts";
import { sendInvitation } from "#src/domain/users/links.ts";
import {
  findMembership,
  findUserByEmail,
  type KnownAccount,
  type ListedUser,
  listUsers,
} from "#src/domain/users/read.ts";
import { type Role, roleNames, roles, type WorkspaceRole, workspaceRoles } from "#src/domain/users/roles.ts";
import type { User } from "#src/domain/users/table.ts";
import { getWorkspace } from "#src/domain/workspaces/read.ts";
import type { Command } from "./command.ts";
import { linkAddress } from "./console-link.ts";
import type { Database } from "./database.ts";
import { createCommand, readCommand, writeCommand } from "./database-command.ts";
import { choice, flag, number, required, text } from "./option.ts";
import { lines, list, listed, type Report, timesIn } from "./output.ts";

const email = required(text("E", "The user's e-mail address"));
const numbers = text("A,B", "Numbers, or their ids, whose conversations an agent sees; default: all");

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
      numbers,
    },
    ({ email, role, workspace: workspaceId = null, numbers: named }) =>
      (tx, database) => {
        const invited = inviteUser(tx, { email, role, workspaceId, numbers: readNames(named) });
        recordRole(tx, workspaceId, role, invited);
        const otherwise = "Already a user of this workspace: the role has changed, and no link is needed.";
        return reportOf(database, invited, otherwise);
      },
  ),
  writeCommand(
    "user invite",
    {
      summary: "Invite a person to a workspace and print the invitation as a text, or send it by e-mail",
      details:
        "The text is for a chat or an e-mail of yours. With --mail the running server sends it, and no link is printed.",
    },
    {
      email,
      workspace: required(number("ID", "The workspace")),
      role: required(choice(workspaceRoles, "The role in it")),
      numbers,
      mail: flag("Send the invitation to the address; needs an SMTP server in the configuration"),
    },
    ({ email, role, workspace: workspaceId, numbers: named, mail }) =>
      (tx, database) => {
        if (mail && readUserMail(database.config) === null) {
          throw invalidRequest({
            mail: ["This server sends no e-mail: set alerts.smtp_url_file and server.public_url."],
          });
        }
        const known = findUserByEmail(tx, email);
        if (known !== undefined && findMembership(tx, known.id, workspaceId) !== undefined) {
          const sentence = `${known.email} is a member already. To change the role: waxwing user role`;
          throw invalidRequest({ email: [sentence] });
        }
        const invited = inviteUser(tx, { email, role, workspaceId, numbers: readNames(named) });
        if (mail && invited.link !== null) sendInvitation(tx, invited.link);
        recordRole(tx, workspaceId, role, invited, mail ? { by: "e-mail" } : {});
        return reportInvitation(database, invited, getWorkspace(tx, workspaceId).name, role, mail);
      },
  ),
  writeCommand(
    "user role",
    "Change a member's role in a workspace, or the numbers that an agent sees",
    {
      email,
      workspace: required(number("ID", "The workspace")),
      role: required(choice(workspaceRoles, "The new role")),
      numbers: text("A,B", "Numbers, or their ids, whose conversations an agent sees; all: all; default: as they are"),
    },
    ({ email, role, workspace: workspaceId, numbers: named }) =>
      (tx) => {
        const user = requireUser(tx, email);
        getWorkspace(tx, workspaceId);
        if (findMembership(tx, user.id, workspaceId) === undefined) {
          const sentence = `${user.email} is not a member of workspace ${workspaceId}: waxwing user invite`;
          throw invalidRequest({ email: [sentence] });
        }
        const numbers = named === "all" ? null : readNames(named);
        const changed = inviteUser(tx, { email, role, workspaceId, numbers });
        recordRole(tx, workspaceId, role, changed);
        const { numberIds } = changed;
        const json = { id: user.id, email: user.email, workspace: workspaceId, role, numbers: numberIds };
        return { json, text: list({ ...json, numbers: numberIds === null ? "all" : numberIds.join(", ") }) };
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

function readNames(named: string | undefined): string[] | undefined {
  return named?.split(",").flatMap((name) => name.trim() || []);
}

/** A user whom the workspace has already gets no link, but the role. */
function recordRole(
  tx: Tx,
  workspaceId: number | null,
  role: Role,
  { user, link, numberIds }: Invited,
  more: object = {},
): void {
  recordAudit(tx, COMMAND_LINE, {
    workspaceId,
    action: link === null ? "user.change-role" : "user.create",
    subject: user.email,
    details: { role, ...(numberIds === null ? {} : { numbers: numberIds }), ...more },
  });
}

function requireUser(tx: Tx, email: string): User {
  const user = findUserByEmail(tx, email);
  if (user === undefined) throw invalidRequest({ email: [`There is no user ${email}: waxwing user list`] });
  return user;
}

function reportOf({ config }: Database, { user, link, account }: Invited, otherwise: string): Report {
  const address = link === null ? null : linkAddress(config, link);
  const expires = when(link?.expiresAt ?? null);
  const text =
    address === null
      ? `${list({ id: user.id, email: user.email })}\n\n${otherwise}`
      : lines(
          list({ id: user.id, email: user.email, link: address, "works until": expires }),
          "",
          account !== null && [accountText(account), ""],
          "The link works once, and its holder can choose the password: give it only to the user.",
        );
  const { id, email } = user;
  return { json: { id, email, link: address, expires_at: expires, account: viewAccount(account) }, text };
}

/** The text names the workspace and the role, so that the invitee knows what the link is for. */
function reportInvitation(
  { config }: Database,
  { user, link, account }: Invited,
  workspace: string,
  role: WorkspaceRole,
  isMailed: boolean,
): Report {
  const address = isMailed || link === null ? null : linkAddress(config, link);
  const expires = when(link?.expiresAt ?? null);
  const invitation =
    address === null
      ? null
      : invitationText({ workspace, role: roles[role].label, link: address, expires: String(expires) });
  return {
    json: {
      ...{ id: user.id, email: user.email, link: address, expires_at: expires },
      ...{ text: invitation, mailed: isMailed, account: viewAccount(account) },
    },
    text: lines(
      account !== null && [accountText(account), ""],
      invitation ?? `The invitation is on its way to ${user.email}, and works until ${expires}.`,
    ),
  };
}

function viewAccount(account: KnownAccount | null) {
  return account === null ? null : { since: when(account.since), is_in_use: account.isInUse };
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

function viewPlace({
  workspaceId,
  role,
  numberIds,
}: ListedUser["invitations"][number] | ListedUser["memberships"][number]) {
  return { id: workspaceId, role, numbers: numberIds };
}

/** Users do not belong to a workspace's timezone. */
const when = timesIn({ timezone: "UTC" });
