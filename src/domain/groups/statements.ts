/** The hot statements of groups and their members: see `db/hot-statement.ts`. */
import { getTableColumns } from "drizzle-orm";
import { hotRows } from "#src/db/hot-rows.ts";
import { columns, hotQuery, hotWrite, integer } from "#src/db/hot-statement.ts";
import { groupMembers, groups } from "./table.ts";

const group = getTableColumns(groups);
const member = getTableColumns(groupMembers);
const { contactId } = member;

export const groupInWorkspace = hotQuery(
  `SELECT ${columns(group)} FROM groups WHERE workspace_id = +:workspaceId AND id = +:id`,
  group,
  group,
);

export const groupByName = hotQuery(
  `SELECT ${columns(group)} FROM groups WHERE workspace_id = +:workspaceId AND folded = +:folded`,
  group,
  group,
);

export const groupsOfContact = hotQuery(
  `SELECT groups.id AS id, groups.name AS name FROM group_members JOIN groups ON groups.id = group_members.group_id
  WHERE group_members.contact_id = +:contactId ORDER BY groups.folded`,
  member,
  { id: group.id, name: group.name },
);

export const insertMember = hotWrite(
  "INSERT INTO group_members (group_id, contact_id) VALUES (:groupId, :contactId) ON CONFLICT DO NOTHING",
  member,
);

export const deleteMember = hotWrite(
  "DELETE FROM group_members WHERE group_id = +:groupId AND contact_id = +:contactId",
  member,
);

export const membership = hotQuery(
  "SELECT contact_id AS contactId FROM group_members WHERE group_id = +:groupId AND contact_id = +:contactId",
  member,
  { contactId },
);

export const memberIds = hotQuery(
  `SELECT contact_id AS contactId FROM group_members WHERE group_id = +:groupId AND contact_id > :after
  ORDER BY contact_id LIMIT +:limit`,
  { ...member, after: integer, limit: integer },
  { contactId },
);

/** Memberships, none of which exists. */
export const insertMembers = hotRows(groupMembers, member);
