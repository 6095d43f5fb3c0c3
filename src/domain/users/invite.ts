/**
 * Invites an address to a workspace, or to the whole server as an operator. The role starts when the invitation's link
 * is used, because an existing account may be in other hands than the invitee's. Only an existing member gets a new
 * role at once.
 */
import { and, eq, isNotNull, isNull } from "drizzle-orm";
import { invalidRequest } from "#src/core/problem.ts";
import type { Tx } from "#src/db/transaction.ts";
import { getWorkspace } from "../workspaces/read.ts";
import { type Actor, recordAudit } from "./audit-log.ts";
import { insertUser, setRole, updateUser } from "./change.ts";
import { type CreatedLink, createLink } from "./links.ts";
import {
  describeAccount,
  findUserByEmail,
  type KnownAccount,
  listInvitations,
  roleOf,
  workspaceIdsOf,
} from "./read.ts";
import type { Role, WorkspaceRole } from "./roles.ts";
import { type User, userLinks } from "./table.ts";
import { findEmailProblem } from "./user.ts";

interface Invitation {
  email: string;
  role: Role;
  /** Null for an operator. */
  workspaceId: number | null;
}

export interface Invited {
  user: User;
  /** Null: the user is already a member and has the new role from now on. */
  link: CreatedLink | null;
  /** The existing account, for the inviter to check before passing the link on; null if the address has none. */
  account: KnownAccount | null;
}

export function inviteUser(tx: Tx, { email, role, workspaceId }: Invitation): Invited {
  const problem = findEmailProblem(email.trim());
  if (problem !== null) throw invalidRequest({ email: [problem] });
  if (role !== "operator") {
    if (workspaceId === null) {
      throw invalidRequest({ workspace: [`The role ${role} needs a workspace.`] });
    }
    return inviteTo(tx, email, workspaceId, role);
  }
  if (workspaceId !== null) {
    throw invalidRequest({ workspace: ["An operator has access to every workspace; omit the workspace."] });
  }
  return inviteOperator(tx, email);
}

function inviteTo(tx: Tx, email: string, workspaceId: number, role: WorkspaceRole): Invited {
  getWorkspace(tx, workspaceId);
  const known = findEnabled(tx, email);
  const user = known ?? insertUser(tx, { email, isOperator: false });
  if (roleOf(tx, user.id, workspaceId) !== undefined) {
    setRole(tx, user.id, workspaceId, role);
    return { user, link: null, account: null };
  }
  return { user, link: createLink(tx, "join", user.id, { workspaceId, role }), account: describeAccount(tx, user) };
}

/** Makes an operator of an address that is new or was only invited so far; its open invitations to workspaces end. */
function inviteOperator(tx: Tx, email: string): Invited {
  const known = findEnabled(tx, email);
  if (known !== undefined && known.password !== null) {
    throw invalidRequest({ email: ["There is already a user with this e-mail address; choose another one."] });
  }
  if (known !== undefined) {
    tx.db
      .delete(userLinks)
      .where(and(eq(userLinks.userId, known.id), isNotNull(userLinks.workspaceId), isNull(userLinks.usedAt)))
      .run();
  }
  const user =
    known === undefined ? insertUser(tx, { email, isOperator: true }) : updateUser(tx, known.id, { isOperator: true });
  return { user, link: createLink(tx, "join", user.id), account: null };
}

function findEnabled(tx: Tx, email: string): User | undefined {
  const known = findUserByEmail(tx, email);
  if (known?.disabledAt != null) throw invalidRequest({ email: ["This user is disabled."] });
  if (known?.isOperator) throw invalidRequest({ email: ["This user is already an operator."] });
  return known;
}

/** Creates a new link for a user who lost the password, or the first link; the previous one stops working. */
export function renewLink(tx: Tx, user: User): CreatedLink {
  if (user.disabledAt !== null) throw invalidRequest({ email: [`${user.email} is disabled.`] });
  if (user.password !== null) return createLink(tx, "reset", user.id);
  if (user.isOperator) return createLink(tx, "join", user.id);
  const [invitation, ...others] = listInvitations(tx, { userId: user.id });
  if (invitation === undefined || others.length > 0) {
    const where = invitation === undefined ? "no workspace" : "several workspaces";
    throw invalidRequest({ email: [`${user.email} is invited to ${where}: invite them again to the right one.`] });
  }
  return createLink(tx, "join", user.id, invitation);
}

/** Every workspace of the user sees in its audit log who made a link to a new password. */
export function recordReset(tx: Tx, actor: Actor, user: User): void {
  for (const workspaceId of workspaceIdsOf(tx, user.id)) {
    recordAudit(tx, actor, { workspaceId, action: "user.reset-password", subject: user.email });
  }
}
