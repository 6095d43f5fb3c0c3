/**
 * Invites an address to a workspace, or to the whole server as an operator. The role starts when the invitation's link
 * is used, because an existing account may be in other hands than the invitee's. Only an existing member gets a new
 * role at once.
 */
import { and, eq, isNotNull, isNull } from "drizzle-orm";
import { readPhone } from "#src/core/phone.ts";
import { invalidRequest, quote } from "#src/core/problem.ts";
import type { Tx } from "#src/db/transaction.ts";
import { listNumbers } from "../numbers/read.ts";
import { getWorkspace } from "../workspaces/read.ts";
import type { Workspace } from "../workspaces/table.ts";
import { type Actor, recordAudit } from "./audit-log.ts";
import { insertUser, setRole, updateUser } from "./change.ts";
import { type CreatedLink, createLink } from "./links.ts";
import {
  describeAccount,
  findMembership,
  findUserByEmail,
  type KnownAccount,
  listInvitations,
  workspaceIdsOf,
} from "./read.ts";
import { type Role, roles, type WorkspaceRole } from "./roles.ts";
import { type User, userLinks } from "./table.ts";
import { findEmailProblem, readEmail } from "./user.ts";

interface Invitation {
  email: string;
  role: Role;
  /** Null for an operator. */
  workspaceId: number | null;
  /** Of an agent: phones or ids of numbers; null: all; absent: as it is. */
  numbers?: readonly string[] | null | undefined;
}

export interface Invited {
  user: User;
  /** Null: the user is already a member and has the new role from now on. */
  link: CreatedLink | null;
  /** The existing account, for the inviter to check before passing the link on; null if the address has none. */
  account: KnownAccount | null;
  /** The numbers whose conversations an agent sees; null: all. */
  numberIds: number[] | null;
}

export function inviteUser(tx: Tx, { email, role, workspaceId, numbers }: Invitation): Invited {
  const problem = findEmailProblem(readEmail(email));
  if (problem !== null) throw invalidRequest({ email: [problem] });
  if (role !== "operator") {
    if (workspaceId === null) {
      throw invalidRequest({ workspace: [`The role ${role} needs a workspace.`] });
    }
    return inviteTo(tx, email, { workspaceId, role, numbers });
  }
  if (workspaceId !== null) {
    throw invalidRequest({ workspace: ["An operator has access to every workspace; omit the workspace."] });
  }
  return inviteOperator(tx, email);
}

interface Invite {
  workspaceId: number;
  role: WorkspaceRole;
  numbers: Invitation["numbers"];
}

function inviteTo(tx: Tx, email: string, { workspaceId, role, numbers }: Invite): Invited {
  const workspace = getWorkspace(tx, workspaceId);
  const known = findEnabled(tx, email);
  const user = known ?? insertUser(tx, { email, isOperator: false });
  const member = findMembership(tx, user.id, workspaceId);
  const [invitation] = member === undefined ? listInvitations(tx, { workspaceId, userId: user.id }) : [];
  const kept = roles[role].hasNumbers ? ((member ?? invitation)?.numberIds ?? null) : null;
  const numberIds = numbers === undefined ? kept : readNumbers(tx, workspace, role, numbers);
  const place = { workspaceId, role, numberIds };
  if (member !== undefined) {
    setRole(tx, user.id, place);
    return { user, link: null, account: null, numberIds };
  }
  return { user, link: createLink(tx, "join", user.id, place), account: describeAccount(tx, user), numberIds };
}

/** The ids of the numbers. Throws `invalid_request` with the numbers of the workspace for one that is not among them. */
function readNumbers(
  tx: Tx,
  workspace: Workspace,
  role: WorkspaceRole,
  named: readonly string[] | null,
): number[] | null {
  if (named === null) return null;
  const refuse = (sentence: string) => invalidRequest({ numbers: [sentence] });
  if (!roles[role].hasNumbers) throw refuse(`Only agents can be limited to numbers; the role is ${role}.`);
  const owned = listNumbers(tx, workspace.id);
  const ids = named.map((name) => {
    const phone = readPhone(name, workspace.country);
    const number = owned.find(({ id, phone: known }) => String(id) === name || known === phone);
    if (number !== undefined) return number.id;
    const list = owned.map(({ id, phone: known }) => `${known} (${id})`).join(", ");
    throw refuse(`${quote(name)} is not a number of this workspace; it has ${list || "none"}.`);
  });
  if (ids.length === 0) throw refuse("Name at least one number, or omit the limit.");
  return [...new Set(ids)];
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
  return { user, link: createLink(tx, "join", user.id), account: null, numberIds: null };
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
