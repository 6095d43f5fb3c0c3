/**
 * What users of the console may do: the rights, and the roles that have them, one row each. Endpoints name the right that
 * they need, and the console shows what the role may do. The console's bundle contains this file, so it imports nothing.
 */

export type Right =
  /** See the workspace, read and answer conversations, edit contacts one at a time. */
  | "inbox"
  /** Send to many and change many: broadcasts, groups, imports, bulk changes, the simulator. */
  | "broadcasts"
  /** Download contacts and recipients as a file. */
  | "exports"
  /** See what was delivered to the webhook. */
  | "logs"
  /** Keys, webhook, numbers, templates, custom fields, members, billing, audit log. */
  | "manage"
  /** What only the people who run the server decide about a workspace: credit, callback addresses. */
  | "operate";

interface RoleRow {
  label: string;
  /** In the console, where a role is chosen. */
  description: string;
  rights: readonly Right[];
}

const ofMember = ["inbox", "broadcasts", "exports", "logs"] as const;
const ofOwner = [...ofMember, "manage"] as const;

/** Operators have their role on the whole server, the others in a workspace. */
export const roles = {
  operator: {
    label: "Operator",
    description: "Full access to the whole server.",
    rights: [...ofOwner, "operate"],
  },
  owner: {
    label: "Owner",
    description: "Full access to the workspace: keys, webhook, billing, members and audit log.",
    rights: ofOwner,
  },
  member: {
    label: "Member",
    description: "Sends messages, replies, edits contacts and reads conversations.",
    rights: ofMember,
  },
} as const satisfies Record<string, RoleRow>;

export type Role = keyof typeof roles;
export type WorkspaceRole = Exclude<Role, "operator">;

export const roleNames = Object.keys(roles) as Role[];
export const workspaceRoles = roleNames.filter((role): role is WorkspaceRole => role !== "operator");

export function hasRight(role: Role, right: Right): boolean {
  const { rights }: RoleRow = roles[role];
  return rights.includes(right);
}
