/**
 * What users of the console may do: the rights, and the roles that have them, one row each. Endpoints name the right that
 * they need, and the console shows what the role may do. The console's bundle contains this file, so it imports nothing.
 */

export type Right =
  /** Read and answer conversations, see and edit contacts one at a time. */
  | "inbox"
  /** See what the whole workspace does: Home, the list of messages, numbers, templates. */
  | "overview"
  /** Send to many and change many: broadcasts, groups, imports, bulk changes, templates, quick replies, the simulator. */
  | "broadcasts"
  /** See what was delivered to the webhook. */
  | "logs"
  /** Download contacts and recipients as a file. */
  | "exports"
  /** Keys, webhook, numbers, custom fields, members, billing, audit log. */
  | "manage"
  /** What only the people who run the server decide about a workspace: credit, callback addresses. */
  | "operate";

interface RoleRow {
  label: string;
  /** In the console, where a role is chosen. */
  description: string;
  rights: readonly Right[];
  /** A person with the role may be limited to some of the workspace's numbers. */
  hasNumbers?: true;
}

const ofAgent = ["inbox"] as const;
const ofMember = [...ofAgent, "overview", "broadcasts", "logs"] as const;
const ofOwner = [...ofMember, "exports", "manage"] as const;

/** Operators have their role on the whole server, the others in a workspace. */
const table = {
  operator: {
    label: "Operator",
    description: "Full access to the whole server.",
    rights: [...ofOwner, "operate"],
  },
  owner: {
    label: "Owner",
    description: "Full access to the workspace: keys, webhook, exports, billing, members and audit log.",
    rights: ofOwner,
  },
  member: {
    label: "Member",
    description: "Replies, edits contacts, and sends broadcasts with templates, groups and imports.",
    rights: ofMember,
  },
  agent: {
    label: "Agent",
    description: "Reads and answers conversations, and edits contacts one at a time.",
    rights: ofAgent,
    hasNumbers: true,
  },
} as const satisfies Record<string, RoleRow>;

export type Role = keyof typeof table;

export const roles: Readonly<Record<Role, RoleRow>> = table;
export type WorkspaceRole = Exclude<Role, "operator">;

export const roleNames = Object.keys(roles) as Role[];
export const workspaceRoles = roleNames.filter((role): role is WorkspaceRole => role !== "operator");

export function hasRight(role: Role, right: Right): boolean {
  return roles[role].rights.includes(right);
}
